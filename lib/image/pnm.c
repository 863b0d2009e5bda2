/* SPDX-License-Identifier: Apache-2.0 */
#include "image/pnm.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "image/pnm_head.h"
#include "image/pnm_plain.h"

#define MAXVAL_LARGE 255 /* larger ones have two bytes a sample */
enum { BANDS_MAX = 4 };

/* The samples of a pixel arrive one after the other. */
typedef struct pixel_writer {
    const pnm_head *head;
    uint8_t levels[BANDS_MAX];
    size_t n_levels;
    uint8_t *rgb; /* of the next pixel */
} pixel_writer;

/* PIL scales samples to 0 … 255, half to even, but grays of two bytes to 0 … 65535, which convert("RGB")
 * clips. */
static uint8_t level_of(const pnm_head *h, size_t sample)
{
    if (h->kind == PNM_BIT) return sample ? 0 : 255;
    const double most = h->kind == PNM_GRAY && h->maxval > MAXVAL_LARGE ? 65535 : 255;
    const double x = (double)sample / (double)h->maxval * most, below = floor(x), part = x - below;
    const bool up = part > 0.5 || (part == 0.5 && fmod(below, 2) != 0);
    const double rounded = below + (up ? 1 : 0);
    return (uint8_t)(rounded > 255 ? 255 : rounded);
}

/* An image of indices has no palette, so that all of its colours are black. */
static void put_sample(void *user, size_t sample)
{
    pixel_writer *w = user;
    w->levels[w->n_levels++] = level_of(w->head, sample);
    if (w->n_levels < w->head->n_bands) return;
    if (w->head->kind == PNM_CMYK) image_cmyk_convert(w->levels, 1, false, w->rgb);
    else if (w->head->kind == PNM_INDEX) memset(w->rgb, 0, 3);
    else
        for (size_t i = 0; i < 3; i++) w->rgb[i] = w->levels[w->head->n_bands > 1 ? i : 0];
    w->rgb += 3;
    w->n_levels = 0;
}

static void put_bits(const uint8_t *row, size_t width, pixel_writer *w)
{
    for (size_t x = 0; x < width; x++) put_sample(w, row[x / 8] >> (7 - x % 8) & 1);
}

static void put_samples(const uint8_t *row, size_t n, pixel_writer *w)
{
    const bool is_wide = w->head->maxval > MAXVAL_LARGE;
    for (size_t i = 0; i < n; i++) put_sample(w, is_wide ? (size_t)row[2 * i] << 8 | row[2 * i + 1] : row[i]);
}

static void put_floats(const uint8_t *row, size_t width, bool is_little, uint8_t *rgb)
{
    for (size_t x = 0; x < width; x++, row += sizeof(float), rgb += 3) {
        uint32_t bits = 0;
        float value;
        for (size_t i = 0; i < sizeof bits; i++) bits = bits << 8 | row[is_little ? 3 - i : i];
        memcpy(&value, &bits, sizeof value);
        const uint8_t level = value >= 255 ? 255 : value > 0 ? (uint8_t)value : 0; /* not a number: 0 */
        memset(rgb, level, 3);
    }
}

/* Bytes of a row. */
static size_t row_bytes(const pnm_head *h)
{
    if (h->kind == PNM_BIT) return (h->width + 7) / 8;
    if (h->kind == PNM_FLOAT) return h->width * sizeof(float);
    return h->width * h->n_bands * (h->maxval > MAXVAL_LARGE ? 2 : 1);
}

/* The rows of PFM run upwards. */
static assay_status read_rows(const pnm_head *h, const uint8_t *data, size_t n, const image_pixels *pixels)
{
    const size_t n_row = row_bytes(h);
    if (n / n_row < h->height) return assay_fail(h->err, ASSAY_EFORMAT, "%s: the file is truncated", h->name);
    for (size_t y = 0; y < h->height; y++) {
        const uint8_t *row = data + y * n_row;
        pixel_writer w = {.head = h, .rgb = pixels->rgb + y * h->width * 3};
        if (h->kind == PNM_FLOAT)
            put_floats(row, h->width, h->is_little, pixels->rgb + (h->height - 1 - y) * h->width * 3);
        else if (h->kind == PNM_BIT) put_bits(row, h->width, &w);
        else put_samples(row, h->width * h->n_bands, &w);
    }
    return ASSAY_OK;
}

assay_status image_pnm_decode(const char *name, const uint8_t *data, size_t n, image_pixels *out,
                              assay_error *err)
{
    pnm_head h;
    image_pixels pixels;
    assay_status rc = pnm_head_read(name, data, n, &h, err);
    if (rc == ASSAY_OK) rc = image_pixels_open(name, h.height, h.width, &pixels, err);
    if (rc != ASSAY_OK) return rc;
    pixel_writer w = {.head = &h, .rgb = pixels.rgb};
    data += h.n_bytes;
    n -= h.n_bytes;
    rc = h.is_plain ? pnm_plain_read(&h, data, n, h.height * h.width * h.n_bands, put_sample, &w)
                    : read_rows(&h, data, n, &pixels);
    if (rc == ASSAY_OK) *out = pixels;
    else image_pixels_free(&pixels);
    return rc;
}
