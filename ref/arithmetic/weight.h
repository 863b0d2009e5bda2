/* Weights of a plan as numbers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REF_ARITHMETIC_WEIGHT_H
#define REF_ARITHMETIC_WEIGHT_H

#include "model/plan/parts.h"
#include "ref/arithmetic/real.h"

/* Converts rows first … first + n - 1 of a matrix to dense numbers. out: [n, cols]. */
void ref_weight_rows(const plan_weight *w, size_t first, size_t n, ref_real *out);

/* The same with rows of out that are ld >= cols numbers apart. Many rows at once take less time than one by
 * one. */
void ref_weight_rows_apart(const plan_weight *w, size_t first, size_t n, ref_real *out, size_t ld);

#endif
