/* WebP files: lossy and lossless; the first frame of an animation.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IMAGE_WEBP_H
#define IMAGE_WEBP_H

#include "image/pixels.h"

/* As image_decode, for data of this format. */
assay_status image_webp_decode(const char *name, const uint8_t *data, size_t n, image_pixels *out,
                               assay_error *err);

#endif
