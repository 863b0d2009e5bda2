/* A convolutional tower: from the pixels of an image to rows of channels, block by block (MobileNetV4, Qin et
 * al. 2024).
 *
 * Notation: an image of h × w pixels with C channels is [h·w, C], row by row.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_PLAN_CONV_H
#define MODEL_PLAN_CONV_H

#include "model/plan/parts.h"

/* out[y, x, o] = sum of weight[o, c, j, i] · in[y·stride + j - top, x·stride + i - left, c] over c, j and i;
 * zero outside of the image. n pixels on an axis become ceil(n / stride). `Same' padding: there are
 * max((ceil(n / stride) - 1)·stride + kernel - n, 0) zeros, half of them, rounded down, before the first
 * pixel (top, left), and the others after the last. */
typedef struct plan_convolution {
    size_t kernel, stride, n_in, n_out;
    bool is_depthwise;   /* each channel has a kernel of its own; n_out is n_in */
    bool channels_last;  /* the columns of the weight are ordered (j, i, c), not (c, j, i) */
    plan_linear product; /* [n_out, n_in·kernel²], depthwise [n_out, kernel²] */
} plan_convolution;

/* activation(norm(convolution(x))) */
typedef struct plan_conv_unit {
    plan_convolution convolution;
    plan_norm norm; /* over the channels of each pixel */
    bool is_activated;
    assay_activation activation;
} plan_conv_unit;

typedef enum plan_conv_kind {
    PLAN_CONV_UNITS,    /* units one after the other */
    PLAN_CONV_ATTENTION /* norm, then attention: every pixel attends to all pixels */
} plan_conv_kind;

enum { PLAN_CONV_UNITS_MAX = 5 };

/* One block: y = units(x) · scale, or attention(norm(x)) · scale; plus x where it is a residual block.
 * Keys and values of an attention are projections of n = norm(x), or of key(n) and value(n) where these
 * units are present: they have fewer pixels then. */
typedef struct plan_conv_block {
    plan_conv_kind kind;
    size_t n_units;
    plan_conv_unit units[PLAN_CONV_UNITS_MAX];
    plan_norm norm;
    plan_attention attention; /* no mask, rope or norms; one key/value head */
    bool has_key_units;
    plan_conv_unit key, value;
    plan_weight scale; /* [C], or absent */
    bool is_residual;
} plan_conv_block;

enum { PLAN_CONV_TAKEN_MAX = 8 };

/* The outputs of the blocks taken[0..n_taken), each resampled to the height and width of the first of them
 * (to the nearest pixel: i of n reads floor(i · n_in / n), in float32), are concatenated channel by channel;
 * fusion(that) is resampled to side × side: the mean of equal rectangles if side divides both the height and
 * the width, else by two taps an axis at (i + ½)·n / side - ½, clamped to the image. */
typedef struct plan_conv_tower {
    plan_conv_block *blocks; /* [n_blocks], owned */
    size_t n_blocks;
    size_t n_taken, taken[PLAN_CONV_TAKEN_MAX]; /* ascending */
    plan_conv_block fusion;
    size_t side;
} plan_conv_tower;

/* Pixels on an axis after a convolution of n, and the zeros before the first. */
size_t plan_convolution_pixels(const plan_convolution *c, size_t n);
size_t plan_convolution_before(const plan_convolution *c, size_t n);

/* The columns of the weight: n_in·kernel², or kernel². */
size_t plan_convolution_columns(const plan_convolution *c);

/* The channels that a block makes; those that it takes. */
size_t plan_conv_block_out(const plan_conv_block *b);
size_t plan_conv_block_in(const plan_conv_block *b);

/* Pixels on an axis after a block. */
size_t plan_conv_block_pixels(const plan_conv_block *b, size_t n);

/* The convolutions of a block, those of keys and values among them: how many, and the i-th of them. */
size_t plan_conv_block_convolutions(const plan_conv_block *b);
const plan_conv_unit *plan_conv_block_unit(const plan_conv_block *b, size_t i);

#endif
