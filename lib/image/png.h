/* PNG files: all colour types and depths, interlaced or not.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IMAGE_PNG_H
#define IMAGE_PNG_H

#include "image/pixels.h"

/* As image_decode, for data of this format. */
assay_status image_png_decode(const char *name, const uint8_t *data, size_t n, image_pixels *out,
                              assay_error *err);

#endif
