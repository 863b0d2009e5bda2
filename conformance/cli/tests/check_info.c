/* assay info: text, and the JSON document.
 *
 * Names families: a row has a member of the document, and a checkpoint whose plan has it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/tests/support.h"

static void setup(void)
{
    support_setup();
    support_write_cases();
}

START_TEST(info_shows_a_case)
{
    edit_attribute_number(support_path("sound/generate.h5"), "/", "float64_bound", 1e-9);
    edit_attribute(support_path("sound/generate.h5"), "float64_reason", "a long sum");
    const support_output *o = support_assay("info sound/generate.h5");
    assert_lacks(o->out, "caches");
    edit_attribute_number(support_path("sound/generate.h5"), "/", "cache_limit", 4);
    edit_attribute_number(support_path("sound/generate.h5"), "/", "cache_kept", 1);
    o = support_assay("info sound/generate.h5");
    assert_code(o, 0);
    assert_holds(o->out, "kind       generate\n");
    assert_holds(o->out, "model      sound/ok\n");
    assert_holds(o->out, "float64    1e-09 of the largest value: a long sum\n");
    assert_holds(o->out, "samples    2 of up to 5 tokens, lengths 3 5\n");
    assert_holds(o->out, "steps      2 forced, 4 greedy\n");
    assert_holds(o->out, "caches     limited to 4 positions, of which the first 1 are kept\n");
    assert_holds(o->out, "logits     12 rows of 19");
    assert_holds(o->out, "  layer.00.out       [3,4], noise 1e-06\n");
    (void)support_write_rope(support_path("rope.h5"), "{\"head_dim\": 4}");
    o = support_assay("info rope.h5");
    assert_holds(o->out, "config     {\"head_dim\": 4}\npositions  3 on 1 axes, 1 heads of 4\n");
    o = support_assay("info sound");
    assert_code(o, 99);
    assert_holds(o->err, "config.json");
}
END_TEST

/* The value at a path of names and indices in a document, such as "subjects/0/case/kind", as JSON text. */
static const char *value_at(json_object *document, const char *path)
{
    char names[256];
    json_object *at = document;
    (void)snprintf(names, sizeof names, "%s", path);
    for (char *rest = names, *name; (name = strsep(&rest, "/"));) {
        json_object *next = NULL;
        if (json_object_is_type(at, json_type_array))
            next = json_object_array_get_idx(at, (size_t)strtoul(name, NULL, 10));
        else if (!json_object_object_get_ex(at, name, &next)) ck_abort_msg("%s: there is no %s", path, name);
        at = next;
    }
    return json_object_to_json_string_ext(at, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
}

typedef struct expectation {
    const char *path, *value;
} expectation;

/* Checks values of a document in text; the last has path NULL. */
static void assert_values(const char *text, const expectation *expected)
{
    json_object *document = json_tokener_parse(text);
    ck_assert_msg(document, "no JSON: %s", text);
    for (; expected->path; expected++) {
        const char *found = value_at(document, expected->path);
        ck_assert_msg(strcmp(found, expected->value) == 0, "%s: found %s, expected %s", expected->path, found,
                      expected->value);
    }
    (void)json_object_put(document);
}

START_TEST(a_case_as_json_has_what_the_text_has)
{
    static const expectation expected[] = {
        {"schema", "\"assay-info/1\""},
        {"subjects/0/path", "\"sound/generate.h5\""},
        {"subjects/0/error", "null"},
        {"subjects/0/case/kind", "\"generate\""},
        {"subjects/0/case/model", "\"sound/ok\""},
        {"subjects/0/case/catches", "\"What it is made to catch.\""},
        {"subjects/0/case/flags", "[]"},
        {"subjects/0/case/float64/reason", "\"a long sum\""},
        {"subjects/0/case/prompts", "{\"lengths\":[3,5],\"width\":5}"},
        {"subjects/0/case/steps", "{\"forced\":2,\"greedy\":4}"},
        {"subjects/0/case/cache", "{\"limit\":4,\"sink_tokens\":1}"},
        {"subjects/0/case/inputs", "[]"},
        {"subjects/0/case/logits/rows", "12"},
        {"subjects/0/case/logits/columns", "19"},
        {"subjects/0/case/logits/listed", "false"},
        {"subjects/0/case/logits/noises/bfloat16", "null"},
        {"subjects/0/case/tensors/0/shape", "[3,4]"},
        {"subjects/0/case/rope", "null"},
        {"subjects/0/case/vectors", "null"},
        {"subjects/1/case/rope",
         "{\"config\":\"{\\\"head_dim\\\": 4}\",\"positions\":3,\"axes\":1,\"heads\":1,\"head_dim\":4}"},
        {"subjects/1/case/prompts", "null"},
        {"subjects/1/case/steps", "null"},
        {0}};
    edit_attribute_number(support_path("sound/generate.h5"), "/", "float64_bound", 1e-9);
    edit_attribute(support_path("sound/generate.h5"), "float64_reason", "a long sum");
    edit_attribute_number(support_path("sound/generate.h5"), "/", "cache_limit", 4);
    edit_attribute_number(support_path("sound/generate.h5"), "/", "cache_kept", 1);
    (void)support_write_rope(support_path("rope.h5"), "{\"head_dim\": 4}");
    const support_output *o = support_assay("info --json - sound/generate.h5 rope.h5");
    assert_code(o, 0);
    ck_assert_str_eq(o->err, "");
    assert_values(o->out, expected);
}
END_TEST

START_TEST(vectors_as_json_are_counted_by_group)
{
    static const expectation expected[] = {{"subjects/0/case/kind", "\"preprocess\""},
                                           {"subjects/0/case/model", "null"},
                                           {"subjects/0/case/logits", "null"},
                                           {"subjects/0/case/vectors/n", "1"},
                                           {0}};
    support_write_sizes(support_path("sizes.json"));
    const support_output *o = support_assay("info --json - sizes.json");
    assert_code(o, 0);
    assert_values(o->out, expected);
}
END_TEST

START_TEST(a_plan_as_json_has_what_the_text_has)
{
    static const expectation expected[] = {
        {"subjects/0/checkpoint/family", "\"gemma4_text\""},
        {"subjects/0/checkpoint/parameters", "257384"},
        {"subjects/0/checkpoint/storages/0",
         "{\"type\":\"BF16\",\"format\":\"MLX affine\",\"bits\":4,\"group\":64,\"bias_type\":"
         "\"BF16\",\"elements\":255808,\"tensors\":20}"},
        {"subjects/0/checkpoint/storages/1",
         "{\"type\":\"BF16\",\"format\":null,\"bits\":null,\"group\":null,\"bias_type\":"
         "null,\"elements\":1192,\"tensors\":25}"},
        {"subjects/0/checkpoint/vocabulary", "61"},
        {"subjects/0/checkpoint/tied", "true"},
        {"subjects/0/checkpoint/hidden", "64"},
        {"subjects/0/checkpoint/embedding_factor", "8.0"},
        {"subjects/0/checkpoint/max_positions", "512"},
        {"subjects/0/checkpoint/positions", "\"index\""},
        {"subjects/0/checkpoint/stops",
         "[{\"id\":60,\"text\":null,\"documents\":[\"config.json\",\"generation_config.json\"]}]"},
        {"subjects/0/checkpoint/ropes/0/type", "\"proportional\""},
        {"subjects/0/checkpoint/ropes/0/pairs_that_turn", "4"},
        {"subjects/0/checkpoint/ropes/1/theta", "10000.0"},
        {"subjects/0/checkpoint/layers/0/attention/window", "6"},
        {"subjects/0/checkpoint/layers/0/attention/rope", "1"},
        {"subjects/0/checkpoint/layers/1/attention/window", "null"},
        {"subjects/0/checkpoint/layers/1/attention/value_is_key", "true"},
        {"subjects/0/checkpoint/layers/0/mlp/activation", "\"gelu_pytorch_tanh\""},
        {"subjects/0/checkpoint/layers/0/experts/n", "3"},
        {"subjects/0/checkpoint/layers/0/experts/active", "2"},
        {"subjects/0/checkpoint/layers/0/experts/choice_bias", "false"},
        {"subjects/0/checkpoint/layers/0/experts/sum_floor", "null"},
        {"subjects/0/checkpoint/layers/0/own_experts", "null"},
        {"subjects/0/checkpoint/layers/0/norms/v/weighted", "false"},
        {"subjects/0/checkpoint/layers/0/delta", "null"},
        {"subjects/0/checkpoint/tower", "null"},
        {"subjects/0/checkpoint/tokenizer_error", "null"},
        {"subjects/1/checkpoint/positions", "\"grid\""},
        {"subjects/1/checkpoint/tied", "false"},
        {"subjects/1/checkpoint/ropes/0/sections", "{\"order\":\"interleaved\",\"sizes\":[3,2,2]}"},
        {"subjects/1/checkpoint/notes",
         "[\"vision_config.rope_parameters.rope_theta: absent, default 10000 taken\"]"},
        {"subjects/1/checkpoint/tower/hidden", "16"},
        {"subjects/1/checkpoint/tower/image_token", "93"},
        {"subjects/1/checkpoint/tower/block", "2"},
        {"subjects/1/checkpoint/tower/patches/size", "4"},
        {"subjects/1/checkpoint/tower/frames_apart", "true"},
        {"subjects/1/checkpoint/tower/spans_time", "false"},
        {"subjects/1/checkpoint/tower/layers/2/attention/heads", "2"},
        {"subjects/1/checkpoint/tower/layers/2/attention/bias", "\"qkv\""},
        {"subjects/1/checkpoint/tower/merger/features", "30"},
        {"subjects/1/checkpoint/tower/merger/steps/1", "{\"concatenate\":\"rows\"}"},
        {"subjects/1/checkpoint/tower/merger/steps/3", "{\"activation\":\"gelu\"}"},
        {"subjects/1/checkpoint/tower/deepstack/1/tower_layer", "2"},
        {"subjects/1/checkpoint/tower/deepstack/1/merger/steps/0", "{\"concatenate\":\"rows\"}"},
        {"subjects/2/checkpoint/ropes/0/original_length", "16.0"},
        {"subjects/2/checkpoint/ropes/0/long_factor/4", "15.6"},
        {"subjects/3/checkpoint/layers/0/attention", "null"},
        {"subjects/4/checkpoint/expert_tokens", "[50,47,48,49,45,46]"},
        {"subjects/4/checkpoint/layers/1/experts/intermediate", "15"},
        {"subjects/4/checkpoint/layers/1/experts/choice_bias", "true"},
        {"subjects/4/checkpoint/layers/1/own_experts/intermediate", "11"},
        {"subjects/4/checkpoint/layers/1/own_experts/sum_floor", "9.9999999999999998e-13"},
        {"subjects/4/checkpoint/layers/1/experts/scoring", "\"softmax\""},
        {"subjects/4/checkpoint/layers/1/experts/groups", "null"},
        {"subjects/4/checkpoint/tower/merger/steps/5", "{\"repeat\":2}"},
        {"subjects/4/checkpoint/plane_rope", "null"},
        {0}};
    const support_output *o =
        support_shell("cd \"$top_srcdir/fixtures\" && \"$ASSAY\" info --json - gemma4/mlx-4bit-experts/model "
                      "qwen3_vl/base/model phi3/longrope/model qwen3_5/base/model "
                      "ernie4_5_vl_moe/base/model");
    assert_code(o, 0);
    ck_assert_str_eq(o->err, "");
    assert_values(o->out, expected);
}
END_TEST

START_TEST(a_plan_as_json_has_groups_of_experts)
{
    static const expectation expected[] = {
        {"subjects/0/checkpoint/layers/0/experts", "null"},
        {"subjects/0/checkpoint/layers/1/experts/groups", "{\"n\":4,\"active\":2}"},
        {"subjects/0/checkpoint/layers/1/experts/scoring", "\"sigmoid\""},
        {"subjects/0/checkpoint/layers/1/experts/sum_offset", "9.9999999999999995e-21"},
        {"subjects/0/checkpoint/layers/1/experts/factor", "2.5"},
        {0}};
    const support_output *o =
        support_shell("cd \"$top_srcdir/fixtures\" && \"$ASSAY\" info --json - glm4v_moe/base/model");
    assert_code(o, 0);
    ck_assert_str_eq(o->err, "");
    assert_values(o->out, expected);
}
END_TEST

START_TEST(a_plan_as_json_has_attention_to_images_and_tiles)
{
    static const expectation expected[] = {
        {"subjects/0/checkpoint/vocabulary", "61"},
        {"subjects/0/checkpoint/token_ids", "69"},
        {"subjects/0/checkpoint/layers/0/attention/images", "false"},
        {"subjects/0/checkpoint/layers/0/residual_gates", "false"},
        {"subjects/0/checkpoint/layers/1/attention/images", "true"},
        {"subjects/0/checkpoint/layers/1/attention/rope", "null"},
        {"subjects/0/checkpoint/layers/1/norms/k/type", "\"rms\""},
        {"subjects/0/checkpoint/layers/1/residual_gates", "true"},
        {"subjects/0/checkpoint/tower/layers/2/residual_gates", "false"},
        {"subjects/0/checkpoint/tower/layers/3/residual_gates", "true"},
        {"subjects/0/checkpoint/tower/merger/features", "24"},
        {"subjects/0/checkpoint/tower/tiles/n", "4"},
        {"subjects/0/checkpoint/tower/tiles/side", "3"},
        {"subjects/0/checkpoint/tower/tiles/padded", "16"},
        {"subjects/0/checkpoint/tower/tiles/ratios/6", "{\"rows\":3,\"columns\":1}"},
        {"subjects/0/checkpoint/tower/tiles/collected", "[{\"layer\":2},{\"layer\":0}]"},
        {"subjects/0/checkpoint/tower/tiles/second", "3"},
        {"subjects/0/checkpoint/tower/tiles/middle/type", "\"layer\""},
        {"subjects/1/checkpoint/tower/tiles", "null"},
        {0}};
    const support_output *o = support_shell(
        "cd \"$top_srcdir/fixtures\" && \"$ASSAY\" info --json - mllama/base/model qwen3_vl/base/model");
    assert_code(o, 0);
    ck_assert_str_eq(o->err, "");
    assert_values(o->out, expected);
}
END_TEST

START_TEST(a_plan_as_json_has_the_rope_in_the_plane_of_images)
{
    static const expectation expected[] = {
        {"subjects/0/checkpoint/positions", "\"block\""},
        {"subjects/0/checkpoint/plane_rope", "{\"first\":6,\"elements\":6}"},
        {"subjects/0/checkpoint/layers/1/attention/sinks", "true"},
        {"subjects/0/checkpoint/layers/1/attention/kv_repeats", "3"},
        {"subjects/0/checkpoint/layers/1/mlp/squared", "true"},
        {0}};
    const support_output *o =
        support_shell("cd \"$top_srcdir/fixtures\" && \"$ASSAY\" info --json - falcon_ocr/base/model");
    assert_code(o, 0);
    ck_assert_str_eq(o->err, "");
    assert_values(o->out, expected);
}
END_TEST

START_TEST(a_plan_as_json_has_the_blocks_of_a_convolutional_tower)
{
    static const expectation expected[] = {
        {"subjects/0/checkpoint/id_table", "{\"first\":46,\"n\":5,\"width\":2048}"},
        {"subjects/0/checkpoint/tower/convolutional/side", "3"},
        {"subjects/0/checkpoint/tower/convolutional/fused", "[7,10]"},
        {"subjects/0/checkpoint/tower/convolutional/blocks/0/units/0/kernel", "3"},
        {"subjects/0/checkpoint/tower/convolutional/blocks/0/units/0/stride", "2"},
        {"subjects/0/checkpoint/tower/convolutional/blocks/0/residual", "false"},
        {"subjects/0/checkpoint/tower/convolutional/blocks/6/attention/heads", "3"},
        {"subjects/0/checkpoint/tower/convolutional/blocks/6/units/0/depthwise", "true"},
        {"subjects/0/checkpoint/tower/convolutional/fusion/attention", "null"},
        {0}};
    const support_output *o = support_shell(
        "cd \"$top_srcdir/fixtures\" && \"$ASSAY\" info --json - gemma3n/images-epsilons/model");
    assert_code(o, 0);
    ck_assert_str_eq(o->err, "");
    assert_values(o->out, expected);
}
END_TEST

START_TEST(a_plan_as_json_has_crops_and_what_stands_in_parallel)
{
    static const expectation expected[] = {{"subjects/0/checkpoint/logit_bias", "true"},
                                           {"subjects/0/checkpoint/layers/1/parallel", "true"},
                                           {"subjects/0/checkpoint/layers/1/attention/head_scales", "true"},
                                           {"subjects/0/checkpoint/layers/1/experts/router_bias", "true"},
                                           {"subjects/0/checkpoint/layers/1/experts/up_offset", "1.0"},
                                           {"subjects/0/checkpoint/tower/crops", "{\"margin\":1}"},
                                           {"subjects/0/checkpoint/tower/leading_tokens", "1"},
                                           {0}};
    const support_output *o =
        support_shell("cd \"$top_srcdir/fixtures\" && \"$ASSAY\" info --json - moondream3/base/model");
    assert_code(o, 0);
    ck_assert_str_eq(o->err, "");
    assert_values(o->out, expected);
}
END_TEST

#define ASKED                                                                                                \
    "{\"schema\": \"assay/1\", \"kind\": \"schedule\", \"case\": \"a.h5\", \"engine\": \"e\", \"compute\": " \
    "\"bf16\", "                                                                                             \
    "\"kernels\": \"./k.so\", \"workers\": 2, \"seed\": 18446744073709551615, \"found\": \"why\", "          \
    "\"steps\": "                                                                                            \
    "[{\"thread\": 0, \"op\": \"open\", \"model\": 0}, {\"thread\": 0, \"op\": \"close\", \"model\": 0}]}"

START_TEST(a_schedule_as_json_has_its_counts)
{
    static const expectation expected[] = {
        {"subjects/0/schedule/case", "\"a.h5\""}, {"subjects/0/schedule/compute", "\"bf16\""},
        {"subjects/0/schedule/workers", "2"},     {"subjects/0/schedule/seed", "18446744073709551615"},
        {"subjects/0/schedule/found", "\"why\""}, {0}};
    const support_output *o =
        support_shell("printf '%s' '" ASKED "' >asked.json && \"$ASSAY\" info --json - asked.json");
    assert_code(o, 0);
    assert_values(o->out, expected);
}
END_TEST

START_TEST(what_cannot_be_read_has_its_error_in_the_document)
{
    static const expectation expected[] = {{"subjects/0/error", "\"bad.h5: not an HDF5 file (7 bytes)\""},
                                           {"subjects/0/path", "\"bad.h5\""},
                                           {"subjects/1/error", "null"},
                                           {"subjects/1/case/kind", "\"generate\""},
                                           {0}};
    support_write_text(support_path("bad.h5"), "no HDF5");
    const support_output *o = support_assay("info --json - bad.h5 sound/generate.h5");
    assert_code(o, 99);
    ck_assert_str_eq(o->err, "assay: bad.h5: not an HDF5 file (7 bytes)\n");
    assert_values(o->out, expected);
}
END_TEST

START_TEST(a_document_in_a_file_is_written_besides_the_text)
{
    static const expectation expected[] = {{"subjects/0/case/kind", "\"generate\""}, {0}};
    const support_output *o = support_assay("info --json info.json sound/generate.h5");
    assert_code(o, 0);
    assert_holds(o->out, "kind       generate\n");
    o = support_shell("cat info.json");
    assert_values(o->out, expected);
    o = support_assay("info --json /dev/full sound/generate.h5");
    assert_code(o, 99);
    assert_holds(o->err, "/dev/full");
    o = support_assay("info --json nowhere/info.json sound/generate.h5");
    assert_code(o, 99);
    assert_holds(o->err, "nowhere/info.json");
    ck_assert_str_eq(o->out, "");
}
END_TEST

/* A name of bytes that are no UTF-8, and of quotes. */
START_TEST(a_document_is_json_whatever_the_names_are)
{
    static const expectation expected[] = {{"subjects/0/case/kind", "\"generate\""}, {0}};
    const support_output *o =
        support_shell("name=$(printf 'sound/a\\377\"\\\\\\033.h5') && cp sound/generate.h5 \"$name\" && "
                      "\"$ASSAY\" info --json - \"$name\"");
    assert_code(o, 0);
    assert_values(o->out, expected);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/cli/info");
    TCase *program = tcase_create("program");
    tcase_add_checked_fixture(program, setup, support_teardown);
    tcase_set_timeout(program, 60);
    tcase_add_test(program, info_shows_a_case);
    tcase_add_test(program, a_case_as_json_has_what_the_text_has);
    tcase_add_test(program, vectors_as_json_are_counted_by_group);
    tcase_add_test(program, a_plan_as_json_has_what_the_text_has);
    tcase_add_test(program, a_plan_as_json_has_groups_of_experts);
    tcase_add_test(program, a_plan_as_json_has_attention_to_images_and_tiles);
    tcase_add_test(program, a_plan_as_json_has_the_rope_in_the_plane_of_images);
    tcase_add_test(program, a_plan_as_json_has_the_blocks_of_a_convolutional_tower);
    tcase_add_test(program, a_plan_as_json_has_crops_and_what_stands_in_parallel);
    tcase_add_test(program, a_schedule_as_json_has_its_counts);
    tcase_add_test(program, what_cannot_be_read_has_its_error_in_the_document);
    tcase_add_test(program, a_document_in_a_file_is_written_besides_the_text);
    tcase_add_test(program, a_document_is_json_whatever_the_names_are);
    suite_add_tcase(suite, program);
    return support_run(suite);
}
