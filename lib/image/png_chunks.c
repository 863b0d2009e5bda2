/* SPDX-License-Identifier: Apache-2.0 */
#include "image/png_chunks.h"

#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "base/error.h"
#include "base/utf8.h"
#include "image/inflate.h"

enum { CHECKSUM_BYTES = 4, HEAD_BYTES = 8 };

static uint32_t read_integer(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static bool is_word(uint8_t c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

bool png_chunks_next(png_chunks *p, png_chunk *out)
{
    const uint8_t *head = p->data + p->at;
    if (p->n - p->at < HEAD_BYTES) return false;
    for (size_t i = 4; i < HEAD_BYTES; i++)
        if (!is_word(head[i])) return false;
    const size_t n = read_integer(head), rest = p->n - p->at - HEAD_BYTES;
    *out = (png_chunk){.data = head + HEAD_BYTES, .n = n, .n_there = n < rest ? n : rest};
    memcpy(out->name, head + 4, 4);
    const size_t behind = rest - out->n_there;
    p->at = p->n - behind + (behind < CHECKSUM_BYTES ? behind : CHECKSUM_BYTES);
    return true;
}

static assay_status refuse(const png_chunks *p, const png_chunk *c, const char *what)
{
    return assay_fail(p->err, ASSAY_EFORMAT, "%s: chunk %s: %s", p->file_name, c->name, what);
}

/* Inflates data[0..n) to p->text. A damaged stream leaves no text. */
static assay_status inflate_text(png_chunks *p, const png_chunk *c, const uint8_t *data, size_t n,
                                 size_t *n_out, bool *damaged)
{
    if (!p->text) p->text = malloc(IMAGE_TEXT_MAX);
    const image_inflated result = p->text ? image_inflate(data, n, p->text, n_out) : IMAGE_INFLATED_NO_MEMORY;
    *damaged = result == IMAGE_INFLATED_DAMAGED;
    if (result == IMAGE_INFLATED_NO_MEMORY)
        return assay_fail(p->err, ASSAY_ENOMEM, "%s: out of memory", p->file_name);
    if (result == IMAGE_INFLATED_TOO_LARGE)
        return assay_fail(
            p->err, ASSAY_EFORMAT,
            "%s: chunk %s: found a text that inflates to more than %zu bytes, the limit of Pillow",
            p->file_name, c->name, IMAGE_TEXT_MAX);
    return ASSAY_OK;
}

/* Keeps a text if its key is one of those that matter. n_characters: of the text. */
static assay_status keep_text(png_chunks *p, const png_chunk *c, size_t n_key, const void *text, size_t n,
                              size_t n_characters)
{
    static const struct {
        const char *key;
        image_place place;
    } keys[] = {{"exif", IMAGE_EXIF},
                {"Raw profile type exif", IMAGE_PROFILE},
                {"XML:com.adobe.xmp", IMAGE_XMP_TEXT},
                {"xmp", IMAGE_XMP}};
    /* Pillow keeps the bytes of an uncompressed text of the key "exif". */
    const bool is_bytes = strcmp(c->name, "tEXt") == 0;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strlen(keys[i].key) == n_key && memcmp(c->data, keys[i].key, n_key) == 0)
            image_metadata_set(&p->metadata, keys[i].place, keys[i].place != IMAGE_EXIF || !is_bytes, text,
                               n);
    p->n_text += n_characters;
    if (p->n_text <= IMAGE_PNG_TEXTS_MAX) return ASSAY_OK;
    return assay_fail(p->err, ASSAY_EFORMAT,
                      "%s: found texts of more than %zu characters, the limit of Pillow", p->file_name,
                      IMAGE_PNG_TEXTS_MAX);
}

/* Length of the text before the first NUL of data[0..n), or n. */
static size_t find_nul(const uint8_t *data, size_t n)
{
    const uint8_t *nul = n > 0 ? memchr(data, 0, n) : NULL;
    return nul ? (size_t)(nul - data) : n;
}

static assay_status read_text(png_chunks *p, const png_chunk *c)
{
    const size_t n_key = find_nul(c->data, c->n), at = n_key < c->n ? n_key + 1 : c->n;
    return n_key > 0 ? keep_text(p, c, n_key, c->data + at, c->n - at, c->n - at) : ASSAY_OK;
}

static assay_status read_compressed_text(png_chunks *p, const png_chunk *c)
{
    const size_t n_key = find_nul(c->data, c->n), at = n_key + 2;
    size_t n = 0;
    bool damaged;
    if (n_key + 1 < c->n && c->data[n_key + 1] != 0) return refuse(p, c, "unknown compression");
    if (at < c->n) {
        const assay_status rc = inflate_text(p, c, c->data + at, c->n - at, &n, &damaged);
        if (rc != ASSAY_OK) return rc;
    }
    return n_key > 0 ? keep_text(p, c, n_key, p->text, n, n) : ASSAY_OK;
}

/* Characters of valid UTF-8. */
static size_t count_characters(const char *text, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) count += ((uint8_t)text[i] & 0xc0) != 0x80;
    return count;
}

