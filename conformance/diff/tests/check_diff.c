/* Observations against goldens: every verdict and every refusal.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conformance/case/case.h"
#include "conformance/kinds/read.h"
#include "conformance/tests/compare.h"
#include "conformance/tests/engines/formula.h"
#include "conformance/tests/support.h"

START_TEST(the_float32_run_agrees_by_its_own_noise)
{
    compare_answer x = compare(compare_golden, compare_seen);
    ck_assert_msg(x.status == ASSAY_OK && x.v.outcome == CONF_PASSED, "%s%s", x.err.text, x.v.reason);
    ck_assert(x.v.measured && !x.v.float64);
    ck_assert_double_eq_tol(x.v.multiple, 1, 1e-3);
    assert_holds(x.v.reason,
                 "12 rows of 19 logits in float32 agree: 1 times the noise, of which 4 are allowed");
    assert_holds(x.v.notes, "best token the same in 12 of 12 rows");
    ck_assert_str_eq(x.v.trace, "2 of 2 recorded tensors compared");
}
END_TEST

START_TEST(the_truth_agrees_as_float64)
{
    (void)support_observe(compare_golden, "truth", compare_seen);
    compare_answer x = compare(compare_golden, compare_seen);
    ck_assert_msg(x.status == ASSAY_OK && x.v.outcome == CONF_PASSED, "%s%s", x.err.text, x.v.reason);
    ck_assert(x.v.float64);
    ck_assert_double_eq(x.v.multiple, 0);
}
END_TEST

START_TEST(float64_is_judged_by_its_own_bound)
{
    conf_case *c;
    assay_error err = {0};
    ck_assert_int_eq(conf_case_read(compare_golden, &c, &err), ASSAY_OK);
    const conf_rows *rows = &c->decoder.rows;
    size_t row = rows->n_rows - (size_t)CASE_B * CASE_N + 1; /* sample 0, step 1 */
    double truth = rows->truth[row * rows->n_cols];
    conf_case_free(c);
    (void)support_observe(compare_golden, "truth", compare_seen);
    edit_element(compare_seen, "/observed/decode", FORMULA_VOCAB, truth + 1e-12);
    assert_agrees(compare_golden, compare_seen);
    edit_element(compare_seen, "/observed/decode", FORMULA_VOCAB, truth + 1e-9);
    assert_diverges("1e-11 of the largest logit), ", "sample 0, decode, step 1, id 0: expected ", "");
}
END_TEST

START_TEST(padding_is_not_judged)
{
    for (size_t i = 0; i < (size_t)2 * FORMULA_VOCAB; i++)
        edit_element(compare_seen, "/observed/prefill", i, 1e30);
    assert_agrees(compare_golden, compare_seen);
}
END_TEST

/* Places in prefill: sample 0 has two rows of padding, sample 1 none. */
enum { FIRST = 2 * FORMULA_VOCAB, LAST = CASE_B * CASE_T * FORMULA_VOCAB - 1 };

