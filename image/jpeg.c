/* SPDX-License-Identifier: Apache-2.0 */
#include "image/jpeg.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

/* jpeglib.h needs stdio.h before it. */
#include <jpeglib.h>

#include <jerror.h>

#include "base/error.h"
#include "image/exif.h"

#define SCANS_MAX   500 /* of a progressive file; each scan passes over the whole image */
#define EXIF_MARKER (JPEG_APP0 + 1)
#define EXIF_MAX    65533U

/* Everything that is owned lies here, so that nothing is lost when libjpeg's error handler jumps. */
typedef struct reading {
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    struct jpeg_decompress_struct jpeg;
    jmp_buf escape;
    const char *name;
    image_pixels pixels;
    assay_status status;
    assay_error *err;
} reading;

static void fail(j_common_ptr jpeg)
{
    reading *r = jpeg->client_data;
    char text[JMSG_LENGTH_MAX];
    r->errors.format_message(jpeg, text);
    const bool memory = r->errors.msg_code == JERR_OUT_OF_MEMORY;
    r->status = assay_fail(r->err, memory ? ASSAY_ENOMEM : ASSAY_EFORMAT, "%s: %s", r->name, text);
    longjmp(r->escape, 1);
}

/* Of the warnings, only the end of the data is an error: libjpeg would fill in the rest of the image. */
static void warn(j_common_ptr jpeg, int level)
{
    const reading *r = jpeg->client_data;
    if (level < 0 && r->errors.msg_code == JWRN_JPEG_EOF) fail(jpeg);
}

static void ignore(j_common_ptr jpeg)
{
    (void)jpeg;
}

static void limit_scans(j_common_ptr jpeg)
{
    reading *r = jpeg->client_data;
    if (r->jpeg.input_scan_number <= SCANS_MAX) return;
    r->status = assay_fail(r->err, ASSAY_EUNSUPPORTED, "%s: expected at most %d scans", r->name, SCANS_MAX);
    longjmp(r->escape, 1);
}

static int orientation_of(const reading *r)
{
    static const char head[] = "Exif\0";
    for (jpeg_saved_marker_ptr m = r->jpeg.marker_list; m; m = m->next)
        if (m->marker == EXIF_MARKER && m->data_length >= sizeof head &&
            memcmp(m->data, head, sizeof head) == 0)
            return image_exif_orientation(m->data + sizeof head, m->data_length - sizeof head);
    return 1;
}

/* Refuses what is not supported, and allocates the pixels. */
static assay_status open_pixels(reading *r)
{
    const int n = r->jpeg.num_components;
    if (n != 1 && n != 3)
        return assay_fail(r->err, ASSAY_EUNSUPPORTED, "%s: found a JPEG of %d components, expected 1 or 3",
                          r->name, n);
    return image_pixels_open(r->name, r->jpeg.image_height, r->jpeg.image_width, &r->pixels, r->err);
}

/* Sets r->status. */
static void decode(reading *r, const uint8_t *data, size_t n)
{
    if (setjmp(r->escape)) return;
    jpeg_create_decompress(&r->jpeg);
    r->jpeg.client_data = r;
    r->jpeg.progress = &r->progress;
    jpeg_mem_src(&r->jpeg, data, (unsigned long)n);
    jpeg_save_markers(&r->jpeg, EXIF_MARKER, EXIF_MAX);
    (void)jpeg_read_header(&r->jpeg, TRUE);
    r->status = open_pixels(r);
    if (r->status != ASSAY_OK) return;
    r->jpeg.out_color_space = JCS_RGB;
    (void)jpeg_start_decompress(&r->jpeg);
    while (r->jpeg.output_scanline < r->jpeg.output_height) {
        JSAMPROW row = r->pixels.rgb + (size_t)r->jpeg.output_scanline * r->pixels.width * 3;
        (void)jpeg_read_scanlines(&r->jpeg, &row, 1);
    }
    r->status = image_pixels_orient(r->name, &r->pixels, orientation_of(r), r->err);
}

assay_status image_jpeg_decode(const char *name, const uint8_t *data, size_t n, image_pixels *out,
                               assay_error *err)
{
    reading r = {.name = name, .err = err};
    r.jpeg.err = jpeg_std_error(&r.errors);
    r.jpeg.client_data = &r;
    r.errors.error_exit = fail;
    r.errors.emit_message = warn;
    r.errors.output_message = ignore;
    r.progress.progress_monitor = limit_scans;
    decode(&r, data, n);
    jpeg_destroy_decompress(&r.jpeg);
    if (r.status == ASSAY_OK) *out = r.pixels;
    else image_pixels_free(&r.pixels);
    return r.status;
}
