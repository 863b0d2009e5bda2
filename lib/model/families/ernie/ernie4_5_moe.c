/* ERNIE 4.5 with experts (transformers, models/ernie4_5_moe/modeling_ernie4_5_moe.py): ERNIE 4.5 with experts
 * in a range of layers, chosen with a bias, and an MLP beside them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/families/parts/ernie_decoder.h"
#include "model/plan/bind_vector.h"

/* The layers that have experts: every interval-th from first to last. */
typedef struct sparse_layers {
    size_t first, last, interval;
} sparse_layers;

static sparse_layers read_layers(family *f)
{
    static const char LAST[] = "moe_layer_end_index";
    config *c = f->config;
    sparse_layers s = {.last = f->plan->n_layers - 1};
    json_object *last = config_member(c, LAST);
    s.first = config_count_or(c, "moe_layer_start_index", 1);
    s.interval = config_size_or(c, "moe_layer_interval", 1);
    if (!json_object_is_type(last, json_type_int) || json_object_get_int64(last) != -1)
        s.last = config_count_or(c, LAST, s.last);
    return s;
}

static plan_experts read_experts(family *f, const family_decoder *d)
{
    config *c = f->config;
    plan_experts x = {.present = true,
                      .activation = d->activation,
                      .router_factor = 1,
                      .share_factor = 1,
                      .renormalize = true};
    x.n_experts = config_size_or(c, "moe_num_experts", 64);
    x.n_active = config_size_or(c, "moe_k", 6);
    x.intermediate = config_size_or(c, "moe_intermediate_size", 1536);
    x.sum_floor = config_not_negative_or(c, "moe_norm_min", 1e-12);
    x.shared.intermediate = x.intermediate * config_count_or(c, "moe_num_shared_experts", 2);
    if (c->status == ASSAY_OK && x.n_active > x.n_experts)
        config_fail(c, ASSAY_EFORMAT, "moe_k: found %zu, expected at most the %zu experts", x.n_active,
                    x.n_experts);
    return x;
}

/* The bias is stored as [1, n_experts]; transformers has it below the router in memory. */
static void bind_layer_experts(family *f, const plan_experts *shape, size_t i, bool has_bias)
{
    static const char BIAS[] = "moe_statics.e_score_correction_bias";
    plan_experts *x = family_layer_experts(f, shape, i);
    const bool is_below = bind_exists(f->bind, "layers.%zu.mlp.gate.%s", i, BIAS);
    x->choice_bias =
        bind_vector_row(f->bind, 1, x->n_experts, 0, "layers.%zu.mlp.%s%s", i, is_below ? "gate." : "", BIAS);
    if (shape->shared.intermediate)
        x->shared =
            family_mlp_below(f, i, "mlp.shared_experts", shape->shared.intermediate, x->activation, has_bias);
}

/* lm_head is not below the prefix of the other tensors. */
static void bind_head_bias(family *f)
{
    static const char *const NONE[] = {""};
    bind_place place;
    bind_enter(f->bind, NONE, 1, "lm_head.bias", &place);
    f->plan->head_bias = bind_vector(f->bind, f->plan->vocab, "lm_head.bias");
    bind_leave(f->bind, &place);
}

static void read_family(family *f)
{
    const family_decoder d = family_ernie_decoder_read(f, false);
    const sparse_layers s = family_ok(f) ? read_layers(f) : (sparse_layers){.interval = 1};
    const plan_experts x = read_experts(f, &d);
    for (size_t i = 0; family_ok(f) && i < f->plan->n_layers; i++) {
        family_decoder_attention(f, &d, i);
        if ((i + 1) % s.interval == 0 && i >= s.first && i <= s.last)
            bind_layer_experts(f, &x, i, d.mlp_bias);
        else family_decoder_mlp(f, &d, i);
    }
    if (d.mlp_bias && family_ok(f)) bind_head_bias(f);
    bind_ignore(f->bind, f->config->notes, "mtp", "the published class does not load it");
}

const family_reader family_ernie4_5_moe = {
    .types = {{.model_type = "ernie4_5_moe", .read = read_family}},
    .harmless = {&family_harmless_ernie},
};
