/* The orientation in EXIF data.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IMAGE_EXIF_H
#define IMAGE_EXIF_H

#include <stddef.h>
#include <stdint.h>

/* The orientation tag of the first directory of data[0..n), a TIFF structure without "Exif\0\0"; 1 (upright)
 * if there is none, or the structure is invalid. */
int image_exif_orientation(const uint8_t *data, size_t n);

#endif
