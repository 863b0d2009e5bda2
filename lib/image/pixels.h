/* An RGB image in memory.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IMAGE_PIXELS_H
#define IMAGE_PIXELS_H

#include <assay/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Images with more pixels are refused, before anything is allocated: the limit above which PIL refuses an
 * image as a decompression bomb. */
#define IMAGE_DECODED_MAX ((size_t)178956970)

typedef struct image_pixels {
    size_t height, width;
    uint8_t *rgb; /* [height, width, 3]; owned */
} image_pixels;

/* Allocates an image of zeros. name: for messages. Fails with ASSAY_EUNSUPPORTED if a side is 0 or the image
 * has more than IMAGE_DECODED_MAX pixels, or with ASSAY_ENOMEM. *out is untouched on failure. */
assay_status image_pixels_open(const char *name, size_t height, size_t width, image_pixels *out,
                               assay_error *err);

void image_pixels_free(image_pixels *pixels);

/* Replaces the image by its upright form.
 * orientation: the EXIF tag, 1 … 8; any other value leaves the image unchanged.
 * Fails with ASSAY_ENOMEM; the image is unchanged then. */
assay_status image_pixels_orient(const char *name, image_pixels *pixels, int orientation, assay_error *err);

/* Converts n pixels of CMYK to RGB as PIL does. is_inverted: 255 stands for no ink, as in JPEG files. */
void image_cmyk_convert(const uint8_t *cmyk, size_t n, bool is_inverted, uint8_t *rgb);

#endif
