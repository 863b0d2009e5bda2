/* SPDX-License-Identifier: Apache-2.0 */
#include "image/bmp.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "image/bmp_runs.h"

enum { FILE_HEAD_BYTES = 14, CORE_HEAD_BYTES = 12, MASKS_AT = 40, N_MASKS = 4, COLORS_MAX = 65536 };
enum { PLAIN = 0, RUNS_8 = 1, RUNS_4 = 2, FIELDS = 3 };

typedef struct reading {
    const char *name;
    const uint8_t *data; /* [n] */
    size_t n, at;        /* at: behind what was read of the head */
    size_t width, height, stride;
    bool upwards; /* the lowest row comes first */
    uint32_t n_head, bits, compression, offset, n_colors;
    uint32_t masks[N_MASKS];
    size_t n_entry; /* bytes of a colour of the palette */
    bool has_palette;
    uint8_t palette[256][3]; /* RGB; colours that the file does not have are black */
    assay_error *err;
} reading;

static uint32_t read_integer(const uint8_t *at, size_t n_bytes)
{
    uint32_t value = 0;
    for (size_t i = n_bytes; i-- > 0;) value = value << 8 | at[i];
    return value;
}

static assay_status truncated(const reading *r)
{
    return assay_fail(r->err, ASSAY_EFORMAT, "%s: the file is truncated", r->name);
}

static assay_status unsupported(const reading *r, const char *what, uint32_t value)
{
    return assay_fail(r->err, ASSAY_EUNSUPPORTED,
                      "%s: found a BMP file with %s %u, which Pillow does not read", r->name, what, value);
}

static void read_core_head(reading *r, const uint8_t *head)
{
    r->width = read_integer(head + 4, 2);
    r->height = read_integer(head + 6, 2);
    r->bits = read_integer(head + 10, 2);
    r->n_entry = 3;
}

static void read_info_head(reading *r, const uint8_t *head)
{
    const uint32_t height = read_integer(head + 8, 4);
    /* Pillow takes a height for negative only from -16,777,216 on. */
    r->upwards = head[11] != 0xff;
    r->height = r->upwards ? height : UINT32_MAX - height + 1;
    r->width = read_integer(head + 4, 4);
    r->bits = read_integer(head + 14, 2);
    r->compression = read_integer(head + 16, 4);
    r->n_colors = read_integer(head + 32, 4);
    r->n_entry = 4;
}

static assay_status read_head(reading *r)
{
    static const uint32_t sizes[] = {CORE_HEAD_BYTES, 40, 52, 56, 64, 108, 124};
    bool is_known = false;
    if (r->n < FILE_HEAD_BYTES + 4) return truncated(r);
    const uint8_t *head = r->data + FILE_HEAD_BYTES;
    r->offset = read_integer(r->data + 10, 4);
    r->n_head = read_integer(head, 4);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) is_known = is_known || r->n_head == sizes[i];
    if (!is_known) return unsupported(r, "a header of this many bytes:", r->n_head);
    if (r->n - FILE_HEAD_BYTES < r->n_head) return truncated(r);
    r->upwards = true;
    if (r->n_head == CORE_HEAD_BYTES) read_core_head(r, head);
    else read_info_head(r, head);
    r->at = FILE_HEAD_BYTES + r->n_head;
    if (r->n_colors == 0 && r->bits <= 8) r->n_colors = UINT32_C(1) << r->bits;
    return ASSAY_OK;
}

/* The masks of bit fields lie behind a header of 40 bytes, or in a longer one. */
static assay_status read_masks(reading *r)
{
    const size_t n = r->n_head >= 56 ? 4 : 3, at = FILE_HEAD_BYTES + MASKS_AT;
    if (r->compression != FIELDS) return ASSAY_OK;
    if (r->n < at + n * 4) return truncated(r);
    for (size_t i = 0; i < n; i++) r->masks[i] = read_integer(r->data + at + 4 * i, 4);
    if (r->at < at + n * 4) r->at = at + n * 4;
    return ASSAY_OK;
}

/* The layouts of bit fields that Pillow reads; masks of whole bytes name the byte of a colour. */
static assay_status check_layout(reading *r)
{
    static const struct {
        uint32_t bits, masks[N_MASKS];
    } layouts[] = {{32, {0xff0000, 0xff00, 0xff, 0}},
                   {32, {0xff000000, 0xff0000, 0xff00, 0}},
                   {32, {0xff000000, 0xff00, 0xff, 0}},
                   {32, {0xff000000, 0xff0000, 0xff00, 0xff}},
                   {32, {0xff, 0xff00, 0xff0000, 0xff000000}},
                   {32, {0xff0000, 0xff00, 0xff, 0xff000000}},
                   {32, {0xff000000, 0xff00, 0xff, 0xff0000}},
                   {32, {0, 0, 0, 0}},
                   {24, {0xff0000, 0xff00, 0xff, 0}},
                   {16, {0xf800, 0x7e0, 0x1f, 0}},
                   {16, {0x7c00, 0x3e0, 0x1f, 0}}};
    bool is_known = r->compression != FIELDS;
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts && !is_known; i++)
        is_known = layouts[i].bits == r->bits &&
                   memcmp(layouts[i].masks, r->masks, (r->bits == 32 ? 4 : 3) * sizeof *r->masks) == 0;
    if (!is_known) return unsupported(r, "other bit fields than the usual; its pixels have bits:", r->bits);
    const uint32_t usual[] = {r->bits == 16 ? 0x7c00 : 0xff0000, r->bits == 16 ? 0x3e0 : 0xff00,
                              r->bits == 16 ? 0x1f : 0xff};
    if (r->compression != FIELDS || r->masks[0] == 0) memcpy(r->masks, usual, sizeof usual);
    return ASSAY_OK;
}

