/* What the loader refuses of checkpoints that MLX has quantised.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/plan.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/tests/support.h"
#include "model/loader.h"
#include "model/tests/checkpoint.h"
#include "model/tests/weight.h"

/* `group_size` and `bits` of the whole, and more. */
#define GROUPS(more) "{\"group_size\": 64, \"bits\": 4" more "}"

static const struct refusal {
    const char *fixture, *member, *value;
    assay_status status;
    const char *fragment[2];
} REFUSED[] = {
    {"llama/base", "quantization", "4", ASSAY_EFORMAT, {"quantization: found 4", "expected an object"}},
    {"llama/base", "quantization", "{}", ASSAY_EFORMAT, {"quantization.group_size: missing", ""}},
    {"llama/base", "quantization", "{\"group_size\": 64}", ASSAY_EFORMAT, {"quantization.bits: missing", ""}},
    {"llama/base",
     "quantization",
     "{\"group_size\": 48, \"bits\": 4}",
     ASSAY_EUNSUPPORTED,
     {"quantization.group_size: found 48", "expected 32, 64 or 128"}},
    {"llama/base",
     "quantization",
     "{\"group_size\": 64, \"bits\": 7}",
     ASSAY_EUNSUPPORTED,
     {"quantization.bits: found 7", "expected 2, 3, 4, 5, 6 or 8"}},
    {"llama/base",
     "quantization",
     "{\"group_size\": 64, \"bits\": 2147483648}",
     ASSAY_EFORMAT,
     {"quantization.bits: found 2147483648", "larger than 2147483647"}},
    {"llama/base",
     "quantization",
     "{\"group_size\": -64, \"bits\": 4}",
     ASSAY_EFORMAT,
     {"quantization.group_size: found -64", "positive integer"}},
    {"llama/base",
     "quantization",
     GROUPS(", \"mode\": \"mxfp4\""),
     ASSAY_EUNSUPPORTED,
     {"quantization.mode: found \"mxfp4\"", "expected \"affine\""}},
    {"llama/base",
     "quantization",
     GROUPS(", \"mode\": 3"),
     ASSAY_EFORMAT,
     {"quantization.mode: found 3", "a string"}},
    {"llama/base",
     "quantization",
     GROUPS(", \"quant_method\": \"awq\""),
     ASSAY_EUNSUPPORTED,
     {"quantization.quant_method: found \"awq\"", "the path of a module"}},
    {"llama/base",
     "quantization",
     GROUPS(", \"lm_head\": null"),
     ASSAY_EUNSUPPORTED,
     {"quantization.lm_head: found null", "a boolean"}},
    {"llama/base",
     "quantization",
     GROUPS(", \"lm_head\": {\"bits\": 1}"),
     ASSAY_EUNSUPPORTED,
     {"quantization.lm_head.bits: found 1", "expected 2, 3"}},
    {"llama/base",
     "quantization",
     GROUPS(", \"lm_head\": {\"mode\": \"nvfp4\"}"),
     ASSAY_EUNSUPPORTED,
     {"quantization.lm_head.mode: found \"nvfp4\"", "\"affine\""}},
    {"llama/base",
     "quantization",
     GROUPS(", \"lm_head\": {\"global_scale\": true}"),
     ASSAY_EUNSUPPORTED,
     {"quantization.lm_head.global_scale: found true, expected only",
      "--allow-unknown quantization.lm_head.global_scale"}},
    {"llama/base",
     "quantization_config",
     "{\"bits\": 4, \"quant_method\": \"gptq\", \"group_size\": 128}",
     ASSAY_EFORMAT,
     {"quantization_config: found quant_method \"gptq\"", "no tensor is stored by it"}},
    {"llama/mlx-4bit",
     "quantization_config",
     GROUPS(""),
     ASSAY_EFORMAT,
     {"quantization_config: found", "expected what quantization says"}},
    /* plain weights that the config declares quantised */
    {"llama/base",
     "quantization",
     GROUPS(", \"lm_head\": {\"bits\": 4}"),
     ASSAY_EFORMAT,
     {"'lm_head.weight': found rows of 28 elements", "a multiple of group_size 64"}},
    {"llama/mlx-2bit",
     "quantization.model.layers.0.self_attn.o_proj",
     "{\"bits\": 4, \"group_size\": 32}",
     ASSAY_EFORMAT,
     {"rows of 48 elements", "group_size 32"}},
    {"qwen3/mlx-5bit",
     "quantization.model.layers.1.self_attn.k_proj",
     "true",
     ASSAY_EUNSUPPORTED,
     {"model.safetensors: tensor 'model.layers.1.self_attn.k_proj.weight': found type F32", "expected U32"}},
    /* quantised weights that the config declares plain, or of another width or group */
    {"llama/mlx-4bit",
     "quantization.lm_head",
     "false",
     ASSAY_EUNSUPPORTED,
     {"'lm_head.weight': found type U32", "expected F64, F32, F16 or BF16"}},
    {"llama/mlx-4bit",
     "quantization.bits",
     "8",
     ASSAY_EFORMAT,
     {"'model.embed_tokens.weight': found shape [61, 8], expected [61, 16]",
      "rows of 64 elements, 8 bits in groups of 64"}},
    {"llama/mlx-4bit",
     "quantization.group_size",
     "32",
     ASSAY_EFORMAT,
     {"'model.embed_tokens.scales': found shape [61, 1], expected [61, 2]", "4 bits in groups of 32"}},
    {"llama/mlx-4bit",
     "quantization.group_size",
     "128",
     ASSAY_EFORMAT,
     {"'model.embed_tokens.weight': found rows of 64 elements", "a multiple of group_size 128"}},
    {"llama/mlx-4bit",
     "hidden_size",
     "128",
     ASSAY_EFORMAT,
     {"'model.embed_tokens.weight': found shape [61, 8], expected [61, 16]", ""}},
    {"llama/mlx-4bit",
     "hidden_size",
     "2147483584",
     ASSAY_EFORMAT,
     {"found shape [61, 8], expected [61, 268435448]", ""}},
    {"qwen3_moe/mlx-6bit",
     "moe_intermediate_size",
     "64",
     ASSAY_EFORMAT,
     {"switch_mlp.gate_proj.weight': found shape [4, 32, 12], expected [4, 64, 12]", ""}},
    {"qwen3/mlx-5bit",
     "quantization.model.layers.0.self_attn.q_proj",
     NULL,
     ASSAY_EFORMAT,
     {"q_proj.weight': found shape [32, 16], expected [32, 10]", "5 bits in groups of 32"}},
    {"gemma4/multimodal",
     "quantization",
     GROUPS(", \"model.language_model.embed_tokens\": {\"bits\": 4}"),
     ASSAY_EFORMAT,
     {"'model.language_model.embed_tokens.weight': found rows of 26", "group_size 64"}},
    /* a module that leaves one out gets MLX's default, not what holds for all */
    {"qwen3/mlx-5bit",
     "quantization.model.layers.1.mlp.gate_proj",
     "{\"group_size\": 64}",
     ASSAY_EFORMAT,
     {"gate_proj.weight': found shape [96, 10], expected [96, 8]", "4 bits in groups of 64"}},
    {"qwen3/mlx-5bit",
     "quantization.model.layers.0.self_attn.k_proj",
     "{\"bits\": 5}",
     ASSAY_EFORMAT,
     {"k_proj.scales': found shape [16, 2], expected [16, 1]", "5 bits in groups of 64"}},
    {"gemma4/multimodal",
     "text_config.quantization",
     GROUPS(", \"mode\": \"mxfp8\""),
     ASSAY_EUNSUPPORTED,
     {"text_config.quantization.mode: found \"mxfp8\"", ""}},
};

