/* A vision tower: from the patches of an image to rows that replace the embeddings of its placeholder tokens.
 *
 * Notation: C channels, F frames of a patch, S side of a patch in pixels, W = C·F·S² width of a row of
 * pixels, D width of the tower, P patches of one image or video, m side of a block of merged patches, H
 * hidden size of the language model. A grid [t, h, w] counts patches; P = t·h·w.
 *
 * The tower, in the order of evaluation:
 *   x = embed(rows · pixel_factor + pixel_offset)
 *   x = in_norm(x) + table(x's place)
 *   layer 0 … n_layers - 1: x += mixer_out(attention(mixer_in(x))); x += mlp_out(mlp(mlp_in(x)))
 *   x = out_norm(x), then averaged over pool × pool patches, scaled and standardised; or its crops are joined
 *   features = merger(x)
 * A norm that is not present is the identity. In a convolutional tower, blocks take the place of embedding
 * and layers (model/plan/conv.h): patches are pixels (S = F = 1), those of an image [C, h, w]; x is
 * [side², D], whatever h and w are.
 *
 * The audio tower is the same over the rows of plan_audio: each is a patch of one pixel, and an audio clip of
 * n rows has the grid [1, 1, n].
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_PLAN_TOWER_H
#define MODEL_PLAN_TOWER_H

#include "model/plan/audio.h"
#include "model/plan/conv.h"
#include "model/plan/merger.h"
#include "model/plan/parts.h"
#include "model/plan/tiles.h"

/* The order of the patches of a frame in a model's input, and in the tower. */
typedef enum plan_patch_order {
    PLAN_PATCHES_RASTER, /* row by row */
    PLAN_PATCHES_BLOCKS  /* blocks of m × m patches, row by row; the patches of a block row by row */
} plan_patch_order;

/* The patch embedding. A convolution whose stride is its kernel (conv2d, conv3d) is this product. */
typedef struct plan_patches {
    size_t size, channels, frames; /* S, C, F */
    plan_patch_order order;
    plan_linear embed;                 /* [D, W]; absent in a convolutional tower */
    double pixel_factor, pixel_offset; /* of every element of a row, before the product */
    bool weights_channels_last; /* rows are ordered (channel, frame, y, x), the weight's columns (frame, y, x,
                                   channel); otherwise both have the same order */
} plan_patches;

/* Learned positions, added to the patch embedding. */
typedef enum plan_table_kind {
    PLAN_TABLE_NONE,
    PLAN_TABLE_BILINEAR, /* a square table, resampled to h × w: two taps an axis */
    PLAN_TABLE_BICUBIC,  /* four taps, Keys' kernel with a = -0.75 */
    PLAN_TABLE_AXES,     /* row x of the first half + row y of the second half */
    PLAN_TABLE_SINUSOIDS /* no weight: with i the column of a patch modulo `period` and D the width, element k
                            below D/2 is sin(i·w_k), element D/2 + k is cos(i·w_k), where
                            w_k = 10000^(-k / (D/2 - 1)) (Vaswani et al. 2017, as Whisper arranges it) */
} plan_table_kind;

/* Resampling (torch.nn.functional.interpolate): patch i of n reads the table at i·(side - 1)/max(n - 1, 1)
 * where corners are aligned, else at (i + ½)·side/n - ½. Taps outside of the table are clamped to it; their
 * weights stay. */
typedef struct plan_table {
    plan_table_kind kind;
    bool aligns_corners;
    size_t side, period;
    plan_weight weight; /* [side², D], row by row; PLAN_TABLE_AXES: [2·side, D] */
} plan_table;

/* A layer. Attention has no mask but its segments: the patches of one frame, or of one window of it. */
typedef struct plan_tower_layer {
    plan_norm mixer_in, mixer_out, mlp_in, mlp_out;
    plan_attention attention; /* mask PLAN_MASK_NONE; rope 0: that of the tower, or PLAN_NONE */
    bool in_windows;          /* segments are windows, not frames */
    plan_mlp mlp;
    plan_weight mixer_gate, mlp_gate; /* [1] each: tanh of it multiplies what is added to x; or absent */
} plan_tower_layer;

/* Features of an earlier layer: its output through a merger, added to the output of the decoder layer with
 * the same index as this entry, at the placeholder tokens (DeepStack, Meng et al. 2024). */
typedef struct plan_deepstack {
    size_t tower_layer;
    plan_merger merger;
} plan_deepstack;

/* Averaging of pool × pool patches, then (mean · factor - bias) · scale. */
typedef struct plan_pooling {
    size_t side; /* 1: none */
    double factor;
    plan_weight bias, scale; /* [D] each, or absent */
} plan_pooling;

/* An image as frames of the same size, each with attention of its own: first the whole image, then R × C
 * crops of it, row by row, whose patches overlap. Of the rows of patches between two crops, and of the
 * columns, each crop loses `margin`. The rest of all crops, side by side, is averaged to the grid G × G of a
 * frame: of H rows and W columns the element (i, j) is the mean of rows round(iH/G) … round((i + 1)H/G) - 1
 * and of columns likewise, halves to even, of one row and one column at least. The row of a patch becomes
 * [whole image, crops], both times that of the image without crops (Moondream 3). */
typedef struct plan_crops {
    size_t margin;
} plan_crops;

