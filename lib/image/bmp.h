/* BMP files: all headers, depths, bit fields and run lengths that Pillow reads.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IMAGE_BMP_H
#define IMAGE_BMP_H

#include "image/pixels.h"

/* As image_decode, for data of this format. */
assay_status image_bmp_decode(const char *name, const uint8_t *data, size_t n, image_pixels *out,
                              assay_error *err);

#endif
