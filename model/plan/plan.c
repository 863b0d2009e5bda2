/* SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/plan.h"

const char *plan_activation_name(assay_activation a)
{
    switch (a) {
    case ASSAY_SILU: return "silu";
    case ASSAY_GELU: return "gelu";
    case ASSAY_GELU_TANH: return "gelu_pytorch_tanh";
    case ASSAY_QUICK_GELU: return "quick_gelu";
    case ASSAY_RELU: return "relu";
    }
    return "?";
}

int32_t plan_embeds_as(const plan *p, int32_t token)
{
    for (size_t i = 0; i < p->placeholders.n; i++)
        if (p->placeholders.id[i] == token) return p->placeholders.embeds_as;
    return token >= 0 && (size_t)token < p->n_token_ids ? token : -1;
}
