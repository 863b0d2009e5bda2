/* SPDX-License-Identifier: Apache-2.0 */
#include "model/families/parts/qwen_experts.h"

#include <stdlib.h>

#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"

/* Whether the value is the index of a layer, of this model or of a longer one. */
static bool is_index(json_object *value)
{
    return json_object_is_type(value, json_type_int) && json_object_get_int64(value) >= 0 &&
           json_object_get_int64(value) <= INT32_MAX;
}

/* Reads mlp_only_layers into dense[n_layers]. */
static void read_dense(family *f, bool *dense)
{
    static const char NAME[] = "mlp_only_layers";
    json_object *list = config_member(f->config, NAME);
    if (!list) return;
    if (!json_object_is_type(list, json_type_array)) {
        config_fail_member(f->config, ASSAY_EFORMAT, NAME, "expected a list of layer indices");
        return;
    }
    for (size_t k = 0; k < json_object_array_length(list); k++) {
        json_object *layer = json_object_array_get_idx(list, k);
        if (!is_index(layer)) {
            config_fail_element(f->config, ASSAY_EFORMAT, NAME, k, "expected a list of layer indices");
            return;
        }
        const size_t i = (size_t)json_object_get_int64(layer);
        if (i < f->plan->n_layers) dense[i] = true;
    }
}

static plan_experts read_experts(family *f, const family_decoder *d, bool always_renormalizes)
{
    config *c = f->config;
    /* transformers 5 writes num_local_experts, published checkpoints num_experts. */
    const bool local = config_has(c, "num_local_experts"), published = config_has(c, "num_experts");
    plan_experts x = {.present = true, .activation = d->activation, .router_factor = 1, .share_factor = 1};
    x.n_experts = config_size(c, local ? "num_local_experts" : "num_experts");
    if (local && published && config_size(c, "num_experts") != x.n_experts)
        config_fail_member(c, ASSAY_EFORMAT, "num_experts", "expected what num_local_experts says (%zu)",
                           x.n_experts);
    x.n_active = config_size(c, "num_experts_per_tok");
    x.intermediate = config_size(c, "moe_intermediate_size");
    x.renormalize = always_renormalizes || config_flag_or(c, "norm_topk_prob", false);
    if (always_renormalizes && config_has(c, "norm_topk_prob") && !config_flag_or(c, "norm_topk_prob", true))
        config_fail_member(c, ASSAY_EUNSUPPORTED, "norm_topk_prob",
                           "expected true, as the published class does");
    if (c->status == ASSAY_OK && x.n_active > x.n_experts)
        config_fail(c, ASSAY_EFORMAT, "num_experts_per_tok: found %zu, expected at most the %zu experts",
                    x.n_active, x.n_experts);
    return x;
}

void family_qwen3_moe_layers(family *f, const family_decoder *d, bool always_renormalizes)
{
    config *c = f->config;
    size_t step = config_size_or(c, "decoder_sparse_step", 1);
    bool *dense = calloc(f->plan->n_layers + 1, sizeof *dense);
    if (dense) read_dense(f, dense);
    else config_fail(c, ASSAY_ENOMEM, "out of memory");
    plan_experts experts = read_experts(f, d, always_renormalizes);
    for (size_t i = 0; family_ok(f) && i < f->plan->n_layers; i++) {
        family_decoder_attention(f, d, i);
        if ((i + 1) % step == 0 && !dense[i]) (void)family_layer_experts(f, &experts, i);
        else family_decoder_mlp(f, d, i);
    }
    free(dense);
}