static const struct {
    const char *name;
    size_t index;
    double value;
    const char *reason, *where, *trace;
} values[] = {
    {"/observed/prefill", FIRST, 100, "largest error of the logits is",
     "sample 0, prefill, position 0, id 0: ", ""},
    {"/observed/prefill", LAST, 100, "largest error",
     "sample 1, prefill, position 4, id 18: ", "none of the 2"},
    {"/observed/decode", 0, 100, "largest error", "sample 0, decode, step 0, id 0: ", ""},
    {"/observed/decode", CASE_B *CASE_N *FORMULA_VOCAB - 1, 100, "largest error",
     "sample 1, decode, step 1, id 18: ", ""},
    {"/observed/prefill", FIRST + 1, NAN, "NaN or infinity where the truth is finite",
     "position 0, id 1: ", ""},
    {"/observed/prefill", FIRST + 1, INFINITY, "NaN or infinity", "found inf", ""},
    {"/observed/decode", 3, -INFINITY, "NaN or infinity", "found -inf", ""},
    {"/observed/trace/layer.00.out", 6, 1, "a tensor on the way does not", "",
     "layer.00.out[1,2]: expected "},
    {"/observed/trace/embed", 0, NAN, "a tensor on the way does not", "", "embed[0,0]: expected "},
    {"/observed/tokens", 1, 4, "a greedy token differs, and not at a near tie",
     "sample 0, greedy step 1: expected token ", ""},
    {"/observed/tokens", 2, 4, "where one of the two ends the stream",
     "sample 0, greedy step 2: expected token 5, found token 4", ""},
    {"/observed/tokens", 3, 4, "the stream goes on where the expected one ends",
     "sample 0, greedy step 3: expected the end of the stream, found token 4", ""},
    {"/observed/tokens", 4, 5, "where one of the two ends the stream", "sample 1, greedy step 0", ""},
    {"/observed/tokens", 5, -1, "the stream ends where the expected one goes on", "found no token", ""},
    {"/observed/tokens", 5, 1000, "a greedy token differs", "found token 1000", ""},
};

START_TEST(a_changed_value_diverges_at_its_place)
{
    edit_element(compare_seen, values[_i].name, values[_i].index, values[_i].value);
    assert_diverges(values[_i].reason, values[_i].where, values[_i].trace);
}
END_TEST

START_TEST(the_first_place_is_named_and_the_worst_is_measured)
{
    edit_element(compare_seen, "/observed/prefill", FIRST + FORMULA_VOCAB, 50);
    edit_element(compare_seen, "/observed/prefill", LAST, 1e6);
    edit_element(compare_seen, "/observed/decode", 0, 1e9);
    assert_diverges("", "sample 0, prefill, position 1, id 0: ", "");
    compare_answer x = compare(compare_golden, compare_seen);
    ck_assert_double_gt(x.v.multiple, 1e9 / FORMULA_NOISE / 2);
}
END_TEST

static const char *const members[] = {"/observed/prefill", "/observed/decode", "/observed/tokens"};

START_TEST(an_observation_that_lacks_a_member_is_refused)
{
    char reason[128];
    edit_remove(compare_seen, members[_i]);
    (void)snprintf(reason, sizeof reason, "seen.h5: %s is missing, expected by ", members[_i]);
    assert_refused(reason);
    ck_assert_int_eq(support_assay("diff case.h5 seen.h5")->code, 99);
    for (size_t i = 0; i < 3; i++)
        if (i != (size_t)_i) edit_remove(compare_seen, members[i]);
    assert_refused("seen.h5: /observed/prefill and /observed/decode and /observed/tokens are missing");
}
END_TEST

START_TEST(another_shape_diverges)
{
    static const char *const reasons[] = {"/observed/prefill has shape [38], expected [2,5,19]",
                                          "/observed/decode has shape [38], expected [2,2,19]"};
    const float zeros[38] = {0};
    edit_f32(compare_seen, members[_i], 1, (size_t[]){38}, zeros);
    assert_diverges(reasons[_i], "", "");
}
END_TEST

START_TEST(another_type_diverges)
{
    static double decode[CASE_B * CASE_N * FORMULA_VOCAB];
    edit_f64(compare_seen, "/observed/decode", 3, (size_t[]){CASE_B, CASE_N, FORMULA_VOCAB}, decode);
    assert_diverges("/observed/decode has type F64, expected F32", "", "");
    edit_i32(compare_seen, "/observed/prefill", 1, (size_t[]){1}, (const int32_t[]){1});
    assert_diverges("/observed/prefill has type I32, expected F64, F32, F16 or BF16", "", "");
    (void)support_observe(compare_golden, "float32", compare_seen);
    edit_f32(compare_seen, "/observed/tokens", 2, (size_t[]){CASE_B, CASE_M},
             (const float[CASE_B * CASE_M]){0});
    assert_diverges("/observed/tokens has type F32, expected I64, I32, I16, I8, U64, U32, U16 or U8", "", "");
}
END_TEST

