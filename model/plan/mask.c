/* SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/mask.h"

bool plan_is_block_token(const plan *p, int32_t token)
{
    for (size_t i = 0; i < p->blocks.n; i++)
        if (p->blocks.id[i] == token) return true;
    return false;
}

bool plan_joins_block(const plan *p, int32_t token, int32_t next)
{
    return plan_is_block_token(p, token) && plan_is_block_token(p, next);
}

bool plan_divides_block(const plan *p, const int32_t *tokens, size_t n, size_t at)
{
    return at > 0 && at < n && plan_joins_block(p, tokens[at - 1], tokens[at]);
}

void plan_block_ends(const plan *p, const int32_t *tokens, size_t n, size_t *end)
{
    for (size_t t = n; t-- > 0;) end[t] = plan_divides_block(p, tokens, n, t + 1) ? end[t + 1] : t + 1;
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
