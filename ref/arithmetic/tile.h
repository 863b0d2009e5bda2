/* A small product whose sums stay in registers, written for one instruction set (a micro-kernel): what a
 * product of matrices of any size is made of.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REF_ARITHMETIC_TILE_H
#define REF_ARITHMETIC_TILE_H

#include <stddef.h>

typedef struct ref_tile {
    const char *isa;
    size_t n_tokens, n_rows;
    /* sum[r, t] += Σ w[r, i] x[i, t], in the order of i, each step a fused multiply-add. sum: [n_rows,
     * n_tokens] with rows ld_sum apart; w: [n_rows, k] with rows ld_w apart; x: [k, n_tokens]. */
    void (*multiply)(double *sum, size_t ld_sum, const double *w, size_t ld_w, const double *x, size_t k);
} ref_tile;

/* The i-th of the tiles that this processor can run, the fastest first; NULL: it has no more. */
const ref_tile *ref_tile_at(size_t i);

/* More than any tile has, of either. */
#define REF_TILE_MAX 16

#endif
