/* SPDX-License-Identifier: Apache-2.0 */
#include "image/tiles.h"

#include <stdbool.h>

enum { LEVELS = 256 };

int64_t image_tiles_ratio(int64_t most, int64_t rows, int64_t columns)
{
    int64_t n = columns;
    for (int64_t r = 1; r < rows; r++) n += most / r;
    return n;
}

void image_tiles_fill(const image_config *config, const image_size *size, const image_pixels *image,
                      const float *level, float *tiles)
{
    const size_t side = (size_t)config->tile_size, columns = (size_t)size->grid_w,
                 n_tiles = (size_t)size->grid_h * columns;
    for (size_t tile = 0; tile < n_tiles; tile++)
        for (size_t channel = 0; channel < 3; channel++)
            for (size_t i = 0; i < side; i++)
                for (size_t j = 0; j < side; j++) {
                    const size_t y = tile / columns * side + i, x = tile % columns * side + j;
                    const bool inside = y < image->height && x < image->width;
                    const uint8_t value = inside ? image->rgb[(y * image->width + x) * 3 + channel] : 0;
                    *tiles++ = level[channel * LEVELS + value];
                }
}