/* Black and white, or the grays 0, 1, 2, …: Pillow then takes the samples themselves. */
static bool is_gray(const reading *r, const uint8_t *colors, size_t n)
{
    for (uint32_t i = 0; i < r->n_colors; i++) {
        const uint8_t gray = r->n_colors == 2 && i == 1 ? 255 : (uint8_t)i;
        if ((i + 1) * r->n_entry - (r->n_entry - 3) > n) return false;
        for (size_t c = 0; c < 3; c++)
            if (colors[i * r->n_entry + c] != gray) return false;
    }
    return true;
}

static assay_status read_palette(reading *r)
{
    const size_t rest = r->n - r->at, wanted = r->n_entry * r->n_colors, n = wanted < rest ? wanted : rest;
    const uint8_t *colors = r->data + r->at;
    if (r->bits > 8) return ASSAY_OK;
    if (r->n_colors > COLORS_MAX) return unsupported(r, "a palette of colours:", r->n_colors);
    if (r->offset == FILE_HEAD_BYTES + r->n_head) r->offset += (uint32_t)wanted;
    r->at += n;
    r->has_palette = !is_gray(r, colors, n);
    if (!r->has_palette) {
        /* Samples are then read with the bits of Pillow's mode, whatever the file says. */
        r->bits = r->n_colors <= 2 ? 1 : 8;
        for (size_t i = 0; i < 256; i++) memset(r->palette[i], r->bits == 1 && i > 0 ? 255 : (int)i, 3);
        return ASSAY_OK;
    }
    if (n / r->n_entry > 256) return unsupported(r, "a palette of colours:", (uint32_t)(n / r->n_entry));
    for (size_t i = 0; i < n / r->n_entry; i++)
        for (size_t c = 0; c < 3; c++) r->palette[i][c] = colors[i * r->n_entry + 2 - c];
    return ASSAY_OK;
}

static uint8_t scale_field(uint32_t pixel, uint32_t mask)
{
    while (!(mask & 1)) {
        mask >>= 1;
        pixel >>= 1;
    }
    return (uint8_t)((pixel & mask) * 255 / mask);
}

static void convert_pixel(const reading *r, const uint8_t *row, size_t x, uint8_t *rgb)
{
    if (r->bits > 8) {
        const uint32_t pixel = read_integer(row + x * r->bits / 8, r->bits / 8);
        for (size_t i = 0; i < 3; i++) rgb[i] = scale_field(pixel, r->masks[i]);
        return;
    }
    const size_t shift = 8 - r->bits - x * r->bits % 8;
    memcpy(rgb, r->palette[row[x * r->bits / 8] >> shift & ((1U << r->bits) - 1)], 3);
}

static uint8_t *row_at(const reading *r, image_pixels *pixels, size_t y)
{
    return pixels->rgb + (r->upwards ? r->height - 1 - y : y) * r->width * 3;
}

static assay_status read_rows(const reading *r, size_t offset, image_pixels *pixels)
{
    const size_t n_row = (r->width * r->bits + 7) / 8;
    if (r->stride < n_row) return unsupported(r, "a gray palette, and samples of fewer bits than", r->bits);
    for (size_t y = 0; y < r->height; y++, offset += r->stride) {
        if (offset > r->n || r->n - offset < n_row) return truncated(r);
        uint8_t *rgb = row_at(r, pixels, y);
        for (size_t x = 0; x < r->width; x++) convert_pixel(r, r->data + offset, x, rgb + 3 * x);
    }
    return ASSAY_OK;
}

static assay_status read_runs(const reading *r, size_t offset, image_pixels *pixels)
{
    const size_t n = r->width * r->height;
    if (r->bits > 8) return unsupported(r, "run lengths, and pixels of bits:", r->bits);
    uint8_t *indices = malloc(n);
    if (!indices) return assay_fail(r->err, ASSAY_ENOMEM, "%s: out of memory", r->name);
    const bool is_complete =
        bmp_runs_read(r->data, r->n, offset, r->compression == RUNS_4, r->width, indices, n);
    for (size_t i = 0; i < n && is_complete; i++)
        memcpy(row_at(r, pixels, i / r->width) + i % r->width * 3, r->palette[indices[i]], 3);
    free(indices);
    return is_complete ? ASSAY_OK : truncated(r);
}

static assay_status check_depth(const reading *r)
{
    static const uint32_t depths[] = {1, 4, 8, 16, 24, 32};
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++)
        if (r->bits == depths[i])
            return r->compression <= FIELDS ? ASSAY_OK : unsupported(r, "compression", r->compression);
    return unsupported(r, "pixels of bits:", r->bits);
}

assay_status image_bmp_decode(const char *name, const uint8_t *data, size_t n, image_pixels *out,
                              assay_error *err)
{
    reading r = {.name = name, .data = data, .n = n, .err = err};
    image_pixels pixels = {0};
    assay_status rc = read_head(&r);
    if (rc == ASSAY_OK) rc = read_masks(&r);
    if (rc == ASSAY_OK) rc = check_depth(&r);
    if (rc == ASSAY_OK) rc = check_layout(&r);
    r.stride = (r.width * r.bits + 31) / 32 * 4;
    if (rc == ASSAY_OK) rc = read_palette(&r);
    if (rc == ASSAY_OK) rc = image_pixels_open(name, r.height, r.width, &pixels, err);
    if (rc != ASSAY_OK) return rc;
    const size_t offset = r.offset ? r.offset : r.at;
    const bool has_runs = r.compression == RUNS_8 || r.compression == RUNS_4;
    rc = has_runs ? read_runs(&r, offset, &pixels) : read_rows(&r, offset, &pixels);
    if (rc == ASSAY_OK) *out = pixels;
    else image_pixels_free(&pixels);
    return rc;
}
