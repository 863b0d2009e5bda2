/* llama.cpp 0c1e57098, gguf-py/gguf/constants.py and tensor_mapping.py.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/gguf/names.h"

#include <stdio.h>
#include <string.h>

/* Outside of layers. */
static const gguf_rename OUTER[] = {
    {"token_embd", "model.embed_tokens"},
    {"output_norm", "model.norm"},
    {"output", "lm_head"},
};

/* Below "blk.N." and "model.layers.N.". Experts are stacks, which mlx-lm stores below switch_mlp. */
static const gguf_rename INNER[] = {
    {"attn_norm", "input_layernorm"},
    {"attn_q", "self_attn.q_proj"},
    {"attn_k", "self_attn.k_proj"},
    {"attn_v", "self_attn.v_proj"},
    {"attn_qkv", "self_attn.qkv_proj"},
    {"attn_output", "self_attn.o_proj"},
    {"attn_q_norm", "self_attn.q_norm"},
    {"attn_k_norm", "self_attn.k_norm"},
    {"post_attention_norm", "post_attention_layernorm"},
    {"ffn_norm", "post_attention_layernorm"},
    {"post_ffw_norm", "post_feedforward_layernorm"},
    {"ffn_gate", "mlp.gate_proj"},
    {"ffn_up", "mlp.up_proj"},
    {"ffn_down", "mlp.down_proj"},
    {"ffn_gate_inp", "mlp.gate"},
    {"ffn_gate_exps", "mlp.switch_mlp.gate_proj"},
    {"ffn_up_exps", "mlp.switch_mlp.up_proj"},
    {"ffn_down_exps", "mlp.switch_mlp.down_proj"},
};

static const char *find_part(const gguf_rename *list, size_t n, const char *part)
{
    for (size_t i = 0; i < n && list[i].part; i++)
        if (strcmp(list[i].part, part) == 0) return list[i].published;
    return NULL;
}

void gguf_published_name(const gguf_architecture *architecture, const char *name,
                         char out[GGUF_PUBLISHED_MAX])
{
    char part[GGUF_PUBLISHED_MAX];
    unsigned layer = 0;
    int inner = 0;
    (void)snprintf(out, GGUF_PUBLISHED_MAX, "%s", name);
    const char *suffix = strrchr(name, '.');
    if (!suffix) return;
    const bool is_inner = sscanf(name, "blk.%u.%n", &layer, &inner) == 1 && inner > 0;
    const char *from = is_inner ? name + inner : name;
    if (from > suffix) return;
    (void)snprintf(part, sizeof part, "%.*s", (int)(suffix - from), from);
    const char *found = find_part(architecture->renames, GGUF_RENAMES_MAX, part);
    if (!found)
        found = is_inner ? find_part(INNER, sizeof INNER / sizeof *INNER, part)
                         : find_part(OUTER, sizeof OUTER / sizeof *OUTER, part);
    if (!found) return;
    /* A published name that ends with "!" is that of a tensor without a suffix. */
    const size_t n = strlen(found);
    const bool is_bare = found[n - 1] == '!';
    const char *end = is_bare ? "" : suffix;
    if (is_inner)
        (void)snprintf(out, GGUF_PUBLISHED_MAX, "model.layers.%u.%.*s%s", layer, (int)(n - is_bare), found,
                       end);
    else (void)snprintf(out, GGUF_PUBLISHED_MAX, "%.*s%s", (int)(n - is_bare), found, end);
}
