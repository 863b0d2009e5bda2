/* Gemma (transformers, models/gemma/modeling_gemma.py): norms that multiply by 1 + w, and an embedding times
 * the root of its width.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/families/parts/decoder.h"
#include "model/families/parts/family.h"
#include "model/families/parts/harmless.h"

/* The class takes "gelu" for the approximation, which the first checkpoints meant (configuration_gemma.py:
 * __post_init__); other names are what they say. */
static void read_early_name(family *f, family_decoder *d)
{
    config *c = f->config;
    if (!config_has(c, "hidden_act") || strcmp(config_text(c, "hidden_act"), "gelu") != 0) return;
    config_note(c->notes, "%shidden_act: gelu is taken for gelu_pytorch_tanh, as the published class does",
                c->prefix);
    d->activation = ASSAY_GELU_TANH;
}

static void read_family(family *f)
{
    config *c = f->config;
    family_decoder d = family_decoder_read(f, &(family_class){.epsilon = 1e-6,
                                                              .needs_kv_heads = true,
                                                              .needs_head_dim = true,
                                                              .tied = true,
                                                              .default_activation = "gelu_pytorch_tanh",
                                                              .norm_offset = 1});
    read_early_name(f, &d);
    f->plan->embedding_scale = sqrt((double)f->plan->hidden);
    d.qkv_bias = d.o_bias = config_flag_or(c, "attention_bias", false);
    d.rope = family_rope(
        f, &(config_rope_request){.head_dim = d.head_dim, .default_theta = 10000, .old_scaling = true});
    config_refuse(c, "use_bidirectional_attention");
    family_decoder_layers(f, &d);
}

/* Repeats hidden_act in published files of the first Gemma, whose class does not read it now; transformers 4
 * did, so another function is refused. The later families read it. */
static const config_harmless_member UNREAD_MEMBERS[] = {
    {"hidden_activation", "\"gelu_pytorch_tanh\""},
};
static const config_harmless_group UNREAD = {"is not read by the published class",
                                             CONFIG_HARMLESS(UNREAD_MEMBERS)};

static const gguf_architecture GGUF = {.name = "gemma", .has_shifted_norms = true};

const family_reader family_gemma = {
    .types = {{.model_type = "gemma", .read = read_family, .gguf = &GGUF}},
    .harmless = {&UNREAD, &family_harmless_media},
};
