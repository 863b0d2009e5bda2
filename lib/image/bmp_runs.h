/* Run lengths in BMP files.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IMAGE_BMP_RUNS_H
#define IMAGE_BMP_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads the indices of n pixels of rows of the given width (RLE8, or RLE4 with two indices in a byte) from
 * offset `at` of the file data[0..n_data), as Pillow 13.0 does. out: [n]. Returns false if the data ends
 * before the last pixel. */
bool bmp_runs_read(const uint8_t *data, size_t n_data, size_t at, bool has_4_bits, size_t width, uint8_t *out,
                   size_t n);

#endif
