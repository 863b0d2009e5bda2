/* One pass through a tower, over the patches of whole frames. P: rows of the pass.
 *
 * Every operation computes each row independently, or each row over its segment, in an order that follows
 * from the frame alone: features are bit-identical for any frames in the pass, any blocks and any workers.
 * Rows go through each part of a layer in blocks of FP_TOWER_ROWS, which bounds the working memory: for all
 * rows it holds x, and the keys and values of one layer.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_TOWER_PASS_H
#define FASTPATH_TOWER_PASS_H

#include "fastpath/pass.h"
#include "fastpath/tower/layout.h"

#define FP_TOWER_ROWS ((size_t)576)

typedef struct fp_tower_pass {
    fp_pass pass; /* n_rows: of a block, at most; without runs */
    const plan_tower *tower;
    const fp_tower *packed;
    fp_layout layout;
    float *rows;          /* of audio clips, [P, W]; NULL: a medium has the rows of its pixels */
    float *collected;     /* [K, P, D], the states of collected layers; NULL without tiles */
    float *cosine, *sine; /* [P, rope.dim / 2]; NULL without a rope */
} fp_tower_pass;

/* The number of rows of the block that begins with row `first`. */
static inline size_t fp_tower_block(const fp_tower_pass *v, size_t first)
{
    const size_t left = v->layout.n_rows - first;
    return left < FP_TOWER_ROWS ? left : FP_TOWER_ROWS;
}

#endif
