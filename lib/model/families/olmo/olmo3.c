/* OLMo 3 (transformers, models/olmo3/modeling_olmo3.py): OLMo 2 with a window in all but every fourth layer,
 * and a rope for each kind of layer. In the older spelling rope_theta and rope_scaling are those of full
 * attention.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/families/parts/decoder.h"
#include "model/families/parts/family.h"

static void read_family(family *f)
{
    family_decoder full = family_decoder_read(f, &(family_class){.epsilon = 1e-5});
    full.mixer_in = full.mlp_in = NULL;
    full.mixer_out = "post_attention_layernorm";
    full.mlp_out = "post_feedforward_layernorm";
    full.qk_norms = FAMILY_QK_WHOLE;
    full.qkv_bias = full.o_bias = config_flag_or(f->config, "attention_bias", false);
    family_decoder sliding = full;
    family_two_ropes(f, 500000, 500000, "", &full, &sliding);
    family_listed_windows(f, family_window(f, 4096), 4);
    family_decoder_layers_by_window(f, &sliding, &full);
}

const family_reader family_olmo3 = {
    .types = {{.model_type = "olmo3", .read = read_family}},
};
