/* SPDX-License-Identifier: Apache-2.0 */
#include "image/jpeg.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* jpeglib.h needs stdio.h before it. */
#include <jpeglib.h>

#include <jerror.h>

#include "base/error.h"
#include "image/metadata.h"

#define SCANS_MAX       500 /* of a progressive file; each scan passes over the whole image */
#define JFIF_MARKER     JPEG_APP0
#define METADATA_MARKER (JPEG_APP0 + 1) /* of EXIF and XMP data */
#define SEGMENT_MAX     65533U
enum { CMYK_COMPONENTS = 4 };

/* Everything that is owned lies here, so that nothing is lost when libjpeg's error handler jumps. */
typedef struct reading {
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    struct jpeg_decompress_struct jpeg;
    jmp_buf escape;
    const char *name;
    image_pixels pixels;
    uint8_t *row; /* [width, 4] of an image with four components */
    image_metadata metadata;
    bool has_pixels; /* all of them: then the file may end */
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
    if (level < 0 && r->errors.msg_code == JWRN_JPEG_EOF && !r->has_pixels) fail(jpeg);
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

/* Pillow refuses markers below SOF0 in front of the first scan, which libjpeg passes over. */
static assay_status check_markers(const reading *r, const uint8_t *data, size_t n)
{
    enum { SOF0 = 0xc0, JPG = 0xc8, RST0 = 0xd0, EOI = 0xd9, SOS = 0xda, JPG0 = 0xf0, JPG13 = 0xfd };
    for (size_t i = 2; i + 1 < n;) {
        const uint8_t marker = data[i + 1];
        const bool is_alone =
            marker == JPG || (marker >= RST0 && marker <= EOI) || (marker >= JPG0 && marker <= JPG13);
        if (data[i] != 0xff || marker == 0xff) i++;
        else if (marker == SOS) return ASSAY_OK;
        else if (marker > 0 && marker < SOF0)
            return assay_fail(r->err, ASSAY_EFORMAT, "%s: found the marker 0x%02x in front of the first scan",
                              r->name, marker);
        else if (marker == 0 || is_alone || n - i < 4) i += 2;
        else {
            const size_t length = (size_t)data[i + 2] << 8 | data[i + 3];
            i += 2 + (length > 2 ? length : 2);
        }
    }
    return ASSAY_OK;
}

/* Whether a segment is one of those that Pillow reads. n: bytes of head. */
static bool begins_with(jpeg_saved_marker_ptr m, int marker, const char *head, size_t n)
{
    return m->marker == marker && m->data_length >= n && memcmp(m->data, head, n) == 0;
}

/* EXIF data may lie in several segments; of XMP data the last segment counts. Without a density in JFIF's
 * segment Pillow looks for one in EXIF data, where it ignores errors, and does not read the metadata again.
 */
static void collect_metadata(reading *r)
{
    static const char jfif[] = "JFIF", exif[] = "Exif\0", xmp[] = "http://ns.adobe.com/xap/1.0/";
    enum { UNIT_AT = 7, JFIF_BYTES = 12 };
    r->metadata.ignores_invalid = true;
    for (jpeg_saved_marker_ptr m = r->jpeg.marker_list; m; m = m->next)
        if (begins_with(m, JFIF_MARKER, jfif, sizeof jfif - 1)) {
            const bool has_density =
                m->data_length >= JFIF_BYTES && (m->data[UNIT_AT] == 1 || m->data[UNIT_AT] == 2);
            if (has_density) r->metadata.ignores_invalid = false;
        } else if (begins_with(m, METADATA_MARKER, exif, sizeof exif)) {
            const size_t skip = r->metadata.places[IMAGE_EXIF].is_set ? sizeof exif : 0;
            image_metadata_append(&r->metadata, IMAGE_EXIF, m->data + skip, m->data_length - skip);
        } else if (begins_with(m, METADATA_MARKER, xmp, sizeof xmp)) {
            image_metadata_set(&r->metadata, IMAGE_XMP, false, m->data + sizeof xmp,
                               m->data_length - sizeof xmp);
        }
}

/* Refuses what is not supported, and allocates the pixels. */
static assay_status open_pixels(reading *r)
{
    const int n = r->jpeg.num_components;
    const size_t width = r->jpeg.image_width;
    if (n != 1 && n != 3 && n != CMYK_COMPONENTS)
        return assay_fail(r->err, ASSAY_EUNSUPPORTED, "%s: found a JPEG of %d components, expected 1, 3 or 4",
                          r->name, n);
    const assay_status rc = image_pixels_open(r->name, r->jpeg.image_height, width, &r->pixels, r->err);
    if (rc != ASSAY_OK || n != CMYK_COMPONENTS) return rc;
    r->row = malloc(width * CMYK_COMPONENTS);
    return r->row ? ASSAY_OK : assay_fail(r->err, ASSAY_ENOMEM, "%s: out of memory", r->name);
}

/* Sets r->status. */
static void decode(reading *r, const uint8_t *data, size_t n)
{
    if (setjmp(r->escape)) return;
    r->status = check_markers(r, data, n);
    if (r->status != ASSAY_OK) return;
    jpeg_create_decompress(&r->jpeg);
    r->jpeg.client_data = r;
    r->jpeg.progress = &r->progress;
    jpeg_mem_src(&r->jpeg, data, (unsigned long)n);
    jpeg_save_markers(&r->jpeg, JFIF_MARKER, SEGMENT_MAX);
    jpeg_save_markers(&r->jpeg, METADATA_MARKER, SEGMENT_MAX);
    (void)jpeg_read_header(&r->jpeg, TRUE);
    r->status = open_pixels(r);
    if (r->status != ASSAY_OK) return;
    collect_metadata(r);
    r->jpeg.out_color_space = r->row ? JCS_CMYK : JCS_RGB;
    (void)jpeg_start_decompress(&r->jpeg);
    while (r->jpeg.output_scanline < r->jpeg.output_height) {
        uint8_t *rgb = r->pixels.rgb + (size_t)r->jpeg.output_scanline * r->pixels.width * 3;
        JSAMPROW row = r->row ? r->row : rgb;
        (void)jpeg_read_scanlines(&r->jpeg, &row, 1);
        /* PIL takes all samples for inverted, as Adobe's programs write them. */
        if (r->row) image_cmyk_convert(row, r->pixels.width, true, rgb);
    }
    r->has_pixels = true;
    (void)jpeg_finish_decompress(&r->jpeg);
    int orientation = 1;
    r->status = image_metadata_orientation(r->name, &r->metadata, &orientation, r->err);
    if (r->status == ASSAY_OK) r->status = image_pixels_orient(r->name, &r->pixels, orientation, r->err);
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
    image_metadata_free(&r.metadata);
    free(r.row);
    if (r.status == ASSAY_OK) *out = r.pixels;
    else image_pixels_free(&r.pixels);
    return r.status;
}
