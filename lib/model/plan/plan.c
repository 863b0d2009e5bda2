/* SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/plan.h"

#include <math.h>

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

bool plan_crosses(const plan *p)
{
    for (size_t i = 0; i < p->n_layers; i++)
        if (p->layers[i].mixer.kind == PLAN_MIXER_CROSS) return true;
    return false;
}

int32_t plan_embeds_as(const plan *p, int32_t token)
{
    for (size_t i = 0; i < p->placeholders.n; i++)
        if (p->placeholders.id[i] == token) return p->placeholders.embeds_as;
    return token >= 0 && (size_t)token < p->n_token_ids ? token : -1;
}

bool plan_has_own_experts(const plan *p, int32_t token)
{
    for (size_t i = 0; i < p->expert_tokens.n; i++)
        if (p->expert_tokens.id[i] == token) return true;
    return false;
}

size_t plan_n_axes(const plan *p)
{
    size_t most = 3;
    for (size_t i = 0; i < p->n_ropes; i++) {
        const size_t n = rope_n_axes(&p->ropes[i]);
        if (n > most) most = n;
    }
    return most;
}

size_t plan_id_table_row(const plan *p, int32_t token)
{
    const plan_id_table *t = &p->id_table;
    if (t->n == 0 || token < t->first || (size_t)(token - t->first) >= t->n) return SIZE_MAX;
    return (size_t)(token - t->first);
}

size_t plan_divisible_length(const plan *p)
{
    double least = INFINITY;
    for (size_t i = 0; i < p->n_ropes; i++) {
        const rope *r = &p->ropes[i];
        if (r->type == ROPE_DYNAMIC) least = fmin(least, r->max_length);
        if (r->type == ROPE_LONGROPE) least = fmin(least, r->original_length);
    }
    return least < (double)INT32_MAX ? (size_t)least : SIZE_MAX;
}

double plan_query_factor_at(const plan_query_factor *f, double position)
{
    return f->period == 0 ? 1 : 1 + f->beta * log(1 + floor((position + f->first) / f->period));
}
