/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/info/plan_layer.h"

#include "conformance/info/member.h"

bool conf_info_add_norm(json_object *to, const char *name, const plan_norm *norm)
{
    if (!norm->present) return conf_json_add_null(to, name);
    json_object *one = conf_json_add_object(to, name);
    return conf_json_add_text(one, "type", norm->kind == PLAN_LAYER_NORM ? "layer" : "rms") &&
           conf_info_add_flag(one, "weighted", norm->weight.data) &&
           conf_info_add_count(one, "weights", norm->n_weights) &&
           conf_info_add_flag(one, "bias", norm->bias.data) &&
           conf_json_add_real(one, "offset", norm->offset) &&
           conf_json_add_real(one, "epsilon", norm->epsilon);
}

bool conf_info_add_attention(json_object *to, const char *name, const plan_attention *a)
{
    json_object *one = conf_json_add_object(to, name);
    return conf_json_add_count(one, "heads", a->n_heads) &&
           conf_json_add_count(one, "kv_heads", a->n_kv_heads) &&
           conf_json_add_count(one, "head_dim", a->head_dim) && conf_json_add_real(one, "scale", a->scale) &&
           conf_info_add_real(one, "score_cap", a->score_cap) &&
           conf_info_add_count(one, "window", a->window) &&
           (a->rope == PLAN_NONE ? conf_json_add_null(one, "rope")
                                 : conf_json_add_count(one, "rope", a->rope)) &&
           conf_info_add_text(one, "bias",
                              !a->q.bias.data  ? NULL
                              : a->k.bias.data ? "qkv"
                                               : "q") &&
           conf_info_add_flag(one, "output_bias", a->o.bias.data);
}

static bool add_gating(json_object *to, const plan_gating *g)
{
    return conf_json_add_real(to, "up_offset", g->up_offset) && conf_info_add_real(to, "limit", g->limit) &&
           conf_info_add_real(to, "slope", g->slope);
}

bool conf_info_add_mlp(json_object *to, const char *name, const plan_mlp *mlp)
{
    if (!mlp->present) return conf_json_add_null(to, name);
    json_object *one = conf_json_add_object(to, name);
    return conf_json_add_count(one, "intermediate", mlp->intermediate) &&
           conf_json_add_text(one, "activation", plan_activation_name(mlp->activation)) &&
           conf_info_add_flag(one, "gated", mlp->gate.weight.data) &&
           conf_info_add_flag(one, "squared", mlp->squares) && add_gating(one, &mlp->gating) &&
           conf_info_add_flag(one, "bias", mlp->gate.bias.data || mlp->down.bias.data) &&
           (mlp->sparse ? conf_json_add_real(one, "sparse_deviations", mlp->sparse_deviations)
                        : conf_json_add_null(one, "sparse_deviations"));
}

static bool add_mixer(json_object *to, const plan_mixer *mixer)
{
    if (mixer->kind == PLAN_MIXER_DELTA) {
        const plan_delta *d = &mixer->delta;
        json_object *one = conf_json_add_object(to, "delta");
        return conf_json_add_null(to, "attention") && conf_json_add_count(one, "heads", d->n_v_heads) &&
               conf_json_add_count(one, "key_heads", d->n_k_heads) &&
               conf_json_add_count(one, "key_dim", d->k_dim) &&
               conf_json_add_count(one, "value_dim", d->v_dim) &&
               conf_json_add_count(one, "kernel", d->kernel) &&
               conf_info_add_flag(one, "groups_heads", d->groups_heads);
    }
    const plan_attention *a = &mixer->attention;
    json_object *one;
    return conf_info_add_attention(to, "attention", a) && json_object_object_get_ex(to, "attention", &one) &&
           conf_json_add_count(one, "cache_layer", a->cache_layer) &&
           conf_info_add_flag(one, "value_is_key", a->value_is_key) &&
           conf_info_add_flag(one, "gate", a->is_gated) &&
           conf_info_add_flag(one, "norms_after_rope", a->norms_after_rope) &&
           conf_info_add_count(one, "kv_repeats", a->kv_repeats) &&
           conf_info_add_flag(one, "sinks", a->sinks.data) &&
           conf_info_add_flag(one, "head_scales", a->head_scale.present) &&
           conf_info_add_real(one, "query_factor_beta", a->query_factor.beta) &&
           conf_info_add_real(one, "query_factor_period", a->query_factor.period) &&
           conf_info_add_real(one, "query_factor_first", a->query_factor.first) &&
           conf_info_add_flag(one, "blocks", a->mask == PLAN_MASK_BLOCKS) &&
           conf_info_add_flag(one, "images", mixer->kind == PLAN_MIXER_CROSS) &&
           conf_json_add_null(to, "delta");
}

