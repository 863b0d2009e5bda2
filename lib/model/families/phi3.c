/* Phi-3 (transformers, models/phi3/modeling_phi3.py): q, k, v and gate, up in one matrix each.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/families/parts/decoder.h"
#include "model/families/parts/family.h"
#include "model/gguf/config.h"
#include "model/plan/bind_matrix.h"
#include "model/plan/bind_vector.h"

static plan_linear slice_rows(const plan_weight *whole, size_t first, size_t n)
{
    return (plan_linear){.weight = bind_rows(whole, first, n)};
}

static void bind_layer(family *f, const family_decoder *d, size_t i)
{
    size_t hidden = f->plan->hidden, q = d->n_heads * d->head_dim, kv = d->n_kv_heads * d->head_dim;
    plan_attention *a = family_decoder_frame(f, d, i);
    plan_weight qkv = bind_matrix(f->bind, q + 2 * kv, hidden, "layers.%zu.self_attn.qkv_proj.weight", i);
    plan_weight gate_up =
        bind_matrix(f->bind, 2 * d->intermediate, hidden, "layers.%zu.mlp.gate_up_proj.weight", i);
    a->q = slice_rows(&qkv, 0, q);
    a->k = slice_rows(&qkv, q, kv);
    a->v = slice_rows(&qkv, q + kv, kv);
    f->plan->layers[i].mlp = (plan_mlp){
        .present = true,
        .intermediate = d->intermediate,
        .activation = d->activation,
        .gate = slice_rows(&gate_up, 0, d->intermediate),
        .up = slice_rows(&gate_up, d->intermediate, d->intermediate),
        .down = bind_linear(f->bind, hidden, d->intermediate, false, "layers.%zu.mlp.down_proj", i),
    };
}

static void read_family(family *f)
{
    config *c = f->config;
    family_decoder d = family_decoder_read(f, &(family_class){.epsilon = 1e-5});
    config_refuse(c, "attention_bias");
    d.rope = family_rope(f, &(config_rope_request){.head_dim = d.head_dim,
                                                   .default_theta = 10000,
                                                   .old_scaling = true,
                                                   .partial = true,
                                                   .long_only = true});
    bind_ignore(f->bind, c->notes, "rope_factors_", "read with the config of a GGUF file");
    (void)config_has(c, "original_max_position_embeddings"); /* always written; only longrope reads it */
    family_same_windows(f, family_window(f, 0));
    for (size_t i = 0; family_ok(f) && i < f->plan->n_layers; i++) bind_layer(f, &d, i);
}

/* The factors of longrope are tensors; a window of 0 is none. */
static void read_gguf(gguf_config *c)
{
    static const char LENGTH[] = "rope.scaling.original_context_length";
    json_object *short_factor = gguf_config_tensor(c, "rope_factors_short.weight"),
                *long_factor = gguf_config_tensor(c, "rope_factors_long.weight");
    if (gguf_config_has(c, LENGTH))
        gguf_config_set(c, c->root, "original_max_position_embeddings",
                        json_object_new_int64((int64_t)gguf_config_count(c, LENGTH)));
    if (gguf_config_has(c, "attention.sliding_window") &&
        gguf_config_count(c, "attention.sliding_window") != 0)
        gguf_config_take_count(c, "attention.sliding_window", "sliding_window");
    if (!short_factor || !long_factor) return;
    json_object *scaling = json_object_new_object();
    gguf_config_set(c, scaling, "rope_type", json_object_new_string("longrope"));
    gguf_config_set(c, scaling, "short_factor", short_factor);
    gguf_config_set(c, scaling, "long_factor", long_factor);
    if (gguf_config_has(c, "rope.scaling.attn_factor"))
        gguf_config_set(c, scaling, "attention_factor",
                        json_object_new_double(gguf_config_real(c, "rope.scaling.attn_factor")));
    gguf_config_set(c, c->root, "rope_scaling", scaling);
}

static const gguf_architecture GGUF = {
    .has_joined_heads = true, .name = "phi3", .renames = {{"ffn_up", "mlp.gate_up_proj"}}, .more = read_gguf};

const family_reader family_phi3 = {
    .types = {{.model_type = "phi3", .read = read_family, .gguf = &GGUF}},
};
