/* Ministral 3 (transformers, models/ministral3/modeling_ministral3.py): Mistral with a factor of queries that
 * grows with the position, and YaRN unless config.json says otherwise.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/families/parts/decoder.h"
#include "model/families/parts/family.h"

static void read_family(family *f)
{
    plan_query_factor factor = {0};
    family_decoder d = family_decoder_read(
        f, &(family_class){.epsilon = 1e-5, .needs_kv_heads = true, .needs_head_dim = true});
    d.rope = family_rope(f, &(config_rope_request){
                                .head_dim = d.head_dim,
                                .default_theta = 10000,
                                .old_scaling = true,
                                .query_beta = &factor.beta,
                                .default_members =
                                    "{\"rope_type\": \"yarn\", \"rope_theta\": 1000000.0, \"factor\": 16.0, "
                                    "\"original_max_position_embeddings\": 16384, \"beta_fast\": 32.0, "
                                    "\"beta_slow\": 1.0, \"mscale_all_dim\": 1.0, \"mscale\": 1.0, "
                                    "\"llama_4_scaling_beta\": 0.1}"});
    if (family_ok(f)) factor.period = f->plan->ropes[d.rope].original_length;
    if (family_ok(f) && factor.period == 0)
        config_fail(
            f->config, ASSAY_EFORMAT,
            "rope_parameters.original_max_position_embeddings: missing, the factor of queries needs it");
    family_same_windows(f, family_window(f, 0));
    family_decoder_layers(f, &d);
    for (size_t i = 0; family_ok(f) && i < f->plan->n_layers; i++)
        f->plan->layers[i].mixer.attention.query_factor = factor;
}

const family_reader family_ministral3 = {
    .types = {{.model_type = "ministral3", .read = read_family}},
};
