/* SPDX-License-Identifier: Apache-2.0 */
#include "image/crops.h"

#include <math.h>

/* The pixels of a side of a crop that no neighbour has, and those of an overlap. */
static int64_t overlap_of(const image_config *c)
{
    return c->overlap_margin * c->patch_size;
}

static int64_t step_of(const image_config *c)
{
    return c->crop_size - 2 * overlap_of(c);
}

/* The side of n crops in a line. */
static double length_of(const image_config *c, int64_t n)
{
    return (double)(n * step_of(c) + 2 * overlap_of(c));
}

image_layout image_crops_layout(const image_config *config, int64_t height, int64_t width)
{
    image_layout best = {0, 0};
    double least = INFINITY;
    if (config->max_crops <= 1 || step_of(config) <= 0) return best;
    for (int64_t rows = 1; rows <= config->max_crops; rows++)
        for (int64_t columns = 1; columns <= config->max_crops; columns++) {
            const int64_t n = rows * columns + 1;
            if (n > config->max_crops) continue;
            const double tall = length_of(config, rows) / (double)height,
                         wide = length_of(config, columns) / (double)width;
            const double ratio = (double)width / (double)height / ((double)columns / (double)rows);
            const double score =
                fabs(log(ratio)) + 0.5 * fabs(log(wide < tall ? wide : tall)) + 0.1 * (double)n;
            if (score >= least) continue;
            least = score;
            best = (image_layout){rows, columns};
        }
    return best;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Of an axis of n pixels: crop i, each of `side` pixels. Sets its first pixel and the one after its last. */
static void place_crop(const image_config *c, int64_t n, int64_t side, int64_t i, double scale,
                       int64_t *first, int64_t *end)
{
    const int64_t most = n > side ? n - side : 0;
    *first = smaller((int64_t)((double)(i * step_of(c)) * scale), most);
    *end = smaller(*first + side, n);
}

image_box image_crops_box(const image_config *config, int64_t height, int64_t width, image_layout layout,
                          int64_t r, int64_t c)
{
    const double wide = (double)width / length_of(config, layout.columns),
                 tall = (double)height / length_of(config, layout.rows);
    const double scale = wide > tall ? wide : tall;
    const int64_t side = (int64_t)((double)config->crop_size * scale);
    image_box box;
    place_crop(config, width, side, c, scale, &box.left, &box.right);
    place_crop(config, height, side, r, scale, &box.top, &box.bottom);
    return box;
}
