/* The compressed pixels (LZW codes) of a GIF file.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IMAGE_GIF_CODES_H
#define IMAGE_GIF_CODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads indices in the order of the file from the blocks at data[0..n), which follow the byte n_bits, the
 * bits of an index. As Pillow 13.0, blocks without bytes are skipped, and codes behind the last pixel are not
 * read. put: called with each of the n_pixels indices, n_pixels > 0. Returns NULL, or what is wrong: a code
 * that the table does not have, or the end of the data. */
const char *gif_codes_read(const uint8_t *data, size_t n, unsigned n_bits, size_t n_pixels,
                           void (*put)(void *user, uint8_t index), void *user);

#endif
