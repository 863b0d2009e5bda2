/* One sample of a session: its tokens, images and videos, and the state of the layers after some of the
 * tokens.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_SESSION_SAMPLE_H
#define FASTPATH_SESSION_SAMPLE_H

#include "fastpath/cache/cache.h"
#include "fastpath/cross_keys.h"
#include "fastpath/features.h"
#include "fastpath/session/positions.h"
#include "model/inputs/media_list.h"

/* Zero-initialised: unused. */
typedef struct fp_sample {
    bool in_use;
    int32_t *tokens; /* [n_tokens] */
    size_t n_tokens, capacity;
    fp_positions positions;
    media_list media;
    fp_features **features; /* [media.n]; NULL: not evaluated yet */
    size_t features_capacity;
    fp_cross_keys *cross; /* of all images; NULL: not made yet, or no layer attends to images */
    fp_state state;       /* state of the first state.n_tokens tokens */
    size_t length;        /* length of the sequence for whose RoPE frequencies the state was computed */
} fp_sample;

/* Leaves the sample unused. */
void fp_sample_free(fp_sample *one);

/* Appends the tokens of a step, its items, and the positions of the tokens if they are given or not their
 * indices. The state is unchanged, unless layers attend to images and an image changes what the tokens before
 * it see: then it is empty. Fails as media_list_add does, or with ASSAY_ENOMEM; the sample is
 * unchanged then. */
assay_status fp_sample_append(fp_sample *one, const plan *p, const assay_step *step, assay_error *err);

/* Drops all tokens after the first n_tokens, and the images and videos that begin with them. If a block loses
 * tokens, the state goes back to its beginning: the rest of the block was evaluated with keys that are
 * dropped, and is evaluated again with the next step.
 */
void fp_sample_rewind(fp_sample *one, const plan *p, size_t n_tokens);

/* Makes `to`, which is in use and has no tokens, a copy of `from`; they share pages and features. Returns
 * false if out of memory; `to` can only be freed then. */
bool fp_sample_copy(fp_sample *to, const fp_sample *from);

#endif
