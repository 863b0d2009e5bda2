/* The order in which a tower evaluates patches, its segments, and the patches of each token.
 *
 * A pass evaluates whole frames. The rows of a frame are in the order of the model's input, or, if a layer
 * has windows, window by window: the rows of every segment then follow each other.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_TOWER_LAYOUT_H
#define FASTPATH_TOWER_LAYOUT_H

#include "fastpath/scratch.h"
#include "model/inputs/medium.h"

/* One frame of an image or video. first_row: of the pass. */
typedef struct fp_frame {
    const medium *medium;
    size_t index;         /* 0 … t - 1 */
    size_t height, width; /* in patches */
    size_t first_row;
} fp_frame;

/* The patch of a row: its place in its frame, and its row in the order of the input, counted over all frames
 * of the pass. */
typedef struct fp_patch {
    int32_t y, x;
    size_t frame, input;
} fp_patch;

/* Rows that attend to each other. first_page: of their keys and values; no page has rows of two segments.
 * n_open: the first rows, which attend to all rows; the others attend to these alone. */
typedef struct fp_segment {
    size_t first_row, n_rows, first_page, n_open;
} fp_segment;

typedef struct fp_segments {
    fp_segment *list; /* [n] */
    size_t n, n_pages;
} fp_segments;

typedef struct fp_layout {
    fp_frame *frames;                  /* [n_frames] */
    size_t n_frames, n_rows, n_tokens; /* n_tokens: of blocks of patches */
    size_t n_features;          /* rows of the result: those of tokens, and those that the merger adds */
    size_t *feature;            /* [n_tokens], the row of the result of each token; not used with crops */
    size_t n_members;           /* patches of a token */
    fp_patch *patch;            /* [n_rows] */
    size_t *member;             /* [n_tokens, n_members], rows, in the order in which they are concatenated */
    fp_segments whole, windows; /* frames, and windows: none unless a layer has them */
    bool is_reordered;          /* rows are not in the order of the input */
} fp_layout;

/* Fills in *l from its frames and n_frames, of which medium and index are set. The arrays are taken from the
 * scratch. Returns false if out of memory. */
bool fp_layout_make(fp_layout *l, const plan_tower *tower, fp_scratch *scratch);

#endif
