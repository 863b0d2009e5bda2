/* Cases of kind preprocess through assay run: a module that agrees, a module that breaks each rule in turn,
 * and malformed files.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "conformance/tests/support.h"

#define CASE(vectors)                                                                                        \
    "{\"schema\":\"assay/1\",\"kind\":\"preprocess\",\"groups\":[{\"name\":\"g\",\"vectors\":[" vectors "]}" \
    "]}"
#define INPUT(height, width)                                                                                 \
    "\"input\":{\"preprocessor_config\":\"{}\",\"height\":" #height ",\"width\":" #width "}"
#define VIDEO(frames)                                                                                        \
    "\"input\":{\"video_preprocessor_config\":\"{}\",\"height\":4,\"width\":8,\"frames\":" #frames "}"
#define AUDIO(samples, longest)                                                                              \
    "\"input\":{\"preprocessor_config\":\"{}\",\"samples\":" #samples ",\"longest\":" #longest "}"
#define SIZE(height, width, grid, tokens)                                                                    \
    "\"expect\":{\"height\":" #height ",\"width\":" #width ",\"grid\":" grid ",\"tokens\":" #tokens "}"

static const char audio[] = CASE("{\"id\":1," INPUT(4, 8) "," SIZE(
    4, 8, "[1,2,4]",
    2) "},"
       "{\"id\":2," VIDEO(6) "," SIZE(
           4, 8, "[3,2,4]",
           6) "},"
              "{\"id\":3,\"verdict\":\"reject\"," INPUT(
                  3, 8) ",\"expect\":{\"error\":\"odd\"}},"
                        "{\"id\":4," AUDIO(5, 5) ",\"expect\":{\"frames\":4,\"tokens\":4}},"
                                                 "{\"id\":5," AUDIO(
                                                     5, 6) ",\"expect\":{\"frames\":5,\"tokens\":5}},"
                                                           "{\"id\":6,\"verdict\":\"reject\"," AUDIO(
                                                               1, 9) ",\"expect\":{\"error\":\"one\"}}");

static void setup(void)
{
    support_setup();
    support_mkdir(support_path("cases"));
    support_write_text(support_path("cases/case.json"), audio);
}

static const support_output *run(const char *fault)
{
    return support_run_module("serving", fault, "cases");
}

START_TEST(a_correct_module_agrees)
{
    const support_output *o = run("none");
    assert_code(o, 0);
    assert_holds(o->out, "1 passed, 0 failed, 0 skipped\n");
}
END_TEST

static const struct {
    const char *fault, *reason;
} faults[] = {
    {"image-height", "the resized height: expected 4, found 5\n"},
    {"image-width", "the resized width: expected 8, found 9\n"},
    {"image-frames", "grid[0], temporal patches: expected 1, found 2\n"},
    {"image-rows", "grid[1], rows of patches: expected 2, found 3\n"},
    {"image-columns", "grid[2], columns of patches: expected 4, found 5\n"},
    {"image-tokens", "the number of tokens: expected 2, found 3\n"},
    {"image-accepts", "image_size: expected a refusal, found 3 x 8\n"},
    {"image-memory", "image_size: no memory\n"},
    {"sound-frames", "the number of frames: expected 4, found 5\n"},
    {"sound-tokens", "the number of tokens: expected 4, found 5\n"},
    {"sound-accepts", "sound_size: expected a refusal, found 1 frames\n"},
    {"sound-memory", "sound_size: no memory\n"},
};

START_TEST(a_broken_rule_is_reported_with_its_vector)
{
    const support_output *o = run(faults[_i].fault);
    assert_code(o, 1);
    assert_holds(o->out, faults[_i].reason);
    assert_holds(o->out, "--vector g/");
}
END_TEST

START_TEST(a_different_size_has_its_own_class)
{
    const support_output *o = support_run_module("serving", "image-rows", "--json - cases");
    assert_holds(o->out, "\"class\":\"image\"");
    o = support_run_module("serving", "image-rows", "--fail-class image cases");
    assert_code(o, 1);
}
END_TEST

START_TEST(a_module_without_the_function_is_skipped_by_name)
{
    const support_output *o = run("lacks");
    assert_code(o, 77);
    assert_holds(o->out, "its serving table lacks image_size");
    o = run("old");
    assert_code(o, 77);
    assert_holds(o->out, "its serving table lacks image_size");
    o = run("lacks-sound");
    assert_holds(o->out, "its serving table lacks sound_size");
}
END_TEST

static const struct {
    const char *text, *reason;
} unsound[] = {
    {CASE("{\"id\":1,\"input\":{},\"expect\":{}}"),
     "input.preprocessor_config: is missing, expected a string"},
    {CASE("{\"id\":1,\"input\":{\"frames\":2},\"expect\":{}}"),
     "input.video_preprocessor_config: is missing, expected a string"},
    {CASE("{\"id\":1," VIDEO(0) ",\"expect\":{}}"), "input.frames: found 0, expected a whole number"},
    {CASE("{\"id\":1," INPUT(0, 1) ",\"expect\":{}}"), "input.height: found 0, expected a whole number"},
    {CASE("{\"id\":1," INPUT(1, 1.5) ",\"expect\":{}}"),
     "input.width: found a number, expected a whole number"},
    {CASE("{\"id\":1," INPUT(1, 1) ",\"expect\":{}}"), "expect.height: is missing"},
    {CASE("{\"id\":1," INPUT(1, 1) "," SIZE(1, 1, "[1,1]", 1) "}"),
     "expect.grid: found 2 elements, expected 3"},
    {CASE("{\"id\":1," INPUT(1, 1) "," SIZE(1, 1, "[1,1,0]", 1) "}"), "expect.grid[2]: found 0"},
    {CASE("{\"id\":1," INPUT(1, 1) "," SIZE(1, 1, "[1,1,1]", -1) "}"), "expect.tokens: found -1"},
    {CASE("{\"id\":1," INPUT(1, 1) ",\"expect\":{\"error\":\"\"}}"), "its verdict is not reject"},
    {CASE("{\"id\":1,\"verdict\":\"reject\"," INPUT(1, 1) "," SIZE(1, 1, "[1,1,1]", 1) "}"),
     "expects a size, and its verdict is reject"},
};

START_TEST(a_file_that_breaks_the_format_is_an_error)
{
    assert_malformed("serving", "cases/case.json", unsound[_i].text, unsound[_i].reason);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("conformance/textual/preprocess");
    TCase *t = tcase_create("preprocess");
    tcase_set_timeout(t, 120);
    tcase_add_checked_fixture(t, setup, support_teardown);
    tcase_add_test(t, a_correct_module_agrees);
    tcase_add_loop_test(t, a_broken_rule_is_reported_with_its_vector, 0, sizeof faults / sizeof *faults);
    tcase_add_test(t, a_different_size_has_its_own_class);
    tcase_add_test(t, a_module_without_the_function_is_skipped_by_name);
    tcase_add_loop_test(t, a_file_that_breaks_the_format_is_an_error, 0, sizeof unsound / sizeof *unsound);
    suite_add_tcase(s, t);
    return support_run(s);
}
