/* An example of a kernel library: two operations, in plain C.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <assay/kernel.h>

/* Products of rows of float with bfloat16 weights, in panels of PANEL outputs: [n_in, PANEL] numbers. */
enum { PANEL = 8 };
size_t matmul_bf16_bytes(const assay_weight *w);
void matmul_bf16_pack(void *panel, const assay_weight *w, size_t index);
void matmul_bf16_unpack(float *row, const assay_matrix *w, size_t o);
void matmul_bf16_f32(const assay_product *p);

/* RMSNorm. */
void rms_norm(float *y, size_t ld_y, const float *x, size_t ld_x, size_t n_rows, size_t width,
              const float *weight, double epsilon);

#endif
