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

/* The published name of a part within or outside of layers, of the architecture or of all. */
static const char *find_published(const gguf_architecture *a, bool is_inner, const char *part)
{
    const char *found = find_part(a->renames, GGUF_RENAMES_MAX, part);
    if (found) return found;
    return is_inner ? find_part(INNER, sizeof INNER / sizeof *INNER, part)
                    : find_part(OUTER, sizeof OUTER / sizeof *OUTER, part);
}

void gguf_published_name(const gguf_architecture *architecture, const char *name,
                         char out[GGUF_PUBLISHED_MAX])
{
    char part[GGUF_PUBLISHED_MAX], layer[32] = "";
    unsigned index = 0;
    int n_layer = 0;
    (void)snprintf(out, GGUF_PUBLISHED_MAX, "%s", name);
    const bool is_inner = sscanf(name, "blk.%u.%n", &index, &n_layer) == 1 && n_layer > 0;
    const char *from = is_inner ? name + n_layer : name, *suffix = strrchr(from, '.');
    if (!suffix) return;
    if (is_inner) (void)snprintf(layer, sizeof layer, "model.layers.%u.", index);
    (void)snprintf(part, sizeof part, "%.*s", (int)(suffix - from), from);
    const char *whole = find_part(architecture->renames, GGUF_RENAMES_MAX, from);
    const char *found = whole ? whole : find_published(architecture, is_inner, part);
    if (!found) return;
    const size_t n = strlen(found);
    const bool is_bare = whole || found[n - 1] == '!';
    (void)snprintf(out, GGUF_PUBLISHED_MAX, "%s%.*s%s", layer, (int)(n - (found[n - 1] == '!')), found,
                   is_bare ? "" : suffix);
}
