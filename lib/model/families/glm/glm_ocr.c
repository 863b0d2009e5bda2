/* GLM-OCR (transformers, models/glm_ocr/modeling_glm_ocr.py): the decoder of GLM-4.1V without biases, and its
 * tower without learned positions, with norms of queries and keys. Images only, as GLM-4.1V.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/families/parts/family.h"
#include "model/families/parts/glm_parts.h"
#include "model/families/parts/harmless.h"
#include "model/plan/bind_vector.h"

/* The published files have a layer 16 beside 0 to 15, of another task. */
static void ignore_last_layer(family *f)
{
    static const char NAME[] = "layers.16.";
    if (f->plan->n_layers <= 16)
        bind_ignore(f->bind, f->config->notes, NAME, "the published class does not load it");
}

static void read_text(family *f)
{
    family_decoder d = family_glm_decoder_read(f, 1e-5);
    config_refuse(f->config, "attention_bias");
    family_glm_layers(f, &d);
    if (family_ok(f)) ignore_last_layer(f);
}

static void read_family(family *f)
{
    family_vision v;
    read_text(f);
    family_glm_vision_begin(&v, f, "glm_ocr_vision");
    config *c = &v.config;
    (void)config_has(c, "image_size"); /* of a table of positions, which the class does not have */
    const bool biases = config_flag_or(c, "attention_bias", true);
    family_glm_bind_tower(
        &v, &(family_glm_tower){.qkv_bias = biases,
                                .o_bias = biases,
                                .mlp_bias = biases,
                                .has_head_norms = true,
                                .intermediate = config_size(c, "intermediate_size"),
                                .merger_intermediate = f->plan->hidden * f->plan->vision.patches.channels});
    family_vision_image_token(&v, 59280);
    family_vision_end(&v);
}

/* In published files, but not read by the class: of the layer that it does not load. */
static const config_harmless_member UNREAD_MEMBERS[] = {
    {"num_nextn_predict_layers", NULL},
};
static const config_harmless_group UNREAD = {"is not read by the published class",
                                             CONFIG_HARMLESS(UNREAD_MEMBERS)};

const family_reader family_glm_ocr = {
    .types = {{.model_type = "glm_ocr", .read = read_family, .text_type = "glm_ocr_text"}},
    .harmless = {&UNREAD, &family_harmless_glm_marks},
};
