/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/reduce/parts.h"
#include "conformance/support/delta.h"

/* Tries shorter ends of one sample. */
typedef struct ends {
    conf_reducing *r;
    size_t sample;
} ends;

/* Keeps all tokens of the items of which the first one is kept. */
static void complete_items(const conf_whole *whole, const conf_cut *cut, size_t sample, bool *kept)
{
    for (size_t i = whole->items.of[sample]; i < whole->items.of[sample + 1]; i++) {
        const conf_span *span = &whole->items.spans[i];
        size_t n_before = 0;
        for (size_t k = span->first; k < span->end; k++)
            kept[k] = kept[span->first] && conf_cut_wants(whole, cut, sample, i, k, &n_before);
    }
}

static bool stays(void *context, size_t n)
{
    const ends *e = context;
    conf_reducing *r = e->r;
    conf_cut_copy(r->whole, &r->trial, &r->best);
    bool *kept = r->trial.tokens + e->sample * r->whole->width;
    for (size_t i = 0, n_kept = 0; i < conf_whole_tokens(r->whole, e->sample); i++) {
        n_kept += kept[i];
        kept[i] = kept[i] && n_kept <= n;
    }
    complete_items(r->whole, &r->trial, e->sample, kept);
    return conf_attempt(r, conf_part_ends.name);
}

static bool reduce(conf_reducing *r)
{
    bool any = false;
    for (size_t b = 0; b < r->whole->c->decoder.n_samples; b++) {
        ends e = {r, b};
        if (!r->best.samples[b]) continue;
        const size_t n = conf_cut_tokens(r->whole, &r->best, b);
        any = conf_delta_count(r->best.n_decode + 1, n, stays, &e) < n || any;
    }
    return any;
}

const conf_part conf_part_ends = {"ends", reduce};
