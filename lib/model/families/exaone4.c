/* EXAONE 4 (transformers, models/exaone4/modeling_exaone4.py): OLMo 2 with norms of each head, and in models
 * with windows no rope where attention is full.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/families/parts/decoder.h"
#include "model/families/parts/family.h"

static void read_family(family *f)
{
    family_decoder full = family_decoder_read(f, &(family_class){.epsilon = 1e-5, .needs_kv_heads = true});
    full.mixer_in = full.mlp_in = NULL;
    full.mixer_out = "post_attention_layernorm";
    full.mlp_out = "post_feedforward_layernorm";
    full.qk_norms = FAMILY_QK_PER_HEAD;
    full.rope = family_rope(
        f, &(config_rope_request){.head_dim = full.head_dim, .default_theta = 10000, .old_scaling = true});
    family_decoder sliding = full;
    const size_t window = family_window(f, 4096);
    if (window) full.rope = PLAN_NONE;
    if (window && config_has(f->config, "layer_types")) family_listed_windows(f, window, 1);
    else if (window) family_listed_windows(f, window, family_pattern(f, 4));
    else (void)(config_has(f->config, "layer_types") + config_has(f->config, "sliding_window_pattern"));
    family_decoder_layers_by_window(f, &sliding, &full);
}

const family_reader family_exaone4 = {
    .types = {{.model_type = "exaone4", .read = read_family}},
};
