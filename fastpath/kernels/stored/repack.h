/* Repacks stored matrices of any description into the forms for which kernels have panels (form.h), and into
 * float32.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_STORED_REPACK_H
#define FASTPATH_KERNELS_STORED_REPACK_H

#include <assay/kernel.h>
#include <assay/stored.h>

/* The groups of n <= 32 rows that begin at a column, w as fp_form_choose has set it. words: their codes, [n,
 * group * bits / 32]. scales, biases: [n], rounded to w's types; biases are not written where there are none.
 */
void fp_repack_group(const assay_stored *s, size_t row, size_t n, size_t col, const assay_weight *w,
                     uint32_t *words, void *scales, void *biases);

/* The floats before the groups of FP_SUPER inputs from a column on, of n <= 32 rows: [FP_PANEL], or twice
 * that with biases. w: of a dtype with supers. */
void fp_repack_supers(const assay_stored *s, size_t row, size_t n, size_t col, const assay_weight *w,
                      float *supers);

/* The values of all codes, [1 << w->bits]; codes that the format lacks stand for 0. w: of a dtype with a
 * table. */
void fp_repack_table(const assay_stored *s, const assay_weight *w, float *table);

/* n numbers of a row from a column on, each rounded once; n <= 64. */
void fp_repack_numbers(const assay_stored *s, size_t row, size_t col, size_t n, float *out);

/* Rows first … first + n - 1 as groups, w as fp_form_choose has set it. order: the columns (fp_form_order);
 * NULL: as they are. The caller frees *memory, to which w points afterwards. False: out of memory. */
bool fp_repack_rows(const assay_stored *s, const int32_t *order, size_t first, size_t n, assay_weight *w,
                    void **memory);

/* The same rows as float32, each number rounded once. out: [n, n_in]. */
void fp_repack_f32(const assay_stored *s, size_t first, size_t n, float *out);

#endif