/* Key, NUL, whether it is compressed, method, language, NUL, translated key, NUL, text. */
static assay_status read_international_text(png_chunks *p, const png_chunk *c)
{
    const size_t n_key = find_nul(c->data, c->n), n_fields = n_key + 3;
    if (n_fields > c->n) return ASSAY_OK;
    const size_t language = find_nul(c->data + n_fields, c->n - n_fields),
                 translated = n_fields + language + 1;
    if (translated > c->n) return ASSAY_OK;
    const size_t at = translated + find_nul(c->data + translated, c->n - translated) + 1;
    if (at > c->n) return ASSAY_OK;
    const char *text = (const char *)c->data + at;
    size_t n = c->n - at;
    if (c->data[n_key + 1] != 0) {
        bool damaged;
        if (c->data[n_key + 2] != 0) return ASSAY_OK;
        const assay_status rc = inflate_text(p, c, c->data + at, n, &n, &damaged);
        if (rc != ASSAY_OK || damaged) return rc;
        text = (const char *)p->text;
    }
    static const char xmp[] = "XML:com.adobe.xmp";
    if (n_key == sizeof xmp - 1 && memcmp(c->data, xmp, n_key) == 0)
        image_metadata_set(&p->metadata, IMAGE_XMP, false, text, n);
    const char *fields = (const char *)c->data + n_fields;
    if (utf8_valid_prefix(fields, at - n_fields) != at - n_fields || utf8_valid_prefix(text, n) != n)
        return ASSAY_OK;
    return keep_text(p, c, n_key, text, n, count_characters(text, n));
}

/* A profile is inflated for its limit only. Without a NUL Pillow takes the first byte for the method. */
static assay_status read_color_profile(png_chunks *p, const png_chunk *c)
{
    const size_t nul = find_nul(c->data, c->n), method = nul < c->n ? nul + 1 : 0;
    size_t n;
    bool damaged;
    if (method >= c->n || c->data[method] != 0) return refuse(p, c, "unknown compression");
    return inflate_text(p, c, c->data + method + 1, c->n - method - 1, &n, &damaged);
}

static assay_status read_header(png_chunks *p, const png_chunk *c)
{
    if (c->data[11] != 0) return refuse(p, c, "unknown filters");
    if (p->has_image) return ASSAY_OK;
    p->has_header = true;
    p->width = p->frame_width = read_integer(c->data);
    p->height = p->frame_height = read_integer(c->data + 4);
    p->depth = c->data[8];
    p->color = c->data[9];
    p->interlaced = p->interlaced || c->data[12] != 0;
    return ASSAY_OK;
}

static assay_status read_palette(png_chunks *p, const png_chunk *c)
{
    if (p->has_image || p->color != 3) return ASSAY_OK;
    p->palette = c->data;
    p->n_palette = c->n;
    return ASSAY_OK;
}

static assay_status read_transparency(png_chunks *p, const png_chunk *c)
{
    const size_t least = p->color == 0 ? 2 : p->color == 2 ? 6 : 0;
    return c->n < least ? refuse(p, c, "too short") : ASSAY_OK;
}

static assay_status read_exif(png_chunks *p, const png_chunk *c)
{
    image_metadata_set(&p->metadata, IMAGE_EXIF, false, "Exif\0", 6);
    image_metadata_append(&p->metadata, IMAGE_EXIF, c->data, c->n);
    return ASSAY_OK;
}

static assay_status read_animation(png_chunks *p, const png_chunk *c)
{
    const uint32_t n_frames = read_integer(c->data);
    if (p->has_frames) p->has_frames = false;
    else if (n_frames != 0 && n_frames <= UINT32_C(0x80000000)) {
        p->has_frames = true;
        p->n_frames = n_frames;
    }
    return ASSAY_OK;
}

static assay_status read_sequence(png_chunks *p, const png_chunk *c, bool must_follow)
{
    const uint32_t sequence = read_integer(c->data);
    const bool follows = p->has_sequence ? sequence != 0 && p->sequence == sequence - 1 : sequence == 0;
    if (!follows || (must_follow && !p->has_sequence)) return refuse(p, c, "frames out of sequence");
    p->has_sequence = true;
    p->sequence = sequence;
    return ASSAY_OK;
}

