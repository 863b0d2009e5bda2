/* The table of the kernel library.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/rates/orders.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

rates_order orders_order;
orders_sgemm *orders_blas;

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

/* The library stays open as long as the process. */
static bool open_blas(const char *path)
{
    void *blas = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *found = blas ? dlsym(blas, "cblas_sgemm") : NULL;
    if (found) memcpy(&orders_blas, &found, sizeof found);
    else (void)fprintf(stderr, "orders: ASSAY_BLAS: %s\n", dlerror());
    return found;
}

static void read_environment(void)
{
    const char *text = getenv("ASSAY_ORDER"), *blas = getenv("ASSAY_BLAS");
    understood = rates_order_parse(text, &orders_order);
    if (!understood) (void)fprintf(stderr, "orders: ASSAY_ORDER is no order: %s\n", text);
    if (understood && blas) understood = open_blas(blas);
}

const assay_kernels *assay_kernels_v2(void);

const assay_kernels *assay_kernels_v2(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, read_environment);
    return understood ? &TABLE : NULL;
}
