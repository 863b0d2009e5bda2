/* Qwen3.5 (transformers, models/qwen3_5/modeling_qwen3_5.py and models/qwen3_5_moe): gated delta nets in most
 * layers, gated attention in the others, and a shared expert beside the chosen ones.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/families/parts/decoder.h"
#include "model/families/parts/family.h"
#include "model/families/parts/harmless.h"
#include "model/families/parts/qwen_tower.h"
#include "model/families/parts/vision.h"
#include "model/plan/bind_matrix.h"
#include "model/plan/bind_vector.h"

typedef struct qwen3_5 {
    family *f;
    family_decoder d;
    plan_delta delta;     /* the shape of every delta net */
    plan_experts experts; /* the shape of every layer's experts; not present: a dense model */
    bool *is_delta;       /* [n_layers] */
    bool is_mlx;          /* stored as mlx-lm converts it */
} qwen3_5;

/* layer_types; if absent, every full_attention_interval-th layer is full. */
static void read_types(qwen3_5 *g)
{
    static const char INTERVAL[] = "full_attention_interval";
    config *c = g->f->config;
    const size_t n = g->f->plan->n_layers;
    g->is_delta = calloc(n + 1, sizeof *g->is_delta);
    if (!g->is_delta) config_fail(c, ASSAY_ENOMEM, "out of memory");
    if (!family_ok(g->f)) return;
    if (family_layer_kinds(g->f, "linear_attention", g->is_delta)) {
        if (config_has(c, INTERVAL)) (void)config_size(c, INTERVAL); /* published, and without effect then */
        return;
    }
    const size_t interval = config_size_or(c, INTERVAL, 4);
    for (size_t i = 0; family_ok(g->f) && i < n; i++) g->is_delta[i] = (i + 1) % interval != 0;
}

static void read_delta(qwen3_5 *g)
{
    config *c = g->f->config;
    plan_delta *d = &g->delta;
    d->n_k_heads = config_size(c, "linear_num_key_heads");
    d->n_v_heads = config_size(c, "linear_num_value_heads");
    d->k_dim = config_size(c, "linear_key_head_dim");
    d->v_dim = config_size(c, "linear_value_head_dim");
    d->kernel = config_size(c, "linear_conv_kernel_dim");
    if (!family_ok(g->f)) return;
    if (d->n_v_heads % d->n_k_heads != 0)
        config_fail(c, ASSAY_EFORMAT,
                    "linear_num_value_heads: found %zu, expected a multiple of the %zu key heads",
                    d->n_v_heads, d->n_k_heads);
    if (d->kernel < 2) /* the layout of its weight would not tell a published checkpoint from MLX's */
        config_fail_member(c, ASSAY_EUNSUPPORTED, "linear_conv_kernel_dim", "expected at least 2");
    if (g->d.activation != ASSAY_SILU)
        config_fail_member(c, ASSAY_EUNSUPPORTED, "hidden_act",
                           "expected \"silu\", which the convolution of a delta net has");
}

/* Whether mlx-lm converted the checkpoint (mlx_lm/models/qwen3_5.py: sanitize): its convolutions are stored
 * channels last, and its norms with 1 added. */
static bool was_converted(const qwen3_5 *g)
{
    const family *f = g->f;
    for (size_t i = 0; i < f->plan->n_layers; i++) {
        char name[BIND_NAME_MAX];
        if (!g->is_delta[i]) continue;
        (void)snprintf(name, sizeof name, "%slayers.%zu.linear_attn.conv1d.weight", f->bind->prefix, i);
        const assay_tensor *t = weights_find(f->bind->weights, name);
        return t && t->rank == 3 && t->shape[2] == 1;
    }
    if (rules_any(&f->bind->rules))
        config_fail(
            f->config, ASSAY_EUNSUPPORTED,
            "layer_types: found no linear_attention in a quantised checkpoint, whose convolutions tell "
            "whether its norms are stored with 1 added");
    return false;
}

static void read_all(qwen3_5 *g, bool has_experts)
{
    family *f = g->f;
    g->d = family_decoder_read(f, &(family_class){.epsilon = 1e-6,
                                                  .needs_kv_heads = true,
                                                  .needs_head_dim = true,
                                                  .norm_offset = 1,
                                                  .has_no_mlp = has_experts});
    g->d.qk_norms = FAMILY_QK_PER_HEAD;
    g->d.is_gated = true;
    g->d.qkv_bias = g->d.o_bias = config_flag_or(f->config, "attention_bias", false);
    g->d.rope = family_rope(f, &(config_rope_request){.head_dim = g->d.head_dim,
                                                      .default_theta = 10000,
                                                      .old_scaling = true,
                                                      .partial = true,
                                                      .default_partial = 0.25,
                                                      .sections = ROPE_SECTIONS_INTERLEAVED,
                                                      .default_section = {11, 11, 10}});
    read_types(g);
    read_delta(g);
    if (!family_ok(f)) return;
    g->is_mlx = was_converted(g);
    if (g->is_mlx) g->d.norm_offset = f->plan->norm.offset = 0;
}

