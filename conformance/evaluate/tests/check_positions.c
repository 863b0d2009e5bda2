/* Cases of kind positions: their format, and verdicts on engines.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "conformance/case/case.h"
#include "conformance/kinds/read.h"
#include "conformance/tests/support.h"

enum { B = 2, T = 9 };

/* Sample 0: text after three tokens of padding, whose positions are not compared. Sample 1: an image of 2 by
 * 3 between text. */
static const int32_t TOKENS[B * T] = {0, 0, 0, 1, 2, 3, 4, 5, 6, 1, 2, 9, 9, 9, 9, 9, 9, 3},
                                LENGTH[B] = {6, 9}, GRID[3] = {1, 2, 3}, IMAGE_SAMPLE[1] = {1},
                                DELTA[B] = {0, -3},
                                POSITION[3 * B * T] = {7, 7, 7, 0, 1, 2, 3, 4, 5, 0, 1, 2, 2, 2, 2, 2, 2, 5,
                                                       7, 7, 7, 0, 1, 2, 3, 4, 5, 0, 1, 2, 2, 2, 3, 3, 3, 5,
                                                       7, 7, 7, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 2, 3, 4, 5};

static const char *write_case(void)
{
    static const char *const unused[] = {"/expect", "/trace", "/input/decode"};
    const char *path = support_write_decoder(support_path("case.h5"), "positions", "model");
    for (size_t i = 0; i < 3; i++) edit_remove(path, unused[i]);
    edit_i32(path, "/input/tokens", 2, (size_t[]){B, T}, TOKENS);
    edit_i32(path, "/input/length", 1, (size_t[]){B}, LENGTH);
    edit_i32(path, "/input/image_grid_thw", 2, (size_t[]){1, 3}, GRID);
    edit_i32(path, "/input/image_sample", 1, (size_t[]){1}, IMAGE_SAMPLE);
    edit_i32(path, "/expect/position", 3, (size_t[]){3, B, T}, POSITION);
    edit_i32(path, "/expect/delta", 1, (size_t[]){B}, DELTA);
    return path;
}

static const struct {
    const char *fault;
    int code;
    const char *holds[3];
} VERDICTS[] = {
    {"none", 0, {"", "", ""}},
    {"off",
     1,
     {"2 of 47 positions and deltas are wrong", "first:  sample 0, axis 2, token 5: expected 5, found 6",
      ""}},
    {"delta", 1, {"2 of 47 positions", "sample 0, delta: expected 0, found 2", ""}},
    {"unwritten",
     1,
     {"15 of 47", "sample 0, axis 2, token 0: expected 0, found nothing: it was not written", ""}},
    {"padding", 1, {"47 of 47", "sample 0, axis 0, token 0: expected 0, found 1", ""}},
    {"refuses", 77, {"images are not supported", "", ""}},
    {"fails", 1, {"positions failed: no positions today", "", ""}},
};

START_TEST(each_engine_has_its_verdict)
{
    (void)write_case();
    const support_output *o = support_run_module("placing", VERDICTS[_i].fault, "case.h5");
    assert_code(o, VERDICTS[_i].code);
    for (size_t i = 0; i < 3; i++) assert_holds(o->out, VERDICTS[_i].holds[i]);
}
END_TEST

/* The last token of each sample is wrong on axis 2; the page has the difference of each token. */
START_TEST(a_failure_has_the_differences_by_token_and_axis)
{
    (void)write_case();
    assert_code(support_run_module("placing", "off", "--json p.json --html p.html case.h5"), 1);
    const support_output *o = support_shell(
        "grep -A200 '\"profile\"' p.json | tr -d ' \\n' | grep -oE '\"(of|name)\":\"[a-z 0-9]*\",|"
        "\"pos\":[0-9]*,\"decode\":false,\"multiple\":[1-9][0-9.]*'; "
        "grep -c '<title>Difference by token, the largest over the axes, sample 0' p.html; "
        "grep -c '<title>Difference by axis' p.html; grep -o '! [0-9]</text>' p.html | wc -l; grep "
        "-c '<title>.*by their error' p.html");
    ck_assert_str_eq(o->out,
                     "\"of\":\"positions\",\n\"name\":\"axis0\",\n\"name\":\"axis1\",\n\"name\":\"axis2\",\n"
                     "\"name\":\"delta\",\n\"pos\":5,\"decode\":false,\"multiple\":1.0\n"
                     "\"pos\":8,\"decode\":false,\"multiple\":1.0\n1\n1\n4\n0\n");
}
END_TEST

