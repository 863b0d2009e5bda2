/* The pre-norm decoder of Llama, which Qwen, Phi and others vary.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/families/decoder.h"

#include <math.h>

#include "model/checkpoint/config_value.h"
#include "model/families/common.h"
#include "model/families/families.h"
#include "model/plan/bind_matrix.h"
#include "model/plan/bind_vector.h"

family_decoder family_decoder_read(family *f, double default_epsilon, bool needs_kv_heads,
                                   bool needs_head_dim)
{
    config *c = f->config;
    family_decoder d = {0};
    d.epsilon = family_epsilon(f, default_epsilon);
    family_begin(f, d.epsilon, false);
    d.n_heads = config_size(c, "num_attention_heads");
    d.n_kv_heads = needs_kv_heads || config_has(c, "num_key_value_heads")
                       ? config_size(c, "num_key_value_heads")
                       : d.n_heads;
    d.head_dim = needs_head_dim || config_has(c, "head_dim") ? config_size(c, "head_dim")
                 : d.n_heads                                 ? f->plan->hidden / d.n_heads
                                                             : 0;
    d.intermediate = config_size(c, "intermediate_size");
    d.activation = family_activation(f, "hidden_act", "silu");
    config_refuse(c, "per_layer_config");
    if (!family_ok(f)) return d;
    family_check_heads(f, d.n_heads, d.n_kv_heads);
    if (d.head_dim == 0)
        config_fail(c, ASSAY_EFORMAT, "hidden_size: found %zu, expected at least num_attention_heads (%zu)",
                    f->plan->hidden, d.n_heads);
    return d;
}

plan_attention *family_decoder_frame(family *f, const family_decoder *d, size_t i, size_t window)
{
    plan_layer *layer = &f->plan->layers[i];
    size_t hidden = f->plan->hidden;
    layer->mixer_in = bind_norm(f->bind, hidden, d->epsilon, "layers.%zu.input_layernorm", i);
    layer->mlp_in = bind_norm(f->bind, hidden, d->epsilon, "layers.%zu.post_attention_layernorm", i);
    layer->mixer.kind = PLAN_MIXER_ATTENTION;
    layer->mixer.attention = (plan_attention){
        .n_heads = d->n_heads,
        .n_kv_heads = d->n_kv_heads,
        .head_dim = d->head_dim,
        .scale = 1 / sqrt((double)d->head_dim),
        .window = window,
        .rope = d->rope,
        .cache_layer = i,
        .o = bind_linear(f->bind, hidden, d->n_heads * d->head_dim, d->o_bias, "layers.%zu.self_attn.o_proj",
                         i),
    };
    return &layer->mixer.attention;
}

void family_decoder_attention(family *f, const family_decoder *d, size_t i, size_t window)
{
    plan_attention *a = family_decoder_frame(f, d, i, window);
    size_t hidden = f->plan->hidden, q = d->n_heads * d->head_dim, kv = d->n_kv_heads * d->head_dim;
    a->q = bind_linear(f->bind, q, hidden, d->qkv_bias, "layers.%zu.self_attn.q_proj", i);
    a->k = bind_linear(f->bind, kv, hidden, d->qkv_bias, "layers.%zu.self_attn.k_proj", i);
    a->v = bind_linear(f->bind, kv, hidden, d->qkv_bias, "layers.%zu.self_attn.v_proj", i);
    if (d->head_norms) {
        a->q_norm = bind_norm(f->bind, d->head_dim, d->epsilon, "layers.%zu.self_attn.q_norm", i);
        a->k_norm = bind_norm(f->bind, d->head_dim, d->epsilon, "layers.%zu.self_attn.k_norm", i);
    }
}

void family_decoder_mlp(family *f, const family_decoder *d, size_t i)
{
    f->plan->layers[i].mlp = family_mlp(f, i, d->intermediate, d->activation, d->mlp_bias);
}