/* The copy in quantization_config must go where `quantization` is changed. */
static const char *changed(const struct refusal *r)
{
    return checkpoint_changed_without(r->fixture, r->member, r->value,
                                      strncmp(r->member, "quantization.", 13) == 0 ? "quantization_config"
                                                                                   : NULL);
}

START_TEST(a_config_that_contradicts_is_refused)
{
    const struct refusal *r = &REFUSED[_i];
    plan *p = NULL;
    assay_error err = {0};
    const char *dir = changed(r);
    ck_assert_msg(plan_open(dir, &p, &err) != ASSAY_OK, "accepted %s = %s", r->member,
                  r->value ? r->value : "(absent)");
    support_expect_error(&err, r->status, dir, r->fragment[0], r->fragment[1], NULL);
    ck_assert_ptr_null(p);
}
END_TEST

/* The header of llama/mlx-4bit's file, one text in it replaced by another of the same length. */
static const struct damage {
    const char *from, *to;
    assay_status status;
    const char *fragment[2];
} DAMAGES[] = {
    {"\"lm_head.scales\"", "\"lm_head.scalez\"", ASSAY_EFORMAT, {"'lm_head.scales' is missing", ""}},
    {"\"lm_head.biases\"", "\"lm_head.biasez\"", ASSAY_EFORMAT, {"'lm_head.biases' is missing", ""}},
    {"\"lm_head.weight\"", "\"lm_head.weighs\"", ASSAY_EFORMAT, {"'lm_head.weight' is missing", ""}},
    {"[122,244],\"dtype\":\"BF16\",\"shape\":[61,1]",
     "[122,244],\"dtype\":\"BF16\",\"shape\":[1,61]",
     ASSAY_EFORMAT,
     {"model.safetensors: tensor 'lm_head.scales': found shape [1, 61], expected [61, 1]", ""}},
    {"[122,244],\"dtype\":\"BF16\",\"shape\":[61,1]",
     "[122,244],\"dtype\":\"BF16\",\"shape\":[  61]",
     ASSAY_EFORMAT,
     {"tensor 'lm_head.scales': found shape [61], expected [61, 1]", ""}},
    {"[122,244],\"dtype\":\"BF16\"",
     "[122,244],\"dtype\":\"U16\" ",
     ASSAY_EUNSUPPORTED,
     {"tensor 'lm_head.scales': found type U16", "expected F32, F16 or BF16"}},
    {"[0,122],\"dtype\":\"BF16\",\"shape\":[61,1]",
     "[0,122],\"dtype\":\"BF16\",\"shape\":[1,61]",
     ASSAY_EFORMAT,
     {"model.safetensors: tensor 'lm_head.biases': found shape [1, 61], expected [61, 1]", ""}},
    {"[0,122],\"dtype\":\"BF16\"",
     "[0,122],\"dtype\":\"I16\" ",
     ASSAY_EUNSUPPORTED,
     {"tensor 'lm_head.biases': found type I16", "expected F32, F16 or BF16"}},
    {"[11566,13518],\"dtype\":\"U32\"",
     "[11566,13518],\"dtype\":\"I32\"",
     ASSAY_EUNSUPPORTED,
     {"tensor 'lm_head.weight': found type I32", "expected U32"}},
    {"[11566,13518],\"dtype\":\"U32\",\"shape\":[61,8]",
     "[11566,13518],\"dtype\":\"U32\",\"shape\":[8,61]",
     ASSAY_EFORMAT,
     {"tensor 'lm_head.weight': found shape [8, 61], expected [61, 8]", "4 bits"}},
    {"\"model.norm.weight\"", "\"model.norm.scales\"", ASSAY_EFORMAT, {"'model.norm.weight' is missing", ""}},
};

