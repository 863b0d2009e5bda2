/* The table of the kernel library.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/rates/orders.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

rates_order orders_order;

static bool understood;

static const assay_kernels TABLE = {.abi = ASSAY_KERNELS_ABI,
                                    .size = sizeof(assay_kernels),
                                    .name = "orders",
                                    .version = "1",
                                    .matmul_f32 = &orders_matmul_f32,
                                    .matmul_f16 = &orders_matmul_f16,
                                    .matmul_bf16 = &orders_matmul_bf16,
                                    .matmul_affine = &orders_matmul_affine,
                                    .attention_f32 = &orders_attention_f32,
                                    .attention_bf16 = &orders_attention_bf16};

static void read_order(void)
{
    const char *text = getenv("ASSAY_ORDER");
    understood = rates_order_parse(text, &orders_order);
    if (!understood) (void)fprintf(stderr, "orders: ASSAY_ORDER is no order: %s\n", text);
}

const assay_kernels *assay_kernels_v2(void);

const assay_kernels *assay_kernels_v2(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, read_order);
    return understood ? &TABLE : NULL;
}
