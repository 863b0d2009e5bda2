/* One image, video or audio clip of a sample, checked and copied.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_INPUTS_MEDIUM_H
#define MODEL_INPUTS_MEDIUM_H

#include <assay/engine.h>

#include "model/inputs/item_content.h"

/* One image, video or audio clip. Immutable and counted: sessions on different threads share it. */
typedef struct medium medium;

/* A copy of what an item says, owned by the caller. NULL if out of memory. */
medium *medium_make(const item_content *content);
void medium_retain(const medium *m);
void medium_release(const medium *m); /* NULL allowed */

/* The tower that evaluates it: one of the plan's. */
const plan_tower *medium_tower(const medium *m);
/* [t, h, w] in patches: h and w multiples of the tower's block; [1, 1, rows] of an audio clip. */
const size_t *medium_grid(const medium *m);
size_t medium_patches(const medium *m);       /* t·h·w */
const size_t *medium_layout(const medium *m); /* [rows, columns] of crops; 0 without crops */
size_t medium_tokens(const medium *m); /* of placeholder tokens, of which tower.n_leading have no features */
size_t medium_rows(const medium *m);   /* of features: plan_tower_rows */
size_t medium_ratio(const medium *m);  /* of tiles, from 1 on; 0: the tower has none */
size_t medium_bytes(const medium *m);  /* of its pixels or spectrogram; 0 if it has a grid alone */
bool medium_equal(const medium *m, const medium *other); /* grid, pixels and their type, bit for bit */
double medium_interval(const medium *m); /* positions from one frame to the next: item_content.h */
/* The temporal position of a frame, relative to that of frame 0: the frame itself, or as the seconds of a
 * video say (item.h). */
int32_t medium_time(const medium *m, size_t frame);
/* Converts rows first … first + n - 1 of the pixels, in the order of the tower's input, to double.
 * out: [n, W]. With tiles: tile by tile, of each its patches row by row. Without padding; all finite. Not of
 * an audio clip. */
void medium_pixels(const medium *m, size_t first, size_t n, double *out);
/* The frames of an audio clip; 0 of other media. */
size_t medium_frames(const medium *m);
/* Converts the spectrogram of an audio clip to double. out: [bins, frames]. All finite. */
void medium_spectrogram(const medium *m, double *out);

#endif
