/* The decoder of stored matrices (assay/stored.h): fields of bits as numbers, and the numbers of a matrix.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_NUMERICS_STORED_H
#define MODEL_NUMERICS_STORED_H

#include <assay/stored.h>

#include "model/numerics/affine.h"
#include "model/numerics/field.h"
#include "model/numerics/layouts.h"

/* The fields of a matrix. */
enum {
    STORED_CODES,
    STORED_ZERO,
    STORED_SCALE,
    STORED_SCALE2,
    STORED_OFFSET,
    STORED_MIN,
    STORED_MIN2,
    STORED_FIELDS
};

/* Field i of s, which the caller may change if it may change s. */
assay_field *stored_field_at(const assay_stored *s, size_t i);

/* W[first_row + i, first_col + j] of n_rows rows and n_cols <= STORED_BLOCK columns goes to out[i * ld + j].
 * Products of a code, a scale and scale2 are exact in double unless both scales are float32 or scale2
 * divides; so a number is rounded once, or twice by 2^-53. */
void stored_block(const assay_stored *s, size_t first_row, size_t n_rows, size_t first_col, size_t n_cols,
                  double *out, size_t ld);

/* The numbers of one field of s in the same rectangle: its layout's table, minus and times applied, columns
 * replaced by group_of where the field is zero, scale, scale2 or offset. The field must be present. */
void stored_field(const assay_stored *s, const assay_field *field, size_t first_row, size_t n_rows,
                  size_t first_col, size_t n_cols, double *out, size_t ld);

/* The same of a field that may be absent: `absent` everywhere then. */
void stored_field_or(const assay_stored *s, const assay_field *field, double absent, size_t first_row,
                     size_t n_rows, size_t first_col, size_t n_cols, double *out, size_t ld);

/* Where the number of a field for column k of row `row` of the stored array is: the first bit of each of its
 * planes, from field->bytes on. */
void stored_locate(const assay_stored *s, const assay_field *field, size_t row, size_t k,
                   size_t bits[ASSAY_LAYOUT_PLANES]);

/* A matrix of plain numbers: element [o, k] is number o * row_stride + k * col_stride from data on. */
typedef struct stored_numbers {
    const void *data;
    assay_dtype dtype;
    size_t row_stride, col_stride;
} stored_numbers;

/* Whether s is a matrix of plain numbers in such an order. */
bool stored_as_numbers(const assay_stored *s, stored_numbers *out);

/* Whether s is a matrix of MLX's affine groups, with the codes of a row in the order of its columns. codes:
 * of the first row; the rows follow each other. */
bool stored_as_affine(const assay_stored *s, affine *out, const void **codes);

/* The description of such a matrix, with its layouts kept among `all`; what it does not depend on is left
 * unset. False: out of memory. */
bool stored_of_numbers(layout_list *all, const stored_numbers *numbers, size_t rows, size_t cols,
                       assay_stored *out);
bool stored_of_affine(layout_list *all, const affine *groups, const void *codes, size_t rows, size_t cols,
                      assay_stored *out);

#endif
