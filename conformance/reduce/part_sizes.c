/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/reduce/parts.h"
#include "conformance/support/delta.h"

/* Tries smaller sizes of one item along one axis. */
typedef struct search {
    conf_reducing *r;
    size_t sample, item, axis, step;
} search;

static bool stays(void *context, size_t n)
{
    const search *s = context;
    conf_reducing *r = s->r;
    const conf_span *span = &r->whole->items.spans[s->item];
    size_t n_before = 0;
    conf_cut_copy(r->whole, &r->trial, &r->best);
    r->trial.sizes[s->item].n[s->axis] = n * s->step;
    for (size_t i = span->first; i < span->end; i++)
        r->trial.tokens[s->sample * r->whole->width + i] =
            conf_cut_wants(r->whole, &r->trial, s->sample, s->item, i, &n_before);
    return conf_attempt(r, conf_part_sizes.name);
}

/* Items of other sizes than their own are not known for every model (conf_size_of). */
static bool reduce_item(conf_reducing *r, size_t sample, size_t item)
{
    bool any = false;
    for (size_t axis = 0; axis < CONF_SIZE_AXES; axis++) {
        search s = {r, sample, item, axis,
                    conf_size_step(&r->whole->items.items[item], &r->whole->placeholders, axis)};
        const size_t n = r->best.sizes[item].n[axis] / s.step;
        any = conf_delta_count(1, n, stays, &s) < n || any;
    }
    return any;
}

static bool reduce(conf_reducing *r)
{
    const conf_items *items = &r->whole->items;
    bool any = false;
    for (size_t b = 0; b < r->whole->c->decoder.n_samples; b++)
        for (size_t i = items->of[b]; i < items->of[b + 1]; i++)
            if (r->whole->sizes[i].n[0] && conf_cut_has_item(r->whole, &r->best, b, i))
                any = reduce_item(r, b, i) || any;
    return any;
}

const conf_part conf_part_sizes = {"sizes", reduce};
