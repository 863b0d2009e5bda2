/* PBM, PGM, PPM and PFM files, binary (P4, P5, P6, Pf) and plain (P1, P2, P3), and the extensions of Pillow.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IMAGE_PNM_H
#define IMAGE_PNM_H

#include "image/pixels.h"

/* As image_decode, for data of this format. */
assay_status image_pnm_decode(const char *name, const uint8_t *data, size_t n, image_pixels *out,
                              assay_error *err);

#endif
