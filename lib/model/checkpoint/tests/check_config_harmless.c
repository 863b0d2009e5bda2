/* Which members of a config.json may be left unread.
 *
 * Names families: a row has members that published configs of a family have.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/config_harmless.h"

#include "base/tests/support.h"
#include "model/families/families.h"
#include "model/loader.h"
#include "model/plan/plan.h"
#include "model/tests/checkpoint.h"

#include <stdlib.h>
#include <string.h>

static void check_groups(const config_harmless_group *const *groups)
{
    for (; *groups; groups++) {
        const config_harmless_group *g = *groups;
        ck_assert(strlen(g->reason) > 0);
        for (size_t k = 1; k < g->n; k++)
            ck_assert_msg(strcmp(g->member[k - 1].name, g->member[k].name) < 0, "%s stands before %s",
                          g->member[k - 1].name, g->member[k].name);
    }
}

START_TEST(each_group_is_sorted_and_has_a_reason)
{
    check_groups(config_harmless_of_all);
    for (const family_reader *const *r = family_readers; *r; r++) check_groups((*r)->harmless);
}
END_TEST

/* PretrainedConfig.to_dict of transformers 4.28, which older checkpoints carry whole. */
#define EVERYWHERE                                                                                           \
    "\"_commit_hash\": \"abc\", \"_name_or_path\": \"a/b\", \"add_cross_attention\": false, "                \
    "\"bad_words_ids\": null, \"begin_suppress_tokens\": null, \"chunk_size_feed_forward\": 0, "             \
    "\"cross_attention_hidden_size\": null, \"decoder_start_token_id\": null, \"diversity_penalty\": 0.0, "  \
    "\"do_sample\": false, \"early_stopping\": false, \"encoder_no_repeat_ngram_size\": 0, "                 \
    "\"exponential_decay_length_penalty\": null, \"finetuning_task\": null, \"forced_bos_token_id\": null, " \
    "\"forced_eos_token_id\": null, \"id2label\": {\"0\": \"LABEL_0\", \"1\": \"LABEL_1\"}, "                \
    "\"is_decoder\": false, \"is_encoder_decoder\": false, "                                                 \
    "\"label2id\": {\"LABEL_0\": 0, \"LABEL_1\": 1}, \"length_penalty\": 1.0, \"max_length\": 20, "          \
    "\"min_length\": 0, \"no_repeat_ngram_size\": 0, \"num_beam_groups\": 1, \"num_beams\": 1, "             \
    "\"num_return_sequences\": 1, \"output_attentions\": false, \"output_hidden_states\": false, "           \
    "\"output_scores\": false, \"prefix\": null, \"problem_type\": null, \"pruned_heads\": {}, "             \
    "\"remove_invalid_values\": false, \"repetition_penalty\": 1.0, \"return_dict\": true, "                 \
    "\"return_dict_in_generate\": false, \"sep_token_id\": null, \"suppress_tokens\": null, "                \
    "\"task_specific_params\": null, \"temperature\": 1.0, \"tf_legacy_loss\": false, "                      \
    "\"tie_encoder_decoder\": false, \"tokenizer_class\": null, \"top_k\": 50, \"top_p\": 1.0, "             \
    "\"torch_dtype\": \"float16\", \"torchscript\": false, \"transformers_version\": \"4.28.1\", "           \
    "\"typical_p\": 1.0, \"use_bfloat16\": false, "

/* What trainers add. */
#define TRAINED                                                                                              \
    "\"unsloth_fixed\": true, \"unsloth_version\": \"2025.3.1\", \"model_max_length\": 4096, "               \
    "\"_attn_implementation_autoset\": true, \"_flash_attn_2_enabled\": true, \"model_name\": \"x\", "       \
    "\"tokenizer_padding_side\": \"right\", \"transformers.js_config\": {\"dtype\": \"q4\"}, "

