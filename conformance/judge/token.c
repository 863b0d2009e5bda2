/* The verdict on greedy tokens.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/judge/token.h"
#include "conformance/judge/distance.h"

#include <assert.h>
#include <math.h>

bool conf_is_near_tie(const double *truth, const double *found, size_t best, size_t other, double epsilon)
{
    return truth[best] - truth[other] <= 2 * epsilon && found[other] - found[best] <= 2 * epsilon;
}

bool conf_is_stop(int32_t token, const int32_t *stop_ids, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (stop_ids[i] == token) return true;
    return false;
}

/* Whether the logits determine a token: their mask is that of the truth. Without a truth, -infinity is
 * the only non-finite value allowed, since models use it to exclude tokens, and one element must be
 * finite. */
static bool determines_token(const conf_token_step *s)
{
    if (s->truth) return conf_mask_difference(s->truth, s->found, s->n) == s->n;
    bool any = false;
    for (size_t i = 0; i < s->n; i++) {
        if (isnan(s->found[i]) || s->found[i] == INFINITY) return false;
        any = any || isfinite(s->found[i]);
    }
    return any;
}

conf_token conf_token_judge_choice(const conf_token_step *s, int32_t token)
{
    bool stops = conf_is_stop(token, s->stop_ids, s->n_stop_ids);
    if (s->golden < 0) return stops ? CONF_TOKEN_SAME : CONF_TOKEN_GOES_ON;
    if (token == s->golden) return stops && !s->ends ? CONF_TOKEN_STOPS_EARLY : CONF_TOKEN_SAME;
    if (stops || s->ends || conf_is_stop(s->golden, s->stop_ids, s->n_stop_ids)) return CONF_TOKEN_STOP_FLIP;
    if (!s->truth || !s->found || token < 0 || (size_t)token >= s->n) return CONF_TOKEN_OTHER;
    bool near = conf_is_near_tie(s->truth, s->found, (size_t)s->golden, (size_t)token, s->epsilon);
    return near ? CONF_TOKEN_TIE : CONF_TOKEN_OTHER;
}

conf_token conf_token_judge(const conf_token_step *s, int32_t *token)
{
    assert(s->golden < 0 || (size_t)s->golden < s->n);
    *token = -1;
    if (!determines_token(s)) return CONF_TOKEN_NOT_FINITE;
    *token = (int32_t)conf_argmax(s->found, s->n);
    return conf_token_judge_choice(s, *token);
}
