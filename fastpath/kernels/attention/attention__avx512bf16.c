/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/kernels/vec/vec__avx512.h"

#include "fastpath/kernels/attention/attention__vec.h"

void fp_attention_bf16__avx512bf16(const assay_attention_call *c)
{
    attention(c, KIND_BF16);
}

void fp_attention_bf16_shares__avx512bf16(const assay_attention_call *c)
{
    attention(c, KIND_BF16_SHARES);
}
