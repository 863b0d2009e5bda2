/* Cases that cross positions at which caches and ropes change, for the table of faults.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_FAULTS_LONG_CASES_H
#define CONFORMANCE_FAULTS_LONG_CASES_H

/* Cases of every family that cross positions 64, 128 and 256. */
#define LONG_SINGLE                                                                                          \
    "llama/lengths/long-single qwen2/lengths/long-single qwen3/lengths/long-single "                         \
    "qwen3_moe/lengths/long-single phi3/lengths/long-single gemma3n/lengths/long-single "                    \
    "gemma4/lengths/long-single olmo2/lengths/long-single granite/lengths/long-single "                      \
    "gemma2/lengths/long-single gemma/lengths/long-single "                                                  \
    "qwen3_5/lengths/long-single qwen3_5_moe/lengths/long-single mllama/lengths/long-single"
#define LONG_CASES                                                                                           \
    LONG_SINGLE " "                                                                                          \
                "llama/lengths/long-batch qwen2/lengths/long-batch qwen3/lengths/long-batch "                \
                "qwen3_moe/lengths/long-batch phi3/lengths/long-batch gemma3n/lengths/long-batch "           \
                "gemma4/lengths/long-batch llama/lengths/long-generate qwen2/lengths/long-generate "         \
                "qwen3/lengths/long-generate qwen3_moe/lengths/long-generate phi3/lengths/long-generate "    \
                "gemma3n/lengths/long-generate gemma4/lengths/long-generate olmo2/lengths/long-batch "       \
                "granite/lengths/long-batch gemma2/lengths/long-batch olmo2/lengths/long-generate "          \
                "granite/lengths/long-generate gemma2/lengths/long-generate "                                \
                "gemma/lengths/long-batch gemma/lengths/long-generate "                                      \
                "qwen3_5/lengths/long-batch qwen3_5_moe/lengths/long-batch "                                 \
                "qwen3_5/lengths/long-generate qwen3_5_moe/lengths/long-generate "                           \
                "mllama/lengths/long-batch mllama/lengths/long-generate"

#endif
