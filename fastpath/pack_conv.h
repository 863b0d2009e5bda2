/* The packed weights of a convolutional tower. Dimensions are in the plan.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_PACK_CONV_H
#define FASTPATH_PACK_CONV_H

#include "fastpath/pack.h"

typedef struct fp_conv_unit {
    fp_linear product;   /* of a convolution that mixes channels */
    const float *kernel; /* [kernel², channels], of a depthwise one; NULL: it is none */
    const float *bias;   /* [channels], of a depthwise one, or NULL */
    fp_norm norm;
} fp_conv_unit;

typedef struct fp_conv_block {
    fp_conv_unit units[PLAN_CONV_UNITS_MAX];
    fp_norm norm;
    fp_linear q, k, v, o;
    fp_conv_unit key, value;
    const float *scale; /* [channels], or NULL */
} fp_conv_block;

typedef struct fp_conv_tower {
    fp_conv_block *blocks; /* [n_blocks] */
    fp_conv_block fusion;
} fp_conv_tower;

/* Packs the weights; failures are those of the packer. *to must not move. */
void fp_conv_pack(fp_packer *p, fp_conv_tower *to, const plan_conv_tower *from);

/* At least as many elements as a row of any activation has. */
size_t fp_conv_widest(const plan_conv_tower *t);

#endif
