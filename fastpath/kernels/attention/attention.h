/* Softmax attention of some rows over pages of keys and values.
 *
 * A page holds ASSAY_PAGE positions of one key/value head: positions n * ASSAY_PAGE … n * ASSAY_PAGE +
 * ASSAY_PAGE - 1 of the sample, never any others, so that the order of additions follows from positions
 * alone.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_ATTENTION_ATTENTION_H
#define FASTPATH_KERNELS_ATTENTION_ATTENTION_H

#include <assay/kernel.h>

#include "fastpath/kernels/isa/isa.h"

typedef struct fp_attention_variant {
    fp_isa isa;
    assay_attention_fn *f32, *bf16;  /* one for each type of keys and values */
    assay_attention_fn *bf16_shares; /* the same with weights of bfloat16, too; NULL: none */
} fp_attention_variant;

/* The variants of this build, best first; the last one is scalar. */
extern const fp_attention_variant FP_ATTENTION[];
extern const size_t FP_N_ATTENTION;

/* The best variant that runs on isa. */
const fp_attention_variant *fp_attention_pick(fp_isa isa);

assay_attention_fn fp_attention_f32__scalar, fp_attention_f32__neon, fp_attention_f32__avx2,
    fp_attention_f32__avx512;
assay_attention_fn fp_attention_bf16__scalar, fp_attention_bf16__neon, fp_attention_bf16__avx2,
    fp_attention_bf16__avx512, fp_attention_bf16__avx512bf16, fp_attention_bf16_shares__avx512bf16;

#endif
