/* The harmless members of all families. A member is listed here if every published class computes the same
 * logits for any value of it, or at the value given. Unlisted members are refused by name.
 *
 * Sources: transformers 4.28 to 5.23 (PretrainedConfig, GenerationConfig, and configuration_*.py of
 * each family), mlx-lm, and the config.json files that publishers and trainers (unsloth, axolotl, TRL,
 * LLaMA-Factory) have written.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/config_harmless.h"

/* Names, dates and hints for programs that load or display the checkpoint. */
static const config_harmless_member PROVENANCE[] = {
    {"_commit_hash", NULL},
    {"_name_or_path", NULL},
    {"architectures", NULL},
    {"auto_map", NULL},
    {"base_model_name_or_path", NULL},
    {"custom_pipelines", NULL},
    {"is_llama_config", NULL},
    {"license", NULL},
    {"model_name", NULL},
    {"model_type", NULL},
    {"name_or_path", NULL},
    {"transformers.js_config", NULL},
    {"transformers_version", NULL},
    {"unsloth_fixed", NULL},
    {"unsloth_version", NULL},
};

/* How the publisher's program stores and evaluates the model. The loader gets storage types from the
 * tensors. */
static const config_harmless_member EXECUTION[] = {
    {"_attn_implementation", NULL},
    {"_attn_implementation_autoset", NULL},
    {"_attn_implementation_internal", NULL},
    {"_experts_implementation", NULL},
    {"_experts_implementation_internal", NULL},
    {"_flash_attn_2_enabled", NULL},
    {"attn_implementation", NULL},
    {"cache_implementation", NULL},
    {"chunk_size_feed_forward", NULL},
    {"dtype", NULL},
    {"experts_implementation", NULL},
    {"gradient_checkpointing", NULL},
    {"is_decoder", NULL},
    {"output_attentions", NULL},
    {"output_hidden_states", NULL},
    {"output_router_logits", NULL},
    {"pretraining_tp", NULL},
    {"return_dict", NULL},
    {"return_dict_in_generate", NULL},
    {"tf_legacy_loss", NULL},
    {"torch_dtype", NULL},
    {"torchscript", NULL},
    {"use_bfloat16", NULL},
    {"use_cache", NULL},
    {"use_flash_attention", NULL},
    {"use_flash_attention_2", NULL},
    {"use_flash_attn", NULL},
    {"xla_device", NULL},
};

/* Dropout, initialisation and losses; labels of classifiers; lengths at which a trainer or a tokenizer
 * truncates. The two max_position_embeddings have no effect on a RoPE that does not read them. */
static const config_harmless_member TRAINING[] = {
    {"attention_dropout", NULL},
    {"attention_probs_dropout_prob", NULL},
    {"attn_pdrop", NULL},
    {"classifier_dropout", NULL},
    {"dropout", NULL},
    {"embd_pdrop", NULL},
    {"finetuning_task", NULL},
    {"hidden_dropout", NULL},
    {"hidden_dropout_prob", NULL},
    {"id2label", NULL},
    {"ignore_index", NULL},
    {"initializer_factor", NULL},
    {"initializer_range", NULL},
    {"keys_to_ignore_at_inference", NULL},
    {"label2id", NULL},
    {"loss_type", NULL},
    {"max_position_embeddings", NULL},
    {"max_sequence_length", NULL},
    {"model_max_length", NULL},
    {"neftune_noise_alpha", NULL},
    {"num_labels", NULL},
    {"original_max_position_embeddings", NULL},
    {"problem_type", NULL},
    {"resid_pdrop", NULL},
    {"router_aux_loss_coef", NULL},
    {"router_z_loss_coef", NULL},
    {"seq_length", NULL},
    {"tokenizer_model_max_length", NULL},
};

