/* The operations of a kernel library whose sums are made in a chosen order. It makes sound engines of one
 * engine: ASSAY_ORDER in the environment is the order (order.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_RATES_ORDERS_H
#define CONFORMANCE_RATES_ORDERS_H

#include <assay/kernel.h>

#include "conformance/rates/order.h"

/* Outputs of a panel. */
enum { ORDERS_PANEL = 16 };

/* The order of the environment; set before the table is returned, and not changed later. */
extern rates_order orders_order;

extern const assay_matmul orders_matmul_f32, orders_matmul_f16, orders_matmul_bf16, orders_matmul_affine;
extern const assay_attention orders_attention_f32, orders_attention_bf16;

#endif
