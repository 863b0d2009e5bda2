/* PGM and PPM files, binary (P5, P6) and plain (P2, P3).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IMAGE_PNM_H
#define IMAGE_PNM_H

#include "image/pixels.h"

/* As image_decode, for data of this format. */
assay_status image_pnm_decode(const char *name, const uint8_t *data, size_t n, image_pixels *out,
                              assay_error *err);

#endif
