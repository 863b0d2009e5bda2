/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/evaluate/shift_tokens.h"

#include <string.h>

size_t conf_shift_tokens(const int32_t *tokens, size_t at, conf_cache_limit caches, size_t n_dropped,
                         int32_t *left)
{
    size_t n = 0;
    for (size_t t = 0; t <= at; t++) {
        if (n == caches.limit) {
            int32_t *oldest = left + caches.sink_tokens;
            n -= n_dropped;
            memmove(oldest, oldest + n_dropped, (n - caches.sink_tokens) * sizeof *left);
        }
        left[n++] = tokens[t];
    }
    return n;
}
