/* What the loader refuses when one member of a bundled config.json is changed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/plan.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/tests/support.h"
#include "model/loader.h"
#include "model/tests/checkpoint.h"

#define REQUIRED(fixture, member)                                                                            \
    {                                                                                                        \
        fixture, member, NULL, ASSAY_EFORMAT,                                                                \
        {                                                                                                    \
            "config.json: " member ": missing", ""                                                           \
        }                                                                                                    \
    }

static const struct refusal {
    const char *fixture, *member, *value;
    assay_status status;
    const char *fragment[2];
} REFUSED[] = {
    REQUIRED("llama/base", "model_type"),
    REQUIRED("llama/base", "vocab_size"),
    REQUIRED("llama/base", "hidden_size"),
    REQUIRED("llama/base", "num_hidden_layers"),
    REQUIRED("llama/base", "num_attention_heads"),
    REQUIRED("llama/base", "intermediate_size"),
    REQUIRED("qwen2/base", "num_key_value_heads"),
    REQUIRED("qwen3/base", "head_dim"),
    REQUIRED("qwen3_moe/base", "num_experts_per_tok"),
    REQUIRED("qwen3_moe/base", "moe_intermediate_size"),
    REQUIRED("gemma4/dense", "sliding_window"),
    REQUIRED("gemma4/dense", "rope_parameters.full_attention.rope_theta"),
    REQUIRED("gemma4/multimodal", "text_config"),
    REQUIRED("gemma4/multimodal", "text_config.hidden_size"),
    REQUIRED("gemma3n/text", "laurel_rank"),
    REQUIRED("gemma3n/text", "hidden_size_per_layer_input"),
    {"llama/base",
     "model_type",
     "\"mamba\"",
     ASSAY_EUNSUPPORTED,
     {"model_type: found \"mamba\"", "expected a supported family, such as"}},
    {"llama/base", "model_type", "7", ASSAY_EFORMAT, {"model_type: found 7", "a string"}},
    {"llama/base",
     "hidden_act",
     "\"swiglu\"",
     ASSAY_EUNSUPPORTED,
     {"hidden_act: found \"swiglu\"", "expected silu"}},
    {"llama/base",
     "num_attention_heads",
     "\"4\"",
     ASSAY_EFORMAT,
     {"num_attention_heads: found \"4\"", "integer"}},
    {"llama/base", "num_key_value_heads", "3", ASSAY_EFORMAT, {"num_key_value_heads: found 3", "a divisor"}},
    {"llama/base", "head_dim", "7", ASSAY_EFORMAT, {"head_dim: found 7", "even"}},
    {"llama/base", "num_hidden_layers", "7", ASSAY_EFORMAT, {"tensor 'model.layers.", "is missing"}},
    {"llama/base", "num_hidden_layers", "1", ASSAY_EFORMAT, {"tensor 'model.layers.1.", "left over"}},
    {"llama/base",
     "num_hidden_layers",
     "2147483647",
     ASSAY_EFORMAT,
     {"num_hidden_layers: found 2147483647", "only"}},
    {"llama/base",
     "vocab_size",
     "7",
     ASSAY_EFORMAT,
     {"'model.embed_tokens.weight': found shape", "expected [7, "}},
    {"llama/base", "attention_bias", "true", ASSAY_EFORMAT, {"self_attn.o_proj.bias'", "is missing"}},
    {"llama/base",
     "quantization_config",
     "{\"bits\": 4}",
     ASSAY_EFORMAT,
     {"quantization_config.quant_method: missing", "expected a string"}},
    {"llama/base",
     "per_layer_config",
     "{\"0\": {\"head_dim\": 4}}",
     ASSAY_EUNSUPPORTED,
     {"per_layer_config", ""}},
    {"llama/base", "rope_parameters", "{\"rope_type\": \"wavy\"}", ASSAY_EUNSUPPORTED, {"rope_type", "wavy"}},
    {"llama/biases", "attention_bias", "false", ASSAY_EFORMAT, {"bias' is left over", ""}},
    {"qwen2/window",
     "layer_types",
     "[\"full_attention\"]",
     ASSAY_EFORMAT,
     {"layer_types: found [\"full_attention\"], expected a list of", ""}},
    {"qwen2/window",
     "use_sliding_window",
     "false",
     ASSAY_EFORMAT,
     {"sliding_attention", "use_sliding_window is false"}},
    {"qwen3_moe/base",
     "num_experts_per_tok",
     "99",
     ASSAY_EFORMAT,
     {"num_experts_per_tok: found 99", "at most"}},
    {"qwen3_moe/base", "num_experts", "6", ASSAY_EFORMAT, {"mlp.gate.weight': found shape", "expected [6, "}},
    {"qwen3_moe/base", "mlp_only_layers", "[\"a\"]", ASSAY_EFORMAT, {"mlp_only_layers", "layer indices"}},
    {"qwen3_moe/base",
     "decoder_sparse_step",
     "0",
     ASSAY_EFORMAT,
     {"decoder_sparse_step: found 0", "positive"}},
    {"phi3/base", "attention_bias", "true", ASSAY_EUNSUPPORTED, {"attention_bias", "true"}},
    {"phi3/longrope",
     "original_max_position_embeddings",
     NULL,
     ASSAY_EFORMAT,
     {"original_max_position", "missing"}},
    {"gemma4/dense",
     "layer_types",
     "[\"chunked_attention\", \"full_attention\", \"full_attention\", \"full_attention\", "
     "\"full_attention\", "
     "\"full_attention\"]",
     ASSAY_EUNSUPPORTED,
     {"layer_types[0]", "chunked_attention"}},
    {"gemma4/dense",
     "use_bidirectional_attention",
     "\"all\"",
     ASSAY_EUNSUPPORTED,
     {"use_bidirectional", "all"}},
    {"gemma4/dense",
     "num_kv_shared_layers",
     "6",
     ASSAY_EFORMAT,
     {"num_kv_shared_layers: found 6", "less than"}},
    {"gemma4/dense",
     "num_kv_shared_layers",
     "5",
     ASSAY_EFORMAT,
     {"num_kv_shared_layers", "none of the first"}},
    {"gemma4/dense",
     "rope_parameters",
     "{\"rope_type\": \"default\"}",
     ASSAY_EFORMAT,
     {"rope_parameters.full_attention", "missing"}},
    {"gemma4/dense", "per_layer_config", "{\"77\": {}}", ASSAY_EFORMAT, {"per_layer_config.77", "the index"}},
    {"gemma4/dense",
     "per_layer_config",
     "{\"1\": {\"sliding_window\": 4}}",
     ASSAY_EUNSUPPORTED,
     {"per_layer_config.1.sliding_window", "vary by layer"}},
    {"gemma4/dense",
     "per_layer_config",
     "{\"0\": {\"head_dim\": 4}}",
     ASSAY_EUNSUPPORTED,
     {"head_dim", "another layer"}},
    {"gemma4/dense",
     "per_layer_config",
     "3",
     ASSAY_EFORMAT,
     {"per_layer_config: found 3, expected an object", ""}},
    {"gemma4/dense",
     "num_key_value_heads",
     "3",
     ASSAY_EFORMAT,
     {"num_key_value_heads: found 3", "a divisor"}},
    {"gemma4/multimodal",
     "text_config.pad_token_id",
     "9999",
     ASSAY_EFORMAT,
     {"pad_token_id: found 9999", "below"}},
    {"qwen2/base",
     "num_attention_heads",
     "64",
     ASSAY_EFORMAT,
     {"hidden_size: found", "at least num_attention_heads"}},
    {"gemma4/experts", "top_k_experts", "99", ASSAY_EFORMAT, {"top_k_experts: found 99", "at most"}},
    {"gemma4/multimodal",
     "text_config.model_type",
     "\"llama\"",
     ASSAY_EUNSUPPORTED,
     {"found \"llama\"", "gemma4_text"}},
    {"gemma4/multimodal", "text_config", "3", ASSAY_EFORMAT, {"text_config", "expected an object"}},
    {"gemma4/multimodal-old", "vision_config", NULL, ASSAY_EFORMAT, {"left over", "model."}},
    {"qwen3_moe/base",
     "num_experts",
     "2147483647",
     ASSAY_EFORMAT,
     {"mlp.gate.weight': found shape", "[2147483647, "}},
    {"gemma3n/text",
     "altup_num_inputs",
     "2147483647",
     ASSAY_EFORMAT,
     {"altup_num_inputs: found 2147483647", "only"}},
    {"gemma3n/text", "altup_active_idx", "4", ASSAY_EFORMAT, {"altup_active_idx: found 4", "less than"}},
    {"gemma3n/text",
     "activation_sparsity_pattern",
     "[1, 0, 0, 0, 0, 0]",
     ASSAY_EFORMAT,
     {"pattern[0]: found 1", ""}},
    {"gemma3n/text",
     "activation_sparsity_pattern",
     "0.95",
     ASSAY_EFORMAT,
     {"activation_sparsity_pattern", "a list of 6"}},
    {"gemma4/dense",
     "final_logit_softcapping",
     "0.0",
     ASSAY_EFORMAT,
     {"final_logit_softcapping: found 0.0, expected a number above 0", ""}},
    {"gemma4/dense",
     "final_logit_softcapping",
     "-30.0",
     ASSAY_EFORMAT,
     {"final_logit_softcapping: found -30.0", "above 0"}},
    {"gemma3n/text",
     "final_logit_softcapping",
     "0",
     ASSAY_EFORMAT,
     {"final_logit_softcapping: found 0", "above 0"}},
    {"llama/base", "rms_norm_eps", "-1e-6", ASSAY_EFORMAT, {"rms_norm_eps: found -1e-6", "at least 0"}},
    {"gemma4/dense", "rms_norm_eps", "-0.5", ASSAY_EFORMAT, {"rms_norm_eps: found -0.5", "at least 0"}},
    {"gemma3n/text", "rms_norm_eps", "\"1e-6\"", ASSAY_EFORMAT, {"rms_norm_eps: found \"1e-6\"", "a number"}},
    {"gemma4/dense",
     "layer_types",
     "[\"full_attention\\u0000\", \"full_attention\", \"full_attention\", \"full_attention\", "
     "\"full_attention\", \"full_attention\"]",
     ASSAY_EUNSUPPORTED,
     {"layer_types[0]: found \"full_attention\\u0000\"", "expected \"full_attention\""}},
    {"llama/base",
     "hidden_act",
     "\"silu\\u0000\"",
     ASSAY_EFORMAT,
     {"hidden_act: found \"silu\\u0000\"", "without U+0000"}},
    {"llama/base",
     "model_type",
     "\"llama\\u0000granite\"",
     ASSAY_EFORMAT,
     {"model_type: found \"llama\\u0000granite\"", "without U+0000"}},
    {"qwen2/window",
     "layer_types",
     "[\"full_attention\\u0000\", \"full_attention\", \"full_attention\"]",
     ASSAY_EUNSUPPORTED,
     {"layer_types[0]: found \"full_attention\\u0000\"", ""}},
    {"gemma4/dense",
     "use_bidirectional_attention",
     "\"vision\\u0000\"",
     ASSAY_EFORMAT,
     {"use_bidirectional_attention: found \"vision\\u0000\"", "without U+0000"}},
    {"qwen2/base", "sliding_window", "0", ASSAY_EFORMAT, {"sliding_window: found 0", "positive"}},
    {"qwen2/base", "sliding_window", "-1", ASSAY_EFORMAT, {"sliding_window: found -1", "positive"}},
    {"qwen2/base", "max_window_layers", "-1", ASSAY_EFORMAT, {"max_window_layers: found -1", "at least 0"}},
    {"phi3/base", "sliding_window", "-4", ASSAY_EFORMAT, {"sliding_window: found -4", "positive"}},
    {"qwen3_moe/base", "sliding_window", "0", ASSAY_EFORMAT, {"sliding_window: found 0", "positive"}},
    {"qwen3_moe/base",
     "max_window_layers",
     "1.5",
     ASSAY_EFORMAT,
     {"max_window_layers: found 1.5", "integer"}},
    {"qwen3_moe/base",
     "num_experts_per_tok",
     "0",
     ASSAY_EFORMAT,
     {"num_experts_per_tok: found 0", "positive"}},
    {"qwen3_moe/base",
     "num_local_experts",
     "2",
     ASSAY_EFORMAT,
     {"num_experts: found", "what num_local_experts says (2)"}},
    {"qwen3_moe/base",
     "mlp_only_layers",
     "[-1]",
     ASSAY_EFORMAT,
     {"mlp_only_layers[0]: found -1", "layer indices"}},
    {"gemma4/dense", "sliding_window", "0", ASSAY_EFORMAT, {"sliding_window: found 0", "positive"}},
    {"gemma4/dense", "global_head_dim", "-8", ASSAY_EFORMAT, {"global_head_dim: found -8", "positive"}},
    {"gemma4/dense", "per_layer_config", "{\"01\": {}}", ASSAY_EFORMAT, {"per_layer_config.01", "the index"}},
    {"gemma4/experts", "top_k_experts", "0", ASSAY_EFORMAT, {"top_k_experts: found 0", "positive"}},
    {"gemma3n/text", "laurel_rank", "0", ASSAY_EFORMAT, {"laurel_rank: found 0", "positive"}},
    {"gemma3n/text", "altup_num_inputs", "0", ASSAY_EFORMAT, {"altup_num_inputs: found 0", "positive"}},
    {"gemma3n/text",
     "num_kv_shared_layers",
     "-1",
     ASSAY_EFORMAT,
     {"num_kv_shared_layers: found -1", "at least 0"}},
    {"llama/base",
     "num_attention_heads",
     "18446744073709551617",
     ASSAY_EFORMAT,
     {"num_attention_heads: found 18446744073709551617, larger than 2147483647", ""}},
    {"llama/base",
     "max_position_embeddings",
     "0",
     ASSAY_EFORMAT,
     {"max_position_embeddings: found 0", "positive"}},
    {"gemma3n/text", "num_key_value_heads", "3", ASSAY_EFORMAT, {"num_key_value_heads: found 3", "divisor"}},
};

START_TEST(a_config_that_does_not_fit_is_refused)
{
    const struct refusal *r = &REFUSED[_i];
    checkpoint_expect_refusal(r->fixture, r->member, r->value, r->status, r->fragment[0], r->fragment[1]);
}
END_TEST

START_TEST(an_unchanged_copy_is_accepted)
{
    plan_free(checkpoint_open(checkpoint_changed("gemma4/dense", NULL, NULL)));
}
END_TEST

START_TEST(a_tied_head_that_differs_is_refused)
{
    plan *p = NULL;
    assay_error err = {0};
    const char *dir = checkpoint_changed("llama/base", "tie_word_embeddings", "true");
    ck_assert_int_eq(plan_open(dir, &p, &err), ASSAY_EFORMAT);
    support_expect_error(&err, ASSAY_EFORMAT, "lm_head.weight", "differs from the embedding", NULL);
}
END_TEST

/* llama/base's config beside one tensor of two numbers. */
static const char *with_tensor(const char *name, const char *dtype)
{
    char bytes[256];
    int n = snprintf(bytes + 8, sizeof bytes - 8,
                     "{\"%s\":{\"dtype\":\"%s\",\"shape\":[2],\"data_offsets\":[0,8]}}", name, dtype);
    uint64_t length = (uint64_t)n;
    memcpy(bytes, &length, sizeof length);
    memset(bytes + 8 + n, 0, 8);
    const char *dir = checkpoint_changed("llama/base", "num_hidden_layers", "1");
    char *path = NULL;
    ck_assert_int_ge(asprintf(&path, "%s/model.safetensors", dir), 0);
    ck_assert_int_eq(unlink(path), 0);
    free(path);
    (void)support_write(dir, "model.safetensors", bytes, 8 + (size_t)n + 8);
    return dir;
}

