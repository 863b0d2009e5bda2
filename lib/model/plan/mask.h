/* The keys to which each token of a sample attends.
 *
 * Both engines find blocks here. Only the reference takes whole ranges of keys from here; fastpath derives
 * their first keys from the views of its caches, so that windows and limits are computed twice.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_PLAN_MASK_H
#define MODEL_PLAN_MASK_H

#include "model/plan/plan.h"

/* The keys of one query: tokens first … end - 1, and the attention sink tokens 0 … sink_tokens - 1;
 * sink_tokens <= first < end. */
typedef struct plan_keys {
    size_t sink_tokens, first, end;
} plan_keys;

/* Tokens of a sample from its first on: [n]. n_image: of the image that it begins with, if these are a block
 * (plan_blocks); 0: there is none. It may be more than n. */
typedef struct plan_sequence {
    const plan *plan;
    const int32_t *tokens;
    size_t n, n_image;
} plan_sequence;

/* Whether tokens of this id form blocks. */
bool plan_is_block_token(const plan *p, int32_t token);

/* Whether token t < n belongs to a block. */
bool plan_is_in_block(const plan_sequence *s, size_t t);

/* Whether a token that follows the sequence belongs to the same block as its last one. n may be 0. */
bool plan_joins_block(const plan_sequence *s, int32_t next);

/* Whether tokens 0 … at - 1 and tokens at … n - 1 both have tokens of the same block. at <= n. */
bool plan_divides_block(const plan_sequence *s, size_t at);

/* Fills in end: [n - from], the index after the last token of the block that token from + i belongs to; that
 * after the token if it belongs to none. No block may begin before `from` and end after it, or end after the
 * last token. */
void plan_block_ends(const plan_sequence *s, size_t from, size_t *end);

/* Fills in keys: [n], of each token in a layer. A key j of query q is visible if j <= q, or with
 * PLAN_MASK_BLOCKS if it is in q's block, and in both cases only if q - window < j; in a layer without a
 * window, only if j < sink_tokens or q - (limit - sink_tokens) < j.
 * limit, sink_tokens: of the caches (assay_session_options); SIZE_MAX and 0: no limit.
 * block_end: [n], from plan_block_ends. */
void plan_mask_keys(const plan_attention *a, size_t limit, size_t sink_tokens, const size_t *block_end,
                    size_t n, plan_keys *keys);

#endif
