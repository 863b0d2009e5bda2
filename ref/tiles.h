/* A vision tower for images of tiles (model/plan/tiles.h), evaluated for all images of a sample at once.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REF_TILES_H
#define REF_TILES_H

#include "ref/tower.h"

/* Evaluates the tower. pixels: [n_images · T · g², W], of each tile its patches row by row. ratios:
 * [n_images], from 1 on. The output has N rows for each tile, tile by tile. The tracer gets vision.patch,
 * [.., g²] rows of each tile, vision.NN.out, L rows of each tile, and vision.merged. Otherwise as ref_tower.
 */
assay_status ref_tiles(const plan_tower *tower, const double *pixels, const size_t *ratios, size_t n_images,
                       size_t first_traced, ref_tracer tracer, ref_tower_output *out);

#endif
