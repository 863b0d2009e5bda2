/* SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/mask.h"

bool plan_is_block_token(const plan *p, int32_t token)
{
    for (size_t i = 0; i < p->blocks.n; i++)
        if (p->blocks.id[i] == token) return true;
    return false;
}

bool plan_is_in_block(const plan_sequence *s, size_t t)
{
    return t < s->n_image || plan_is_block_token(s->plan, s->tokens[t]);
}

bool plan_joins_block(const plan_sequence *s, int32_t next)
{
    if (s->n == 0) return false;
    return s->n < s->n_image ||
           (plan_is_block_token(s->plan, s->tokens[s->n - 1]) && plan_is_block_token(s->plan, next));
}

bool plan_divides_block(const plan_sequence *s, size_t at)
{
    const plan_sequence before = {s->plan, s->tokens, at, s->n_image};
    return at < s->n && plan_joins_block(&before, s->tokens[at]);
}

void plan_block_ends(const plan_sequence *s, size_t from, size_t *end)
{
    for (size_t t = s->n; t-- > from;)
        end[t - from] = plan_divides_block(s, t + 1) ? end[t + 1 - from] : t + 1;
}

void plan_mask_keys(const plan_attention *a, size_t limit, size_t sink_tokens, const size_t *block_end,
                    size_t n, plan_keys *keys)
{
    const size_t window = a->window ? a->window : limit - sink_tokens,
                 n_sink_tokens = a->window ? 0 : sink_tokens;
    for (size_t q = 0; q < n; q++) {
        const size_t first = q < window ? 0 : q - window + 1;
        keys[q] = (plan_keys){.sink_tokens = n_sink_tokens < first ? n_sink_tokens : first,
                              .first = first,
                              .end = a->mask == PLAN_MASK_BLOCKS ? block_end[q] : q + 1};
    }
}
