/* The table of operations, the only interface to Assay.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "example.h"

const assay_kernels *assay_kernels_v1(void);

const assay_kernels *assay_kernels_v1(void)
{
    static const assay_kernels TABLE = {
        .abi = ASSAY_KERNELS_ABI,
        .size = sizeof(assay_kernels),
        .name = "example",
        .version = "1",
        .matmul_bf16 = {.panel = PANEL,
                        .panel_bytes = matmul_bf16_bytes,
                        .pack = matmul_bf16_pack,
                        .unpack = matmul_bf16_unpack,
                        .f32 = matmul_bf16_f32},
        .rms_norm = rms_norm,
    };
    return &TABLE;
}
