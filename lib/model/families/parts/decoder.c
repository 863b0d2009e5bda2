/* The decoder of Llama, which Qwen, Phi, OLMo, Granite, Gemma and others vary.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/families/parts/decoder.h"

#include <math.h>
#include <stdio.h>

#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/plan/bind_matrix.h"
#include "model/plan/bind_vector.h"

/* Reads the epsilon, and begins the family, whose last norm is one of d's. */
static void begin(family *f, const family_class *published, family_decoder *d)
{
    const char *member = published->epsilon_member;
    d->epsilon = member ? config_not_negative_or(f->config, member, published->epsilon)
                        : family_epsilon(f, published->epsilon);
    d->norms = member ? PLAN_LAYER_NORM : PLAN_RMS_NORM;
    d->norm_bias = published->norm_bias;
    f->last_norm = published->last_norm;
    family_begin(f, d->epsilon, published->tied);
    f->plan->norm.offset = d->norm_offset;
    if (d->norms == PLAN_LAYER_NORM)
        family_layer_norm(f, &f->plan->norm, d->norm_bias, f->last_norm ? f->last_norm : "norm");
}

family_decoder family_decoder_read(family *f, const family_class *published)
{
    config *c = f->config;
    family_decoder d = {.producer = PLAN_NONE,
                        .norm_offset = f->bind->has_shifted_norms ? 0 : published->norm_offset,
                        .residual_factor = 1,
                        .mixer_in = "input_layernorm",
                        .mlp_in = "post_attention_layernorm"};
    begin(f, published, &d);
    d.n_heads = config_size(c, "num_attention_heads");
    d.n_kv_heads = published->needs_kv_heads || config_has(c, "num_key_value_heads")
                       ? config_size(c, "num_key_value_heads")
                       : d.n_heads;
    d.head_dim = published->needs_head_dim || config_has(c, "head_dim") ? config_size(c, "head_dim")
                 : d.n_heads                                            ? f->plan->hidden / d.n_heads
                                                                        : 0;
    d.scale = 1 / sqrt((double)d.head_dim);
    if (published->has_no_mlp) (void)config_has(c, "intermediate_size");
    else d.intermediate = config_size(c, "intermediate_size");
    d.activation =
        family_activation(f, published->activation_member ? published->activation_member : "hidden_act",
                          published->default_activation ? published->default_activation : "silu");
    config_refuse(c, "per_layer_config");
    if (!family_ok(f)) return d;
    family_check_heads(f, d.n_heads, d.n_kv_heads);
    if (d.head_dim == 0)
        config_fail(c, ASSAY_EFORMAT, "hidden_size: found %zu, expected at least num_attention_heads (%zu)",
                    f->plan->hidden, d.n_heads);
    return d;
}

/* A norm over the hidden size; absent without a name. */
static plan_norm hidden_norm(family *f, const family_decoder *d, size_t i, const char *name)
{
    char whole[96];
    if (!name) return (plan_norm){0};
    (void)snprintf(whole, sizeof whole, "layers.%zu.%s", i, name);
    plan_norm norm = bind_norm(f->bind, f->plan->hidden, d->epsilon, "%s", whole);
    norm.offset = d->norm_offset;
    if (d->norms == PLAN_LAYER_NORM) family_layer_norm(f, &norm, d->norm_bias, whole);
    return norm;
}

void family_decoder_norms(family *f, const family_decoder *d, size_t i)
{
    plan_layer *layer = &f->plan->layers[i];
    layer->mixer_in = hidden_norm(f, d, i, d->mixer_in);
    layer->mixer_out = hidden_norm(f, d, i, d->mixer_out);
    layer->mlp_in = hidden_norm(f, d, i, d->mlp_in);
    layer->mlp_out = hidden_norm(f, d, i, d->mlp_out);
    layer->residual_factor = d->residual_factor;
    layer->is_parallel = d->is_parallel;
}

plan_attention *family_decoder_frame(family *f, const family_decoder *d, size_t i)
{
    plan_layer *layer = &f->plan->layers[i];
    family_decoder_norms(f, d, i);
    layer->mixer.kind = PLAN_MIXER_ATTENTION;
    layer->mixer.attention = (plan_attention){
        .n_heads = d->n_heads,
        .n_kv_heads = d->n_kv_heads,
        .head_dim = d->head_dim,
        .scale = d->scale,
        .score_cap = d->score_cap,
        .window = layer->mixer.attention.window,
        .rope = d->rope,
        .cache_layer = d->producer == PLAN_NONE ? i : d->producer,
        .is_gated = d->is_gated,
        .norms_after_rope = d->norms_after_rope,
        .o = bind_linear(f->bind, f->plan->hidden, d->n_heads * d->head_dim, d->o_bias,
                         "layers.%zu.self_attn.%s", i, d->o ? d->o : "o_proj"),
    };
    return &layer->mixer.attention;
}