START_TEST(a_checkpoint_without_an_embedding_is_refused)
{
    plan *p = NULL;
    assay_error err = {0};
    ck_assert_int_eq(plan_open(with_tensor("model.norm.weight", "F32"), &p, &err), ASSAY_EFORMAT);
    support_expect_error(&err, ASSAY_EFORMAT, "'model.embed_tokens.weight' is missing",
                         "model.language_model.", NULL);
}
END_TEST

START_TEST(weights_that_are_no_floats_are_refused)
{
    plan *p = NULL;
    assay_error err = {0};
    ck_assert_int_eq(plan_open(with_tensor("model.embed_tokens.weight", "I32"), &p, &err),
                     ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "'model.embed_tokens.weight': found type I32",
                         "expected F64", NULL);
}
END_TEST

START_TEST(a_directory_without_documents_is_refused)
{
    plan *p = NULL;
    assay_error err = {0};
    const char *dir = support_mkdir(support_tmpdir(), "empty");
    ck_assert_int_eq(plan_open(dir, &p, &err), ASSAY_EIO);
    support_expect_error(&err, ASSAY_EIO, "config.json", NULL);
    ck_assert_int_eq(plan_open("/no/such/directory", &p, &err), ASSAY_EIO);
    ck_assert_ptr_null(p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/plan/refused");
    TCase *all = tcase_create("refused");
    tcase_add_loop_test(all, a_config_that_does_not_fit_is_refused, 0,
                        (int)(sizeof REFUSED / sizeof *REFUSED));
    tcase_add_test(all, an_unchanged_copy_is_accepted);
    tcase_add_test(all, a_tied_head_that_differs_is_refused);
    tcase_add_test(all, a_checkpoint_without_an_embedding_is_refused);
    tcase_add_test(all, weights_that_are_no_floats_are_refused);
    tcase_add_test(all, a_directory_without_documents_is_refused);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
