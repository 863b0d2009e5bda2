/* The images of a convolutional tower, and one convolution with its norm and activation.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_TOWER_CONV_UNIT_H
#define FASTPATH_TOWER_CONV_UNIT_H

#include "fastpath/tower/pass.h"

/* x: [height·width, channels], borrowed. */
typedef struct fp_image {
    size_t height, width, channels;
    float *x;
} fp_image;

static inline size_t fp_image_pixels(const fp_image *image)
{
    return image->height * image->width;
}

/* Sets *out to the output. out->x has room for it, or is NULL: then it is taken from the scratch. Fails with
 * ASSAY_ENOMEM. */
assay_status fp_conv_unit_run(fp_tower_pass *v, const plan_conv_unit *unit, const fp_conv_unit *w,
                              const fp_image *in, fp_image *out);

#endif
