/* matmul__amx.c over tiles in plain C. A product must release its tiles.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/tests/amx_emulated.h"

#include "fastpath/tests/sweep_amx.h"

#define fp_matmul_bf16_bf16__amx   bf16_bf16
#define fp_matmul_bf16_affine__amx bf16_affine
#define fp_matmul_i8_affine__amx   i8_affine

#include "fastpath/kernels/matmul/matmul__amx.c"

static void run(assay_product_fn *product, const assay_product *p)
{
    product(p);
    amx_expect(amx_is_released(), "they are left set up");
}

void fp_matmul_bf16_bf16__emulated(const assay_product *p)
{
    run(bf16_bf16, p);
}

void fp_matmul_bf16_affine__emulated(const assay_product *p)
{
    run(bf16_affine, p);
}

void fp_matmul_i8_affine__emulated(const assay_product *p)
{
    run(i8_affine, p);
}
