/* The tokens of one sample of a session, its images and videos, and the positions of its tokens.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REF_SAMPLE_H
#define REF_SAMPLE_H

#include <assay/engine.h>

#include "model/inputs/media_list.h"

/* A slot of a session. A slot that is not used has no tokens.
 * tokens:    [n_tokens], owned.
 * positions: [n_tokens, ROPE_AXES_MAX], owned; NULL: the position of a token is its index, since no step has
 *            given positions, and the plan places no token by the grid of an image.
 * media:     owned; their spans may end after the last token. */
typedef struct ref_sample {
    bool is_used;
    int32_t *tokens;
    int32_t *positions;
    size_t n_tokens;
    media_list media;
} ref_sample;

void ref_sample_clear(ref_sample *s);

/* The position of the next token if its step gives none and it is text; at most INT32_MAX + 1. */
size_t ref_sample_next(const plan *p, const ref_sample *s);

/* Makes *out a copy of s. The caller frees *out with ref_sample_clear. Returns false, with *out empty, if out
 * of memory. */
bool ref_sample_copy(const ref_sample *s, ref_sample *out);

/* Makes *out a copy of s, followed by the tokens, items and positions of `step`, which ref_step_check has
 * accepted. Fails, with *out empty, as media_list_add does, and with ASSAY_ENOMEM. */
assay_status ref_sample_extend(const plan *p, const ref_sample *s, const assay_step *step, ref_sample *out,
                               assay_error *err);

/* Drops all tokens after the first n_tokens, and the media that have no placeholder token left. */
void ref_sample_rewind(ref_sample *s, size_t n_tokens);

#endif