static bool add_groups(json_object *to, const plan_experts *x)
{
    if (!x->n_groups) return conf_json_add_null(to, "groups");
    json_object *one = conf_json_add_object(to, "groups");
    return conf_json_add_count(one, "n", x->n_groups) &&
           conf_json_add_count(one, "active", x->n_active_groups);
}

static bool add_experts(json_object *to, const char *name, const plan_experts *x)
{
    if (!x->present) return conf_json_add_null(to, name);
    json_object *one = conf_json_add_object(to, name);
    return conf_json_add_count(one, "n", x->n_experts) && conf_json_add_count(one, "active", x->n_active) &&
           add_groups(one, x) && conf_json_add_count(one, "intermediate", x->intermediate) &&
           conf_json_add_text(one, "activation", plan_activation_name(x->activation)) &&
           conf_json_add_text(one, "scoring", x->scoring == PLAN_SCORING_SIGMOID ? "sigmoid" : "softmax") &&
           conf_info_add_flag(one, "router_bias", x->router_bias.data) && add_gating(one, &x->gating) &&
           conf_info_add_flag(one, "biases", x->gate_bias.data) &&
           conf_info_add_flag(one, "choice_bias", x->choice_bias.data) &&
           conf_info_add_flag(one, "renormalised", x->renormalize) &&
           conf_info_add_real(one, "sum_floor", x->sum_floor) &&
           conf_info_add_real(one, "sum_offset", x->sum_offset) &&
           conf_json_add_real(one, "factor", x->share_factor) &&
           conf_info_add_flag(one, "scaled", x->expert_scale.data) &&
           conf_info_add_mlp(one, "shared", &x->shared) &&
           conf_info_add_flag(one, "shared_gate", x->shared_gate.data);
}

static bool add_norms(json_object *to, const plan_layer *layer)
{
    const bool attends = layer->mixer.kind != PLAN_MIXER_DELTA;
    const plan_attention *a = &layer->mixer.attention;
    const struct {
        const char *name;
        const plan_norm *norm;
    } norms[] = {{"mixer_in", &layer->mixer_in},
                 {"q", attends ? &a->q_norm : NULL},
                 {"k", attends ? &a->k_norm : NULL},
                 {"v", attends ? &a->v_norm : NULL},
                 {"delta", attends ? NULL : &layer->mixer.delta.norm},
                 {"mixer_out", &layer->mixer_out},
                 {"mlp_in", &layer->mlp_in},
                 {"mlp_dense_out", &layer->mlp_dense_out},
                 {"experts_in", &layer->experts_in},
                 {"experts_out", &layer->experts_out},
                 {"mlp_out", &layer->mlp_out}};
    json_object *all = conf_json_add_object(to, "norms");
    bool ok = all;
    for (size_t i = 0; ok && i < sizeof norms / sizeof *norms; i++)
        if (norms[i].norm && norms[i].norm->present)
            ok = conf_info_add_norm(all, norms[i].name, norms[i].norm);
    return ok;
}

bool conf_info_add_layer(json_object *to, const plan_layer *layer)
{
    return add_mixer(to, &layer->mixer) && conf_info_add_mlp(to, "mlp", &layer->mlp) &&
           add_experts(to, "experts", &layer->experts) &&
           add_experts(to, "own_experts", &layer->own_experts) && add_norms(to, layer) &&
           conf_info_add_flag(to, "parallel", layer->is_parallel) &&
           conf_json_add_real(to, "residual_factor", layer->residual_factor) &&
           conf_info_add_flag(to, "residual_gates", layer->mixer_gate.data || layer->mlp_gate.data) &&
           conf_info_add_flag(to, "altup", layer->altup.present) &&
           conf_info_add_count(to, "laurel", layer->laurel.present ? layer->laurel.left.weight.rows : 0) &&
           conf_info_add_flag(to, "layer_input", layer->layer_input.present) &&
           conf_info_add_flag(to, "scalar", layer->scalar.data);
}
