/* Attention in a convolutional tower: every pixel attends to all pixels of the keys, of which there may be
 * fewer.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_TOWER_CONV_ATTEND_H
#define FASTPATH_TOWER_CONV_ATTEND_H

#include "fastpath/tower/conv_unit.h"

/* out = attention(norm(in)), without scale and residual; out->x has room for it. Fails with ASSAY_ENOMEM. */
assay_status fp_conv_attend(fp_tower_pass *v, const plan_conv_block *b, const fp_conv_block *w,
                            const fp_image *in, fp_image *out);

#endif
