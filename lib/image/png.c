/* SPDX-License-Identifier: Apache-2.0 */
#include "image/png.h"

#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "base/error.h"
#include "image/png_chunks.h"

enum { SIGNATURE_BYTES = 8, PIECE_MAX = 65536, N_PASSES = 7 };

/* One of the seven passes of an interlaced image, or the only one of another. */
typedef struct pass {
    size_t left, top, dx, dy;
} pass;

static const pass PASSES[N_PASSES] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
                                      {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};
static const pass WHOLE = {0, 0, 1, 1};

/* The samples of a pixel, by the colour type of PNG. 0: unknown. */
static const uint8_t SAMPLES[] = {1, 0, 3, 1, 2, 0, 4};
enum { GRAY = 0, PALETTE = 3, GRAY_ALPHA = 4 };

typedef struct reading {
    png_chunks chunks;
    z_stream z;
    image_pixels pixels;
    uint8_t palette[256][3]; /* entries that the file does not have are black */
    size_t n_bits;           /* of a pixel */
    uint8_t *row, *previous; /* a filter's number, then a row's bytes */
    size_t n_row, n_done;    /* bytes of a row with the number of its filter; those that were read */
    const pass *pass;
    size_t y;
    bool is_complete;
} reading;

static uint8_t paeth(int left, int up, int corner)
{
    const int p = left + up - corner, a = abs(p - left), b = abs(p - up), c = abs(p - corner);
    return (uint8_t)(a <= b && a <= c ? left : b <= c ? up : corner);
}

/* Replaces the filtered bytes of a row by its own. False: an unknown filter. */
static bool unfilter_row(reading *r)
{
    const size_t step = (r->n_bits + 7) / 8;
    const uint8_t filter = r->row[0], *up = r->previous;
    uint8_t *row = r->row;
    if (filter > 4) return false;
    for (size_t i = 1; i < r->n_row; i++) {
        const int left = i > step ? row[i - step] : 0, corner = i > step ? up[i - step] : 0;
        if (filter == 1) row[i] = (uint8_t)(row[i] + left);
        else if (filter == 2) row[i] = (uint8_t)(row[i] + up[i]);
        else if (filter == 3) row[i] = (uint8_t)(row[i] + (left + up[i]) / 2);
        else if (filter == 4) row[i] = (uint8_t)(row[i] + paeth(left, up[i], corner));
    }
    return true;
}

/* Converts pixel x of a row to RGB as Pillow does: grays of 16 bits are clipped, unless there is alpha; other
 * samples of 16 bits keep their upper byte. */
static void convert_pixel(const reading *r, const uint8_t *row, size_t x, uint8_t *rgb)
{
    const unsigned depth = r->chunks.depth, color = r->chunks.color;
    const size_t n = depth == 16 ? 2 : 1;
    const uint8_t *at = row + x * r->n_bits / 8;
    uint8_t value = at[0];
    if (depth < 8) value = (uint8_t)(at[0] >> (8 - depth - x * depth % 8)) & (uint8_t)((1U << depth) - 1);
    if (depth < 8 && color == GRAY) value = (uint8_t)(value * (255 / ((1U << depth) - 1)));
    if (depth == 16 && color == GRAY && at[0] > 0) value = 255;
    else if (depth == 16 && color == GRAY) value = at[1];
    if (color == PALETTE) memcpy(rgb, r->palette[value], 3);
    else if (color == GRAY || color == GRAY_ALPHA) memset(rgb, value, 3);
    else
        for (size_t i = 0; i < 3; i++) rgb[i] = at[i * n];
}

static size_t pass_width(const reading *r)
{
    const size_t width = r->chunks.frame_width;
    return width > r->pass->left ? (width - r->pass->left + r->pass->dx - 1) / r->pass->dx : 0;
}

static void store_row(reading *r)
{
    const size_t width = pass_width(r), stride = r->pixels.width * 3;
    uint8_t *out = r->pixels.rgb + (r->chunks.top + r->y) * stride + r->chunks.left * 3;
    for (size_t x = 0; x < width; x++)
        convert_pixel(r, r->row + 1, x, out + (r->pass->left + x * r->pass->dx) * 3);
}

/* Skips passes without pixels. */
static void find_row(reading *r)
{
    while (r->y >= r->chunks.frame_height || pass_width(r) == 0) {
        r->is_complete = r->pass == &WHOLE || r->pass == PASSES + N_PASSES - 1;
        if (r->is_complete) return;
        r->pass++;
        r->y = r->pass->top;
        memset(r->row, 0, (r->chunks.frame_width * r->n_bits + 7) / 8 + 1);
    }
    r->n_row = (pass_width(r) * r->n_bits + 7) / 8 + 1;
}

static assay_status refuse(const reading *r, assay_status status, const char *what)
{
    return assay_fail(r->chunks.err, status, "%s: %s", r->chunks.file_name, what);
}

/* Reads rows as long as there are compressed bytes. As Pillow, an image whose stream ends behind a row is
 * complete: the rows that it does not have are black. */
