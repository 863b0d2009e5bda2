/* What the methods of quantisation refuse, and hf_quant_config.json.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/formats/hf_quant.h"

#include <stdlib.h>
#include <string.h>

#include "base/tests/support.h"
#include "base/text.h"
#include "model/loader.h"
#include "model/tests/checkpoint.h"
#include "model/tests/header.h"

/* A fixture whose config has another value of a member. */
static const struct refusal {
    const char *fixture, *member, *value;
    assay_status status;
    const char *fragment[2];
} REFUSED[] = {
    {"llama/awq",
     "quant_method",
     "\"quip\"",
     ASSAY_EUNSUPPORTED,
     {"quant_method: found \"quip\"", "awq, bitsandbytes"}},
    {"llama/awq", "quant_method", "null", ASSAY_EFORMAT, {"quantization_config.quant_method: missing", ""}},
    {"llama/awq", "bits", "3", ASSAY_EUNSUPPORTED, {"bits: found 3", "expected 4"}},
    {"llama/awq", "version", "\"gemv\"", ASSAY_EUNSUPPORTED, {"version: found \"gemv\"", "\"gemm\""}},
    {"llama/awq", "group_size", "7", ASSAY_EFORMAT, {"a multiple of group_size 7", ""}},
    {"llama/awq", "group_size", "0", ASSAY_EFORMAT, {"group_size: found 0", "positive integer"}},
    {"llama/awq", "surprise", "1", ASSAY_EUNSUPPORTED, {"quantization_config.surprise: found 1", ""}},
    {"llama/gptq-4bit-act", "bits", "5", ASSAY_EUNSUPPORTED, {"bits: found 5", "2, 3, 4 or 8"}},
    {"llama/gptq-4bit-act", "bits", "8", ASSAY_EFORMAT, {"qweight': found shape", "8 bits in groups"}},
    {"llama/gptq-4bit-act",
     "checkpoint_format",
     "\"marlin\"",
     ASSAY_EUNSUPPORTED,
     {"checkpoint_format: found \"marlin\"", "\"gptq_v2\""}},
    {"llama/gptq-4bit-act",
     "pack_dtype",
     "\"int64\"",
     ASSAY_EUNSUPPORTED,
     {"pack_dtype: found \"int64\"", ""}},
    {"llama/gptq-4bit-act",
     "dynamic",
     "{\"+:(\": {}}",
     ASSAY_EFORMAT,
     {"dynamic: found \"(\"", "a regular expression"}},
    {"llama/gptq-4bit-act", "dynamic", "{\"-:.*\": {}}", ASSAY_EFORMAT, {"is missing", ""}},
    {"llama/fp8-block", "weight_block_size", "[128]", ASSAY_EFORMAT, {"weight_block_size", ""}},
    {"llama/fp8-block",
     "weight_block_size",
     "[64, 64]",
     ASSAY_EFORMAT,
     {"weight_scale_inv': found shape", "FP8"}},
    {"llama/fp8-block",
     "weight_block_size",
     "null",
     ASSAY_EFORMAT,
     {"weight_scale_inv': found shape", "expected []"}},
    {"llama/fp8-block", "fmt", "\"e5m2\"", ASSAY_EUNSUPPORTED, {"fmt: found \"e5m2\"", "\"e4m3\""}},
    {"llama/fp8-block",
     "expert_dtype",
     "\"int4\"",
     ASSAY_EUNSUPPORTED,
     {"expert_dtype: found \"int4\"", "\"fp4\""}},
    {"qwen3_moe/fp8-block",
     "expert_dtype",
     "\"fp4\"",
     ASSAY_EFORMAT,
     {"experts.0.gate_proj", "a multiple of 32"}},
    {"llama/fp8-block",
     "modules_to_not_convert",
     "[3]",
     ASSAY_EFORMAT,
     {"modules_to_not_convert", "strings"}},
    {"llama/fp8-block",
     "modules_to_not_convert",
     "[\"q_proj\"]",
     ASSAY_EUNSUPPORTED,
     {"q_proj.weight': found type F8_E4M3", "expected F64"}},
    {"llama/ct-w4a16",
     "format",
     "\"marlin-24\"",
     ASSAY_EUNSUPPORTED,
     {"format: found \"marlin-24\"", "\"pack-quantized\""}},
    {"llama/ct-w4a16", "config_groups", "null", ASSAY_EFORMAT, {"config_groups: missing", ""}},
    {"llama/ct-w4a16",
     "config_groups.group_0.weights.num_bits",
     "16",
     ASSAY_EUNSUPPORTED,
     {"num_bits: found 16", "at most 8"}},
    {"llama/ct-w4a16",
     "config_groups.group_0.weights.strategy",
     "\"token\"",
     ASSAY_EUNSUPPORTED,
     {"strategy: found \"token\"", "\"channel\""}},
    {"llama/ct-w4a16",
     "config_groups.group_0.weights.symmetric",
     "false",
     ASSAY_EFORMAT,
     {"weight_zero_point' is missing", ""}},
    {"llama/ct-w4a16-asymmetric",
     "config_groups.group_0.weights.symmetric",
     "true",
     ASSAY_EFORMAT,
     {"weight_zero_point' is left over", ""}},
    {"llama/ct-w4a16",
     "config_groups.group_0.weights.surprise",
     "1",
     ASSAY_EUNSUPPORTED,
     {"weights.surprise: found 1", "QuantizationArgs"}},
    {"llama/ct-w4a16",
     "config_groups.group_0.targets",
     "[\"re:(\"]",
     ASSAY_EFORMAT,
     {"targets: found \"(\"", "a regular expression"}},
    {"llama/ct-w4a16", "config_groups.group_0.targets", "[\"lm_head\"]", ASSAY_EFORMAT, {"is missing", ""}},
    {"llama/ct-w4a16",
     "sparsity_config",
     "{\"format\": \"sparse-24\"}",
     ASSAY_EUNSUPPORTED,
     {"sparsity_config", ""}},
    {"llama/ct-w4a16", "ignore", "[\"re:.*q_proj\"]", ASSAY_EFORMAT, {"q_proj.weight' is missing", ""}},
    {"qwen3/modelopt-fp8",
     "quant_algo",
     "\"NVFP4_SVD\"",
     ASSAY_EUNSUPPORTED,
     {"quant_algo: found \"NVFP4_SVD\"", "a product of its own"}},
    {"qwen3/modelopt-fp8",
     "quant_algo",
     "\"W4\"",
     ASSAY_EUNSUPPORTED,
     {"quant_algo: found \"W4\"", "\"FP8\""}},
    {"qwen3/modelopt-int4-awq",
     "quant_algo",
     "\"W4A16_AWQ\"",
     ASSAY_EFORMAT,
     {"group_size: missing", "hf_quant_config.json"}},
    {"qwen3/modelopt-fp8",
     "quant_algo",
     "\"NVFP4\"",
     ASSAY_EFORMAT,
     {"config_groups.group_0.weights.num_bits: found 8, expected 4", "quant_algo"}},
    {"qwen3/modelopt-fp8",
     "quant_algo",
     "\"MXFP8\"",
     ASSAY_EUNSUPPORTED,
     {"weight_scale': found type F32", "expected U8"}},
    {"qwen3/ct-nvfp4",
     "config_groups.group_0.weights.group_size",
     "32",
     ASSAY_EFORMAT,
     {"group_0.weights.group_size: found 32, expected 16", "nvfp4-pack-quantized"}},
    {"qwen3/ct-nvfp4",
     "config_groups.group_0.weights.num_bits",
     "8",
     ASSAY_EFORMAT,
     {"group_0.weights.num_bits: found 8, expected 4", "nvfp4-pack-quantized"}},
    {"qwen3/ct-nvfp4",
     "config_groups.group_0.weights.symmetric",
     "false",
     ASSAY_EFORMAT,
     {"group_0.weights.symmetric: found false", "expected true"}},
    {"qwen3/ct-mxfp4",
     "config_groups.group_0.weights.group_size",
     "64",
     ASSAY_EFORMAT,
     {"group_0.weights.group_size: found 64, expected 32", "mxfp4-pack-quantized"}},
    {"llama/ct-fp8",
     "config_groups.group_0.weights.type",
     "\"int\"",
     ASSAY_EFORMAT,
     {"group_0.weights.type: found \"int\"", "expected \"float\""}},
    {"llama/ct-w4a16",
     "config_groups.group_0.input_activations",
     "7",
     ASSAY_EFORMAT,
     {"group_0.input_activations: found 7", "expected an object"}},
    {"llama/ct-w4a16",
     "kv_cache_scheme",
     "\"fp8\"",
     ASSAY_EFORMAT,
     {"kv_cache_scheme: found \"fp8\"", "an object"}},
    {"llama/bnb-nf4",
     "load_in_8bit",
     "true",
     ASSAY_EFORMAT,
     {"expected one of load_in_4bit and load_in_8bit", ""}},
    {"llama/bnb-nf4", "bnb_4bit_quant_type", "\"fp4\"", ASSAY_EFORMAT, {"bitsandbytes__fp4' is missing", ""}},
    {"llama/bnb-nf4",
     "bnb_4bit_use_double_quant",
     "true",
     ASSAY_EUNSUPPORTED,
     {"absmax': found type F32", "expected U8"}},
    {"llama/bnb-nf4",
     "bnb_4bit_quant_storage",
     "\"bfloat16\"",
     ASSAY_EUNSUPPORTED,
     {"bnb_4bit_quant_storage", "\"uint8\""}},
};

