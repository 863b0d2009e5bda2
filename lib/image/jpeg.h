/* JPEG files: grayscale and three components, baseline and progressive; four components (CMYK) are refused.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IMAGE_JPEG_H
#define IMAGE_JPEG_H

#include "image/pixels.h"

/* As image_decode, for data of this format. */
assay_status image_jpeg_decode(const char *name, const uint8_t *data, size_t n, image_pixels *out,
                               assay_error *err);

#endif