static const struct {
    const char *fixture, *members; /* beside those of the bundled config */
} PUBLISHED[] = {
    {"llama/base", "{" EVERYWHERE TRAINED "\"pad_token_id\": 0, \"max_sequence_length\": 2048}"},
    {"llama/base", "{\"is_llama_config\": true, \"rope_interleaved\": false, \"pretraining_tp\": 1, "
                   "\"rope_scaling\": null, \"attention_bias\": false}"},                     /* SmolLM2 */
    {"qwen2/base", "{" EVERYWHERE TRAINED "\"use_mrope\": false, \"attention_bias\": true}"}, /* Qwen2.5 */
    {"qwen2/base", "{\"sliding_window\": 131072, \"max_window_layers\": 28, \"rope_scaling\": null}"},
    {"qwen3/base", "{" EVERYWHERE TRAINED "\"use_qk_norm\": true, \"rope_scaling\": null}"},
    {"qwen3_moe/base", "{" EVERYWHERE TRAINED "\"max_window_layers\": 48, \"output_router_logits\": false, "
                       "\"router_aux_loss_coef\": 0.001, \"rope_scaling\": null, "
                       "\"shared_expert_intermediate_size\": 0}"},
    {"qwen3_5/sharded",
     "{" EVERYWHERE TRAINED "\"attn_output_gate\": true, \"mamba_ssm_dtype\": \"float32\", "
     "\"mlp_only_layers\": [], \"mtp_num_hidden_layers\": 1, "
     "\"mtp_use_dedicated_embeddings\": false}"},
    {"qwen3_5/base",
     "{" EVERYWHERE TRAINED "\"language_model_only\": false, \"vision_config\": {\"depth\": 27}}"},
    {"qwen3_5_moe/old", "{" EVERYWHERE TRAINED "\"norm_topk_prob\": true, \"decoder_sparse_step\": 1, "
                        "\"router_aux_loss_coef\": 0.001, \"intermediate_size\": 99}"},
    {"phi3/base", "{" EVERYWHERE TRAINED "\"auto_map\": {}, \"full_attn_mod\": 1, \"interpolate_factor\": 1, "
                  "\"lm_head_bias\": false, \"mlp_bias\": false, \"attention_bias\": false, "
                  "\"embd_pdrop\": 0.0, \"rope_scaling\": null}"}, /* Phi-4-mini */
    {"olmo2/base", "{" EVERYWHERE TRAINED "\"mlp_bias\": false, \"rope_scaling\": null}"},
    {"granite/base", "{" EVERYWHERE TRAINED "\"rope_scaling\": null, \"mlp_bias\": false}"},
    {"gemma/base", "{" EVERYWHERE TRAINED "\"hidden_activation\": \"gelu_pytorch_tanh\", "
                   "\"rope_scaling\": null, \"attention_bias\": false}"}, /* Gemma 1.1 */
    {"gemma2/base", "{" EVERYWHERE TRAINED "\"cache_implementation\": \"hybrid\", "
                    "\"hidden_act\": \"gelu_pytorch_tanh\", \"sliding_window_size\": 4096, "
                    "\"rope_scaling\": null, \"attention_bias\": false}"},
    {"gemma3n/text", "{" EVERYWHERE TRAINED "\"altup_lr_multiplier\": 1.0, \"query_pre_attn_scalar\": 256, "
                     "\"sliding_window_pattern\": 5, \"rope_scaling\": null}"},
    {"gemma3n/multimodal", "{" EVERYWHERE TRAINED "\"audio_token_id\": 262273, \"boi_token_id\": 255999, "
                           "\"boa_token_id\": 256000, \"eoa_token_id\": 262272, \"eoi_token_id\": 262144, "
                           "\"image_token_id\": 262145, \"initializer_range\": 0.02, "
                           "\"processor_class\": \"Gemma3nProcessor\"}"},
    {"gemma3n/images-epsilons", "{" EVERYWHERE TRAINED "\"boi_token_id\": 255999, \"eoi_token_id\": 262144, "
                                "\"audio_soft_tokens_per_image\": 188}"},
    {"gemma4/dense", "{" EVERYWHERE TRAINED "\"sliding_window_pattern\": 6, \"global_head_dim\": 512, "
                     "\"num_global_key_value_heads\": null, \"top_k_experts\": 8}"},
    {"gemma4/multimodal", "{" EVERYWHERE TRAINED "\"mm_tokens_per_image\": 256, \"boi_token_index\": 5, "
                          "\"vision_soft_tokens_per_image\": 280}"},
    {"qwen2_vl/old", "{" EVERYWHERE TRAINED "\"vision_token_id\": 151654, \"max_window_layers\": 28, "
                     "\"sliding_window\": 32768, \"use_sliding_window\": false}"},
    {"qwen2_5_vl/old", "{" EVERYWHERE TRAINED "\"vision_token_id\": 151654, \"max_window_layers\": 28}"},
    {"qwen3_vl/base", "{" EVERYWHERE TRAINED "\"vision_start_token_id\": 151652}"},
    {"qwen3_vl_moe/base", "{" EVERYWHERE TRAINED "\"generation_config\": {\"eos_token_id\": 151645}}"},
    {"qwen3_omni_moe/base",
     "{" EVERYWHERE TRAINED "\"assistant_token_id\": 77091, \"im_end_token_id\": 151645, "
     "\"im_start_token_id\": 151644, \"system_token_id\": 8948, "
     "\"tts_bos_token_id\": 151672, \"tts_eos_token_id\": 151673, "
     "\"tts_pad_token_id\": 151671, \"user_token_id\": 872}"},
    {"paddleocr_vl/base",
     "{" EVERYWHERE TRAINED "\"attention_probs_dropout_prob\": 0.0, \"auto_map\": {}, "
     "\"compression_ratio\": 1.0, \"ignored_index\": -100, \"max_sequence_length\": null, "
     "\"rope_is_neox_style\": true, \"sliding_window\": null, \"use_3d_rope\": true, "
     "\"use_flash_attention\": false, \"weight_share_add_bias\": true, "
     "\"video_token_id\": 101307}"},
    {"glm4v/base",
     "{" EVERYWHERE TRAINED "\"image_start_token_id\": 151339, \"image_end_token_id\": 151340, "
     "\"video_start_token_id\": 151341, \"video_end_token_id\": 151342, \"video_token_id\": 151344}"},
    {"glm4v_moe/base",
     "{" EVERYWHERE TRAINED "\"image_start_token_id\": 151339, \"num_nextn_predict_layers\": 1, "
     "\"scoring_func\": \"sigmoid\", \"topk_method\": \"noaux_tc\", \"use_qk_norm\": false}"},
    {"hunyuan_vl/base",
     "{" EVERYWHERE TRAINED "\"pad_id\": 120002, \"text_start_id\": 7, \"text_end_id\": 8, "
     "\"routed_scaling_factor\": 1.0, \"image_newline_token_id\": 120121}"},
    {"glm_ocr/base",
     "{" EVERYWHERE TRAINED "\"image_start_token_id\": 59256, \"num_nextn_predict_layers\": 1}"},
    {"ernie4_5_vl_moe/base",
     "{" EVERYWHERE TRAINED "\"num_nextn_predict_layers\": 1, \"moe_gate\": \"topk\", "
     "\"moe_capacity\": [128, 128, 128], \"freq_allocation\": 20}"},
    {"moondream3/base",
     "{" EVERYWHERE
     "\"auto_map\": {}, \"bos_token_id\": 0, \"config\": {}, \"region_config\": {\"hidden_size\": 22}}"},
    {"falcon_ocr/base", "{" EVERYWHERE TRAINED "\"auto_map\": {}, \"eos_id\": 11}"},
    {"mllama/base", "{" EVERYWHERE TRAINED "\"pad_token_id\": 128004}"},
};

