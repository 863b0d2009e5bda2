/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "conformance/reduce/cut/inputs.h"
#include "conformance/reduce/parts.h"
#include "conformance/support/delta.h"

/* Tries one filling. */
typedef struct search {
    conf_reducing *r;
    conf_filling filling;
} search;

/* kept: of all items of the whole, those that keep the values that they have. */
static bool stays(void *context, const bool *kept, size_t n)
{
    const search *s = context;
    conf_reducing *r = s->r;
    conf_cut_copy(r->whole, &r->trial, &r->best);
    for (size_t i = 0; i < n; i++)
        if (!kept[i] && r->best.fillings[i] < s->filling) r->trial.fillings[i] = s->filling;
    return conf_attempt(r, conf_part_values.name);
}

/* Units are kept items with less simple values. */
static bool try_filling(conf_reducing *r, conf_filling filling, bool *kept)
{
    const conf_items *items = &r->whole->items;
    const size_t n_samples = r->whole->c->decoder.n_samples;
    search s = {r, filling};
    for (size_t b = 0; b < n_samples; b++)
        for (size_t i = items->of[b]; i < items->of[b + 1]; i++)
            kept[i] = conf_cut_has_item(r->whole, &r->best, b, i) && r->best.fillings[i] < filling &&
                      conf_filling_of(r->whole, i) < filling;
    const size_t n = items->of[n_samples];
    return conf_delta_units(kept, n, conf_attempt_least(r, kept, n), stays, &s);
}

static bool reduce(conf_reducing *r)
{
    bool any = false, *kept = calloc(r->whole->items.of[r->whole->c->decoder.n_samples] + 1, sizeof *kept);
    for (conf_filling f = CONF_N_FILLINGS; kept && --f > CONF_FILLING_OWN;)
        any = try_filling(r, f, kept) || any;
    free(kept);
    return any;
}

const conf_part conf_part_values = {"values", reduce};
