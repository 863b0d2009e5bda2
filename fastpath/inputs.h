/* Inputs of products in the published compute types of format_inputs: which type a matrix takes, and the rows
 * in it.
 *
 * Products with affine groups take the codes. Others take the numbers that the codes stand for, as floats:
 * the sums are those of the same products, in float32 instead of integers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_INPUTS_H
#define FASTPATH_INPUTS_H

#include "fastpath/pass.h"

/* Bytes for each element of rows of at least FP_INPUTS_LEAST elements. */
enum { FP_INPUTS_BYTES = 6, FP_INPUTS_LEAST = 64 };

/* Row `row` of x [rows, n] in the order of a matrix's columns, made in the same row of `ordered`; that of x
 * where order is NULL. */
const float *fp_inputs_order(const float *x, size_t row, size_t n, const int32_t *order, float *ordered);

/* Sets of->x, x_scale and x_sum to rows x [of->n_rows, n_in] in w's type, made in pass->narrow. Returns the
 * excess of the sums (fp_coded_fn), [n_rows, blocks of a row], or NULL if w has no minimums. */
const float *fp_inputs_convert(const fp_pass *pass, assay_product *of, const float *x, const fp_matrix *w);

/* Adds products of the excess of sums with minimums to the outputs of a product that has run. */
void fp_inputs_add_minimums(const assay_product *done, const fp_matrix *w, const float *excess);

#endif