START_TEST(a_config_that_does_not_fit_is_refused)
{
    const struct refusal *r = &REFUSED[_i];
    char path[120];
    assay_error err = {0};
    plan *p = NULL;
    (void)snprintf(path, sizeof path, "quantization_config.%s", r->member);
    const char *dir = checkpoint_changed(r->fixture, path, r->value);
    ck_assert_msg(plan_open(dir, &p, &err) != ASSAY_OK, "%s: accepted %s for %s", r->fixture, r->value,
                  r->member);
    support_expect_error(&err, r->status, dir, r->fragment[0], r->fragment[1], NULL);
    ck_assert_ptr_null(p);
}
END_TEST

static const char *with_hf_quant(const char *config, const char *text)
{
    const char *dir = checkpoint_changed("qwen3/modelopt-nvfp4", "quantization_config", config);
    (void)support_write(dir, "hf_quant_config.json", text, strlen(text));
    return dir;
}

START_TEST(hf_quant_config_is_read_where_config_json_is_silent)
{
    static const char TEXT[] =
        "{\"producer\": {}, \"quantization\": {\"quant_algo\": \"NVFP4\", \"group_size\": 16, "
        "\"kv_cache_quant_algo\": null, \"exclude_modules\": [\"lm_head\"]}}";
    plan *p = checkpoint_open(with_hf_quant(NULL, TEXT));
    ck_assert_str_eq(p->layers[0].mlp.up.weight.stored.format, "modelopt NVFP4");
    ck_assert_str_ne(p->head.stored.format, "modelopt NVFP4");
    plan_free(p);
}
END_TEST

