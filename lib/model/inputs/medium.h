/* One image, video or audio clip of a sample, checked and copied.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_INPUTS_MEDIA_H
#define MODEL_INPUTS_MEDIA_H

#include <assay/engine.h>

#include "model/inputs/item_content.h"

/* One image, video or audio clip. Immutable and counted: sessions on different threads share it. */
typedef struct media media;

/* A copy of what an item says, owned by the caller. NULL if out of memory. */
media *media_make(const item_content *content);
void media_retain(const media *m);
void media_release(const media *m); /* NULL allowed */

/* The tower that evaluates it: one of the plan's. */
const plan_tower *media_tower(const media *m);
/* [t, h, w] in patches: h and w multiples of the tower's block; [1, 1, rows] of an audio clip. */
const size_t *media_grid(const media *m);
size_t media_patches(const media *m);       /* t·h·w */
const size_t *media_layout(const media *m); /* [rows, columns] of crops; 0 without crops */
size_t media_tokens(const media *m); /* of placeholder tokens, of which tower.n_leading have no features */
size_t media_rows(const media *m);   /* of features: plan_tower_rows */
size_t media_ratio(const media *m);  /* of tiles, from 1 on; 0: the tower has none */
size_t media_bytes(const media *m);  /* of its pixels or spectrogram; 0 if it has a grid alone */
bool media_equal(const media *m, const media *other); /* grid, pixels and their type, bit for bit */
double media_interval(const media *m); /* positions from one frame to the next: item_content.h */
/* The temporal position of a frame, relative to that of frame 0: the frame itself, or as the seconds of a
 * video say (item.h). */
int32_t media_time(const media *m, size_t frame);
/* Converts rows first … first + n - 1 of the pixels, in the order of the tower's input, to double.
 * out: [n, W]. With tiles: tile by tile, of each its patches row by row. Without padding; all finite. Not of
 * an audio clip. */
void media_pixels(const media *m, size_t first, size_t n, double *out);
/* The frames of an audio clip; 0 of other media. */
size_t media_frames(const media *m);
/* Converts the spectrogram of an audio clip to double. out: [bins, frames]. All finite. */
void media_spectrogram(const media *m, double *out);

#endif
