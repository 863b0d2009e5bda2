/* A convolutional tower (plan_conv_tower): from images to the rows before the tower's last norm.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REF_CONV_TOWER_H
#define REF_CONV_TOWER_H

#include "model/plan/tower.h"
#include "ref/trace.h"

/* pixels: the images one after the other, [channels, height, width] each. grids: [n_images], [1, height,
 * width] each. x: [n_images, side², D], out. Passes vision.NN.out, the output of block NN, to the tracer, of
 * the images from first_traced on: their pixels row by row, one image after the other. Fails with
 * ASSAY_ENOMEM, and with ASSAY_ESTOPPED if the tap ends the pass. */
assay_status ref_conv_tower(const plan_tower *tower, const double *pixels, const size_t (*grids)[3],
                            size_t n_images, size_t first_traced, ref_tracer tracer, ref_real *x);

#endif