static assay_status read_frame_control(png_chunks *p, const png_chunk *c)
{
    const size_t width = read_integer(c->data + 4), height = read_integer(c->data + 8);
    const size_t left = read_integer(c->data + 12), top = read_integer(c->data + 16);
    const assay_status rc = read_sequence(p, c, false);
    if (rc != ASSAY_OK) return rc;
    if (left + width > p->width || top + height > p->height) return refuse(p, c, "a frame outside the image");
    if (p->has_image) return ASSAY_OK;
    if (width == 0 || height == 0) return refuse(p, c, "a frame without pixels");
    p->frame_width = width;
    p->frame_height = height;
    p->left = left;
    p->top = top;
    p->starts_animation = true;
    return ASSAY_OK;
}

static assay_status read_frame_data(png_chunks *p, const png_chunk *c)
{
    return read_sequence(p, c, true);
}

/* The chunks that Pillow knows, and the least number of their bytes. */
static const struct {
    const char *name;
    size_t least;
    assay_status (*read)(png_chunks *p, const png_chunk *c); /* NULL: only the length counts */
} KNOWN[] = {{"IHDR", 13, read_header},
             {"PLTE", 0, read_palette},
             {"tRNS", 0, read_transparency},
             {"gAMA", 4, NULL},
             {"cHRM", 32, NULL},
             {"sRGB", 1, NULL},
             {"pHYs", 9, NULL},
             {"iCCP", 0, read_color_profile},
             {"tEXt", 0, read_text},
             {"zTXt", 0, read_compressed_text},
             {"iTXt", 0, read_international_text},
             {"eXIf", 0, read_exif},
             {"acTL", 8, read_animation},
             {"fcTL", 26, read_frame_control},
             {"fdAT", 4, read_frame_data}};

static assay_status read_known(png_chunks *p, const png_chunk *c)
{
    if (c->n_there < c->n)
        return assay_fail(p->err, ASSAY_EFORMAT,
                          "%s: the file is truncated: found %zu of the %zu bytes of chunk %s", p->file_name,
                          c->n_there, c->n, c->name);
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++) {
        if (strcmp(c->name, KNOWN[i].name) != 0) continue;
        if (c->n < KNOWN[i].least) return refuse(p, c, "too short");
        return KNOWN[i].read ? KNOWN[i].read(p, c) : ASSAY_OK;
    }
    return ASSAY_OK;
}

static assay_status check_sum(const png_chunks *p, const png_chunk *c)
{
    const uint8_t *end = c->data + c->n;
    if ((size_t)(p->data + p->n - end) < CHECKSUM_BYTES) return refuse(p, c, "no checksum");
    const uLong crc = crc32_z(crc32_z(0, (const Bytef *)c->name, 4), c->data, c->n);
    return crc == read_integer(end) ? ASSAY_OK : refuse(p, c, "the checksum (CRC) differs");
}

assay_status png_chunks_read_head(png_chunks *p)
{
    png_chunk c;
    for (size_t start = p->at; png_chunks_next(p, &c); start = p->at) {
        if (strcmp(c.name, "IDAT") == 0) {
            p->at = start;
            p->has_image = true;
            /* With a frame's chunk before it the image data is the first frame. */
            p->is_animated = p->has_frames && (p->n_frames > 1 || !p->starts_animation);
            return p->has_header ? ASSAY_OK : refuse(p, &c, "no IHDR before it");
        }
        if (strcmp(c.name, "IEND") == 0) break;
        assay_status rc = read_known(p, &c);
        if (rc == ASSAY_OK) rc = check_sum(p, &c);
        if (rc != ASSAY_OK) return rc;
    }
    return assay_fail(p->err, ASSAY_EFORMAT, "%s: damaged or truncated: found no image data (IDAT)",
                      p->file_name);
}

assay_status png_chunks_read_tail(png_chunks *p)
{
    png_chunk c;
    assay_status rc = ASSAY_OK;
    while (rc == ASSAY_OK && png_chunks_next(p, &c)) {
        if (strcmp(c.name, "IEND") == 0 || (p->is_animated && strcmp(c.name, "fcTL") == 0)) break;
        rc = read_known(p, &c);
    }
    return rc;
}

void png_chunks_free(png_chunks *p)
{
    free(p->text);
    image_metadata_free(&p->metadata);
}