START_TEST(published_members_are_accepted)
{
    const char *dir = checkpoint_extended(PUBLISHED[_i].fixture, NULL, PUBLISHED[_i].members);
    plan_free(checkpoint_open(dir));
}
END_TEST

/* Members of a text_config are judged as those of the document. */
START_TEST(published_members_are_accepted_inside_a_wrapper)
{
    plan_free(checkpoint_open(checkpoint_extended("gemma3n/multimodal", "text_config",
                                                  "{" EVERYWHERE TRAINED "\"query_pre_attn_scalar\": 256}")));
    plan_free(checkpoint_open(checkpoint_extended("gemma4/multimodal", "text_config",
                                                  "{" EVERYWHERE TRAINED "\"dtype\": \"float32\"}")));
    plan_free(checkpoint_open(checkpoint_extended("qwen2_5_vl/epsilons", "text_config",
                                                  "{" EVERYWHERE TRAINED "\"image_token_id\": null, "
                                                  "\"vision_token_id\": 151654}")));
    plan_free(checkpoint_open(checkpoint_extended("qwen2_vl/old", "vision_config",
                                                  "{" EVERYWHERE TRAINED "\"model_type\": \"qwen2_vl\"}")));
    plan_free(
        checkpoint_open(checkpoint_extended("qwen3_omni_moe/base", "thinker_config",
                                            "{" EVERYWHERE TRAINED "\"seconds_per_chunk\": 2, "
                                            "\"position_id_per_seconds\": 13, \"user_token_id\": 872}")));
    plan_free(checkpoint_open(checkpoint_extended(
        "qwen3_omni_moe/base", "thinker_config.text_config",
        "{" EVERYWHERE TRAINED "\"use_qk_norm\": true, \"shared_expert_intermediate_size\": 0}")));
    plan_free(checkpoint_open(checkpoint_extended(
        "qwen3_omni_moe/base", "thinker_config.vision_config",
        "{" EVERYWHERE TRAINED "\"apply_vit_abs_pos_embed\": true, \"image_size\": 768, \"in_chans\": 3, "
        "\"spatial_patch_size\": 4, \"tokens_per_second\": 2}")));
    plan_free(checkpoint_open(
        checkpoint_extended("qwen3_omni_moe/base", "thinker_config.audio_config",
                            "{" EVERYWHERE TRAINED
                            "\"activation_dropout\": 0, \"conv_chunksize\": 500, \"encoder_layerdrop\": 0, "
                            "\"scale_embedding\": false, \"num_hidden_layers\": 2}")));
    plan_free(checkpoint_open(checkpoint_extended("gemma4/tower", "vision_config",
                                                  "{" EVERYWHERE TRAINED "\"default_output_length\": 280}")));
}
END_TEST

