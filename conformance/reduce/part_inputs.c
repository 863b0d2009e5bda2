/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "conformance/reduce/parts.h"
#include "conformance/support/delta.h"

/* kept: of all items of the whole. */
static bool stays(void *reducing, const bool *kept, size_t n)
{
    conf_reducing *r = reducing;
    const conf_items *items = &r->whole->items;
    (void)n;
    conf_cut_copy(r->whole, &r->trial, &r->best);
    for (size_t b = 0; b < r->whole->c->decoder.n_samples; b++)
        for (size_t i = items->of[b]; i < items->of[b + 1]; i++)
            for (size_t k = items->spans[i].first; k < items->spans[i].end && !kept[i]; k++)
                r->trial.tokens[b * r->whole->width + k] = false;
    return conf_attempt(r, conf_part_inputs.name);
}

/* Inputs whose placeholder tokens are not known are no units: they stay. */
static bool reduce(conf_reducing *r)
{
    const conf_items *items = &r->whole->items;
    const size_t n_samples = r->whole->c->decoder.n_samples, n = items->of[n_samples];
    bool *kept = calloc(n + 1, sizeof *kept);
    for (size_t b = 0; kept && b < n_samples; b++)
        for (size_t i = items->of[b]; i < items->of[b + 1]; i++)
            kept[i] = items->spans[i].end && conf_cut_has_item(r->whole, &r->best, b, i);
    const bool any = kept && conf_delta_units(kept, n, conf_attempt_least(r, kept, n), stays, r);
    free(kept);
    return any;
}

const conf_part conf_part_inputs = {"inputs", reduce};
