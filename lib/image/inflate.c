/* SPDX-License-Identifier: Apache-2.0 */
#include "image/inflate.h"

#include <stdbool.h>

#include <zlib.h>

image_inflated image_inflate(const uint8_t *data, size_t n, uint8_t *out, size_t *n_out)
{
    z_stream z = {.next_in = (z_const Bytef *)data, .avail_in = (uInt)n, .next_out = out};
    *n_out = 0;
    if (inflateInit(&z) != Z_OK) return IMAGE_INFLATED_NO_MEMORY;
    z.avail_out = (uInt)IMAGE_TEXT_MAX;
    const int rc = inflate(&z, Z_SYNC_FLUSH);
    const bool has_rest = z.avail_in > 0 && z.avail_out == 0 && rc != Z_STREAM_END;
    (void)inflateEnd(&z);
    if (rc == Z_MEM_ERROR) return IMAGE_INFLATED_NO_MEMORY;
    if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR) return IMAGE_INFLATED_DAMAGED;
    if (has_rest) return IMAGE_INFLATED_TOO_LARGE;
    *n_out = IMAGE_TEXT_MAX - z.avail_out;
    return IMAGE_INFLATED;
}
