/* The positions of the tokens of one sample, stored once a step has given some, or the sample has images
 * whose tokens have other positions: until then the position of a token is its index.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_SESSION_POSITIONS_H
#define FASTPATH_SESSION_POSITIONS_H

#include <assay/engine.h>

#include "model/numerics/rope.h"

/* The number of tokens is the sample's. Zero-initialised: none are stored. */
typedef struct fp_positions {
    int32_t *list; /* [n_tokens, ROPE_AXES_MAX], owned; NULL: not stored */
    size_t capacity;
} fp_positions;

void fp_positions_free(fp_positions *p);

/* Ensures capacity for n_tokens + n_new tokens. If no positions are stored yet, it also stores those of the
 * first n_tokens, which are their indices on every axis. Returns false if out of memory. */
bool fp_positions_reserve(fp_positions *p, size_t n_tokens, size_t n_new);

/* Appends the n_new positions that a step gives, for which capacity is reserved, to those of n_tokens tokens.
 * given: [n_axes, n_new]; an axis that they do not have is like the first. */
void fp_positions_append(fp_positions *p, size_t n_tokens, const int32_t *given, size_t n_axes, size_t n_new);

/* Makes p, which is empty, a copy of the first n_tokens of `from`. Returns false if out of memory. */
bool fp_positions_copy(fp_positions *p, const fp_positions *from, size_t n_tokens);

/* 1 + the largest position. */
size_t fp_positions_length(const fp_positions *p, size_t n_tokens);

/* The position of a token whose step gives none: 1 + the largest of the last token over its axes. */
size_t fp_positions_next(const fp_positions *p, size_t n_tokens);

/* Fails with ASSAY_EINVAL if a position of a step is negative or beyond INT32_MAX. given, n_axes, n_new: as
 * in fp_positions_append. */
assay_status fp_positions_check(const fp_positions *p, size_t n_tokens, const int32_t *given, size_t n_axes,
                                size_t n_new, size_t slot, assay_error *err);

#endif
