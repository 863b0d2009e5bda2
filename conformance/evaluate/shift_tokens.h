/* Which tokens of a sequence a context shift leaves.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_EVALUATE_SHIFT_TOKENS_H
#define CONFORMANCE_EVALUATE_SHIFT_TOKENS_H

#include <stddef.h>
#include <stdint.h>

#include "conformance/abi/open.h"

/* The tokens that are left when token `at` of a sequence is evaluated, itself included. caches.limit > 0.
 * n_dropped: how many tokens are dropped when the cache is full; 1 … limit - sink_tokens.
 * left: [limit]. Returns how many are left; at + 1 if none has been dropped. */
size_t conf_shift_tokens(const int32_t *tokens, size_t at, conf_cache_limit caches, size_t n_dropped,
                         int32_t *left);

#endif
