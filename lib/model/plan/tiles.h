/* Images as tiles (Llama Team 2024, Llama 3.2 Vision): an image is cut into squares, the tiles, which a tower
 * evaluates together, with learned tables for each way of cutting.
 *
 * Notation: as in model/plan/tower.h; T tiles of every image, of which those that it does not have are given
 * as pixels, too; g² patches of a tile, N = g² + 1 its rows with the class row, L its rows with padding, L >=
 * N; r the number of the image's ratio: (rows, columns) of tiles, from 1 on.
 *
 * A tower with tiles, in the order of evaluation, with tanh of each gate in its place:
 *   x = embed(rows of pixels) + before_gate · before[r][tile], of each patch
 *   the class row before the patches of each tile
 *   x = in_norm(x + (1 - positions_gate) · positions[row] + positions_gate · tile_positions[r][tile, row])
 *   L - N rows of zeros behind each tile; these, and all rows of tiles that the image lacks, are padding
 *   layers 0 … second - 1
 *   x = middle(x) + after_gate · after[r][tile]
 *   layers second … n_layers - 1
 *   features = merger([x, c]), of the N rows of each tile: c interleaves the states of the K collected
 *   layers, element d of state k at d·K + k; the state of a layer is its input, before `middle`
 * A segment is a whole image: a row that is not padding attends to all its rows, padding to the others alone.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_PLAN_TILES_H
#define MODEL_PLAN_TILES_H

#include "model/plan/parts.h"

enum { PLAN_RATIOS_MAX = 64, PLAN_COLLECTED_MAX = 32 };

typedef struct plan_tiles {
    size_t n;      /* T */
    size_t side;   /* g */
    size_t padded; /* L */
    size_t n_ratios;
    size_t ratio[PLAN_RATIOS_MAX][2]; /* rows and columns of ratio 1 + i; at most T tiles */
    plan_weight class_row;            /* [D] */
    plan_weight before;               /* [(n_ratios + 1)·T, D] */
    plan_weight positions;            /* [N, D] */
    plan_weight tile_positions;       /* [(n_ratios + 1)·T·N, D] */
    plan_weight after;                /* [(n_ratios + 1)·T, D] */
    plan_weight before_gate, positions_gate, after_gate; /* [1] */
    plan_norm middle;
    size_t second;
    size_t n_collected; /* K */
    size_t collected[PLAN_COLLECTED_MAX];
} plan_tiles;

/* N */
static inline size_t plan_tiles_rows(const plan_tiles *tiles)
{
    return tiles->side * tiles->side + 1;
}

/* The number of tiles of an image with this ratio, from 1 on. */
static inline size_t plan_tiles_of(const plan_tiles *tiles, size_t ratio)
{
    return tiles->ratio[ratio - 1][0] * tiles->ratio[ratio - 1][1];
}

#endif
