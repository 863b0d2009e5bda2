/* SPDX-License-Identifier: Apache-2.0 */
#include "image/png.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

#include "base/error.h"
#include "image/exif.h"

/* Everything that is owned lies here, so that nothing is lost when libpng's error handler jumps. */
typedef struct reading {
    png_structp png;
    png_infop info;
    const char *name;
    const uint8_t *data; /* [n], not read yet */
    size_t n;
    image_pixels pixels;
    uint8_t *rows; /* one row, or all of an interlaced image */
    int color, depth, n_passes;
    uint8_t palette[256][3];
    assay_status status;
    assay_error *err;
} reading;

static void fail(png_structp png, png_const_charp text)
{
    reading *r = png_get_error_ptr(png);
    const bool memory = strstr(text, "memory") != NULL;
    r->status = assay_fail(r->err, memory ? ASSAY_ENOMEM : ASSAY_EFORMAT, "%s: %s", r->name, text);
    png_longjmp(png, 1);
}

static void warn(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

static void read_bytes(png_structp png, png_bytep out, png_size_t n)
{
    reading *r = png_get_io_ptr(png);
    if (n > r->n) png_error(png, "the file is truncated");
    memcpy(out, r->data, n);
    r->data += n;
    r->n -= n;
}

/* As PIL's, entries that the file does not have are black. */
static void fill_palette(reading *r)
{
    png_colorp entries = NULL;
    int n = 0;
    if (r->color != PNG_COLOR_TYPE_PALETTE) return;
    (void)png_get_PLTE(r->png, r->info, &entries, &n);
    for (int i = 0; i < n; i++) {
        const uint8_t entry[3] = {entries[i].red, entries[i].green, entries[i].blue};
        memcpy(r->palette[i], entry, sizeof entry);
    }
}

/* The pixels of a row. Samples have 8 or 16 bits, palette indices 8. */
static void convert_row(const reading *r, const uint8_t *row, uint8_t *rgb)
{
    const bool is_gray = !(r->color & PNG_COLOR_MASK_COLOR), has_alpha = r->color & PNG_COLOR_MASK_ALPHA;
    const size_t bytes = r->depth == 16 ? 2 : 1;
    const size_t pixel =
        ((is_gray || r->color == PNG_COLOR_TYPE_PALETTE ? 1 : 3) + (size_t)has_alpha) * bytes;
    for (size_t x = 0; x < r->pixels.width; x++, row += pixel, rgb += 3) {
        uint8_t gray = row[0];
        /* PIL clips 16-bit grays unless there is an alpha channel. */
        if (bytes == 2 && !has_alpha) gray = row[0] ? 255 : row[1];
        if (is_gray) memset(rgb, gray, 3);
        else if (r->color == PNG_COLOR_TYPE_PALETTE) memcpy(rgb, r->palette[row[0]], 3);
        else
            for (size_t c = 0; c < 3; c++) rgb[c] = row[c * bytes];
    }
}

/* Refuses too large an image, and allocates memory. */
static assay_status open_pixels(reading *r)
{
    const size_t h = png_get_image_height(r->png, r->info), w = png_get_image_width(r->png, r->info);
    const assay_status rc = image_pixels_open(r->name, h, w, &r->pixels, r->err);
    if (rc != ASSAY_OK) return rc;
    r->color = png_get_color_type(r->png, r->info);
    r->depth = png_get_bit_depth(r->png, r->info);
    if (r->color == PNG_COLOR_TYPE_PALETTE) png_set_packing(r->png);
    else if (r->depth < 8) png_set_expand_gray_1_2_4_to_8(r->png);
    fill_palette(r);
    r->n_passes = png_set_interlace_handling(r->png);
    png_read_update_info(r->png, r->info);
    r->rows = calloc(r->n_passes > 1 ? h : 1, png_get_rowbytes(r->png, r->info));
    return r->rows ? ASSAY_OK : assay_fail(r->err, ASSAY_ENOMEM, "%s: out of memory", r->name);
}

static void read_rows(reading *r)
{
    const size_t bytes = png_get_rowbytes(r->png, r->info), width = r->pixels.width * 3;
    for (int pass = 0; pass < r->n_passes; pass++)
        for (size_t y = 0; y < r->pixels.height; y++) {
            uint8_t *row = r->rows + (r->n_passes > 1 ? y * bytes : 0);
            png_read_row(r->png, row, NULL);
            if (pass == r->n_passes - 1) convert_row(r, row, r->pixels.rgb + y * width);
        }
}

/* Sets r->status. */
static void decode(reading *r)
{
    png_bytep exif = NULL;
    png_uint_32 n_exif = 0;
    if (setjmp(png_jmpbuf(r->png))) return;
    png_set_read_fn(r->png, r, read_bytes);
    png_set_user_limits(r->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_crc_action(r->png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
    png_read_info(r->png, r->info);
    r->status = open_pixels(r);
    if (r->status != ASSAY_OK) return;
    read_rows(r);
    png_read_end(r->png, r->info);
    (void)png_get_eXIf_1(r->png, r->info, &n_exif, &exif);
    r->status = image_pixels_orient(r->name, &r->pixels, image_exif_orientation(exif, n_exif), r->err);
}

assay_status image_png_decode(const char *name, const uint8_t *data, size_t n, image_pixels *out,
                              assay_error *err)
{
    reading r = {.name = name, .data = data, .n = n, .err = err};
    r.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &r, fail, warn);
    if (r.png) r.info = png_create_info_struct(r.png);
    if (r.info) decode(&r);
    else r.status = assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", name);
    if (r.png) png_destroy_read_struct(&r.png, &r.info, NULL);
    free(r.rows);
    if (r.status == ASSAY_OK) *out = r.pixels;
    else image_pixels_free(&r.pixels);
    return r.status;
}
