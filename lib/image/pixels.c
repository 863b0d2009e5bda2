/* SPDX-License-Identifier: Apache-2.0 */
#include "image/pixels.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

assay_status image_pixels_open(const char *name, size_t height, size_t width, image_pixels *out,
                               assay_error *err)
{
    if (height == 0 || width == 0 || height > IMAGE_DECODED_MAX / width)
        return assay_fail(err, ASSAY_EUNSUPPORTED, "%s: image of %zu x %zu pixels: expected 1 to %zu", name,
                          height, width, IMAGE_DECODED_MAX);
    uint8_t *rgb = calloc(height * width, 3);
    if (!rgb) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", name);
    *out = (image_pixels){.height = height, .width = width, .rgb = rgb};
    return ASSAY_OK;
}

void image_pixels_free(image_pixels *pixels)
{
    free(pixels->rgb);
    *pixels = (image_pixels){0};
}

assay_status image_pixels_orient(const char *name, image_pixels *pixels, int orientation, assay_error *err)
{
    image_pixels turned;
    if (orientation < 2 || orientation > 8) return ASSAY_OK;
    const bool swaps = orientation >= 5;
    /* Whether the stored rows run upwards and the stored columns to the left. */
    const bool up = orientation == 3 || orientation == 4 || orientation == 7 || orientation == 8;
    const bool left = orientation == 2 || orientation == 3 || orientation == 6 || orientation == 7;
    const size_t h = swaps ? pixels->width : pixels->height, w = swaps ? pixels->height : pixels->width;
    const assay_status rc = image_pixels_open(name, h, w, &turned, err);
    if (rc != ASSAY_OK) return rc;
    for (size_t y = 0; y < h; y++)
        for (size_t x = 0; x < w; x++) {
            const size_t row = up ? h - 1 - y : y, column = left ? w - 1 - x : x;
            const size_t from = swaps ? column * pixels->width + row : row * pixels->width + column;
            memcpy(turned.rgb + (y * w + x) * 3, pixels->rgb + from * 3, 3);
        }
    free(pixels->rgb);
    *pixels = turned;
    return ASSAY_OK;
}

void image_cmyk_convert(const uint8_t *cmyk, size_t n, bool is_inverted, uint8_t *rgb)
{
    enum { BANDS = 4, MAX = 255 };
    const uint8_t flip = is_inverted ? MAX : 0;
    for (size_t i = 0; i < n; i++, cmyk += BANDS, rgb += 3) {
        const unsigned light = MAX - (cmyk[3] ^ flip);
        for (size_t c = 0; c < 3; c++) {
            const unsigned product = (cmyk[c] ^ flip) * light + 128;
            rgb[c] = (uint8_t)(light - ((product >> 8) + product) / 256); /* product / 255, rounded */
        }
    }
}
