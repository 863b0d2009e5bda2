/* The parts of a convolutional tower's blocks (model/plan/conv.h), on one image.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REF_CONV_H
#define REF_CONV_H

#include "model/plan/conv.h"
#include "ref/ops.h"

/* x: [height·width, channels], owned. */
typedef struct ref_image {
    size_t height, width, channels;
    ref_real *x;
} ref_image;

static inline size_t ref_image_pixels(const ref_image *image)
{
    return image->height * image->width;
}

void ref_image_free(ref_image *image);

/* Makes *out, which the caller frees. Both fail with ASSAY_ENOMEM, *out empty. */
assay_status ref_convolve(ref_image *out, const ref_image *in, const plan_convolution *c);
assay_status ref_conv_unit(ref_image *out, const ref_image *in, const plan_conv_unit *unit);

/* Replaces the image by the block's output. Fails with ASSAY_ENOMEM. */
assay_status ref_conv_block(ref_image *image, const plan_conv_block *block);

#endif
