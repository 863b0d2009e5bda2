/* SPDX-License-Identifier: Apache-2.0 */
#include "template/filters/filters.h"

#include <string.h>

#include "template/filters/is.h"
#include "template/filters/markup.h"
#include "template/filters/order.h"
#include "template/filters/scalar.h"
#include "template/filters/sequence.h"
#include "template/values/item.h"
#include "template/values/operate.h"

#define FILTER TPL_FILTER
#define UNUSED TPL_FILTER_UNUSED

static const tpl_value missing = {.kind = TPL_MISSING};

/* What map, select, reject, selectattr and rejectattr do for each element. It is found out when the first
 * element is read, and only if the input is not false, empty or undefined. */
typedef struct selection {
    tpl_value input;
    tpl_arguments args; /* as in the template */
    assay_text filter;  /* the name of this filter */
    bool begun;
    tpl_cursor from;
    tpl_arguments rest; /* of the filter or test that is applied */
    assay_text name;    /* of that filter or test; at NULL: an attribute, or the truth of the element */
    tpl_value bound[TPL_PARAMETERS_MAX];
} selection;

/* The arguments after the first n. */
static tpl_arguments arguments_after(const tpl_arguments *args, size_t n)
{
    return (tpl_arguments){
        .at = args->n > n ? args->at + n : NULL, .n = args->n > n ? args->n - n : 0, .named = args->named};
}

/* Opens the input and takes the name at index i of the arguments, if they have it. */
static void begin_selection(tpl *t, selection *s, size_t i)
{
    s->begun = true;
    s->from = tpl_cursor_open(t, tpl_truth(s->input) ? s->input : (tpl_value){0});
    s->rest = arguments_after(&s->args, i + 1);
    if (tpl_truth(s->input) && s->args.n > i) s->name = tpl_argument_text(t, s->args.at[i], "");
}

static bool next_mapped(tpl *t, void *state, tpl_value *out)
{
    selection *s = state;
    tpl_value item;
    if (!s->begun) {
        begin_selection(t, s, 0);
        if (tpl_truth(s->input) && s->args.n == 0 &&
            !tpl_bind(t, s->filter, &s->args, "!attribute default", s->bound))
            return false;
    }
    if (!tpl_cursor_next(t, &s->from, &item)) return false;
    *out = s->name.at ? tpl_filter(t, s->name, item, &s->rest) : tpl_path(t, item, s->bound[0], s->bound[1]);
    return true;
}

static bool next_selected(tpl *t, void *state, tpl_value *out)
{
    selection *s = state;
    const bool wanted = s->filter.at[0] == 's';
    const size_t n_skipped = s->filter.n > strlen("select"); /* the attribute's name */
    if (!s->begun) begin_selection(t, s, n_skipped);
    if (tpl_truth(s->input) && s->args.n < n_skipped)
        return tpl_fail(t, ASSAY_EFORMAT, "the name of an attribute is missing");
    while (tpl_cursor_next(t, &s->from, out)) {
        const tpl_value item = n_skipped ? tpl_path(t, *out, s->args.at[0], missing) : *out;
        const bool holds = s->name.at ? tpl_is(t, s->name, item, &s->rest) : tpl_truth(item);
        if (holds == wanted) return true;
    }
    return false;
}

static tpl_value new_selection(tpl *t, tpl_value v, const tpl_arguments *args, assay_text filter,
                               tpl_next_fn *next)
{
    selection *s = tpl_alloc(t, 1, sizeof *s);
    if (s) *s = (selection){.input = v, .args = *args, .filter = filter};
    return tpl_iterator_new(t, next, s);
}

FILTER(filter_map)
{
    UNUSED;
    return new_selection(t, v, args, filter, next_mapped);
}

FILTER(filter_select)
{
    UNUSED;
    return new_selection(t, v, args, filter, next_selected);
}

static const tpl_filter_row selecting_filters[] = {
    {"map", NULL, filter_map},           {"select", NULL, filter_select},     {"reject", NULL, filter_select},
    {"selectattr", NULL, filter_select}, {"rejectattr", NULL, filter_select}, {0},
};

static const tpl_filter_row *find_row(assay_text name)
{
    const tpl_filter_row *const tables[] = {tpl_scalar_filters, selecting_filters, tpl_sequence_filters,
                                            tpl_order_filters, tpl_markup_filters};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const tpl_filter_row *row = tables[i]; row->name; row++)
            if (tpl_same_text(name, row->name)) return row;
    return NULL;
}

bool tpl_has_filter(assay_text name)
{
    return find_row(name) != NULL;
}

bool tpl_is_filter(assay_text name)
{
    return find_row(name) || tpl_same_text(name, "pprint") || tpl_same_text(name, "random") ||
           tpl_same_text(name, "urlize");
}

bool tpl_filter_has_context(assay_text name)
{
    for (const tpl_filter_row *row = selecting_filters; row->name; row++)
        if (tpl_same_text(name, row->name)) return true;
    return false;
}

tpl_value tpl_filter(tpl *t, assay_text name, tpl_value value, const tpl_arguments *args)
{
    tpl_value at[TPL_PARAMETERS_MAX], out = {0};
    const tpl_filter_row *row = find_row(name);
    if (!row)
        (void)tpl_fail(t, tpl_is_filter(name) ? ASSAY_EUNSUPPORTED : ASSAY_EFORMAT, "the filter \"%.*s\" %s",
                       name.n > 60 ? 60 : (int)name.n, name.at,
                       tpl_is_filter(name) ? "is not supported" : "does not exist");
    else if (tpl_enter(t) && (!row->parameters || tpl_bind(t, name, args, row->parameters, at)))
        out = row->apply(t, value, at, args, name);
    if (row) tpl_leave(t);
    return out;
}