static assay_status inflate_rows(reading *r)
{
    while (r->z.avail_in > 0 && !r->is_complete) {
        r->z.next_out = r->row + r->n_done;
        r->z.avail_out = (uInt)(r->n_row - r->n_done);
        const int rc = inflate(&r->z, Z_NO_FLUSH);
        if (rc == Z_MEM_ERROR) return refuse(r, ASSAY_ENOMEM, "out of memory");
        if (rc < 0 || rc == Z_NEED_DICT)
            return refuse(r, ASSAY_EFORMAT, "the compressed image data is damaged");
        r->n_done = r->n_row - r->z.avail_out;
        if (r->n_done < r->n_row) break;
        if (!unfilter_row(r)) return refuse(r, ASSAY_EFORMAT, "found an unknown filter of a row");
        store_row(r);
        r->y += r->pass->dy;
        r->n_done = 0;
        find_row(r);
        r->is_complete = r->is_complete || rc == Z_STREAM_END;
        uint8_t *row = r->row;
        r->row = r->previous;
        r->previous = row;
    }
    return ASSAY_OK;
}

/* Compressed bytes are inflated in the pieces in which Pillow reads them: whether a damaged image is refused
 * depends on them. */
static assay_status read_image(reading *r)
{
    png_chunk c;
    assay_status rc = ASSAY_OK;
    size_t start = r->chunks.at;
    for (;
         rc == ASSAY_OK && !r->is_complete && png_chunks_next(&r->chunks, &c) && strcmp(c.name, "IDAT") == 0;
         start = r->chunks.at)
        for (size_t at = 0; at < c.n_there && !r->is_complete && rc == ASSAY_OK; at += PIECE_MAX) {
            r->z.next_in = (z_const Bytef *)(c.data + at);
            r->z.avail_in = (uInt)(c.n_there - at < PIECE_MAX ? c.n_there - at : PIECE_MAX);
            rc = inflate_rows(r);
        }
    if (rc == ASSAY_OK && !r->is_complete)
        rc = refuse(r, ASSAY_EFORMAT, "the file is truncated: image data is missing");
    r->chunks.at = start;
    return rc;
}

static bool is_known(unsigned color, unsigned depth)
{
    if (color >= sizeof SAMPLES || SAMPLES[color] == 0) return false;
    if (depth == 8) return true;
    return depth == 16 ? color != PALETTE : (depth == 1 || depth == 2 || depth == 4) && SAMPLES[color] == 1;
}

/* Refuses what is not supported, and allocates memory. */
static assay_status open_pixels(reading *r)
{
    const png_chunks *c = &r->chunks;
    if (!is_known(c->color, c->depth))
        return assay_fail(c->err, ASSAY_EFORMAT,
                          "%s: found colour type %u with %u bits, which PNG does not have", c->file_name,
                          c->color, c->depth);
    if (c->n_palette / 3 > 256)
        return assay_fail(c->err, ASSAY_EFORMAT, "%s: found a palette of %zu colours, expected at most 256",
                          c->file_name, c->n_palette / 3);
    const assay_status rc = image_pixels_open(c->file_name, c->height, c->width, &r->pixels, c->err);
    if (rc != ASSAY_OK) return rc;
    if (c->palette) memcpy(r->palette, c->palette, c->n_palette / 3 * 3);
    r->n_bits = (size_t)SAMPLES[c->color] * c->depth;
    const size_t n = (c->frame_width * r->n_bits + 7) / 8 + 1;
    r->row = calloc(n, 1);
    r->previous = calloc(n, 1);
    if (!r->row || !r->previous || inflateInit(&r->z) != Z_OK)
        return refuse(r, ASSAY_ENOMEM, "out of memory");
    r->pass = c->interlaced ? PASSES : &WHOLE;
    find_row(r);
    return ASSAY_OK;
}

assay_status image_png_decode(const char *name, const uint8_t *data, size_t n, image_pixels *out,
                              assay_error *err)
{
    reading r = {.chunks = {.file_name = name, .data = data, .n = n, .at = SIGNATURE_BYTES, .err = err}};
    int orientation = 1;
    assay_status rc = png_chunks_read_head(&r.chunks);
    if (rc == ASSAY_OK) rc = open_pixels(&r);
    if (rc == ASSAY_OK) rc = read_image(&r);
    if (rc == ASSAY_OK) rc = png_chunks_read_tail(&r.chunks);
    if (rc == ASSAY_OK) rc = image_metadata_orientation(name, &r.chunks.metadata, &orientation, err);
    if (rc == ASSAY_OK) rc = image_pixels_orient(name, &r.pixels, orientation, err);
    if (r.z.state) (void)inflateEnd(&r.z);
    free(r.row);
    free(r.previous);
    png_chunks_free(&r.chunks);
    if (rc == ASSAY_OK) *out = r.pixels;
    else image_pixels_free(&r.pixels);
    return rc;
}
