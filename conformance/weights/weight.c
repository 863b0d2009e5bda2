/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/weights/weight.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/numerics/stored.h"
#include "model/plan/shapes.h"

typedef struct collector {
    const plan *plan;
    conf_weight_list list;
    size_t capacity;
    bool is_short;
} collector;

/* A bias follows its matrix; the matrices of experts come in turn. */
static void name_place(conf_weight_list *list, const char *place, char out[CONF_PLACE_MAX])
{
    const size_t last = list->n - 1, length = strlen(place);
    size_t index = 0;
    (void)snprintf(out, CONF_PLACE_MAX, "%.80s", place);
    for (size_t back = 1; back <= 6 && back <= last; back++) {
        const char *before = list->at[last - back].place;
        if (strncmp(before, out, length) != 0 || (before[length] && before[length] != '[')) continue;
        if (back == 1 && list->at[last].is->rows <= 1 && list->at[last - 1].is->rows != 1)
            (void)snprintf(out, CONF_PLACE_MAX, "%.80s.bias", place);
        else index = 1 + (before[length] ? strtoul(before + length + 1, NULL, 10) : 0);
        break;
    }
    if (index) (void)snprintf(out, CONF_PLACE_MAX, "%.70s[%zu]", place, index);
}

static void collect(void *context, const char *place, const plan_weight *w, double added)
{
    collector *c = context;
    if (c->is_short) return;
    if (c->list.n == c->capacity) {
        const size_t more = c->capacity ? 2 * c->capacity : 256;
        conf_weight *grown = realloc(c->list.at, more * sizeof *grown);
        c->is_short = !grown;
        if (!grown) return;
        c->list.at = grown;
        c->capacity = more;
    }
    conf_weight *next = &c->list.at[c->list.n++];
    *next = (conf_weight){.is = w, .added = added, .is_tied = c->plan->tied && w == &c->plan->head};
    name_place(&c->list, place, next->place);
}

assay_status conf_weights_of(const plan *p, conf_weight_list *out, assay_error *err)
{
    collector c = {.plan = p};
    plan_visit_weights(p, collect, &c);
    *out = c.list;
    return c.is_short ? assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", p->dir) : ASSAY_OK;
}

void conf_stored_rows(const assay_stored *s, size_t first, size_t n, double *out)
{
    for (size_t k = 0; k < s->n_in; k += STORED_BLOCK) {
        const size_t cols = s->n_in - k < STORED_BLOCK ? s->n_in - k : STORED_BLOCK;
        stored_block(s, first, n, k, cols, out + k, s->n_in);
    }
}

void conf_weight_rows(const conf_weight *w, size_t first, size_t n, double *out)
{
    if (w->is->values) memcpy(out, array_data(w->is->values), w->is->cols * sizeof *out);
    else conf_stored_rows(&w->is->stored, first, n, out);
    const size_t cols = w->is->cols;
    for (size_t i = 0; w->added != 0 && i < n * cols; i++) out[i] += w->added;
    for (size_t i = 0; w->column_factor && i < n * cols; i++) out[i] *= w->column_factor[i % cols];
    for (size_t i = 0; w->row_factor && i < n * cols; i++) out[i] *= w->row_factor[first + i / cols];
}
