/* The parts of a tower for tiles (model/plan/tiles.h) that other towers do not have.
 *
 * The rows of an image are ordered so that each row attends to a range: first those that are not padding,
 * tile by tile, then padding, in the order of the tiles. fp_patch.input is a row's index in the order of the
 * tiles.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_TOWER_TILES_H
#define FASTPATH_TOWER_TILES_H

#include "fastpath/tower/pass.h"

/* Sets the layout to the patches of all tiles, in the order of the input: for the embedding. */
bool fp_tiles_patches(fp_layout *l, const plan_tower *tower, fp_scratch *scratch);

/* Sets the layout to the rows of all tiles. */
bool fp_tiles_rows(fp_layout *l, const plan_tower *tower, fp_scratch *scratch);

/* x receives the rows before layer 0. patches: the embedded patches, [n_frames · T · g², D], overwritten.
 * Fails with ASSAY_ENOMEM. */
assay_status fp_tiles_place(fp_tower_pass *v, float *patches, float *x);

/* What precedes the layers of the second part. x: [P, D], in place. */
assay_status fp_tiles_second(fp_tower_pass *v, float *x);

/* Keeps the state before layer i where features need it. */
void fp_tiles_collect(fp_tower_pass *v, size_t i, const float *x);

/* A row of the merger's input: the state of row r, and the collected states, interleaved. out:
 * [plan_tower_state]. */
void fp_tiles_join(const fp_tower_pass *v, const float *x, size_t r, float *out);

#endif