START_TEST(a_wrapper_may_repeat_its_text_config)
{
    plan *p = NULL;
    assay_error err = {0};
    plan_free(
        checkpoint_open(checkpoint_extended("gemma4/multimodal", NULL, "{\"attention_k_eq_v\": false}")));
    const char *dir = checkpoint_extended("gemma4/multimodal", NULL, "{\"attention_k_eq_v\": true}");
    ck_assert_int_eq(plan_open(dir, &p, &err), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "config.json: attention_k_eq_v: found true", NULL);
}
END_TEST

static const struct {
    const char *fixture, *inside, *member, *value;
    const char *path; /* as the message names it */
} DANGEROUS[] = {
    {"llama/base", NULL, "residual_multiplier", "0.220",
     "residual_multiplier"}, /* of Granite, as the next three */
    {"llama/base", NULL, "embedding_multiplier", "12.0", "embedding_multiplier"},
    {"llama/base", NULL, "attention_multiplier", "1.0", "attention_multiplier"},
    {"llama/base", NULL, "logits_scaling", "8.0", "logits_scaling"},
    {"llama/base", NULL, "attn_logit_softcapping", "50.0", "attn_logit_softcapping"}, /* of Gemma 2 */
    {"llama/base", NULL, "final_logit_softcapping", "30.0", "final_logit_softcapping"},
    {"llama/base", NULL, "query_pre_attn_scalar", "256", "query_pre_attn_scalar"},
    {"llama/base", NULL, "sliding_window", "4096", "sliding_window"}, /* of Mistral */
    {"llama/base", NULL, "rope_interleaved", "true", "rope_interleaved"},
    {"llama/base", NULL, "use_qk_norm", "true", "use_qk_norm"},
    {"llama/base", NULL, "qkv_bias", "true", "qkv_bias"},
    {"llama/base", NULL, "is_encoder_decoder", "true", "is_encoder_decoder"},
    {"llama/base", NULL, "pruned_heads", "{\"0\": [1]}", "pruned_heads"},
    {"llama/base", NULL, "vision_config", "{}", "vision_config"},
    {"llama/base", "rope_parameters", "mrope_section", "[1, 1]", "rope_parameters.mrope_section"},
    {"gemma/base", NULL, "hidden_activation", "\"gelu\"", "hidden_activation"},
    {"gemma/base", NULL, "final_logit_softcapping", "30.0", "final_logit_softcapping"}, /* of Gemma 2 */
    {"gemma/base", NULL, "sliding_window", "4096", "sliding_window"},
    {"gemma2/base", NULL, "residual_multiplier", "0.5", "residual_multiplier"},
    {"gemma2/base", NULL, "logits_scaling", "8.0", "logits_scaling"},
    {"qwen3_5/sharded", NULL, "attn_output_gate", "false", "attn_output_gate"},
    {"qwen3_5/sharded", NULL, "mlp_only_layers", "[0]", "mlp_only_layers"},
    {"qwen3_5/sharded", NULL, "sliding_window", "4096", "sliding_window"},
    {"qwen3_5/base", "text_config", "num_experts", "4", "text_config.num_experts"},
    {"qwen3_5_moe/old", NULL, "norm_topk_prob", "false", "norm_topk_prob"},
    {"qwen3_5_moe/old", NULL, "decoder_sparse_step", "2", "decoder_sparse_step"},
    {"mistral/window", NULL, "layer_types", "[]", "layer_types"}, /* of Ministral */
    {"olmo2/base", NULL, "attn_logit_softcapping", "50.0", "attn_logit_softcapping"},
    {"olmo2/base", NULL, "sliding_window", "4096", "sliding_window"}, /* of OLMo 3 */
    {"olmo2/base", NULL, "mlp_bias", "true", "mlp_bias"},
    {"granite/base", NULL, "query_pre_attn_scalar", "256", "query_pre_attn_scalar"},
    {"granite/base", NULL, "shared_intermediate_size", "8", "shared_intermediate_size"}, /* of GraniteMoe */
    {"gemma4/multimodal", "text_config", "attn_logit_softcapping", "50.0",
     "text_config.attn_logit_softcapping"},
    {"gemma4/multimodal", NULL, "logits_scaling", "2", "logits_scaling"},
    {"qwen3_vl/base", "vision_config", "window_size", "112", "vision_config.window_size"}, /* of Qwen2.5-VL */
    {"qwen2_vl/base", "vision_config", "fullatt_block_indexes", "[1]", "vision_config.fullatt_block_indexes"},
    {"qwen2_5_vl/base", "vision_config", "num_position_embeddings", "2304",
     "vision_config.num_position_embeddings"},
    {"qwen2_5_vl/epsilons", "text_config", "final_logit_softcapping", "30.0",
     "text_config.final_logit_softcapping"},
    {"qwen3_vl/base", "text_config", "sliding_window", "4096", "text_config.sliding_window"},
    {"paddleocr_vl/base", NULL, "compression_ratio", "2", "compression_ratio"},
    {"paddleocr_vl/base", NULL, "rope_is_neox_style", "false", "rope_is_neox_style"},
    {"paddleocr_vl/base", NULL, "use_3d_rope", "false", "use_3d_rope"},
    {"paddleocr_vl/base", NULL, "sliding_window", "4096", "sliding_window"},
    {"paddleocr_vl/base", "vision_config", "deepstack_visual_indexes", "[1]",
     "vision_config.deepstack_visual_indexes"},
    {"hunyuan_vl/base", NULL, "num_experts", "8", "num_experts"},
    {"hunyuan_vl/base", NULL, "use_cla", "true", "use_cla"},
    {"hunyuan_vl/base", "vision_config", "anyres_pooling_size", "2", "vision_config.anyres_pooling_size"},
    {"glm4v/base", "text_config", "partial_rotary_dim", "4", "text_config.partial_rotary_dim"},
    {"glm4v/base", "text_config", "num_nextn_predict_layers", "1", "text_config.num_nextn_predict_layers"},
    {"mllama/base", "text_config", "sliding_window", "4096", "text_config.sliding_window"},
    {"mllama/base", "vision_config", "layer_norm_eps", "1e-6", "vision_config.layer_norm_eps"},
    {"glm4v/base", "vision_config", "window_size", "112", "vision_config.window_size"},
    {"glm4v_moe/base", "text_config", "use_qk_norm", "true", "text_config.use_qk_norm"},
    {"glm4v_moe/base", "text_config", "scoring_func", "\"softmax\"", "text_config.scoring_func"},
    {"glm4v_moe/base", "text_config", "topk_method", "\"greedy\"", "text_config.topk_method"},
    {"glm4v_moe/base", "text_config", "n_shared_heads", "1", "text_config.n_shared_heads"},
    {"ernie4_5_vl_moe/base", NULL, "moe_gate_act", "\"sigmoid\"", "moe_gate_act"},
    {"ernie4_5_vl_moe/base", NULL, "moe_use_aux_free", "false", "moe_use_aux_free"},
    {"ernie4_5_vl_moe/base", NULL, "rope_3d", "false", "rope_3d"},
    {"ernie4_5_vl_moe/base", NULL, "sliding_window", "4096", "sliding_window"},
    {"moondream3/base", NULL, "config", "{\"text\": {\"dim\": 22}}", "config"},
    {"moondream3/base", "text_config", "sliding_window", "4096", "text_config.sliding_window"},
    {"moondream3/base", "text_config", "hidden_act", "\"silu\"", "text_config.hidden_act"},
    {"moondream3/base", "text_config", "rope_scaling", "{\"type\": \"linear\", \"factor\": 2}",
     "text_config.rope_scaling"},
    {"falcon_ocr/base", NULL, "sliding_window", "4096", "sliding_window"},
    {"falcon_ocr/base", NULL, "rope_scaling", "{\"type\": \"linear\", \"factor\": 2}", "rope_scaling"},
    {"falcon_ocr/base", NULL, "hidden_act", "\"silu\"", "hidden_act"},
    {"gemma4/tower", "vision_config", "layer_types", "[1]", "vision_config.layer_types"},
    {"gemma4/dense", "rope_parameters", "chunked_attention", "{}", "rope_parameters.chunked_attention"},
    {"gemma4/dense", "rope_parameters.sliding_attention", "factor", "2",
     "rope_parameters.sliding_attention.factor"},
};

