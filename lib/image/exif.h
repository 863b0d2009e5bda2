/* The orientation in EXIF data.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IMAGE_EXIF_H
#define IMAGE_EXIF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads data[0..n), a TIFF structure after none to two heads "Exif\0\0", as Pillow 13.0 does.
 * *has_tag:     whether the first directory has an orientation tag: the first one with a known type and at
 * least one value; what follows an entry whose value lies beyond the data is not read. *orientation: its
 * first value, if that is a number from 1 to 8 of whatever type; else 1. Bytes and texts are no numbers. Both
 * are untouched if there is no data after the heads. Returns false, and leaves both untouched, if the data
 * has no valid head of a TIFF structure. */
bool image_exif_read(const uint8_t *data, size_t n, int *orientation, bool *has_tag);

#endif
