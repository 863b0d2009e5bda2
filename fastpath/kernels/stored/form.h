/* Which panels hold a stored matrix of any description: codes that keep their bits, or float32.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_STORED_FORM_H
#define FASTPATH_KERNELS_STORED_FORM_H

#include <assay/kernel.h>
#include <assay/stored.h>

/* What may be chosen: affine groups of the ABI; those of this project (panels.h), which have groups of 16,
 * scales and biases in narrow types, and tables; or the same with integers preferred to tables, for products
 * that need integers. */
typedef enum fp_form_rule { FP_FORM_ABI, FP_FORM_OWN, FP_FORM_INTEGERS } fp_form_rule;

/* A field of codes as integers: number of a code = (integer + lowest) / factor. */
typedef struct fp_integers {
    double lowest, highest, factor;
    size_t bits; /* of the integers, from 0 on; 0: the codes are none */
} fp_integers;

/* Integers of at most 8 bits, or twice those multiples of ½ that a table holds. */
fp_integers fp_form_integers(const assay_layout *l);

/* The same for groups of codes of some bits: code 2^(bits - 1), which the kernels subtract, stands for 0 if
 * the range allows it. Otherwise they would add up codes and a bias that cancel. */
fp_integers fp_form_centred(const assay_layout *l, size_t bits);

/* Whether the codes of the matrix can keep their bits: integers or a table of at most 8 bits, with zero
 * points, scales and minimums that are constant over groups of 128, 64, 32 or, but for FP_FORM_ABI, 16
 * columns. group: 0, or the group that the columns have in the order of fp_form_order. Sets dtype (ASSAY_U32
 * or a kind of panels.h), bits, group, scale_dtype and bias_dtype of *out, the types narrow only where each
 * number is exact in them. */
bool fp_form_choose(const assay_stored *s, fp_form_rule rule, size_t group, assay_weight *out);

/* Whether the matrix is plain numbers, in whatever order: *dtype is their type then, of floats. */
bool fp_form_is_plain(const assay_stored *s, assay_dtype *dtype);

/* What is left of a description when the matrix has been packed: without bytes and groups of columns. */
assay_stored fp_form_description(const assay_stored *s);

/* Why fp_form_choose finds none: a text that ends "its inputs are no multiple of 16". */
const char *fp_form_misfit(const assay_stored *s, fp_form_rule rule);

/* Whether the scales and biases of such panels are exact, whatever their values, so that the numbers of the
 * matrix are those of the panels. */
bool fp_form_is_exact(const assay_stored *s);

/* The columns of a matrix with group_of, ordered by group. order: [n_in], the column that comes first,
 * second, …. Returns the number of columns, 128, 64, 32 or 16, in which they are divided so that no part has
 * columns of two groups; 0: none. */
size_t fp_form_order(const assay_stored *s, int32_t *order);

#endif
