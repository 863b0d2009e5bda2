/* assay bench: its measurements, their units and reports, and what happens to engines that fail.
 * No test depends on actual speed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/bench/bench.h"

#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/tests/support.h"

/* A low memory limit makes the read buffer small, so that measuring the machine is quick. */
#define QUICK "--prompt 6 --context 3 --tokens 4 --memory 256 --repeat 2"
#define ONCE  "--prompt 6 --context 3 --tokens 4 --memory 256 --repeat 1"

static const char *source_dir(void)
{
    const char *named = getenv("top_srcdir");
    return named ? named : ".";
}

/* Adds a valid checkpoint, named after the fault of the test engine that it selects. */
static void add_model(const char *fault)
{
    char command[8192];
    (void)snprintf(command, sizeof command, "ln -s '%s/fixtures/llama/base/model' %s", source_dir(), fault);
    ck_assert_int_eq(support_shell(command)->code, 0);
}

static void setup(void)
{
    support_setup();
    add_model("ok");
}

static const support_output *bench(const char *fault, const char *arguments)
{
    return support_assay("bench -e %s --model %s %s", support_engine("fake32"), fault, arguments);
}

static json_object *parse(const char *text)
{
    json_object *document = json_tokener_parse(text);
    ck_assert_msg(document != NULL, "no JSON: %s", text);
    return document;
}

static json_object *member(json_object *of, const char *name)
{
    json_object *value = NULL;
    ck_assert_msg(json_object_object_get_ex(of, name, &value), "no member %s in %s", name,
                  json_object_to_json_string(of));
    return value;
}

static double real(json_object *of, const char *name)
{
    json_object *value = member(of, name);
    ck_assert_msg(json_object_is_type(value, json_type_double) || json_object_is_type(value, json_type_int),
                  "%s is %s", name, json_object_to_json_string(value));
    return json_object_get_double(value);
}

static void assert_text(json_object *of, const char *name, const char *text)
{
    ck_assert_str_eq(json_object_get_string(member(of, name)), text);
}

static json_object *result(json_object *document, size_t i)
{
    return json_object_array_get_idx(member(document, "results"), i);
}

START_TEST(the_table_fits_100_columns)
{
    const support_output *o =
        bench("ok", "--repeat 1 --prompt 6 --prompt 9 --batch 1 --batch 3 --memory 256");
    assert_code(o, 0);
    ck_assert_str_eq(o->err, "");
    static const char *const parts[] = {
        "processor ",   "\nreading ",        "\nmultiply-add ",    "\nfirst token of 16 ",
        "\nprefill 6 ", "\nprefill 9, 3 x ", "\ndecode after 16 ", "\ndecode after 16, 3 x ",
        " fake32.so "};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) assert_holds(o->out, parts[i]);
    for (const char *line = o->out; *line; line += strcspn(line, "\n") + 1)
        ck_assert_msg(strcspn(line, "\n") <= 100, "too long: %.*s", (int)strcspn(line, "\n"), line);
}
END_TEST

/* The best of two speeds, n tokens per step. */
static double best_of(json_object *one, double n)
{
    double best = 0;
    json_object *seconds = member(one, "seconds"), *steps = member(one, "steps");
    ck_assert_uint_eq(json_object_array_length(seconds), 2);
    for (size_t i = 0; i < 2; i++) {
        double s = json_object_get_double(json_object_array_get_idx(seconds, i));
        best = fmax(best, n * json_object_get_double(json_object_array_get_idx(steps, i)) / s);
    }
    return best;
}

START_TEST(json_holds_every_measurement)
{
    static const struct {
        const char *measure;
        double prompt, batch, tokens;
    } points[] = {{"first token", 16, 1, 1},
                  {"prefill", 6, 1, 6},
                  {"prefill", 6, 2, 12},
                  {"decode", 3, 1, 1},
                  {"decode", 3, 2, 2}};
    const support_output *o = bench("ok", QUICK " --batch 1 --batch 2 --json -");
    assert_code(o, 0);
    json_object *document = parse(o->out);
    assert_text(document, "schema", "assay-bench/1");
    assert_text(member(document, "model"), "path", "ok");
    ck_assert_double_gt(real(member(document, "machine"), "read_all"), 0);
    ck_assert_double_gt(real(member(document, "machine"), "fma_one"), 0);
    ck_assert_uint_eq(json_object_array_length(member(document, "results")), 5);
    for (size_t i = 0; i < 5; i++) {
        json_object *one = result(document, i);
        assert_text(one, "measure", points[i].measure);
        assert_text(one, "outcome", "passed");
        ck_assert_double_eq(real(one, "prompt"), points[i].prompt);
        ck_assert_double_eq(real(one, "batch"), points[i].batch);
        double best = best_of(one, points[i].tokens);
        ck_assert_double_eq_tol(real(one, "best"), best, 1e-9 * best);
        ck_assert_double_le(real(one, "median"), best * (1 + 1e-9));
        ck_assert(real(one, "fraction") > 0 && isfinite(real(one, "fraction")));
        ck_assert_double_eq_tol(real(one, "fraction") * real(one, "limit"), best, 1e-9 * best);
        ck_assert_double_gt(real(one, "peak_bytes"), 0);
    }
    ck_assert_int_eq(json_object_get_int(json_object_array_get_idx(member(result(document, 3), "steps"), 0)),
                     4);
    json_object_put(document);
}
END_TEST

