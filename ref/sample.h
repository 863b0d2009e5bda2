/* The tokens of one sample of a session, and the positions that its steps gave them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REF_SAMPLE_H
#define REF_SAMPLE_H

#include <assay/engine.h>

/* A slot of a session. A slot that is not used has no tokens.
 * tokens:    [n_tokens], owned.
 * positions: [n_tokens, ROPE_AXES_MAX], owned; NULL while no step has given positions: the position of a
 *            token is its index then. */
typedef struct ref_sample {
    bool is_used;
    int32_t *tokens;
    int32_t *positions;
    size_t n_tokens;
} ref_sample;

void ref_sample_clear(ref_sample *s);

/* The position of the next token if its step gives none: the largest position of the last token over its
 * axes, + 1. */
size_t ref_sample_next(const ref_sample *s);

/* Makes *out a copy of s, followed by the tokens and positions of `step` (NULL: none), which has been
 * checked. Returns false, with *out empty, if out of memory. The caller frees *out with ref_sample_clear. */
bool ref_sample_copy(const ref_sample *s, const assay_step *step, ref_sample *out);

#endif
