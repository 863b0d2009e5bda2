/* The harmless members of single families: those with which their published class, or the one that reads the
 * model type of their tower, computes the same logits for any value, or at the value given.
 *
 * Sources: configuration_*.py of each family in transformers 4.28 to 5.23, mlx-vlm, and published config.json
 * files.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/config_harmless.h"

/* Constant in the published class, which has no option for them. */
static const config_harmless_member QWEN2[] = {{"attention_bias", "true"}, {"qkv_bias", "true"}};
static const config_harmless_member QWEN3[] = {{"qk_norm", "true"}, {"use_qk_norm", "true"}};

/* In published files, but not read by the class, in which they are constant or belong to the prediction of
 * several tokens; the type of the recurrent state of other programs. */
static const config_harmless_member QWEN3_5[] = {
    {"attn_output_gate", "true"},
    {"decoder_sparse_step", "1"},
    {"language_model_only", NULL},
    {"mamba_ssm_dtype", NULL},
    {"mlp_only_layers", "[]"},
    {"mtp_num_hidden_layers", NULL},
    {"mtp_use_dedicated_embeddings", NULL},
    {"norm_topk_prob", "true"},
};

/* In published files, but not read by the class: attention is not scaled, and the other two belong to
 * training. */
static const config_harmless_member GEMMA3N[] = {
    {"altup_coef_clip", NULL}, {"altup_lr_multiplier", NULL}, {"query_pre_attn_scalar", NULL}};

/* The class passes its own do_pooling; the others are of a classifier, which the tower does not have. */
static const config_harmless_member GEMMA3N_VISION[] = {
    {"do_pooling", NULL}, {"label_names", NULL}, {"num_classes", NULL}};

/* In published files, but not read by the class: hidden_activation and sliding_window are. */
static const config_harmless_member GEMMA2[] = {
    {"hidden_act", NULL},
    {"sliding_window_size", NULL},
};

/* Repeats hidden_act in published files of the first Gemma, whose class does not read it now; transformers 4
 * did, so another function is refused. The later families read it. */
static const config_harmless_member GEMMA[] = {
    {"hidden_activation", "\"gelu_pytorch_tanh\""},
};

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

/* In published files, but not read by the class: of other programs, and a size of heads that no layer has. */
static const config_harmless_member GEMMA4_VISION[] = {
    {"default_output_length", NULL},
    {"global_head_dim", NULL},
};

/* Ids of the tokens around an image, which positions and features do not depend on. */
static const config_harmless_member MARKERS[] = {
    {"vision_end_token_id", NULL},
    {"vision_start_token_id", NULL},
    {"vision_token_id", NULL},
};

/* In published files, but not read by the class: constant in it, or of a video, which it does not take. */
static const config_harmless_member PADDLEOCR_VL[] = {
    {"compression_ratio", "1"},    {"ignored_index", NULL},         {"rope_is_neox_style", "true"},
    {"temporal_patch_size", NULL}, {"tokens_per_second", NULL},     {"use_3d_rope", "true"},
    {"video_token_id", NULL},      {"weight_share_add_bias", NULL},
};

/* The same of GLM; the published class gives frames of videos the placeholder of images. */
static const config_harmless_member GLM_MARKERS[] = {
    {"image_end_token_id", NULL},   {"image_start_token_id", NULL}, {"video_end_token_id", NULL},
    {"video_start_token_id", NULL}, {"video_token_id", NULL},
};

/* In published files, but not read by the class: constant in it, or of the layer that it does not load. */
static const config_harmless_member GLM4V_MOE[] = {
    {"num_nextn_predict_layers", NULL},
    {"scoring_func", "\"sigmoid\""},
    {"topk_method", "\"noaux_tc\""},
    {"use_qk_norm", "false"},
};

/* In published files, but not read by the class: of the layer that it does not load. */
static const config_harmless_member GLM_OCR[] = {
    {"num_nextn_predict_layers", NULL},
};

/* In published files, but not read by the class: constant in it, of its training, or of a video, which is not
 * taken. */
static const config_harmless_member ERNIE[] = {
    {"compression_ratio", "1"},
    {"freq_allocation", NULL},
    {"fuse_rope", NULL},
    {"moe_capacity", NULL},
    {"moe_gate", NULL},
    {"moe_gate_act", "\"softmax\""},
    {"moe_multimodal_dispatch_use_allgather", NULL},
    {"moe_norm_gate_logits", "true"},
    {"moe_use_aux_free", "true"},
    {"num_nextn_predict_layers", NULL},
    {"rope_3d", "true"},
    {"use_sparse_flash_attn", NULL},
};

/* The same of a tower: of other programs. */
static const config_harmless_member ERNIE_VISION[] = {
    {"attn_sep", NULL},
    {"vit_first_fwd_bsz", NULL},
};

