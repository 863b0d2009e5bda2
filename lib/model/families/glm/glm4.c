/* GLM-4 (transformers, models/glm4/modeling_glm4.py): the text model of GLM-4.1V with a rope over half of
 * each head and one position for each token.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/families/parts/decoder.h"
#include "model/families/parts/family.h"
#include "model/families/parts/glm_parts.h"

static void read_family(family *f)
{
    family_decoder d = family_glm_decoder_read(f, 1.5625e-7);
    d.qkv_bias = config_flag_or(f->config, "attention_bias", true);
    d.rope = family_rope(f, &(config_rope_request){.head_dim = d.head_dim,
                                                   .default_theta = 10000,
                                                   .old_scaling = true,
                                                   .partial = true,
                                                   .default_partial = 0.5});
    if (family_ok(f)) f->plan->ropes[d.rope].pairing = ROPE_PAIRS_ADJACENT;
    family_glm_fused_layers(f, &d);
}

const family_reader family_glm4 = {
    .types = {{.model_type = "glm4", .read = read_family}},
};
