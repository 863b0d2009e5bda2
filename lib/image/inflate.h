/* Compressed texts of PNG files.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IMAGE_INFLATE_H
#define IMAGE_INFLATE_H

#include <stddef.h>
#include <stdint.h>

#define IMAGE_TEXT_MAX ((size_t)1 << 20) /* bytes of an inflated text; Pillow's MAX_TEXT_CHUNK */

typedef enum image_inflated {
    IMAGE_INFLATED,           /* also for a stream that is cut off */
    IMAGE_INFLATED_TOO_LARGE, /* the text has more than IMAGE_TEXT_MAX bytes */
    IMAGE_INFLATED_DAMAGED,
    IMAGE_INFLATED_NO_MEMORY
} image_inflated;

/* Inflates a zlib stream, data[0..n), to out[0..*n_out); out has IMAGE_TEXT_MAX bytes. *n_out is 0 unless
 * IMAGE_INFLATED is returned. */
image_inflated image_inflate(const uint8_t *data, size_t n, uint8_t *out, size_t *n_out);

#endif
