/* Context shift that keeps what the cache holds of the tokens that are left (llama.cpp: K-shift): keys turn
 * to their new positions, and keys and values stay those that were computed while the dropped tokens were
 * there. Both are made of the inputs of each layer, so the truth of a token is a prefill of the tokens that
 * are left, in which a tap gives every layer the inputs that these tokens had when they were evaluated.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_EVALUATE_SHIFT_KEPT_H
#define CONFORMANCE_EVALUATE_SHIFT_KEPT_H

#include <stdbool.h>

#include "conformance/abi/open.h"

/* Whether layers have no other state than what their inputs and positions give: no recurrent layer, no
 * parallel streams, no scale of values by position, no rope that depends on the length. False also if the
 * checkpoint cannot be opened. */
bool conf_shift_kept_supports(const char *model, const char *const *allow_unknown);

/* An engine in float64 whose tap can write, and its model. */
typedef struct conf_shift_engine {
    const assay_engine *engine;
    assay_model *model;
    size_t vocab;
} conf_shift_engine;

/* The logits [n, V] of tokens caches.limit - 1 … n - 1 of a sequence of n > caches.limit tokens; those of
 * earlier tokens are left as they are. n_dropped: as in conf_shift_tokens. Fails as the engine does, with
 * ASSAY_EUNSUPPORTED if its tap cannot write, and with ASSAY_ENOMEM. */
assay_status conf_shift_kept_logits(const conf_shift_engine *e, conf_cache_limit caches, size_t n_dropped,
                                    const int32_t *tokens, size_t n, double *logits, assay_error *err);

#endif
