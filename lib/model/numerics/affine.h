/* MLX's affine groups: a row of numbers stored as small codes, w = scale · code + bias, with a scale and a
 * bias for every `group` consecutive elements of a row (mlx.core.quantize, mode "affine").
 *
 * The codes of a row are one stream of bits, the lowest first: code i takes the bits from i · bits on,
 * counted through little-endian 32-bit words. With 3, 5 and 6 bits a code may begin in one word and end in
 * the next.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_NUMERICS_AFFINE_H
#define MODEL_NUMERICS_AFFINE_H

#include <assay/engine.h>

#include <stdbool.h>

enum { AFFINE_GROUP_MAX = 128 };

/* How to decode a matrix [rows, cols] of codes, which are stored elsewhere. All pointers are borrowed and may
 * be unaligned. */
typedef struct affine {
    size_t bits;                 /* 2, 3, 4, 5, 6 or 8; 0: the matrix is not quantised */
    size_t group;                /* 32, 64 or 128, a divisor of cols */
    const void *scales, *biases; /* [rows, cols / group] */
    assay_dtype scale_dtype, bias_dtype;
} affine;

bool affine_knows_bits(size_t bits);
bool affine_knows_group(size_t group);

/* 32-bit words that a row of cols codes takes; cols is a multiple of a group. */
size_t affine_words(size_t cols, size_t bits);

/* Scale or bias number `index` of an array of F32, F16 or BF16. */
double affine_number(const void *numbers, assay_dtype dtype, size_t index);

/* Codes first … first + n of the row that begins at `row`. out: [n]. */
void affine_codes(uint8_t *out, const void *row, size_t bits, size_t first, size_t n);

#endif