/* Sampling options, which are in generation_config.json today. */
static const config_harmless_member GENERATION[] = {
    {"_from_model_config", NULL},
    {"assistant_confidence_threshold", NULL},
    {"assistant_early_exit", NULL},
    {"assistant_ensemble_weight", NULL},
    {"assistant_lookbehind", NULL},
    {"bad_words_ids", NULL},
    {"begin_suppress_tokens", NULL},
    {"cache_config", NULL},
    {"compile_config", NULL},
    {"constraints", NULL},
    {"continuous_batching_config", NULL},
    {"disable_compile", NULL},
    {"diversity_penalty", NULL},
    {"do_sample", NULL},
    {"dola_layers", NULL},
    {"early_stopping", NULL},
    {"encoder_no_repeat_ngram_size", NULL},
    {"encoder_repetition_penalty", NULL},
    {"epsilon_cutoff", NULL},
    {"eta_cutoff", NULL},
    {"exponential_decay_length_penalty", NULL},
    {"force_words_ids", NULL},
    {"forced_bos_token_id", NULL},
    {"forced_decoder_ids", NULL},
    {"forced_eos_token_id", NULL},
    {"frequency_penalty", NULL},
    {"generation_config", NULL}, /* mlx-vlm copies generation_config.json, which is beside it */
    {"guidance_scale", NULL},
    {"is_assistant", NULL},
    {"length_penalty", NULL},
    {"low_memory", NULL},
    {"max_cache_len", NULL},
    {"max_length", NULL},
    {"max_matching_ngram_size", NULL},
    {"max_new_tokens", NULL},
    {"max_time", NULL},
    {"min_length", NULL},
    {"min_new_tokens", NULL},
    {"min_p", NULL},
    {"no_repeat_ngram_size", NULL},
    {"num_assistant_tokens", NULL},
    {"num_assistant_tokens_schedule", NULL},
    {"num_beam_groups", NULL},
    {"num_beams", NULL},
    {"num_return_sequences", NULL},
    {"output_logits", NULL},
    {"output_scores", NULL},
    {"penalty_alpha", NULL},
    {"prefill_chunk_size", NULL},
    {"prefix", NULL},
    {"presence_penalty", NULL},
    {"prompt_lookup_num_tokens", NULL},
    {"remove_invalid_values", NULL},
    {"renormalize_logits", NULL},
    {"repetition_penalty", NULL},
    {"sequence_bias", NULL},
    {"speculation_type", NULL},
    {"stop_strings", NULL},
    {"suppress_tokens", NULL},
    {"target_lookbehind", NULL},
    {"task_specific_params", NULL},
    {"temperature", NULL},
    {"token_healing", NULL},
    {"top_h", NULL},
    {"top_k", NULL},
    {"top_p", NULL},
    {"typical_p", NULL},
    {"use_mtp", NULL},
    {"watermarking_config", NULL},
};

/* Ids and settings of the tokenizer. eos_token_id is read for the stop set. */
static const config_harmless_member TOKENS[] = {
    {"add_bos_token", NULL},          {"add_eos_token", NULL},          {"bos_token", NULL},
    {"bos_token_id", NULL},           {"chat_template", NULL},          {"cls_token_id", NULL},
    {"decoder_start_token_id", NULL}, {"end_token_id", NULL},           {"eos_token", NULL},
    {"eos_token_id", NULL},           {"mask_token_id", NULL},          {"pad_token", NULL},
    {"pad_token_id", NULL},           {"padding_side", NULL},           {"sep_token_id", NULL},
    {"tokenizer_class", NULL},        {"tokenizer_padding_side", NULL}, {"unk_token", NULL},
    {"unk_token_id", NULL},
};

/* Features that are off, and factors of 1: any other value changes the model. */
static const config_harmless_member NEUTRAL[] = {
    {"add_cross_attention", "false"},
    {"attention_bias", "false"},
    {"bias", "false"},
    {"embedding_multiplier", "1"},
    {"full_attn_mod", "1"}, /* phi-4-mini, as interpolate_factor and lm_head_bias */
    {"interpolate_factor", "1"},
    {"is_causal", "true"},
    {"is_encoder_decoder", "false"},
    {"lm_head_bias", "false"},
    {"logit_scale", "1"},
    {"logits_scaling", "1"},
    {"mlp_bias", "false"},
    {"num_nextn_predict_layers", "0"},
    {"pruned_heads", "{}"},
    {"qk_layernorm", "false"},
    {"qk_norm", "false"},
    {"qkv_bias", "false"},
    {"residual_multiplier", "1"},
    {"rope_interleaved", "false"}, /* SmolLM2 */
    {"rope_scaling", "{}"},
    {"scale_emb", "1"},
    {"shared_expert_intermediate_size", "0"},
    {"tie_encoder_decoder", "false"},
    {"use_bias", "false"},
    {"use_dynamic_ntk", "false"},
    {"use_logn_attn", "false"},
    {"use_mrope", "false"}, /* Qwen2.5 */
    {"use_qk_norm", "false"},
    {"use_sliding_window", "false"},
};

#define MEMBERS(table) table, sizeof(table) / sizeof *(table)

static const config_harmless_group GROUPS[] = {
    {"is the author of the checkpoint, or how to display it", NULL, MEMBERS(PROVENANCE)},
    {"is how the publisher's program stores or evaluates the model", NULL, MEMBERS(EXECUTION)},
    {"is of training, or describes the model", NULL, MEMBERS(TRAINING)},
    {"is of sampling", NULL, MEMBERS(GENERATION)},
    {"is of the tokenizer", NULL, MEMBERS(TOKENS)},
    {"is switched off, or multiplies by 1", NULL, MEMBERS(NEUTRAL)},
};

const config_harmless_table config_harmless_of_all = {GROUPS, sizeof GROUPS / sizeof *GROUPS};
