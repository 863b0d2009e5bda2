/* A convolutional tower: from images to the rows before the tower's last norm.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_TOWER_CONV_TOWER_H
#define FASTPATH_TOWER_CONV_TOWER_H

#include "fastpath/tower/pass.h"

/* Evaluates the images of v->layout.frames, one after the other in each block, so that their bits do not
 * depend on each other, and lays v->layout out for their rows: side² rows an image, each a token. *x:
 * [n_rows, D], from the scratch. The tracer receives, and may overwrite, vision.NN.out, the output of block
 * NN: the pixels of all images, row by row, one image after the other. Memory: the largest output of a block,
 * twice, the outputs that the fusion takes, and that of fp_conv_block_run. Fails with ASSAY_ENOMEM, and with
 * ASSAY_ESTOPPED if the tap ends the pass. */
assay_status fp_conv_tower_run(fp_tower_pass *v, float **x);

#endif
