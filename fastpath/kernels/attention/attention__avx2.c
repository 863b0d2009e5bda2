/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/kernels/vec/vec__avx2.h"

#include "fastpath/kernels/attention/attention__vec.h"

void fp_attention_f32__avx2(const assay_attention_call *c)
{
    attention(c, KIND_F32);
}

void fp_attention_bf16__avx2(const assay_attention_call *c)
{
    attention(c, KIND_BF16);
}