static const struct contradiction {
    const char *config, *text, *fragment[2];
    assay_status status;
} CONTRADICTIONS[] = {
    {"{\"quant_method\": \"modelopt\", \"quant_algo\": \"NVFP4\"}",
     "{\"quantization\": {\"quant_algo\": \"NVFP4\", \"surprise\": 1}}",
     {"quantization.surprise: found 1", "members that modelopt has"},
     ASSAY_EUNSUPPORTED},
    {"{\"quant_method\": \"modelopt\", \"quant_algo\": \"FP8\"}",
     "{\"quantization\": {\"quant_algo\": \"NVFP4\"}}",
     {"quantization.quant_algo: found \"NVFP4\"", "expected \"FP8\""},
     ASSAY_EFORMAT},
    {"{\"quant_method\": \"fp8\"}",
     "{\"quantization\": {\"quant_algo\": \"FP8\"}}",
     {"config.json states quant_method \"fp8\"", ""},
     ASSAY_EFORMAT},
    {NULL, "{\"quantization\": 3}", {"quantization: found 3", "expected an object"}, ASSAY_EFORMAT},
    {NULL, "{}", {"quantization: found nothing", "expected an object"}, ASSAY_EFORMAT},
    {NULL, "{", {"hf_quant_config.json", ""}, ASSAY_EFORMAT},
};

START_TEST(hf_quant_config_must_agree_with_config_json)
{
    const struct contradiction *c = &CONTRADICTIONS[_i];
    assay_error err = {0};
    plan *p = NULL;
    ck_assert_int_ne(plan_open(with_hf_quant(c->config, c->text), &p, &err), ASSAY_OK);
    support_expect_error(&err, c->status, "hf_quant_config.json", c->fragment[0], c->fragment[1], NULL);
}
END_TEST

/* The type F4 of safetensors counts the codes, of which U8 holds two. */
START_TEST(codes_may_be_of_type_f4)
{
    const char *dir = checkpoint_changed("qwen3/ct-nvfp4", NULL, NULL);
    header h = header_read(dir);
    size_t n = 0;
    json_object_object_foreach(h.object, name, entry)
    {
        if (!string_ends_with(name, ".weight_packed")) continue;
        json_object *shape = json_object_object_get(entry, "shape");
        const int64_t width = json_object_get_int64(json_object_array_get_idx(shape, 1));
        json_object_object_add(entry, "dtype", json_object_new_string("F4"));
        json_object_array_put_idx(shape, 1, json_object_new_int64(2 * width));
        n++;
    }
    header_write(&h);
    header_free(&h);
    ck_assert_uint_eq(n, 7);
    plan *as_bytes = checkpoint_open_fixture("qwen3/ct-nvfp4"), *p = checkpoint_open(dir);
    const assay_field *x = &as_bytes->layers[0].mlp.up.weight.stored.codes,
                      *y = &p->layers[0].mlp.up.weight.stored.codes;
    ck_assert(x->n_bytes == y->n_bytes && memcmp(x->bytes, y->bytes, x->n_bytes) == 0);
    plan_free(as_bytes);
    plan_free(p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/formats/methods");
    TCase *all = tcase_create("refused");
    tcase_add_loop_test(all, a_config_that_does_not_fit_is_refused, 0,
                        (int)(sizeof REFUSED / sizeof *REFUSED));
    tcase_add_test(all, hf_quant_config_is_read_where_config_json_is_silent);
    tcase_add_loop_test(all, hf_quant_config_must_agree_with_config_json, 0,
                        (int)(sizeof CONTRADICTIONS / sizeof *CONTRADICTIONS));
    tcase_add_test(all, codes_may_be_of_type_f4);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