/* What becomes of an item: the kind of a tower and the member of its union. */
typedef enum plan_tower_kind {
    PLAN_TOWER_PATCHES, /* the patches of images and videos, in grids; no member */
    PLAN_TOWER_TILES,   /* images of tiles, in place of in_norm, table and grids (tiles.h); cross-attention
                           layers   read the features, which replace no embedding */
    PLAN_TOWER_CROPS,   /* images with crops */
    PLAN_TOWER_CONV,    /* images through convolutional blocks (conv.h); n_layers is 0 */
    PLAN_TOWER_AUDIO    /* audio clips through convolutions over a spectrogram (audio.h) */
} plan_tower_kind;

typedef struct plan_tower {
    bool present;
    plan_tower_kind kind;
    union {
        plan_tiles tiles;
        plan_crops crops;
        plan_conv_tower conv;
        plan_audio audio;
    };
    size_t hidden, n_layers; /* D */
    plan_patches patches;
    plan_norm in_norm;
    plan_table table;
    bool has_rope;
    rope rope; /* sections ROPE_SECTIONS_ROW_COLUMN or ROPE_SECTIONS_COLUMN_ROW; positions are those of
                  patches within a frame: axis 1 their row, axis 2 their column */
    plan_frequency frequency;
    plan_tower_layer *layers; /* [n_layers], owned */
    size_t window; /* side of a window in blocks of merged patches; 0: no layer has windows. A frame is cut
                      into windows from its first row and column on; the last ones may be smaller */
    plan_norm out_norm;
    plan_pooling pooling;
    size_t merge; /* m */
    plan_merger merger;
    plan_deepstack *deepstack; /* [n_deepstack], owned */
    size_t n_deepstack;
    int32_t image_token, video_token, audio_token; /* placeholders; -1: the tower takes none of the kind */
    size_t n_leading; /* placeholder tokens of an item before those that its features replace. Where it is not
                         0, a sample has at most one item, which begins with its first token */
    bool frames_apart;        /* each frame of a video has a run of placeholder tokens of its own */
    bool takes_places;        /* an item has image_position_ids, the place (x, y) of each patch, not a grid */
    double tokens_per_second; /* positions that a second of a video takes, where its tensors may state seconds
                                 for each frame (second_per_grid_ts); 0: a frame is one position */
    bool spans_time; /* a video lasts as long as its seconds (video_second_per_grid) say: what follows it
                        comes after its last frame, and the tokens of an audio clip may be among its own
                        (get_rope_index of Qwen3-Omni) */
} plan_tower;

/* Whether features are what the cross-attention layers read; they replace no embedding then. */
static inline bool plan_tower_feeds_cross(const plan_tower *tower)
{
    return tower->kind == PLAN_TOWER_TILES;
}

/* W: the number of elements of a row of pixels. */
static inline size_t plan_patches_width(const plan_patches *p)
{
    return p->channels * p->frames * p->size * p->size;
}

/* Whether a product of a layer has limits. */
static inline bool plan_tower_layer_has_clips(const plan_tower_layer *layer)
{
    const plan_attention *a = &layer->attention;
    const plan_mlp *mlp = &layer->mlp;
    return a->q.clamp.present || a->k.clamp.present || a->v.clamp.present || a->o.clamp.present ||
           mlp->gate.clamp.present || mlp->up.clamp.present || mlp->down.clamp.present;
}

/* The width of the rows that the merger gets. */
static inline size_t plan_tower_state(const plan_tower *tower)
{
    const size_t n_states = tower->kind == PLAN_TOWER_CROPS   ? 2
                            : tower->kind == PLAN_TOWER_TILES ? 1 + tower->tiles.n_collected
                                                              : 1;
    return tower->hidden * n_states;
}

/* The width of a row of features. */
static inline size_t plan_tower_width(const plan_tower *tower)
{
    return plan_merger_width(&tower->merger, plan_tower_state(tower), tower->merge);
}

/* The side, in patches, of the square of patches that becomes one row of features. */
static inline size_t plan_tower_block(const plan_tower *tower)
{
    return tower->merge * tower->pooling.side;
}

/* The number of placeholder tokens of an image or video with this grid, without the leading ones: a token for
 * each row of features, unless these are read by other layers. Where there are tiles, a grid is [T, g, g]. */
static inline size_t plan_tower_tokens(const plan_tower *tower, const size_t grid[3])
{
    if (plan_tower_feeds_cross(tower)) return 1;
    const size_t side = plan_tower_block(tower);
    if (tower->kind == PLAN_TOWER_CONV) return tower->conv.side * tower->conv.side;
    const plan_merger_extra extra = plan_merger_extra_rows(&tower->merger);
    const size_t n_frames = tower->kind == PLAN_TOWER_CROPS ? 1 : grid[0];
    return n_frames * (grid[1] / side) * (grid[2] / side + extra.row_end) + 2 * extra.begin;
}

/* The number of rows of features of an image or video with this grid. */
static inline size_t plan_tower_rows(const plan_tower *tower, const size_t grid[3])
{
    if (tower->kind == PLAN_TOWER_TILES) return tower->tiles.n * plan_tiles_rows(&tower->tiles);
    return plan_tower_tokens(tower, grid);
}

#endif
