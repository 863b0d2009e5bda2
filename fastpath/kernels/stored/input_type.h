/* The published type that a matrix takes its inputs in, when an engine computes in a type of FORMAT_COMPUTES.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_STORED_INPUT_TYPE_H
#define FASTPATH_KERNELS_STORED_INPUT_TYPE_H

#include <assay/kernel.h>

#include "fastpath/kernels/narrow/coded.h"

/* The type of a matrix's inputs; NULL: they are not rounded. compute: of FORMAT_COMPUTES, or NULL. */
const fp_coded *fp_input_type(const char *compute, const assay_stored *s);

/* Whether products of the packed matrix can take the codes of the type: affine groups, of which a block holds
 * some whole ones. Others take the numbers that the codes stand for. is_outside: kernels that know no code
 * -128. */
bool fp_input_is_codes(const fp_coded *type, const assay_matrix *m, bool is_outside);

/* How many minimums an output has that the type's sums are multiplied with: one for each block; 0: none. Then
 * those: out is [minimums, n_out]. */
size_t fp_input_minimums(const fp_coded *type, const assay_stored *s);
void fp_input_take_minimums(const fp_coded *type, const assay_stored *s, float *out);

#endif
