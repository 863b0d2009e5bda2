/* SPDX-License-Identifier: Apache-2.0 */
#include "image/gif.h"

#include <string.h>

#include "base/error.h"
#include "image/gif_codes.h"

enum { SCREEN_BYTES = 13, FRAME_BYTES = 9, HAS_TABLE = 0x80, IS_INTERLACED = 0x40 };
enum { FRAME = ',', EXTENSION = '!', TRAILER = ';', CONTROL = 0xf9, COMMENT = 0xfe, APPLICATION = 0xff };

typedef struct reading {
    const char *name;
    const uint8_t *data; /* [n] */
    size_t n, at;
    size_t height, width;                        /* of the screen, extended to the frame */
    size_t left, top, frame_height, frame_width; /* of the first frame */
    bool is_interlaced;
    int transparent;         /* the index, or -1 */
    uint8_t colors[256][3];  /* of the indices; the index itself as a gray if there is no table */
    unsigned n_bits;         /* of an index */
    size_t x, y, step, turn; /* of the next pixel; the rows between two of a pass, and the pass */
    image_pixels pixels;
    assay_error *err;
} reading;

static assay_status refuse(const reading *r, const char *what)
{
    return assay_fail(r->err, ASSAY_EFORMAT, "%s: %s", r->name, what);
}

static size_t read_integer(const uint8_t *at)
{
    return (size_t)at[0] | (size_t)at[1] << 8;
}

/* The next n bytes, or NULL if there are fewer. */
static const uint8_t *take(reading *r, size_t n)
{
    const uint8_t *from = r->data + r->at;
    if (n > r->n - r->at) return NULL;
    r->at += n;
    return from;
}

/* A block of an extension: its bytes, fewer than its length at the end of the file. Returns their number, 0
 * at the end of the extension. */
static size_t take_block(reading *r, const uint8_t **out)
{
    if (r->at >= r->n) return 0;
    const size_t length = r->data[r->at++], rest = r->n - r->at, n = length < rest ? length : rest;
    *out = r->data + r->at;
    r->at += n;
    return n;
}

static void set_grays(reading *r)
{
    for (size_t i = 0; i < 256; i++) memset(r->colors[i], (int)i, 3);
}

/* As for Pillow, a table of the grays 0, 1, 2, … stands for none; that of a frame then leaves the screen's.
 */
static assay_status read_table(reading *r, uint8_t flags)
{
    const size_t n = (size_t)2 << (flags & 7);
    bool is_gray = true;
    if (!(flags & HAS_TABLE)) return ASSAY_OK;
    const uint8_t *table = take(r, 3 * n);
    if (!table) return refuse(r, "the file is truncated: found no table of colours");
    for (size_t i = 0; i < 3 * n; i++) is_gray = is_gray && table[i] == i / 3;
    if (is_gray) return ASSAY_OK;
    memset(r->colors, 0, sizeof r->colors);
    memcpy(r->colors, table, 3 * n);
    return ASSAY_OK;
}

static assay_status read_control(reading *r, const uint8_t *block, size_t n)
{
    if (n < 3 || (block[0] & 1 && n < 4))
        return refuse(r, "found a graphic control extension that is too short");
    if (block[0] & 1) r->transparent = block[3];
    return ASSAY_OK;
}

static assay_status skip_extension(reading *r)
{
    const uint8_t *label = take(r, 1), *block = NULL;
    if (!label) return refuse(r, "the file is truncated: found no frame");
    size_t n = take_block(r, &block);
    if (*label == CONTROL && n > 0) {
        const assay_status rc = read_control(r, block, n);
        if (rc != ASSAY_OK) return rc;
    }
    if (*label == COMMENT && n == 0) return ASSAY_OK;
    while (take_block(r, &block) > 0) continue;
    return ASSAY_OK;
}

