/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/case/prompt.h"
#include "conformance/reduce/parts.h"
#include "conformance/support/delta.h"

static bool stays_with_steps(void *reducing, size_t n)
{
    conf_reducing *r = reducing;
    const conf_whole *whole = r->whole;
    conf_cut_copy(whole, &r->trial, &r->best);
    for (size_t b = 0; b < whole->c->decoder.n_samples; b++) {
        bool *kept = r->trial.tokens + b * whole->width;
        size_t n_more = r->best.n_decode - n;
        for (size_t i = conf_whole_tokens(whole, b); i-- > 0 && n_more;)
            if (kept[i]) {
                kept[i] = false;
                n_more--;
            }
    }
    r->trial.n_decode = n;
    return conf_attempt(r, conf_part_steps.name);
}

static bool stays_with_greedy(void *reducing, size_t n)
{
    conf_reducing *r = reducing;
    conf_cut_copy(r->whole, &r->trial, &r->best);
    r->trial.n_greedy = n;
    return conf_attempt(r, conf_part_steps.name);
}

static bool reduce(conf_reducing *r)
{
    const size_t n_steps = r->best.n_decode, n_greedy = r->best.n_greedy;
    const size_t least = r->whole->c->decoder.has_truth ? 0 : 1;
    if (conf_delta_count(0, n_steps, stays_with_steps, r) < n_steps) return true;
    return conf_delta_count(least, n_greedy, stays_with_greedy, r) < n_greedy;
}

const conf_part conf_part_steps = {"steps", reduce};
