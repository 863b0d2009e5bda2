/* Greedy tokens of every sample, step by step.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/evaluate/tokens.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "conformance/case/prompt.h"
#include "conformance/case/row_list.h"
#include "conformance/evaluate/fail.h"
#include "conformance/judge/noise.h"
#include "conformance/judge/token.h"
#include "conformance/replay/greedy.h"
#include "conformance/replay/state.h"

size_t conf_row_of_step(const conf_decoder *d, size_t b, size_t k, bool greedy)
{
    if (!d->has_truth || k > d->n_decode) return SIZE_MAX;
    if (k == 0) return conf_row_find(d, b, false, conf_prompt_length(d, b) - 1);
    const int32_t *forced = (const int32_t *)d->decode.data + b * d->n_decode;
    const int32_t *golden = greedy ? (const int32_t *)d->greedy.data + b * d->n_greedy : forced;
    if (memcmp(forced, golden, k * sizeof *forced) != 0) return SIZE_MAX;
    return conf_row_find(d, b, true, k - 1);
}

void conf_evaluate_fail_step(conf_verdict *v, conf_token token, size_t b, size_t k, int32_t golden,
                             int64_t found)
{
    static const char *const reasons[] = {
        [CONF_TOKEN_OTHER] = "a greedy token differs, and not at a near tie",
        [CONF_TOKEN_STOP_FLIP] = "a greedy token differs where one of the two ends the stream",
        [CONF_TOKEN_STOPS_EARLY] = "the stream ends where the expected one goes on",
        [CONF_TOKEN_GOES_ON] = "the stream goes on where the expected one ends",
        [CONF_TOKEN_PAST_STOP] = "the stream goes on past a stop id",
        [CONF_TOKEN_NOT_FINITE] = "NaN or infinity in the logits of a greedy step",
    };
    conf_class class = token == CONF_TOKEN_NOT_FINITE ? CONF_CLASS_MASK : CONF_CLASS_TOKENS;
    if (!conf_evaluate_fail(v, class, "%s", reasons[token])) return;
    if (golden >= 0 && found == golden) {
        (void)snprintf(v->where, sizeof v->where,
                       "sample %zu, greedy step %zu: token %" PRId32
                       " is a stop id, and the expected stream goes on past it",
                       b, k, golden);
        return;
    }
    char expected[32] = "a stop id", got[32] = "no token";
    if (golden == CONF_STREAM_ENDED) (void)snprintf(expected, sizeof expected, "the end of the stream");
    if (golden >= 0) (void)snprintf(expected, sizeof expected, "token %" PRId32, golden);
    if (found != -1) (void)snprintf(got, sizeof got, "token %" PRId64, found);
    (void)snprintf(v->where, sizeof v->where, "sample %zu, greedy step %zu: expected %s, found %s", b, k,
                   expected, got);
}

/* Whether sample b has a step whose token is neither the expected one nor excused, and the first such
 * step; adds the excused steps to *n_ties. */
static bool sample_differs(const conf_replay *r, size_t b, double epsilon, size_t *n_ties, size_t *at)
{
    const conf_decoder *d = &r->c->decoder;
    size_t n_golden, n_steps = conf_greedy_steps(r, b, &n_golden);
    for (size_t k = 0; k < n_steps; k++) {
        size_t row = conf_row_of_step(d, b, k, true);
        int32_t golden = k < n_golden ? ((const int32_t *)d->greedy.data)[b * d->n_greedy + k] : -1;
        conf_token_step step = {.golden = golden,
                                .ends = d->stops[b] && k + 1 == n_golden && n_steps == n_golden,
                                .truth = row == SIZE_MAX ? NULL : d->rows.truth + row * d->rows.n_cols,
                                .found = r->greedy + (b * (d->n_greedy + 1) + k) * r->vocab,
                                .n = r->vocab,
                                .stop_ids = r->stop_ids,
                                .n_stop_ids = r->n_stop_ids,
                                .epsilon = epsilon};
        int32_t found;
        conf_token token = conf_token_judge(&step, &found);
        *n_ties += token == CONF_TOKEN_TIE;
        if (token == CONF_TOKEN_SAME || token == CONF_TOKEN_TIE) continue;
        conf_evaluate_fail_step(r->verdict, token, b, k, golden, found);
        *at = k;
        return true;
    }
    return false;
}

bool conf_tokens_differ(const conf_replay *r, const conf_bounds *bounds, size_t *sample, size_t *step)
{
    size_t n_ties = 0, b = 0, n = r->c->decoder.n_samples;
    while (b < n && !sample_differs(r, b, bounds->limit * bounds->max_abs, &n_ties, step)) b++;
    if (n_ties) conf_verdict_note(r->verdict, "%zu greedy tokens flipped at near ties", n_ties);
    *sample = b;
    return b < n;
}

void conf_evaluate_tokens(const conf_replay *r, const conf_bounds *bounds)
{
    size_t sample, step;
    (void)conf_tokens_differ(r, bounds, &sample, &step);
}