static assay_status read_frame(reading *r)
{
    const uint8_t *frame = take(r, FRAME_BYTES);
    if (!frame) return refuse(r, "the file is truncated: found no frame");
    r->left = read_integer(frame);
    r->top = read_integer(frame + 2);
    r->frame_width = read_integer(frame + 4);
    r->frame_height = read_integer(frame + 6);
    r->is_interlaced = frame[8] & IS_INTERLACED;
    if (r->frame_width == 0 || r->frame_height == 0) return refuse(r, "found a frame without pixels");
    if (r->left + r->frame_width > r->width) r->width = r->left + r->frame_width;
    if (r->top + r->frame_height > r->height) r->height = r->top + r->frame_height;
    const assay_status rc = read_table(r, frame[8]);
    if (rc != ASSAY_OK) return rc;
    const uint8_t *n_bits = take(r, 1);
    if (!n_bits) return refuse(r, "the file is truncated: found no pixels");
    r->n_bits = *n_bits;
    return ASSAY_OK;
}

/* Reads everything before the pixels of the first frame. */
static assay_status read_head(reading *r)
{
    const uint8_t *screen = take(r, SCREEN_BYTES);
    if (!screen) return refuse(r, "the file is truncated");
    r->width = read_integer(screen + 6);
    r->height = read_integer(screen + 8);
    set_grays(r);
    assay_status rc = read_table(r, screen[10]);
    for (const uint8_t *mark; rc == ASSAY_OK && (mark = take(r, 1)) && *mark != TRAILER;) {
        if (*mark == FRAME) return read_frame(r);
        if (*mark == EXTENSION) rc = skip_extension(r);
    }
    return rc == ASSAY_OK ? refuse(r, "found no frame") : rc;
}

/* Moves to the next row of the frame, in the order of the file. */
static void find_row(reading *r)
{
    static const struct {
        size_t first, step;
    } turns[] = {{0, 8}, {4, 8}, {2, 4}, {1, 2}};
    r->x = 0;
    r->y += r->step;
    while (r->is_interlaced && r->y >= r->frame_height && r->turn + 1 < sizeof turns / sizeof *turns) {
        r->turn++;
        r->y = turns[r->turn].first;
        r->step = turns[r->turn].step;
    }
}

static void put_pixel(void *user, uint8_t index)
{
    reading *r = user;
    memcpy(r->pixels.rgb + ((r->top + r->y) * r->width + r->left + r->x) * 3, r->colors[index], 3);
    if (++r->x == r->frame_width) find_row(r);
}

/* Around the frame the screen has the transparent index or, without one, the index 0. The pixels are black so
 * far. */
static void fill_screen(reading *r)
{
    const uint8_t *color = r->colors[r->transparent >= 0 ? r->transparent : 0];
    const size_t n_row = r->width * 3;
    if (color[0] == 0 && color[1] == 0 && color[2] == 0) return;
    for (size_t x = 0; x < r->width; x++) memcpy(r->pixels.rgb + 3 * x, color, 3);
    for (size_t y = 1; y < r->height; y++) memcpy(r->pixels.rgb + y * n_row, r->pixels.rgb, n_row);
}

assay_status image_gif_decode(const char *name, const uint8_t *data, size_t n, image_pixels *out,
                              assay_error *err)
{
    reading r = {.name = name, .data = data, .n = n, .transparent = -1, .err = err};
    assay_status rc = read_head(&r);
    if (rc == ASSAY_OK) rc = image_pixels_open(name, r.height, r.width, &r.pixels, err);
    if (rc != ASSAY_OK) return rc;
    fill_screen(&r);
    r.step = r.is_interlaced ? 8 : 1;
    const char *wrong =
        gif_codes_read(data + r.at, n - r.at, r.n_bits, r.frame_height * r.frame_width, put_pixel, &r);
    if (wrong) {
        image_pixels_free(&r.pixels);
        return refuse(&r, wrong);
    }
    *out = r.pixels;
    return ASSAY_OK;
}
