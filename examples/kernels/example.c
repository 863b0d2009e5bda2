/* The table of operations, the only interface to Assay.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "example.h"

static const assay_matmul MATMUL_BF16 = {.size = sizeof(assay_matmul),
                                         .panel = PANEL,
                                         .panel_bytes = matmul_bf16_bytes,
                                         .pack = matmul_bf16_pack,
                                         .unpack = matmul_bf16_unpack,
                                         .f32 = matmul_bf16_f32};

static const assay_matmul_stored MATMUL_STORED = {.size = sizeof(assay_matmul_stored),
                                                  .panel = PANEL,
                                                  .supports = matmul_stored_supports,
                                                  .panel_bytes = matmul_stored_bytes,
                                                  .pack = matmul_stored_pack,
                                                  .unpack = matmul_stored_unpack,
                                                  .f32 = matmul_stored_f32,
                                                  .bf16 = matmul_stored_bf16,
                                                  .i8 = matmul_stored_i8,
                                                  .supports_i8 = matmul_stored_supports_i8};

static const assay_rms_norm RMS_NORM = {.size = sizeof(assay_rms_norm), .f32 = rms_norm};

static const assay_kernels TABLE = {.abi = ASSAY_KERNELS_ABI,
                                    .size = sizeof(assay_kernels),
                                    .name = "example",
                                    .version = "1",
                                    .matmul_bf16 = &MATMUL_BF16,
                                    .rms_norm = &RMS_NORM,
                                    .matmul_stored = &MATMUL_STORED};

const assay_kernels *assay_kernels_v2(void);

const assay_kernels *assay_kernels_v2(void)
{
    return &TABLE;
}