START_TEST(members_that_change_the_mathematics_are_refused_unless_allowed)
{
    char members[128], found[128], hint[128];
    plan *p = NULL;
    assay_error err = {0};
    const char *const allowed[] = {DANGEROUS[_i].path, NULL};
    (void)snprintf(members, sizeof members, "{\"%s\": %s}", DANGEROUS[_i].member, DANGEROUS[_i].value);
    (void)snprintf(found, sizeof found, "config.json: %s: found %.3s", DANGEROUS[_i].path,
                   DANGEROUS[_i].value);
    (void)snprintf(hint, sizeof hint, "; --allow-unknown %s goes on without it", DANGEROUS[_i].path);
    const char *dir = checkpoint_extended(DANGEROUS[_i].fixture, DANGEROUS[_i].inside, members);
    ck_assert_int_eq(plan_open(dir, &p, &err), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, found, hint, NULL);
    ck_assert_msg(plan_open_allowing(dir, allowed, &p, &err) == ASSAY_OK, "%s", err.text);
    size_t n_notes = 0;
    for (size_t i = 0; i < p->n_notes; i++)
        n_notes += strstr(p->notes[i], DANGEROUS[_i].path) && strstr(p->notes[i], "--allow-unknown");
    ck_assert_uint_eq(n_notes, 1);
    plan_free(p);
}
END_TEST

START_TEST(null_and_the_neutral_value_are_harmless)
{
    plan_free(
        checkpoint_open(checkpoint_extended("llama/base", NULL,
                                            "{\"residual_multiplier\": 1, \"embedding_multiplier\": 1.0, "
                                            "\"attn_logit_softcapping\": null, \"sliding_window\": null}")));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/checkpoint/config_harmless");
    TCase *all = tcase_create("all");
    tcase_add_test(all, each_group_is_sorted_and_has_a_reason);
    tcase_add_loop_test(all, published_members_are_accepted, 0, (int)(sizeof PUBLISHED / sizeof *PUBLISHED));
    tcase_add_test(all, published_members_are_accepted_inside_a_wrapper);
    tcase_add_test(all, a_wrapper_may_repeat_its_text_config);
    tcase_add_loop_test(all, members_that_change_the_mathematics_are_refused_unless_allowed, 0,
                        (int)(sizeof DANGEROUS / sizeof *DANGEROUS));
    tcase_add_test(all, null_and_the_neutral_value_are_harmless);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