static void read_experts(qwen3_5 *g)
{
    config *c = g->f->config;
    plan_experts *x = &g->experts;
    *x = (plan_experts){.present = true,
                        .activation = g->d.activation,
                        .router_factor = 1,
                        .share_factor = 1,
                        .renormalize = true};
    x->n_experts = config_size(c, "num_experts");
    x->n_active = config_size(c, "num_experts_per_tok");
    x->intermediate = config_size(c, "moe_intermediate_size");
    x->shared.intermediate = config_size(c, "shared_expert_intermediate_size");
    if (c->status == ASSAY_OK && x->n_active > x->n_experts)
        config_fail(c, ASSAY_EFORMAT, "num_experts_per_tok: found %zu, expected at most the %zu experts",
                    x->n_active, x->n_experts);
}

static void bind_delta(qwen3_5 *g, size_t i)
{
    bind *b = g->f->bind;
    plan_layer *layer = &g->f->plan->layers[i];
    const size_t hidden = g->f->plan->hidden;
    family_decoder_norms(g->f, &g->d, i);
    layer->mixer = (plan_mixer){.kind = PLAN_MIXER_DELTA, .delta = g->delta};
    plan_delta *d = &layer->mixer.delta;
    const size_t k = d->n_k_heads * d->k_dim, v = d->n_v_heads * d->v_dim;
    d->qkv = bind_linear(b, 2 * k + v, hidden, false, "layers.%zu.linear_attn.in_proj_qkv", i);
    d->z = bind_linear(b, v, hidden, false, "layers.%zu.linear_attn.in_proj_z", i);
    d->a = bind_linear(b, d->n_v_heads, hidden, false, "layers.%zu.linear_attn.in_proj_a", i);
    d->b = bind_linear(b, d->n_v_heads, hidden, false, "layers.%zu.linear_attn.in_proj_b", i);
    d->conv = bind_convolution(b, 2 * k + v, d->kernel, g->is_mlx, "layers.%zu.linear_attn.conv1d", i);
    d->a_log = bind_vector(b, d->n_v_heads, "layers.%zu.linear_attn.A_log", i);
    d->dt_bias = bind_vector(b, d->n_v_heads, "layers.%zu.linear_attn.dt_bias", i);
    d->norm = bind_norm(b, d->v_dim, g->d.epsilon, "layers.%zu.linear_attn.norm", i);
    d->out = bind_linear(b, hidden, v, false, "layers.%zu.linear_attn.out_proj", i);
}

static void bind_layer_experts(qwen3_5 *g, size_t i)
{
    family *f = g->f;
    plan_experts *x = family_layer_experts(f, &g->experts, i);
    x->shared =
        family_mlp_below(f, i, "mlp.shared_expert", g->experts.shared.intermediate, x->activation, false);
    x->shared_gate = bind_matrix(f->bind, 1, f->plan->hidden, "layers.%zu.mlp.shared_expert_gate.weight", i);
}

/* The tower of the wrapper around a text_config, if the checkpoint has one. */
static void read_tower(family *f, const char *type)
{
    if (!f->outer || !config_has(f->outer, "vision_config")) return;
    if (family_vision_is_stored_qwen(f)) family_qwen3_tower(f, type, false, 248056, 248057);
    else config_note(f->config->notes, "vision_config: the checkpoint has no tower, text alone");
}

static void read_family(family *f, bool has_experts)
{
    qwen3_5 g = {.f = f};
    read_all(&g, has_experts);
    if (has_experts) read_experts(&g);
    for (size_t i = 0; family_ok(f) && i < f->plan->n_layers; i++) {
        if (g.is_delta[i]) bind_delta(&g, i);
        else family_decoder_attention(f, &g.d, i);
        if (has_experts) bind_layer_experts(&g, i);
        else family_decoder_mlp(f, &g.d, i);
    }
    read_tower(f, has_experts ? "qwen3_5_moe_vision" : "qwen3_5_vision");
    bind_ignore(f->bind, f->config->notes, "mtp.", "the published class does not read it");
    free(g.is_delta);
}

static void read_dense(family *f)
{
    read_family(f, false);
}

static void read_moe(family *f)
{
    read_family(f, true);
}

/* In published files, but not read by the class, in which they are constant or belong to the prediction of
 * several tokens; the type of the recurrent state of other programs. */
static const config_harmless_member UNREAD_MEMBERS[] = {
    {"attn_output_gate", "true"},
    {"decoder_sparse_step", "1"},
    {"language_model_only", NULL},
    {"mamba_ssm_dtype", NULL},
    {"mlp_only_layers", "[]"},
    {"mtp_num_hidden_layers", NULL},
    {"mtp_use_dedicated_embeddings", NULL},
    {"norm_topk_prob", "true"},
};
static const config_harmless_group UNREAD = {"is constant in the published class, or not read by it",
                                             CONFIG_HARMLESS(UNREAD_MEMBERS)};

const family_reader family_qwen3_5 = {
    .types = {{.model_type = "qwen3_5_text", .read = read_dense},
              {.model_type = "qwen3_5", .read = read_dense, .text_type = "qwen3_5_text"},
              {.model_type = "qwen3_5_moe_text", .read = read_moe},
              {.model_type = "qwen3_5_moe", .read = read_moe, .text_type = "qwen3_5_moe_text"}},
    .harmless = {&UNREAD, &family_harmless_qwen3, &family_harmless_marks, &family_harmless_media},
};
