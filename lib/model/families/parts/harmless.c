/* SPDX-License-Identifier: Apache-2.0 */
#include "model/families/parts/harmless.h"

/* Constant in the published class, which has no option for them. */
static const config_harmless_member QWEN2[] = {{"attention_bias", "true"}, {"qkv_bias", "true"}};
const config_harmless_group family_harmless_qwen2 = {"is constant in the published class",
                                                     CONFIG_HARMLESS(QWEN2)};

static const config_harmless_member QWEN3[] = {{"qk_norm", "true"}, {"use_qk_norm", "true"}};
const config_harmless_group family_harmless_qwen3 = {"is constant in the published class",
                                                     CONFIG_HARMLESS(QWEN3)};

/* Towers that a text plan leaves out, the token ids of their embeddings, and the numbers of these. Ids
 * that Gemma 4 embeds differently are read by its family. */
static const config_harmless_member MULTIMODAL[] = {
    {"audio_config", NULL},
    {"audio_ms_per_token", NULL},
    {"audio_seq_length", NULL},
    {"audio_soft_tokens_per_image", NULL},
    {"audio_token_id", NULL},
    {"audio_token_index", NULL},
    {"boa_token_id", NULL},
    {"boa_token_index", NULL},
    {"boi_token_id", NULL},
    {"boi_token_index", NULL},
    {"eoa_token_id", NULL},
    {"eoa_token_index", NULL},
    {"eoi_token_id", NULL},
    {"eoi_token_index", NULL},
    {"image_seq_length", NULL},
    {"image_token_id", NULL},
    {"image_token_index", NULL},
    {"mm_tokens_per_image", NULL},
    {"processor_class", NULL},
    {"video_token_id", NULL},
    {"video_token_index", NULL},
    {"vision_config", NULL},
    {"vision_soft_tokens_per_image", NULL},
};
const config_harmless_group family_harmless_media = {"is of images and audio", CONFIG_HARMLESS(MULTIMODAL)};

/* Ids of the tokens around an image, which positions and features do not depend on. */
static const config_harmless_member MARKERS[] = {
    {"vision_end_token_id", NULL},
    {"vision_start_token_id", NULL},
    {"vision_token_id", NULL},
};
const config_harmless_group family_harmless_marks = {"marks the place of an image", CONFIG_HARMLESS(MARKERS)};

/* The same of GLM; the published class gives frames of videos the placeholder of images. */
static const config_harmless_member GLM_MARKERS[] = {
    {"image_end_token_id", NULL},   {"image_start_token_id", NULL}, {"video_end_token_id", NULL},
    {"video_start_token_id", NULL}, {"video_token_id", NULL},
};
const config_harmless_group family_harmless_glm_marks = {"marks the place of an image",
                                                         CONFIG_HARMLESS(GLM_MARKERS)};
