/* SPDX-License-Identifier: Apache-2.0 */
#include "image/metadata.h"

#include <string.h>

#include "base/error.h"
#include "image/exif.h"

enum { UPRIGHT = 1, PROFILE_HEAD_LINES = 3 };

static const char *const PLACE_NAMES[IMAGE_N_PLACES] = {"exif", "Raw profile type exif", "XML:com.adobe.xmp",
                                                        "xmp"};

void image_metadata_free(image_metadata *metadata)
{
    for (size_t i = 0; i < IMAGE_N_PLACES; i++) buffer_free(&metadata->places[i].bytes);
    *metadata = (image_metadata){0};
}

void image_metadata_append(image_metadata *metadata, image_place place, const void *data, size_t n)
{
    metadata->places[place].is_set = true;
    (void)buffer_append(&metadata->places[place].bytes, data, n);
}

void image_metadata_set(image_metadata *metadata, image_place place, bool is_text, const void *data, size_t n)
{
    metadata->places[place].bytes.n = 0;
    metadata->places[place].is_text = is_text;
    image_metadata_append(metadata, place, data, n);
}

static int digit_value(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Replaces a raw profile by its bytes, as bytes.fromhex of all lines but the first three: white space may lie
 * between bytes, but no end of a line counts. Returns false if Python raises an error. */
static bool decode_profile(buffer *profile)
{
    size_t at = 0, n = 0, lines = 0;
    char *text = profile->data;
    for (; at < profile->n && lines < PROFILE_HEAD_LINES; at++) lines += text[at] == '\n';
    int high = -1;
    for (; at < profile->n; at++) {
        if (text[at] == '\n' || (high < 0 && is_space(text[at]))) continue;
        const int digit = digit_value(text[at]);
        if (digit < 0) return false;
        if (high >= 0) text[n++] = (char)(high << 4 | digit);
        high = high < 0 ? digit : -1;
    }
    profile->n = n;
    return high < 0;
}

/* The first match of tiff:Orientation(="|>)([0-9]); UPRIGHT without one. */
static int search_xmp(const buffer *xmp)
{
    static const char key[] = "tiff:Orientation";
    enum { N_KEY = sizeof key - 1 };
    for (size_t i = 0; i + N_KEY + 2 <= xmp->n; i++) {
        const char *rest = xmp->data + i + N_KEY, *end = xmp->data + xmp->n;
        if (memcmp(xmp->data + i, key, N_KEY) != 0) continue;
        if (*rest == '>') rest++;
        else if (*rest == '=' && rest[1] == '"') rest += 2;
        else continue;
        if (rest < end && *rest >= '0' && *rest <= '9') return *rest - '0';
    }
    return UPRIGHT;
}

static assay_status refuse_text(const char *name, image_place place, assay_error *err)
{
    return assay_fail(err, ASSAY_EFORMAT, "%s: found text as metadata of the key \"%s\", expected bytes",
                      name, PLACE_NAMES[place]);
}

static assay_status read_xmp(const char *name, const image_metadata *m, int *out, assay_error *err)
{
    for (image_place place = IMAGE_XMP_TEXT; place <= IMAGE_XMP; place++) {
        if (m->places[place].bytes.n == 0) continue;
        if (place == IMAGE_XMP && m->places[place].is_text) return refuse_text(name, place, err);
        *out = search_xmp(&m->places[place].bytes);
        return ASSAY_OK;
    }
    return ASSAY_OK;
}

assay_status image_metadata_orientation(const char *name, image_metadata *metadata, int *out,
                                        assay_error *err)
{
    const image_place place = metadata->places[IMAGE_EXIF].is_set ? IMAGE_EXIF : IMAGE_PROFILE;
    buffer *exif = &metadata->places[place].bytes;
    int orientation = UPRIGHT;
    bool has_tag = false;
    for (size_t i = 0; i < IMAGE_N_PLACES; i++)
        if (metadata->places[i].bytes.failed) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", name);
    if (place == IMAGE_EXIF && metadata->places[place].is_text) return refuse_text(name, place, err);
    if (place == IMAGE_PROFILE && !decode_profile(exif))
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s: expected hexadecimal digits", name,
                          PLACE_NAMES[place]);
    if (!image_exif_read((const uint8_t *)exif->data, exif->n, &orientation, &has_tag)) {
        if (!metadata->ignores_invalid)
            return assay_fail(err, ASSAY_EFORMAT, "%s: %s: expected the head of a TIFF structure", name,
                              PLACE_NAMES[place]);
        has_tag = true;
    }
    const assay_status rc = has_tag ? ASSAY_OK : read_xmp(name, metadata, &orientation, err);
    if (rc == ASSAY_OK) *out = orientation;
    return rc;
}