START_TEST(json_in_a_file_keeps_the_table)
{
    const support_output *o = bench("ok", QUICK " --json speeds.json && cat speeds.json >&2");
    assert_code(o, 0);
    assert_holds(o->out, "decode after 3 ");
    json_object_put(parse(o->err));
}
END_TEST

START_TEST(several_engines_are_reported_in_turn)
{
    const support_output *o = support_assay("bench -e %s -e %s --model ok " QUICK " --json -",
                                            support_engine("fake32"), support_engine("fake64"));
    assert_code(o, 0);
    json_object *document = parse(o->out);
    ck_assert_uint_eq(json_object_array_length(member(document, "results")), 6);
    for (size_t i = 0; i < 6; i++)
        assert_holds(json_object_get_string(member(result(document, i), "engine")),
                     i % 2 ? "fake64.so" : "fake32.so");
    json_object_put(document);
}
END_TEST

static const struct {
    const char *fault, *arguments;
    int code;
    const char *line; /* expected output */
} ends[] = {
    {"crash", ONCE, 1,
     "FAIL fake32.so, first token of 16: the engine was terminated by SIGSEGV (Segmentation fault)"},
    {"refused", ONCE, 1,
     "FAIL fake32.so, first token of 16: model_open failed: no such \\u001B[31mtensor at\\u202E all\n"},
    {"mute", ONCE, 1, "FAIL fake32.so, first token of 16: model_open failed: no reason given\n"},
    {"crash-session", ONCE, 1, "the engine was terminated by SIGABRT (Aborted) in session_open\n"},
    {"crash-close", ONCE, 1, "the engine was terminated by SIGSEGV (Segmentation fault) in closing\n"},
    {"unsupported", ONCE, 77, "skip fake32.so, first token of 16: sinks are not implemented\n"},
    {"decode-unsupported", ONCE, 0, "skip fake32.so, decode after 3: no decode\n"},
    {"exit", ONCE, 1, "FAIL fake32.so, decode after 3: the engine ended the process with exit status 3"},
    {"nan", ONCE, 1, "FAIL fake32.so, first token of 16: prefill left logits unwritten, or gave NaN\n"},
    {"unwritten", ONCE, 1, "FAIL fake32.so, first token of 16: prefill left logits unwritten, or gave NaN\n"},
    {"unwritten-decode", "--repeat 1 --prompt 2 --tokens 1 --memory 256", 1,
     "FAIL fake32.so, decode after 16: decode left logits unwritten, or gave NaN\n"},
    {"slow", "--repeat 1 --prompt 2 --timeout 0.1 --memory 256", 1,
     "FAIL fake32.so, first token of 16: the engine did not answer within 0.1 s and was killed in "
     "prefill\n"},
};

START_TEST(failures_are_reported)
{
    add_model(ends[_i].fault);
    const support_output *o = bench(ends[_i].fault, ends[_i].arguments);
    assert_code(o, ends[_i].code);
    assert_holds(o->out, ends[_i].line);
    ck_assert_int_eq(strstr(o->out, "\nreading ") == NULL, strstr(o->out, ", first token of 16: ") != NULL);
}
END_TEST

START_TEST(prompts_that_do_not_fit_are_skipped)
{
    if (!CONF_LIMITS_MEMORY) return;
    const support_output *o = support_assay(
        "bench -e %s --model ok --repeat 1 --prompt 100000000 --memory 256", support_engine("old_table"));
    assert_code(o, 0);
    assert_holds(o->out, "skip old_table.so, prefill 100000000: no memory for the tokens of 1 samples of "
                         "100000000 tokens (see --memory)\n");
}
END_TEST