START_TEST(what_is_not_written_is_infinite)
{
    (void)write_case();
    assert_code(support_run_module("placing", "unwritten", "--json p.json --profiles case.h5"), 1);
    const support_output *o = support_shell("grep -c '\"multiple\":null' p.json");
    ck_assert_str_eq(o->out, "17\n"); /* 15 tokens, an axis, and the result, which has no multiple */
}
END_TEST

START_TEST(an_engine_without_positions_is_skipped_by_name)
{
    (void)write_case();
    const support_output *o = support_run_module("fake32", "none", "case.h5");
    assert_code(o, 77);
    assert_holds(o->out, "the engine gives no positions");
}
END_TEST

START_TEST(kernels_and_narrow_types_do_not_apply)
{
    (void)write_case();
    const support_output *o = support_run_module("placing", "none", "--compute bf16 case.h5");
    assert_code(o, 77);
    assert_holds(o->out, "a case of kind positions has no products to compute in bfloat16");
}
END_TEST

START_TEST(info_prints_samples_inputs_and_deltas)
{
    (void)write_case();
    const support_output *o = support_assay("info case.h5");
    assert_code(o, 0);
    assert_holds(o->out, "kind       positions\n");
    assert_holds(o->out, "samples    2 of up to 9 tokens, lengths 6 9\ninput      image_grid_thw [1,3]\n"
                         "positions  on 3 axes, deltas 0 -3\n");
}
END_TEST

static void expect_malformed(const char *path, const char *reason)
{
    conf_case *c = NULL;
    assay_error err = {0};
    ck_assert_int_eq(conf_case_read(path, &c, &err), ASSAY_EFORMAT);
    assert_holds(err.text, reason);
}

static const char *const MEMBERS[] = {"/expect/position", "/expect/delta", "/input/tokens", "/input/length"};

START_TEST(every_member_is_required_and_checked)
{
    const char *path = write_case();
    edit_texts(path, MEMBERS[_i], 1, (const char *const[]){"3"});
    expect_malformed(path, MEMBERS[_i]);
    edit_i32(write_case(), MEMBERS[_i], 1, (size_t[]){1}, DELTA);
    expect_malformed(path, MEMBERS[_i]);
    edit_remove(write_case(), MEMBERS[_i]);
    expect_malformed(path, MEMBERS[_i]);
}
END_TEST

START_TEST(negative_positions_are_malformed_except_in_padding)
{
    const char *path = write_case();
    conf_case *c = NULL;
    edit_element(path, "/expect/position", 2, -1);
    ck_assert_int_eq(conf_case_read(path, &c, NULL), ASSAY_OK);
    conf_case_free(c);
    edit_element(path, "/expect/position", 3, -1);
    expect_malformed(path, "/expect/position: axis 0, sample 0, token 0: found -1, expected at least 0");
}
END_TEST

START_TEST(the_images_of_a_case_must_be_divisible)
{
    edit_i32(write_case(), "/input/image_sample", 1, (size_t[]){1}, (const int32_t[]){2});
    const support_output *o = support_run_module("placing", "none", "case.h5");
    assert_code(o, 99);
    assert_holds(o->out, "/input/image_sample: image 0 has sample 2, expected 0 to 1");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/evaluate/positions");
    TCase *t = tcase_create("all");
    tcase_add_checked_fixture(t, support_setup, support_teardown);
    tcase_add_loop_test(t, each_engine_has_its_verdict, 0, (int)(sizeof VERDICTS / sizeof *VERDICTS));
    tcase_add_test(t, a_failure_has_the_differences_by_token_and_axis);
    tcase_add_test(t, what_is_not_written_is_infinite);
    tcase_add_test(t, an_engine_without_positions_is_skipped_by_name);
    tcase_add_test(t, kernels_and_narrow_types_do_not_apply);
    tcase_add_test(t, info_prints_samples_inputs_and_deltas);
    tcase_add_loop_test(t, every_member_is_required_and_checked, 0, (int)(sizeof MEMBERS / sizeof *MEMBERS));
    tcase_add_test(t, negative_positions_are_malformed_except_in_padding);
    tcase_add_test(t, the_images_of_a_case_must_be_divisible);
    suite_add_tcase(suite, t);
    return support_run(suite);
}
