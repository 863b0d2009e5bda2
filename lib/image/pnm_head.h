/* The head of a portable image: PBM, PGM, PPM, PFM, and the extensions of Pillow 13.0.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IMAGE_PNM_HEAD_H
#define IMAGE_PNM_HEAD_H

#include "image/pixels.h"

/* What a pixel is. */
typedef enum pnm_kind { PNM_BIT, PNM_GRAY, PNM_RGB, PNM_CMYK, PNM_FLOAT, PNM_INDEX } pnm_kind;

typedef struct pnm_head {
    const char *name; /* of the file */
    pnm_kind kind;
    bool is_plain;  /* numbers in ASCII */
    size_t n_bands; /* samples of a pixel */
    size_t height, width;
    size_t maxval;  /* 1 to 65535; 0 for bits and numbers in floating point */
    bool is_little; /* byte order of numbers in floating point */
    size_t n_bytes; /* of the head */
    assay_error *err;
} pnm_head;

/* Reads the head of data[0..n), as Pillow does: a comment ends no number, numbers have at most 10 characters
 * and are those of Python's int(), with a sign and single underscores between digits. Fails with
 * ASSAY_EUNSUPPORTED for another magic number, or with ASSAY_EFORMAT. */
assay_status pnm_head_read(const char *name, const uint8_t *data, size_t n, pnm_head *out, assay_error *err);

#define PNM_TOKEN_MAX 10

bool pnm_is_space(uint8_t c);

/* Parses text[0..n), n <= PNM_TOKEN_MAX, as Python's int(). Returns false if that raises an error. */
bool pnm_parse_integer(const uint8_t *text, size_t n, long long *out);

#endif
