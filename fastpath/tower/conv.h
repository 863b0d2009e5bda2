/* The blocks of a convolutional tower, on one image.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_TOWER_CONV_H
#define FASTPATH_TOWER_CONV_H

#include "fastpath/tower/conv_unit.h"

/* out = the block's output, the residual included; out->x must not overlap in->x, and has room for it.
 * Memory that it needs meanwhile: the outputs of its units, and the windows of FP_TOWER_ROWS pixels. Fails
 * with ASSAY_ENOMEM. */
assay_status fp_conv_block_run(fp_tower_pass *v, const plan_conv_block *block, const fp_conv_block *w,
                               const fp_image *in, fp_image *out);

#endif