/* The same of norms whose heads have weights of their own. */
static plan_norm bind_own_norms(family *f, const family_decoder *d, size_t i, size_t n_heads,
                                const char *name)
{
    const size_t shape[] = {n_heads, d->head_dim};
    plan_norm norm = {.present = true,
                      .kind = d->norms,
                      .epsilon = d->epsilon,
                      .width = d->head_dim,
                      .n_weights = n_heads,
                      .offset = d->norm_offset};
    norm.weight = d->qk_norms == FAMILY_QK_WEIGHTS_PER_HEAD
                      ? bind_elements(f->bind, 2, shape, "layers.%zu.self_attn.%s.weight", i, name)
                      : bind_vectors(f->bind, n_heads, d->head_dim, "layers.%zu.self_attn.%s.norms", i, name);
    return norm;
}

/* The norm of n_heads heads of q or k. */
static plan_norm bind_head_norm(family *f, const family_decoder *d, size_t i, size_t n_heads,
                                const char *name)
{
    if (d->qk_norms == FAMILY_QK_NONE) return (plan_norm){0};
    if (d->qk_norms >= FAMILY_QK_WEIGHTS_PER_HEAD) return bind_own_norms(f, d, i, n_heads, name);
    size_t width = d->head_dim * (d->qk_norms == FAMILY_QK_WHOLE ? n_heads : 1);
    plan_norm norm = bind_norm(f->bind, width, d->epsilon, "layers.%zu.self_attn.%s", i, name);
    norm.offset = d->norm_offset;
    norm.kind = d->norms;
    if (d->qk_norm_bias) norm.bias = bind_vector(f->bind, width, "layers.%zu.self_attn.%s.bias", i, name);
    return norm;
}

static void bind_keys(family *f, const family_decoder *d, size_t i, plan_attention *a)
{
    size_t hidden = f->plan->hidden, kv = d->n_kv_heads * d->head_dim;
    a->value_is_key = d->value_is_key;
    a->k = bind_linear(f->bind, kv, hidden, d->qkv_bias, "layers.%zu.self_attn.k_proj", i);
    if (!d->value_is_key)
        a->v = bind_linear(f->bind, kv, hidden, d->qkv_bias, "layers.%zu.self_attn.v_proj", i);
    a->k_norm = bind_head_norm(f, d, i, d->n_kv_heads, d->k_norm ? d->k_norm : "k_norm");
    if (d->v_norms) a->v_norm = (plan_norm){.present = true, .epsilon = d->epsilon, .width = d->head_dim};
}

/* Published checkpoints still contain key and value tensors of layers that share those of another
 * layer. */
static void ignore_keys(family *f, size_t i)
{
    static const char *const NAMES[] = {"k_proj", "v_proj", "k_norm", "v_norm"};
    char start[64];
    for (size_t k = 0; k < sizeof NAMES / sizeof *NAMES; k++) {
        (void)snprintf(start, sizeof start, "layers.%zu.self_attn.%s.", i, NAMES[k]);
        bind_ignore(f->bind, f->config->notes, start, "the layer reads another layer's keys and values");
    }
}

void family_decoder_attention(family *f, const family_decoder *d, size_t i)
{
    plan_attention *a = family_decoder_frame(f, d, i);
    a->q = bind_linear(f->bind, (d->is_gated ? 2 : 1) * d->n_heads * d->head_dim, f->plan->hidden,
                       d->qkv_bias, "layers.%zu.self_attn.q_proj", i);
    a->q_norm = bind_head_norm(f, d, i, d->n_heads, d->q_norm ? d->q_norm : "q_norm");
    if (a->cache_layer == i) bind_keys(f, d, i, a);
    else ignore_keys(f, i);
}

void family_decoder_mlp(family *f, const family_decoder *d, size_t i)
{
    plan_mlp *mlp = &f->plan->layers[i].mlp;
    const size_t hidden = f->plan->hidden, n = d->intermediate;
    if (!d->plain[0]) {
        *mlp = family_mlp(f, i, n, d->activation, d->mlp_bias);
        return;
    }
    *mlp = (plan_mlp){.present = true, .intermediate = n, .activation = d->activation};
    mlp->up = bind_linear(f->bind, n, hidden, d->mlp_bias, "layers.%zu.mlp.%s", i, d->plain[0]);
    mlp->down = bind_linear(f->bind, hidden, n, d->mlp_bias, "layers.%zu.mlp.%s", i, d->plain[1]);
}

void family_decoder_layers_by_window(family *f, const family_decoder *sliding, const family_decoder *full)
{
    for (size_t i = 0; family_ok(f) && i < f->plan->n_layers; i++) {
        const family_decoder *d = f->plan->layers[i].mixer.attention.window ? sliding : full;
        family_decoder_attention(f, d, i);
        family_decoder_mlp(f, d, i);
    }
}

void family_decoder_layers(family *f, const family_decoder *d)
{
    family_decoder_layers_by_window(f, d, d);
}

void family_two_ropes(family *f, double full_theta, double sliding_theta, const char *old_sliding,
                      family_decoder *full, family_decoder *sliding)
{
    full->rope = family_rope(f, &(config_rope_request){.layer_type = "full_attention",
                                                       .head_dim = full->head_dim,
                                                       .default_theta = full_theta,
                                                       .old_scaling = true});
    sliding->rope = family_rope(f, &(config_rope_request){.layer_type = "sliding_attention",
                                                          .head_dim = sliding->head_dim,
                                                          .default_theta = sliding_theta,
                                                          .old_theta = old_sliding});
    config_rope_end(f->config);
}
