/* SPDX-License-Identifier: Apache-2.0 */
#include "model/families/parts/qwen_experts.h"

#include <stdio.h>
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

/* Whether the router of the first layer that has one chooses among n experts. */
static bool router_has(const family *f, size_t n)
{
    char name[BIND_NAME_MAX];
    const assay_tensor *router = NULL;
    for (size_t i = 0; !router && i < f->plan->n_layers; i++) {
        (void)snprintf(name, sizeof name, "%slayers.%zu.mlp.gate.weight", f->bind->prefix, i);
        router = weights_find(f->bind->weights, name);
    }
    return router && router->rank > 0 && router->shape[0] == n;
}

/* Published checkpoints have num_experts, transformers 5 writes num_local_experts. 5.2 reads num_experts
 * alone, and writes its default of it beside the other: the router tells which of them is the model's. */
static size_t read_n_experts(family *f)
{
    static const char PUBLISHED[] = "num_experts", LOCAL[] = "num_local_experts";
    config *c = f->config;
    if (!config_has(c, LOCAL)) return config_size(c, PUBLISHED);
    const size_t n = config_size(c, LOCAL);
    if (!config_has(c, PUBLISHED) || config_size(c, PUBLISHED) == n || c->status != ASSAY_OK) return n;
    if (router_has(f, n)) config_note(c->notes, "%s%s: not read, %s counts", c->prefix, PUBLISHED, LOCAL);
    else config_fail_member(c, ASSAY_EFORMAT, PUBLISHED, "expected what num_local_experts says (%zu)", n);
    return n;
}

static plan_experts read_experts(family *f, const family_decoder *d, bool always_renormalizes)
{
    config *c = f->config;
    plan_experts x = {.present = true, .activation = d->activation, .router_factor = 1, .share_factor = 1};
    x.n_experts = read_n_experts(f);
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

bool *family_qwen_dense_layers(family *f)
{
    const size_t step = config_size_or(f->config, "decoder_sparse_step", 1);
    bool *dense = calloc(f->plan->n_layers + 1, sizeof *dense);
    if (dense) read_dense(f, dense);
    else config_fail(f->config, ASSAY_ENOMEM, "out of memory");
    for (size_t i = 0; family_ok(f) && i < f->plan->n_layers; i++)
        if ((i + 1) % step != 0) dense[i] = true;
    return dense;
}

void family_qwen3_moe_layers(family *f, const family_decoder *d, bool always_renormalizes)
{
    bool *dense = family_qwen_dense_layers(f);
    plan_experts experts = read_experts(f, d, always_renormalizes);
    for (size_t i = 0; family_ok(f) && i < f->plan->n_layers; i++) {
        family_decoder_attention(f, d, i);
        if (!dense[i]) (void)family_layer_experts(f, &experts, i);
        else family_decoder_mlp(f, d, i);
    }
    free(dense);
}
