/* Qwen3-Omni-MoE (transformers, models/qwen3_omni_moe/modeling_qwen3_omni_moe.py), the part that reads images
 * and audio clips and writes text, which its publisher calls thinker: the decoder and the tower of
 * Qwen3-VL-MoE, beside an audio tower. The placeholder tokens of a video follow each other; those of its
 * audio clip may lie among them. The seconds of a frame give its positions.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/families/parts/family.h"
#include "model/families/parts/harmless.h"
#include "model/families/parts/qwen_audio.h"
#include "model/families/parts/qwen_decoder.h"
#include "model/families/parts/qwen_experts.h"
#include "model/families/parts/qwen_tower.h"
#include "model/plan/bind_vector.h"

/* The parts that speak. */
static void ignore_speech(family *f)
{
    static const char *const PARTS[] = {"talker.", "code2wav."};
    for (size_t i = 0; family_ok(f) && i < sizeof PARTS / sizeof *PARTS; i++)
        bind_ignore(f->bind, f->outer->notes, PARTS[i], "of speech");
}

static void read_family(family *f)
{
    static const char TYPE[] = "qwen3_omni_moe_thinker", RENORMALIZES[] = "norm_topk_prob";
    if (strcmp(config_text_or(f->outer, "model_type", TYPE), TYPE) != 0)
        config_fail_member(f->outer, ASSAY_EUNSUPPORTED, "model_type", "expected \"%s\"", TYPE);
    family_decoder d = family_decoder_read(f, &(family_class){.epsilon = 1e-6, .needs_kv_heads = true});
    d.qk_norms = FAMILY_QK_PER_HEAD;
    d.qkv_bias = d.o_bias = config_flag_or(f->config, "attention_bias", false);
    config_rope_request request = family_qwen3_mrope(d.head_dim);
    request.default_theta = 1000000;
    d.rope = family_rope(f, &request);
    if (family_ok(f) && !config_has(f->config, RENORMALIZES))
        config_fail(f->config, ASSAY_EFORMAT, "%s: missing, expected true or false", RENORMALIZES);
    if (family_ok(f)) family_qwen3_moe_layers(f, &d, false);
    family_qwen3_tower(f, "qwen3_omni_moe_vision_encoder", true, 151655, 151656);
    f->plan->vision.frames_apart = false;
    f->plan->vision.spans_time = true;
    f->plan->vision.tokens_per_second = (double)config_size_or(f->outer, "position_id_per_seconds", 25);
    family_qwen_audio(f, "qwen3_omni_moe_audio_encoder", 151646);
    ignore_speech(f);
}

/* Parts that speak (code2wav, talker, tts), token ids around audio and roles, conv_chunksize (how many chunks
 * go through the convolutions at once), and members that the class reads and does not use. mlx-vlm's
 * converter adds an empty vision_config to the part that writes text. */
static const config_harmless_member UNREAD_MEMBERS[] = {
    {"activation_dropout", NULL}, {"apply_vit_abs_pos_embed", "true"}, {"assistant_token_id", NULL},
    {"audio_end_token_id", NULL}, {"audio_start_token_id", NULL},      {"code2wav_config", NULL},
    {"conv_chunksize", NULL},     {"enable_audio_output", NULL},       {"encoder_layerdrop", NULL},
    {"im_end_token_id", NULL},    {"im_start_token_id", NULL},         {"image_size", NULL},
    {"scale_embedding", NULL},    {"seconds_per_chunk", NULL},         {"system_token_id", NULL},
    {"talker_config", NULL},      {"tokens_per_second", NULL},         {"tts_bos_token_id", NULL},
    {"tts_eos_token_id", NULL},   {"tts_pad_token_id", NULL},          {"user_token_id", NULL},
    {"vision_config", "{}"},
};
static const config_harmless_group UNREAD = {"is of videos or speech, or not used by the published class",
                                             CONFIG_HARMLESS(UNREAD_MEMBERS)};

const family_reader family_qwen3_omni_moe = {
    .types = {{.model_type = "qwen3_omni_moe",
               .read = read_family,
               .text_type = "qwen3_omni_moe_text",
               .part = "thinker_config."},
              {.model_type = "qwen3_omni_moe_thinker",
               .read = read_family,
               .text_type = "qwen3_omni_moe_text"}},
    .harmless = {&UNREAD, &family_harmless_qwen3, &family_harmless_marks},
};