/* Decode would pass with this fault. */
START_TEST(a_failed_first_token_ends_the_measurement)
{
    add_model("unwritten");
    const support_output *o = bench("unwritten", ONCE " --json -");
    assert_code(o, 1);
    json_object *document = parse(o->out);
    for (size_t i = 0; i < 3; i++) assert_text(result(document, i), "class", "mask");
    ck_assert_ptr_null(member(member(document, "machine"), "read_all"));
    ck_assert_ptr_null(member(member(document, "machine"), "i8_one"));
    json_object_put(document);
}
END_TEST

START_TEST(other_engines_are_measured_after_a_failure)
{
    add_model("crash");
    char command[8192];
    (void)snprintf(command, sizeof command,
                   "ASSAY_ENGINE_PATH=$(dirname %s) \"$ASSAY\" bench -e fake32 -e ref32 --model crash " QUICK
                   " --json -",
                   support_engine("fake32"));
    const support_output *o = support_shell(command);
    assert_code(o, 1);
    json_object *document = parse(o->out);
    for (size_t i = 0; i < 6; i++) {
        json_object *one = result(document, i);
        assert_text(one, "outcome", i % 2 ? "passed" : "failed");
        assert_text(one, "class", i % 2 ? "" : "crash");
        ck_assert_int_eq(member(one, "best") == NULL, i % 2 == 0);
        ck_assert_int_eq(member(one, "fraction") == NULL, i % 2 == 0);
    }
    json_object_put(document);
}
END_TEST

/* Audio ids begin in the middle of this vocabulary, and ref32 refuses them; enough ids are drawn to
 * hit one if the range were wrong. */
START_TEST(token_ids_are_text)
{
    char command[8192];
    (void)snprintf(command, sizeof command,
                   "cp -R '%s/fixtures/gemma3n/towers/model' sounds && chmod -R u+w sounds && "
                   "sed -i 's/\"vocab_offset\": 107/\"vocab_offset\": 50/' sounds/config.json && "
                   "\"$ASSAY\" info sounds | grep -q 'ids from 50 on are not text' && "
                   "\"$ASSAY\" bench -e ref32 --model sounds --repeat 1 --prompt 400 --memory 256",
                   source_dir());
    assert_code(support_shell(command), 0);
}
END_TEST

START_TEST(without_a_plan_there_are_no_limits)
{
    char command[8192];
    (void)snprintf(command, sizeof command,
                   "mkdir alien && cp '%s/fixtures/llama/base/model/model.safetensors' alien && "
                   "printf '{\"model_type\": \"alien\"}' >alien/config.json",
                   source_dir());
    ck_assert_int_eq(support_shell(command)->code, 0);
    const support_output *o = bench("alien", QUICK);
    assert_code(o, 0);
    assert_holds(o->out, "there is no limit to compare with: alien/config.json: model_type: found \"alien\"");
    o = bench("alien", QUICK " --json -");
    assert_code(o, 0);
    json_object *document = parse(o->out), *one = result(document, 1);
    ck_assert_double_gt(real(one, "best"), 0);
    ck_assert_ptr_null(member(one, "limit"));
    ck_assert_ptr_null(member(one, "fraction"));
    ck_assert_ptr_null(member(one, "bound"));
    ck_assert_ptr_null(member(member(document, "model"), "parameters"));
    json_object_put(document);
}
END_TEST

static const struct {
    const char *arguments;
    int code;
    const char *text;
} wrong[] = {
    {"", 2, "assay: bench needs --model DIR or --serving: see assay bench --help\n"},
    {"--model ok more", 2, "assay: bench takes no argument: see assay bench --help\n"},
    {"--model ok --prompt 0", 2, "option --prompt: found 0, expected a whole number from 1 to "},
    {"--model ok --prompt 8x8", 2,
     "option --prompt: found 8x8, expected a number of tokens, or images as WxHxN"},
    {"--model ok --prompt 8x8x1", 99,
     "option --prompt: the model takes no images as pixel_values with a grid\n"},
    {"--model ok --context x", 2, "option --context: found x, expected a whole number from 1 to "},
    {"--model ok --batch 65537", 2, "option --batch: found 65537, expected a whole number from 1 to 65536\n"},
    {"--model ok --tokens -1", 2, "option --tokens: found -1, expected a whole number from 1 to "},
    {"--model ok --repeat 1001", 2, "option --repeat: found 1001, expected a whole number from 1 to 1000\n"},
    {"--model ok --engine missing", 99, "assay: engine missing: there is no missing.so in "},
    {"--model nowhere", 99, "assay: nowhere/config.json: "},
    {"--model ok --json nowhere/file", 99, "assay: nowhere/file: No such file or directory\n"},
};

