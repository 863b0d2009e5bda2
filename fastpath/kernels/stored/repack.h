/* Repacks stored matrices of any description into the two forms for which kernels have panels: affine groups,
 * in which the codes keep their bits, and float32.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_STORED_REPACK_H
#define FASTPATH_KERNELS_STORED_REPACK_H

#include <assay/kernel.h>
#include <assay/stored.h>

/* Whether the matrix can be affine groups: its codes are integers, or a table of at most 256 multiples of ½,
 * and scales, zero points and minimums are constant over groups of 128, 64, 32 or, if `has_short`
 * (FP_GROUP_MIN), 16 columns. Sets bits and group of *out, and the types of its scales and biases, ASSAY_F32.
 * Their values are rounded to float32; codes are exact. */
bool fp_repack_as_affine(const assay_stored *s, bool has_short, assay_weight *out);

/* Whether the scales and biases of a matrix that can be affine groups are exact in float32, whatever their
 * values, so that its numbers are those of the groups. */
bool fp_repack_is_exact(const assay_stored *s);

/* The group of a row that begins at a column, w as fp_repack_as_affine has set it. words: its codes, [group *
 * bits / 32]. */
void fp_repack_group(const assay_stored *s, size_t row, size_t col, const assay_weight *w, uint32_t *words,
                     float *scale, float *bias);

/* n numbers of a row from a column on, each rounded once; n <= 64. */
void fp_repack_numbers(const assay_stored *s, size_t row, size_t col, size_t n, float *out);

/* Rows first … first + n - 1 as affine groups, w as fp_repack_as_affine has set it. The caller frees *memory,
 * to which w points afterwards. False: out of memory. */
bool fp_repack_affine(const assay_stored *s, size_t first, size_t n, assay_weight *w, void **memory);

/* The same rows as float32, each number rounded once. out: [n, n_in]. */
void fp_repack_f32(const assay_stored *s, size_t first, size_t n, float *out);

#endif
