/* Stored matrices, version 1: how a checkpoint stores a matrix of weights, as data.
 *
 * A matrix W [n_out, n_in] is given by up to seven fields, each an array of numbers within bytes of the
 * checkpoint:
 *
 *     W[o, k] = (codes[r, k] - zero[r, g]) * (scale[r, g] * scale2[r, g] + offset[r, g]) - min[r, k] *
 * min2[r, k]
 *
 *     r = first_row + the sum of row_digits at o, or first_row + o where there are none
 *     g = group_of[k], or k where there is no such array
 *
 * An absent zero, offset, min is 0; an absent scale, scale2, min2 is 1. With scale2_divides, scale is divided
 * by scale2. The value of a stored weight is the exact result; code that widens it rounds once.
 *
 * A field says where the bits of number [r, k] are. A number is composed of planes, the lowest bits first. Of
 * each plane it has `width` consecutive bits, from bit
 *
 *     base + Σ over the plane's digits of ((x * mul + add) / div % mod) * stride
 *
 * on, counted from the lowest bit of the first byte; x is the row r, the column k or the element r * n_in +
 * k.
 *
 * Plain numbers, MLX's affine groups and the published formats of quantised checkpoints are instances:
 * docs/formats.md. Layouts, bytes and texts are borrowed, and live as long as the matrix. These structs never
 * change.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_STORED_H
#define ASSAY_STORED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <assay/engine.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_LAYOUT_PLANES 8U
#define ASSAY_PLANE_DIGITS  6U
#define ASSAY_ROW_DIGITS    3U

typedef enum assay_index { ASSAY_INDEX_ROW, ASSAY_INDEX_COLUMN, ASSAY_INDEX_ELEMENT } assay_index;

/* mul, div >= 1; mod 0: not reduced. */
typedef struct assay_digit {
    uint32_t index; /* assay_index */
    uint32_t mul;
    size_t add, div, mod, stride;
} assay_digit;

typedef struct assay_plane {
    uint32_t width; /* 1 … 8 of integers, the bits of `number` of floats */
    uint32_t n_digits;
    size_t base;
    assay_digit digits[ASSAY_PLANE_DIGITS];
} assay_plane;

/* What a field's bits mean: number, then table, then (value - minus) * times. */
typedef struct assay_layout {
    uint32_t number;   /* assay_dtype. ASSAY_F64, F32, F16, BF16: one plane. ASSAY_U8: unsigned, of at most 8
                          bits in all planes; ASSAY_I8:   two's complement of 8 bits */
    uint32_t n_planes; /* 0: every number is 0, so that the field is the constant -minus * times */
    const double *table; /* [2 ^ bits], of ASSAY_U8: the value of each code; NULL: the code itself */
    double minus, times;
    assay_plane planes[ASSAY_LAYOUT_PLANES];
} assay_layout;

typedef struct assay_field {
    const assay_layout *layout; /* NULL: absent */
    const void *bytes;          /* at any address, as in a file */
    size_t n_bytes;             /* from bytes on, of all rows of the stored array */
} assay_field;

typedef struct assay_stored {
    const char *format; /* its published name, such as "Q4_K", for reports and for kernels of that format */
    size_t n_out, n_in;
    assay_field codes, zero, scale, scale2, offset, min, min2;
    const void *group_of; /* [n_in] of int32_t, at any address; or NULL */
    bool scale2_divides;
    uint32_t n_row_digits;
    size_t first_row;
    assay_digit row_digits[ASSAY_ROW_DIGITS]; /* of x = o */
} assay_stored;

#ifdef __cplusplus
}
#endif

#endif
