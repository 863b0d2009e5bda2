/* An example of a kernel library: three operations, in plain C.
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

/* Products with weights of Q4_K and of fp8 blocks. */
bool matmul_stored_supports(const assay_stored *w);
size_t matmul_stored_bytes(const assay_stored *w);
void matmul_stored_pack(void *panel, const assay_stored *w, size_t index);
void matmul_stored_unpack(float *row, const assay_stored_matrix *w, size_t o);
void matmul_stored_f32(const assay_stored_product *p);
void matmul_stored_bf16(const assay_stored_product *p);
void matmul_stored_i8(const assay_stored_product *p);
bool matmul_stored_supports_i8(const assay_stored *w, size_t group);

/* RMSNorm. */
void rms_norm(float *y, size_t ld_y, const float *x, size_t ld_x, size_t n_rows, size_t width,
              const float *weight, double epsilon);

#endif