/* Two images of 16 x 24 pixels: patches of 4 pixels, four of which are a token. */
START_TEST(prompts_with_images_are_measured)
{
    const char *model = "\"$top_srcdir\"/fixtures/qwen3_vl/base/model";
    const support_output *o = support_assay(
        "bench -e ref32 --model %s --repeat 1 --tokens 2 --prompt 16x24x2 --memory 256 --json -", model);
    assert_code(o, 0);
    json_object *document = parse(o->out), *one = result(document, 1);
    assert_text(one, "measure", "prefill");
    ck_assert_double_eq(real(one, "images"), 2);
    ck_assert_double_eq(real(one, "prompt"), 2 * (1 + 6) + 16);
    ck_assert_double_gt(real(one, "best"), 0);
    ck_assert_ptr_null(member(one, "limit"));
    ck_assert_double_gt(real(result(document, 2), "joined"), 0);
    json_object_put(document);
    o = support_assay("bench -e ref32 --model %s --prompt 10x24x2", model);
    assert_code(o, 99);
    assert_holds(o->err, "found images of 10 x 24 pixels, expected multiples of 8");
}
END_TEST

/* Two crops of 12 pixels beside each other, and the whole image: patches of 3 pixels, 16 of a crop. */
START_TEST(an_image_with_crops_is_measured)
{
    const char *model = "\"$top_srcdir\"/fixtures/moondream3/base/model";
    const support_output *o = support_assay(
        "bench -e ref32 --model %s --repeat 1 --tokens 2 --prompt 24x12x1 --memory 256 --json -", model);
    assert_code(o, 0);
    json_object *document = parse(o->out), *one = result(document, 1);
    ck_assert_double_eq(real(one, "images"), 1);
    ck_assert_double_eq(real(one, "prompt"), 1 + 16 + 16);
    ck_assert_double_gt(real(one, "best"), 0);
    json_object_put(document);
    o = support_assay("bench -e ref32 --model %s --prompt 24x12x2", model);
    assert_code(o, 99);
    assert_holds(o->err, "found 2 images, expected 1: the model takes one, before all other tokens");
    o = support_assay("bench -e ref32 --model %s --prompt 24x9x1", model);
    assert_code(o, 99);
    assert_holds(o->err, "found images of 24 x 9 pixels, expected multiples of 12");
}
END_TEST

START_TEST(errors_are_reported_before_measuring)
{
    const support_output *o = support_assay("bench %s", wrong[_i].arguments);
    assert_code(o, wrong[_i].code);
    assert_holds(o->err, wrong[_i].text);
    ck_assert_str_eq(o->out, "");
}
END_TEST

START_TEST(a_module_without_an_engine_is_an_error)
{
    const support_output *o = support_assay("bench -e %s --model ok", support_engine("no_symbol"));
    assert_code(o, 99);
    assert_holds(o->err, "no engine: it does not export assay_engine_v2");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/bench/bench");
    TCase *program = tcase_create("program");
    tcase_add_checked_fixture(program, setup, support_teardown);
    tcase_set_timeout(program, 60);
    tcase_add_test(program, the_table_fits_100_columns);
    tcase_add_test(program, json_holds_every_measurement);
    tcase_add_test(program, json_in_a_file_keeps_the_table);
    tcase_add_test(program, several_engines_are_reported_in_turn);
    tcase_add_loop_test(program, failures_are_reported, 0, (int)(sizeof ends / sizeof *ends));
    tcase_add_test(program, prompts_that_do_not_fit_are_skipped);
    tcase_add_test(program, a_failed_first_token_ends_the_measurement);
    tcase_add_test(program, other_engines_are_measured_after_a_failure);
    tcase_add_test(program, token_ids_are_text);
    tcase_add_test(program, without_a_plan_there_are_no_limits);
    tcase_add_test(program, prompts_with_images_are_measured);
    tcase_add_test(program, an_image_with_crops_is_measured);
    tcase_add_loop_test(program, errors_are_reported_before_measuring, 0,
                        (int)(sizeof wrong / sizeof *wrong));
    tcase_add_test(program, a_module_without_an_engine_is_an_error);
    suite_add_tcase(suite, program);

    return support_run(suite);
}
