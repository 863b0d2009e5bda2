/* The products of matmul__amx.c, over tiles in plain C: amx_emulated.c.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_TESTS_SWEEP_AMX_H
#define FASTPATH_TESTS_SWEEP_AMX_H

#include <assay/kernel.h>

assay_product_fn fp_matmul_bf16_bf16__emulated, fp_matmul_bf16_affine__emulated,
    fp_matmul_i8_affine__emulated;

#endif
