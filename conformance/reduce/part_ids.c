/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "conformance/reduce/parts.h"
#include "conformance/support/delta.h"

/* kept: of all tokens of the whole, those that keep an id of their own. */
static bool stays(void *reducing, const bool *kept, size_t n)
{
    conf_reducing *r = reducing;
    const size_t width = r->whole->width;
    (void)n;
    conf_cut_copy(r->whole, &r->trial, &r->best);
    for (size_t b = 0; b < r->whole->c->decoder.n_samples; b++)
        for (size_t i = 0; i < conf_whole_tokens(r->whole, b); i++)
            if (r->best.tokens[b * width + i] && !conf_whole_is_of_item(r->whole, b, i))
                r->trial.plain[b * width + i] = !kept[b * width + i];
    return conf_attempt(r, conf_part_ids.name);
}

/* Units are kept tokens that are no placeholders and not plain yet. */
static bool reduce(conf_reducing *r)
{
    const size_t n_samples = r->whole->c->decoder.n_samples, width = r->whole->width;
    bool *kept = calloc(n_samples * width, sizeof *kept);
    for (size_t b = 0; kept && b < n_samples; b++)
        for (size_t i = 0; i < conf_whole_tokens(r->whole, b) && r->best.samples[b]; i++) {
            const size_t at = b * width + i;
            kept[at] = r->best.tokens[at] && !r->best.plain[at] && !conf_whole_is_of_item(r->whole, b, i) &&
                       conf_whole_token(r->whole, b, i) != r->whole->plain;
        }
    const size_t n = n_samples * width;
    const bool any = kept && conf_delta_units(kept, n, conf_attempt_least(r, kept, n), stays, r);
    free(kept);
    return any;
}

const conf_part conf_part_ids = {"ids", reduce};
