/* The chunks of a PNG file, with the checks and limits of Pillow 13.0.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IMAGE_PNG_CHUNKS_H
#define IMAGE_PNG_CHUNKS_H

#include "image/metadata.h"

#define IMAGE_PNG_TEXTS_MAX ((size_t)64 << 20) /* characters of all texts; Pillow's MAX_TEXT_MEMORY */

typedef struct png_chunk {
    char name[5];
    const uint8_t *data; /* [n_there] */
    size_t n;
    size_t n_there; /* less than n if the file is truncated */
} png_chunk;

typedef struct png_chunks {
    const char *file_name;
    const uint8_t *data; /* [n] */
    size_t n, at;        /* at: of the next chunk */
    bool has_header, has_image;
    size_t width, height;
    unsigned depth, color;
    bool interlaced;
    const uint8_t *palette; /* [n_palette] */
    size_t n_palette;
    size_t left, top, frame_width,
        frame_height; /* what the image data fills: an animation may begin smaller */
    /* Of an animation: frames, 0 if it has none, and the number of the last chunk of a frame. */
    bool has_frames, has_sequence, starts_animation, is_animated;
    uint32_t n_frames, sequence;
    size_t n_text; /* characters of texts so far */
    uint8_t *text; /* [IMAGE_TEXT_MAX]; owned */
    image_metadata metadata;
    assay_error *err;
} png_chunks;

/* The next chunk, or false if no valid head of one follows. chunks->at is then unchanged. */
bool png_chunks_next(png_chunks *chunks, png_chunk *out);

/* Reads the chunks before the image data, of which chunks->at is the first, from an all-zero struct with
 * file_name, data, n, at and err. Fails with ASSAY_EFORMAT for what Pillow does not open, or with
 * ASSAY_ENOMEM. */
assay_status png_chunks_read_head(png_chunks *chunks);

/* Reads the chunks behind the image data as far as Pillow does; checksums are not compared there. Fails like
 * png_chunks_read_head. */
assay_status png_chunks_read_tail(png_chunks *chunks);

void png_chunks_free(png_chunks *chunks);

#endif
