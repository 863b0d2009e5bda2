/* SPDX-License-Identifier: Apache-2.0 */
#include "template/values/loop.h"

#include <string.h>

#include "template/values/dict.h"

/* The next accepted element of the source. */
static bool read_source(tpl *t, tpl_loop *loop, tpl_value *out)
{
    while (tpl_cursor_next(t, &loop->source, out)) {
        if (!loop->accepts || loop->accepts(t, loop->context, *out)) return t->status == ASSAY_OK;
    }
    return false;
}

/* Reads one element ahead, or all of them; false if there is none. */
static bool read_ahead(tpl *t, tpl_loop *loop, bool all)
{
    tpl_value item;
    if (loop->ahead.kind != TPL_LIST) loop->ahead = tpl_list_new(t, TPL_PLAIN);
    if (loop->ahead.kind != TPL_LIST) return false;
    while ((all || loop->n_ahead == loop->ahead.list->n) && read_source(t, loop, &item))
        tpl_list_add(t, loop->ahead, item);
    return loop->n_ahead < loop->ahead.list->n;
}

bool tpl_loop_next(tpl *t, tpl_loop *loop, tpl_value *out)
{
    const bool waits = loop->ahead.kind == TPL_LIST && loop->n_ahead < loop->ahead.list->n;
    if (waits) *out = loop->ahead.list->items[loop->n_ahead++];
    else if (!read_source(t, loop, out)) return false;
    loop->index0++;
    loop->before = loop->current;
    loop->current = *out;
    return true;
}

static size_t length(tpl *t, tpl_loop *loop)
{
    if (loop->sized) return loop->source.items->n;
    (void)read_ahead(t, loop, true);
    return loop->index0 + 1 + (loop->ahead.kind == TPL_LIST ? loop->ahead.list->n - loop->n_ahead : 0);
}

static tpl_value new_method(tpl *t, tpl_loop *loop, const char *name)
{
    tpl_function *method = tpl_alloc(t, 1, sizeof *method);
    if (!method) return (tpl_value){0};
    *method = (tpl_function){.name = name, .self = {.kind = TPL_LOOP, .loop = loop}};
    return (tpl_value){.kind = TPL_FUNCTION, .function = method};
}

tpl_value tpl_loop_attribute(tpl *t, tpl_loop *loop, assay_text name)
{
    const int64_t index0 = (int64_t)loop->index0;
    if (tpl_same_text(name, "index")) return tpl_int(index0 + 1);
    if (tpl_same_text(name, "index0")) return tpl_int(index0);
    if (tpl_same_text(name, "first")) return tpl_bool(index0 == 0);
    if (tpl_same_text(name, "last")) return tpl_bool(!read_ahead(t, loop, false));
    if (tpl_same_text(name, "length")) return tpl_int((int64_t)length(t, loop));
    if (tpl_same_text(name, "revindex")) return tpl_int((int64_t)length(t, loop) - index0);
    if (tpl_same_text(name, "revindex0")) return tpl_int((int64_t)length(t, loop) - index0 - 1);
    if (tpl_same_text(name, "depth")) return tpl_int((int64_t)loop->depth0 + 1);
    if (tpl_same_text(name, "depth0")) return tpl_int((int64_t)loop->depth0);
    if (tpl_same_text(name, "previtem")) return loop->before;
    if (tpl_same_text(name, "nextitem"))
        return read_ahead(t, loop, false) ? loop->ahead.list->items[loop->n_ahead] : (tpl_value){0};
    if (tpl_same_text(name, "cycle")) return new_method(t, loop, "cycle");
    if (tpl_same_text(name, "changed")) return new_method(t, loop, "changed");
    return (tpl_value){0};
}

tpl_value tpl_loop_call(tpl *t, const tpl_function *method, const tpl_arguments *args)
{
    tpl_loop *loop = method->self.loop;
    if (args->named.kind == TPL_DICT) return tpl_fail_type(t, args->named, "loop: an argument by name");
    if (strcmp(method->name, "cycle") == 0) {
        if (args->n > 0) return args->at[loop->index0 % args->n];
        (void)tpl_fail(t, ASSAY_EFORMAT, "loop.cycle: found no arguments, expected one or more");
        return (tpl_value){0};
    }
    tpl_value values = tpl_list_new(t, TPL_TUPLE);
    for (size_t i = 0; i < args->n; i++) tpl_list_add(t, values, args->at[i]);
    const bool changed = loop->changed.kind != TPL_LIST || !tpl_equals(t, loop->changed, values);
    if (changed) loop->changed = values;
    return tpl_bool(changed);
}