START_TEST(a_tensor_of_another_shape_diverges)
{
    edit_f64(compare_seen, "/observed/trace/embed", 1, (size_t[]){2}, (const double[]){1, 2});
    assert_diverges("a tensor on the way does not", "",
                    "embed: its type or its shape is not the recorded one");
    assert_diverges("", "", "has shape [2], expected [3,4]");
}
END_TEST

START_TEST(files_that_are_no_observation_are_refused)
{
    compare_seen = compare_golden;
    assert_refused("case.h5: found a case, expected an observation");
    compare_seen = support_path("text.h5");
    support_write_text(compare_seen, "no HDF5");
    assert_refused("text.h5: not an HDF5 file");
    compare_seen = support_path("none.h5");
    assert_refused("none.h5: No such file");
    hid_t id = H5Fcreate(compare_seen, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    ck_assert_int_ge(H5Fclose(id), 0);
    assert_refused("none.h5: no observation: /observed is missing");
}
END_TEST

START_TEST(a_golden_that_has_no_observations_is_refused)
{
    compare_golden = support_write_rope(support_path("rope.h5"), "{}");
    assert_refused("rope.h5: found a case of kind rope, expected logits, generate or another observation");
}
END_TEST

START_TEST(a_broken_golden_is_refused)
{
    edit_element(compare_golden, "/expect/truth/prefill", 0, 1);
    assert_refused("/expect/truth/prefill: sample 0, column 0 of its padding is 1, expected NaN");
    edit_element(compare_golden, "/expect/truth/prefill", 0, NAN);
    edit_element(compare_golden, "/expect/float32/decode", 20, INFINITY);
    assert_refused("/expect/float32/decode: sample 0, position 1, id 1 is inf where the truth is");
    edit_element(compare_golden, "/expect/truth/prefill", FIRST, NAN);
    assert_refused("/expect/truth/prefill: sample 0, position 0, id 0 is nan where the truth is nan");
    edit_remove(compare_golden, "/expect/float32/decode");
    assert_refused("/expect/float32/decode is missing");
}
END_TEST

START_TEST(a_truncated_observation_is_refused)
{
    FILE *f = fopen(compare_seen, "rb");
    ck_assert_int_eq(fseek(f, 0, SEEK_END), 0);
    long size = ftell(f);
    (void)fclose(f);
    for (long cut = size - 1; cut > 0; cut -= 499) {
        ck_assert_int_eq(truncate(compare_seen, cut), 0);
        assert_refused("seen.h5");
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("conformance/diff/diff");
    TCase *tc = tcase_create("verdicts");
    tcase_add_checked_fixture(tc, compare_setup, support_teardown);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, the_float32_run_agrees_by_its_own_noise);
    tcase_add_test(tc, the_truth_agrees_as_float64);
    tcase_add_test(tc, float64_is_judged_by_its_own_bound);
    tcase_add_test(tc, padding_is_not_judged);
    tcase_add_loop_test(tc, a_changed_value_diverges_at_its_place, 0, (int)(sizeof values / sizeof *values));
    tcase_add_test(tc, the_first_place_is_named_and_the_worst_is_measured);
    tcase_add_loop_test(tc, an_observation_that_lacks_a_member_is_refused, 0, 3);
    tcase_add_loop_test(tc, another_shape_diverges, 0, 2);
    tcase_add_test(tc, another_type_diverges);
    tcase_add_test(tc, a_tensor_of_another_shape_diverges);
    tcase_add_test(tc, files_that_are_no_observation_are_refused);
    tcase_add_test(tc, a_golden_that_has_no_observations_is_refused);
    tcase_add_test(tc, a_broken_golden_is_refused);
    tcase_add_test(tc, a_truncated_observation_is_refused);
    suite_add_tcase(s, tc);
    return support_run(s);
}
