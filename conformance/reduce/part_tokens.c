/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "conformance/reduce/parts.h"
#include "conformance/support/delta.h"

/* Tries fewer tokens of one sample. */
typedef struct search {
    conf_reducing *r;
    size_t sample;
} search;

/* kept: of the sequence of the sample, without placeholder tokens. */
static bool stays(void *context, const bool *kept, size_t n)
{
    const search *s = context;
    conf_reducing *r = s->r;
    bool *to = r->trial.tokens + s->sample * r->whole->width;
    conf_cut_copy(r->whole, &r->trial, &r->best);
    for (size_t i = 0; i < n; i++)
        if (!conf_whole_is_of_item(r->whole, s->sample, i)) to[i] = kept[i];
    return conf_attempt(r, conf_part_tokens.name);
}

static bool reduce(conf_reducing *r)
{
    bool any = false, *kept = calloc(r->whole->width, sizeof *kept);
    for (size_t b = 0; kept && b < r->whole->c->decoder.n_samples; b++) {
        const size_t n = conf_whole_tokens(r->whole, b);
        search s = {r, b};
        if (!r->best.samples[b]) continue;
        for (size_t i = 0; i < n; i++)
            kept[i] = r->best.tokens[b * r->whole->width + i] && !conf_whole_is_of_item(r->whole, b, i);
        any = conf_delta_units(kept, n, conf_attempt_least(r, kept, n), stays, &s) || any;
    }
    free(kept);
    return any;
}

const conf_part conf_part_tokens = {"tokens", reduce};
