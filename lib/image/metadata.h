/* What an image file says about its orientation, in the places where Pillow 13.0 looks for it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IMAGE_METADATA_H
#define IMAGE_METADATA_H

#include <assay/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/* The members of Pillow's Image.info that count. */
typedef enum image_place {
    IMAGE_EXIF,     /* "exif" */
    IMAGE_PROFILE,  /* "Raw profile type exif": hexadecimal digits */
    IMAGE_XMP_TEXT, /* "XML:com.adobe.xmp" */
    IMAGE_XMP,      /* "xmp" */
    IMAGE_N_PLACES
} image_place;

/* An all-zero struct holds nothing. */
typedef struct image_metadata {
    struct {
        buffer bytes;
        bool is_set;
        bool is_text; /* a Python str, not bytes */
    } places[IMAGE_N_PLACES];
    bool ignores_invalid; /* invalid EXIF data stands for none, and XMP data is then ignored as well */
} image_metadata;

void image_metadata_free(image_metadata *metadata);

/* Puts data[0..n) in a place, instead of (set) or behind (append) what it holds. A failed allocation is
 * reported by image_metadata_orientation. */
void image_metadata_set(image_metadata *metadata, image_place place, bool is_text, const void *data,
                        size_t n);
void image_metadata_append(image_metadata *metadata, image_place place, const void *data, size_t n);

/* The orientation that ImageOps.exif_transpose applies, 1 to 8: that of the EXIF data, or of the raw profile
 * without it, or, if these have no orientation tag, of the XMP data; 1 by default.
 * name: for messages.
 * Fails with ASSAY_EFORMAT for metadata for which Pillow raises an error, or with ASSAY_ENOMEM. *out is
 * untouched on failure. */
assay_status image_metadata_orientation(const char *name, image_metadata *metadata, int *out,
                                        assay_error *err);

#endif
