/* Qwen3-Next (transformers, models/qwen3_next/modeling_qwen3_next.py): Qwen3.5 with experts, without M-RoPE,
 * with MLPs in some layers, and with the rows of two products in groups by key head.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/families/parts/harmless.h"
#include "model/families/parts/qwen_delta.h"
#include "model/families/parts/qwen_experts.h"
#include "model/plan/bind_vector.h"

static void read_family(family *f)
{
    family_qwen_delta g = {.f = f, .delta.groups_heads = true};
    family_qwen_delta_read(&g, false, &(config_rope_request){0});
    family_qwen_delta_read_experts(&g, config_flag_or(f->config, "norm_topk_prob", true));
    bool *is_dense = family_qwen_dense_layers(f);
    for (size_t i = 0; family_ok(f) && i < f->plan->n_layers; i++) {
        if (g.is_delta[i]) family_qwen_delta_bind(&g, i);
        else family_decoder_attention(f, &g.d, i);
        if (is_dense[i]) family_decoder_mlp(f, &g.d, i);
        else family_qwen_delta_bind_experts(&g, i);
    }
    bind_ignore(f->bind, f->config->notes, "mtp.", "the published class does not load it");
    free(g.is_delta);
    free(is_dense);
}

const family_reader family_qwen3_next = {
    .types = {{.model_type = "qwen3_next", .read = read_family}},
    .harmless = {&family_harmless_qwen3},
};
