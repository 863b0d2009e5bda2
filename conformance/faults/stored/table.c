/* Faults of readers of stored weights.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/faults/fault.h"
#include "conformance/faults/stored/stored.h"

const fault STORED_FAULTS[] = {
    {"halves-swapped", "the low and the high half of bytes of codes are exchanged",
     "llama/gguf-q4_0/single llama/gguf-q4_k_m/single llama/bnb-nf4/single qwen3/ct-nvfp4/single "
     "qwen3/modelopt-nvfp4/single",
     "llama/base/single", .plan = fault_halves_swapped},
    {"zero-less-one", "zero points of GPTQ, stored less 1, are read as they are",
     "llama/gptq-2bit/single llama/gptq-4bit-act/single llama/awq/single llama/ct-w4a16-asymmetric/single",
     "llama/ct-w4a16/single", .plan = fault_zero_less_one},
    {"block-scale", "a block has the scale of its neighbour in the row",
     "llama/gguf-q4_0/single llama/gguf-q4_k_m/single llama/fp8-block/single llama/gptq-4bit-act/single "
     "qwen3/ct-mxfp4/single llama/bnb-nf4/single",
     "llama/ct-fp8/single", .plan = fault_block_scale},
    {"row-scale", "a row has the scale of its neighbour",
     "llama/ct-int8/single llama/ct-fp8/single llama/bnb-int8/single", "llama/base/single",
     .plan = fault_row_scale},
    {"super-block-scale", "a super-block has the scale of its neighbour",
     "llama/gguf-q6_k/single llama/gguf-q4_k_m/single llama/gguf-q3_k_m/single", "llama/gguf-q4_0/single",
     .plan = fault_super_scale},
    {"high-bits-shifted", "the high bits of codes are those of the next element",
     "llama/gguf-q5_0/single llama/gguf-q5_1/single llama/gguf-q5_k_m/single llama/gguf-q6_k/single",
     "llama/gguf-q4_0/single", .plan = fault_high_bits_shifted},
    {"signs-lost", "the signs of codes of e2m1 are lost",
     "qwen3/ct-nvfp4/single qwen3/modelopt-nvfp4/single qwen3/ct-mxfp4/single qwen3_moe/gguf-mxfp4/single",
     "llama/gguf-q4_0/single", .plan = fault_signs_lost},
    {"table-of-nf4", "codes of fp4 are read with the table of nf4", "llama/bnb-fp4/single",
     "llama/bnb-int8/single", .plan = fault_table_other},
    {"global-multiplied", "a global scale multiplies where it divides",
     "qwen3/ct-nvfp4/single llama/ct-nvfp4a16/single", "qwen3/modelopt-nvfp4/single",
     .plan = fault_global_multiplied},
    {"grid-transposed", "the scales of blocks are read column by column",
     "llama/fp8-block/single llama/ct-fp8-block/single", "llama/ct-fp8/single",
     .plan = fault_grid_transposed},
    {"ragged-even", "blocks have the size that the shape divided by the grid gives", "llama/fp8-block/single",
     "llama/ct-fp8/single", .plan = fault_ragged_even},
    {"groups-in-order", "g_idx is ignored", "llama/gptq-3bit-act/single llama/gptq-4bit-act/single",
     "llama/gptq-2bit/single", .plan = fault_groups_in_order},
    {"rows-permuted", "the rows of q and k that a converter has permuted are read as they are stored",
     "llama/gguf-q8_0/single llama/gguf-f16/single granite/gguf-q8_0/single", "qwen3/gguf-q4_k_m/single",
     .plan = fault_rows_permuted},
    {"norms-shifted-again", "1 is added to norms to which a converter has added it",
     "gemma/gguf-q8_0/single gemma2/gguf-q8_0/single", "-", .plan = fault_norms_shifted_again},
    {"sums-missing",
     "activations are quantised without their sum, so that minimums are multiplied by nothing",
     "llama/gguf-q4_1/single llama/gguf-q5_1/single", "llama/gguf-q4_0/single", .plan = fault_sums_missing,
     .computes = "q8_1"},
    {"scales-bf16", "scales of float32 are rounded to bfloat16",
     "llama/fp8-block/single llama/fp8-static/single", "llama/ct-w4a16/single", .plan = fault_scales_bf16},
};

const size_t N_STORED_FAULTS = sizeof STORED_FAULTS / sizeof *STORED_FAULTS;