static const char *damaged(const char *from, const char *to)
{
    const char *dir = checkpoint_changed("llama/mlx-4bit", NULL, NULL);
    char *path = NULL, *bytes = malloc(1 << 20);
    ck_assert_int_ge(asprintf(&path, "%s/model.safetensors", dir), 0);
    FILE *in = fopen(path, "rb");
    ck_assert(in && bytes);
    const size_t n = fread(bytes, 1, 1 << 20, in);
    (void)fclose(in);
    char *at = memmem(bytes, n, from, strlen(from));
    ck_assert_msg(at && strlen(from) == strlen(to), "no %s", from);
    memcpy(at, to, strlen(to));
    ck_assert_int_eq(unlink(path), 0);
    (void)support_write(dir, "model.safetensors", bytes, n);
    free(bytes);
    free(path);
    return dir;
}

START_TEST(tensors_that_contradict_are_refused)
{
    const struct damage *d = &DAMAGES[_i];
    plan *p = NULL;
    assay_error err = {0};
    const char *dir = damaged(d->from, d->to);
    ck_assert_msg(plan_open(dir, &p, &err) != ASSAY_OK, "accepted %s for %s", d->to, d->from);
    support_expect_error(&err, d->status, dir, d->fragment[0], d->fragment[1], NULL);
    ck_assert_ptr_null(p);
}
END_TEST

START_TEST(scales_and_biases_need_not_be_of_one_type)
{
    plan *p = checkpoint_open(damaged("[0,122],\"dtype\":\"BF16\"", "[0,122],\"dtype\":\"F16\" "));
    const affine head = weight_affine(&p->head);
    ck_assert(head.scale_dtype == ASSAY_BF16 && head.bias_dtype == ASSAY_F16);
    plan_free(p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/plan/quantized_refused");
    TCase *all = tcase_create("refused");
    tcase_add_loop_test(all, a_config_that_contradicts_is_refused, 0,
                        (int)(sizeof REFUSED / sizeof *REFUSED));
    tcase_add_loop_test(all, tensors_that_contradict_are_refused, 0, (int)(sizeof DAMAGES / sizeof *DAMAGES));
    tcase_add_test(all, scales_and_biases_need_not_be_of_one_type);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
