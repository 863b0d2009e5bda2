/* The operations of a kernel library whose sums are made in a chosen order. It makes sound engines of one
 * engine: ASSAY_ORDER in the environment is the order (order.h). ASSAY_BLAS names a BLAS library that
 * multiplies float32 numbers instead.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_RATES_ORDERS_H
#define CONFORMANCE_RATES_ORDERS_H

#include <assay/kernel.h>

#include "conformance/rates/order.h"

/* Outputs of a panel. */
enum { ORDERS_PANEL = 16 };

/* cblas_sgemm, without its enumerations. */
typedef void orders_sgemm(int layout, int transpose_a, int transpose_b, int m, int n, int k, float alpha,
                          const float *a, int ld_a, const float *b, int ld_b, float beta, float *c, int ld_c);

/* The order and the product of the environment; set before the table is returned, and not changed later. */
extern rates_order orders_order;
extern orders_sgemm *orders_blas; /* NULL: none */

extern const assay_matmul orders_matmul_f32, orders_matmul_f16, orders_matmul_bf16, orders_matmul_affine;
extern const assay_attention orders_attention_f32, orders_attention_bf16;

#endif
