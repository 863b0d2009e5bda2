/* Parts common to Gemma 3n and Gemma 4 (transformers, models/gemma3n and models/gemma4).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/families/parts/gemma_parts.h"

#include <math.h>

#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/plan/bind_matrix.h"
#include "model/plan/bind_vector.h"

void family_gemma_producers(family *f, const bool *sliding, size_t n_shared, size_t *producer)
{
    size_t n = f->plan->n_layers;
    if (n_shared >= n && n_shared > 0) {
        config_fail(f->config, ASSAY_EFORMAT,
                    "num_kv_shared_layers: found %zu, expected less than the %zu layers", n_shared, n);
        return;
    }
    size_t first = n - n_shared;
    for (size_t i = 0; i < n; i++) {
        producer[i] = i;
        if (i < first) continue;
        size_t source = first;
        while (source > 0 && sliding[source - 1] != sliding[i]) source--;
        if (source == 0) {
            config_fail(f->config, ASSAY_EFORMAT,
                        "num_kv_shared_layers: layer %zu shares, but none of the first %zu "
                        "layers has its type",
                        i, first);
            return;
        }
        producer[i] = source - 1;
    }
}

/* transformers 4.57 and 5.2 save Gemma3nForCausalLM below "model.language_model.", and replace "model" within
 * this name as well. */
static plan_linear bind_projection(bind *b, size_t rows, size_t cols)
{
    static const char NAME[] = "per_layer_model_projection",
                      REPLACED[] = "per_layer_model.language_model_projection";
    const bool replaced = bind_exists(b, "%s.weight", REPLACED) && !bind_exists(b, "%s.weight", NAME);
    return bind_linear(b, rows, cols, false, "%s", replaced ? REPLACED : NAME);
}

void family_gemma_inputs(family *f, size_t width, size_t table_rows, double epsilon)
{
    plan *p = f->plan;
    size_t all = p->n_layers * width;
    p->layer_inputs = (plan_layer_inputs){
        .present = true,
        .width = width,
        .table = bind_matrix(f->bind, table_rows, all, "embed_tokens_per_layer.weight"),
        .table_scale = sqrt((double)width),
        .projection = bind_projection(f->bind, all, p->hidden),
        .projection_factor = 1 / sqrt((double)p->hidden),
        .norm = bind_norm(f->bind, width, epsilon, "per_layer_projection_norm"),
    };
}

plan_layer_input family_gemma_input(family *f, size_t i, size_t width, double epsilon,
                                    assay_activation activation)
{
    size_t hidden = f->plan->hidden;
    return (plan_layer_input){
        .present = true,
        .activation = activation,
        .gate = bind_linear(f->bind, width, hidden, false, "layers.%zu.per_layer_input_gate", i),
        .projection = bind_linear(f->bind, hidden, width, false, "layers.%zu.per_layer_projection", i),
        .out_norm = bind_norm(f->bind, hidden, epsilon, "layers.%zu.post_per_layer_input_norm", i),
    };
}

plan_norm family_gemma_norm(family *f, size_t i, double epsilon, const char *name)
{
    return bind_norm(f->bind, f->plan->hidden, epsilon, "layers.%zu.%s", i, name);
}

family_decoder family_gemma_decoder(family *f)
{
    family_decoder d = {.epsilon = family_epsilon(f, 1e-6),
                        .scale = 1,
                        .residual_factor = 1,
                        .qk_norms = FAMILY_QK_PER_HEAD,
                        .v_norms = true,
                        .mixer_in = "input_layernorm",
                        .mixer_out = "post_attention_layernorm",
                        .mlp_in = "pre_feedforward_layernorm",
                        .mlp_out = "post_feedforward_layernorm"};
    family_begin(f, d.epsilon, true);
    d.n_heads = config_size(f->config, "num_attention_heads");
    d.activation = family_activation(f, "hidden_activation", "gelu_pytorch_tanh");
    d.qkv_bias = d.o_bias = config_flag_or(f->config, "attention_bias", false);
    return d;
}

void family_gemma_gguf_scale(gguf_config *c, size_t layers_of_27b)
{
    const size_t n_heads = gguf_config_count(c, "attention.head_count");
    const bool is_27b = gguf_config_count(c, "block_count") == layers_of_27b;
    const size_t scalar = is_27b && n_heads ? gguf_config_count(c, "embedding_length") / n_heads
                                            : gguf_config_count(c, "attention.key_length");
    gguf_config_set(c, c->root, "query_pre_attn_scalar", json_object_new_int64((int64_t)scalar));
}
