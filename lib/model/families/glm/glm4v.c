/* GLM-4.1V (transformers, models/glm4v/modeling_glm4v.py): a decoder with norms before and after attention
 * and MLP and chunked M-RoPE of adjacent pairs; a tower of RMSNorms with a bicubic table of positions and a
 * convolution that merges blocks. Images only: the published class gives the frames of a video the
 * placeholder of images.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/families/parts/family.h"
#include "model/families/parts/glm_parts.h"
#include "model/families/parts/harmless.h"

static void read_text(family *f)
{
    family_decoder d = family_glm_decoder_read(f, 1e-5);
    if (family_ok(f) && d.n_heads * d.head_dim != f->plan->hidden)
        config_fail(
            f->config, ASSAY_EUNSUPPORTED,
            "head_dim: found %zu, expected hidden_size / num_attention_heads, which the published class "
            "takes",
            d.head_dim);
    d.qkv_bias = true;
    if (config_has(f->config, "attention_bias") && !config_flag_or(f->config, "attention_bias", true))
        config_fail_member(f->config, ASSAY_EUNSUPPORTED, "attention_bias",
                           "expected true: the published class has biases of q, k and v");
    family_glm_layers(f, &d);
}

static void read_family(family *f)
{
    read_text(f);
    family_glm4v_tower(f, "glm4v_vision", 151343);
}

const family_reader family_glm4v = {
    .types = {{.model_type = "glm4v", .read = read_family, .text_type = "glm4v_text"}},
    .harmless = {&family_harmless_glm_marks},
};
