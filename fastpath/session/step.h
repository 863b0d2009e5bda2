/* A step of one sample, and what it must fulfil before anything is evaluated.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_SESSION_STEP_H
#define FASTPATH_SESSION_STEP_H

#include "fastpath/session/sample.h"

/* The tokens of one sample's step.
 * tokens: [n_tokens], n_tokens >= 1, borrowed.
 * logits: [n_logits, vocab], of the last n_logits tokens, n_logits <= n_tokens; NULL if n_logits is 0.
 * positions: [n_axes, n_tokens], borrowed, n_axes 1 or plan_n_axes; NULL: as the sample's tokens, images
 * and videos say (positions_fill). items: [n_items], borrowed; see media_list_add. */
typedef struct fp_step {
    size_t slot;
    const int32_t *tokens;
    size_t n_tokens;
    float *logits;
    size_t n_logits;
    const int32_t *positions;
    size_t n_axes;
    const assay_item *items;
    size_t n_items;
} fp_step;

/* Fails with ASSAY_EINVAL if a token is outside the vocabulary. where, slot: for the message. */
assay_status fp_step_check_tokens(const plan *p, const int32_t *tokens, size_t n_tokens, const char *where,
                                  size_t slot, assay_error *err);

/* Fails with ASSAY_EINVAL unless positions on n_axes axes fit the plan: 1 or plan_n_axes. */
assay_status fp_step_check_axes(const plan *p, size_t n_axes, const char *where, size_t slot,
                                assay_error *err);

/* Whether the sample can take the step: the number of tokens, the tokens, their positions, and that no block
 * of tokens is continued. Fails as fp_session_step does. */
assay_status fp_step_check(const plan *p, const fp_sample *one, const fp_step *step, assay_error *err);

#endif