/* In published files, but not read by the class: constant in it, of its processor, or limits of that. */
static const config_harmless_member HUNYUAN_VL[] = {
    {"add_patchemb_bias", "true"},
    {"cat_extra_token", "1"},
    {"eod_token_id", NULL},
    {"hidden_dropout", NULL},
    {"im_end_id", NULL},
    {"im_newline_id", NULL},
    {"im_start_id", NULL},
    {"image_end_token_id", NULL},
    {"image_newline_token_id", NULL},
    {"image_start_token_id", NULL},
    {"img_max_token_num", NULL},
    {"max_vit_seq_len", NULL},
    {"min_image_size", NULL},
    {"norm_type", "\"rms\""},
    {"num_experts", "1"},
    {"pad_id", NULL},
    {"routed_scaling_factor", NULL},
    {"sep_token_id", NULL},
    {"text_end_id", NULL},
    {"text_start_id", NULL},
    {"use_cla", "false"},
    {"use_qk_norm", "true"},
};

/* Of Qwen3-Omni: other parts of the model, which speak; ids around audio clips; how many chunks go through
 * the convolutions at once; read, but not used by the class; empty around the part that writes text, where
 * mlx-vlm's converter adds it. */
static const config_harmless_member QWEN3_OMNI[] = {
    {"activation_dropout", NULL}, {"apply_vit_abs_pos_embed", "true"}, {"assistant_token_id", NULL},
    {"audio_end_token_id", NULL}, {"audio_start_token_id", NULL},      {"code2wav_config", NULL},
    {"conv_chunksize", NULL},     {"enable_audio_output", NULL},       {"encoder_layerdrop", NULL},
    {"im_end_token_id", NULL},    {"im_start_token_id", NULL},         {"image_size", NULL},
    {"scale_embedding", NULL},    {"seconds_per_chunk", NULL},         {"system_token_id", NULL},
    {"talker_config", NULL},      {"tokens_per_second", NULL},         {"tts_bos_token_id", NULL},
    {"tts_eos_token_id", NULL},   {"tts_pad_token_id", NULL},          {"user_token_id", NULL},
    {"vision_config", "{}"},
};

/* In published files: an object of options, of which mlx-vlm reads none, the part that finds objects, and a
 * limit of the processor. */
static const config_harmless_member MOONDREAM3[] = {
    {"config", "{}"},
    {"max_crops", NULL},
    {"region_config", NULL},
};

/* In the published file, but not read by the class: stop ids are in eos_token_id. */
static const config_harmless_member FALCON_OCR[] = {
    {"eos_id", NULL},
};

#define MEMBERS(table) table, sizeof(table) / sizeof *(table)

static const config_harmless_group GROUPS[] = {
    {"is constant in the published class", "qwen2", MEMBERS(QWEN2)},
    {"is constant in the published class", "qwen3", MEMBERS(QWEN3)},
    {"is constant in the published class, or not read by it", "qwen3_5", MEMBERS(QWEN3_5)},
    {"is not read by the published class", "gemma3n", MEMBERS(GEMMA3N)},
    {"does not change the features", "gemma3n_vision", MEMBERS(GEMMA3N_VISION)},
    {"is not read by the published class", "gemma2", MEMBERS(GEMMA2)},
    {"is not read by the published class", "gemma", MEMBERS(GEMMA)},
    {"is of images and audio", "gemma", MEMBERS(MULTIMODAL)},
    {"is not read by the published class", "gemma4_vision", MEMBERS(GEMMA4_VISION)},
    {"marks the place of an image", "qwen", MEMBERS(MARKERS)},
    {"marks the place of an image", "paddleocr_vl", MEMBERS(MARKERS)},
    {"is not read by the published class", "paddleocr_vl", MEMBERS(PADDLEOCR_VL)},
    {"is constant in the published class, or not read by it", "glm4v_moe", MEMBERS(GLM4V_MOE)},
    {"is not read by the published class", "glm_ocr", MEMBERS(GLM_OCR)},
    {"marks the place of an image", "glm", MEMBERS(GLM_MARKERS)},
    {"is constant in the published class, or not read by it", "ernie4_5", MEMBERS(ERNIE)},
    {"is not read by the published class", "DFNRope", MEMBERS(ERNIE_VISION)},
    {"is not read by the published class", "hunyuan_vl", MEMBERS(HUNYUAN_VL)},
    {"is not read by the published class", "falcon_ocr", MEMBERS(FALCON_OCR)},
    {"is not read by the published class", "moondream3", MEMBERS(MOONDREAM3)},
    {"is of images", "qwen3_5", MEMBERS(MULTIMODAL)},
    {"is of videos or speech, or not used by the published class", "qwen3_omni_moe", MEMBERS(QWEN3_OMNI)},
};

const config_harmless_table config_harmless_of_families = {GROUPS, sizeof GROUPS / sizeof *GROUPS};
