/* Observations against goldens: every verdict and every refusal.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conformance/case.h"
#include "conformance/tests/compare.h"
#include "conformance/tests/engines/formula.h"

static void assert_refused(const char *reason)
{
    compare_answer x = compare(compare_golden, compare_seen);
    ck_assert_int_ne(x.status, ASSAY_OK);
    assert_holds(x.err.text, reason);
    conf_strings_free(&x.unknown);
}

START_TEST(the_float32_run_agrees_by_its_own_noise)
{
    compare_answer x = compare(compare_golden, compare_seen);
    ck_assert_msg(x.status == ASSAY_OK && x.v.outcome == CONF_PASSED, "%s%s", x.err.text, x.v.reason);
    ck_assert(x.v.measured && !x.v.float64);
    ck_assert_double_eq_tol(x.v.multiple, 1, 1e-3);
    assert_holds(x.v.reason,
                 "12 rows of 19 logits in float32 agree: 1 times the noise, of which 4 are allowed");
    assert_holds(x.v.notes, "best token the same in 12 of 12 rows");
    assert_holds(x.v.notes, "2 of 2 recorded tensors compared");
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

START_TEST(float64_is_held_to_its_own_bound)
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
    assert_diverges("1e-11 of the largest logit)", "sample 0, decode, step 1, id 0: expected ", "");
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
    {"/observed/prefill", FIRST + 1, NAN, "NaN or infinity where the truth has none",
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
    {"/observed/tokens", 3, 4, "the stream goes on where the expected one ends", "sample 0, greedy step 3",
     ""},
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

START_TEST(a_missing_member_diverges)
{
    char reason[128];
    edit_remove(compare_seen, members[_i]);
    (void)snprintf(reason, sizeof reason, "%s is missing", members[_i]);
    assert_diverges(reason, "", "");
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

START_TEST(tokens_of_another_shape_diverge)
{
    edit_i32(compare_seen, "/observed/tokens", 2, (size_t[]){1, 3}, (const int32_t[]){1, 2, 3});
    assert_diverges("/observed/tokens has shape [1,3], expected [2,4]", "", "");
}
END_TEST

static void make_half(hid_t file)
{
    hid_t type = H5Tcopy(H5T_IEEE_F32LE);
    (void)H5Tset_fields(type, 15, 10, 5, 0, 10);
    (void)H5Tset_size(type, 2);
    (void)H5Tset_ebias(type, 15);
    hid_t space = H5Screate_simple(3, (const hsize_t[]){CASE_B, CASE_T, FORMULA_VOCAB}, NULL);
    ck_assert_int_ge(H5Ldelete(file, "/observed/prefill", H5P_DEFAULT), 0);
    hid_t dataset = H5Dcreate2(file, "/observed/prefill", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    ck_assert_int_ge(dataset, 0);
    (void)H5Dclose(dataset);
    (void)H5Sclose(space);
    (void)H5Tclose(type);
}

START_TEST(another_type_diverges)
{
    static double decode[CASE_B * CASE_N * FORMULA_VOCAB];
    edit_f64(compare_seen, "/observed/decode", 3, (size_t[]){CASE_B, CASE_N, FORMULA_VOCAB}, decode);
    assert_diverges("/observed/decode has type F64, expected F32", "", "");
    edit_file(compare_seen, make_half);
    assert_diverges("/observed/prefill has type float of 16 bits, expected F32 or F64", "", "");
    edit_i32(compare_seen, "/observed/prefill", 1, (size_t[]){1}, (const int32_t[]){1});
    assert_diverges("/observed/prefill has type I32, expected F32 or F64", "", "");
    (void)support_observe(compare_golden, "float32", compare_seen);
    edit_f32(compare_seen, "/observed/tokens", 2, (size_t[]){CASE_B, CASE_M},
             (const float[CASE_B * CASE_M]){0});
    assert_diverges("/observed/tokens has type F32, expected I32", "", "");
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

START_TEST(a_tensor_that_is_not_there_is_not_compared)
{
    edit_remove(compare_seen, "/observed/trace/embed");
    compare_answer x = compare(compare_golden, compare_seen);
    ck_assert_int_eq(x.v.outcome, CONF_PASSED);
    assert_holds(x.v.notes, "1 of 2 recorded tensors compared");
}
END_TEST

START_TEST(unknown_members_are_noted)
{
    edit_i32(compare_seen, "/observed/colour", 1, (size_t[]){1}, (const int32_t[]){1});
    compare_answer x = compare(compare_golden, compare_seen);
    ck_assert_int_eq(x.v.outcome, CONF_PASSED);
    ck_assert_uint_eq(x.unknown.n, 1);
    assert_holds(x.unknown.at[0], "seen.h5: /observed/colour");
    conf_strings_free(&x.unknown);
}
END_TEST

/* Makes another token as good as the golden one at greedy step k of sample 1, but for a hair: the truth
 * prefers the golden one, the observation the other, and takes it. */
static void make_tie(size_t k)
{
    static const char *const groups[] = {"/expect/truth", "/expect/float32", "/observed"};
    conf_case *c;
    assay_error err = {0};
    ck_assert_int_eq(conf_case_read(compare_golden, &c, &err), ASSAY_OK);
    size_t best = (size_t)((const int32_t *)c->decoder.greedy.data)[CASE_M + k], other = best == 1 ? 2 : 1;
    size_t row = k ? CASE_N + k - 1 : (size_t)CASE_B * CASE_T - 1;
    conf_case_free(c);
    for (size_t i = 0; i < 3; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "%s/%s", groups[i], k ? "decode" : "prefill");
        const char *path = i < 2 ? compare_golden : compare_seen;
        edit_element(path, name, row * FORMULA_VOCAB + best, i < 2 ? 9 : 9 - FORMULA_NOISE);
        edit_element(path, name, row * FORMULA_VOCAB + other, i < 2 ? 9 - FORMULA_NOISE : 9);
    }
    edit_element(compare_seen, "/observed/tokens", CASE_M + k, (double)other);
}

static void set_forced(hid_t file)
{
    const int one = 1;
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t id = H5Acreate2(file, "forced_tokens", H5T_STD_U8LE, space, H5P_DEFAULT, H5P_DEFAULT);
    ck_assert_int_ge(H5Awrite(id, H5T_NATIVE_INT, &one), 0);
    (void)H5Aclose(id);
    (void)H5Sclose(space);
}

START_TEST(a_flip_at_a_near_tie_is_excused)
{
    make_tie((size_t)_i);
    compare_answer x = compare(compare_golden, compare_seen);
    ck_assert_msg(x.status == ASSAY_OK && x.v.outcome == CONF_PASSED, "%s%s %s", x.err.text, x.v.reason,
                  x.v.where);
    assert_holds(x.v.notes, "1 greedy tokens flipped at near ties");
    assert_holds(x.v.notes, _i ? "2 greedy steps behind a flip not judged" : "3 greedy steps behind a flip");
}
END_TEST

START_TEST(what_follows_a_flip_is_judged_where_the_tokens_were_forced)
{
    make_tie(0);
    edit_element(compare_seen, "/observed/tokens", CASE_M + 3, 1000);
    assert_agrees(compare_golden, compare_seen);
    edit_file(compare_seen, set_forced);
    assert_diverges("a greedy token differs", "sample 1, greedy step 3", "");
    edit_remove_attribute(compare_seen, "forced_tokens");
    edit_attribute_number(compare_seen, "/", "forced_tokens", 0.5);
    assert_refused("forced_tokens is 0.5, expected 0 or 1");
    edit_remove_attribute(compare_seen, "forced_tokens");
    edit_attribute(compare_seen, "forced_tokens", "yes");
    assert_refused("forced_tokens of / is not one number");
}
END_TEST

START_TEST(a_flip_is_not_excused_where_the_observation_lacks_the_logits)
{
    make_tie(0);
    edit_remove(compare_seen, "/observed/prefill");
    assert_diverges("/observed/prefill is missing", "", "");
    compare_answer x = compare(compare_golden, compare_seen);
    assert_holds(x.v.notes, "also a greedy token differs");
}
END_TEST

START_TEST(a_golden_without_truth_judges_tokens_alone)
{
    edit_remove(compare_golden, "/expect/truth");
    edit_remove(compare_golden, "/expect/float32");
    assert_agrees(compare_golden, compare_seen);
    edit_element(compare_seen, "/observed/tokens", 1, 4);
    assert_diverges("a greedy token differs", "sample 0, greedy step 1", "");
}
END_TEST

START_TEST(what_is_no_observation_is_refused)
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
    Suite *s = suite_create("conformance/diff");
    TCase *tc = tcase_create("verdicts");
    tcase_add_checked_fixture(tc, compare_setup, support_teardown);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, the_float32_run_agrees_by_its_own_noise);
    tcase_add_test(tc, the_truth_agrees_as_float64);
    tcase_add_test(tc, float64_is_held_to_its_own_bound);
    tcase_add_test(tc, padding_is_not_judged);
    tcase_add_loop_test(tc, a_changed_value_diverges_at_its_place, 0, (int)(sizeof values / sizeof *values));
    tcase_add_test(tc, the_first_place_is_named_and_the_worst_is_measured);
    tcase_add_loop_test(tc, a_missing_member_diverges, 0, 3);
    tcase_add_loop_test(tc, another_shape_diverges, 0, 2);
    tcase_add_test(tc, tokens_of_another_shape_diverge);
    tcase_add_test(tc, another_type_diverges);
    tcase_add_test(tc, a_tensor_of_another_shape_diverges);
    tcase_add_test(tc, a_tensor_that_is_not_there_is_not_compared);
    tcase_add_test(tc, unknown_members_are_noted);
    tcase_add_loop_test(tc, a_flip_at_a_near_tie_is_excused, 0, 2);
    tcase_add_test(tc, what_follows_a_flip_is_judged_where_the_tokens_were_forced);
    tcase_add_test(tc, a_flip_is_not_excused_where_the_observation_lacks_the_logits);
    tcase_add_test(tc, a_golden_without_truth_judges_tokens_alone);
    tcase_add_test(tc, what_is_no_observation_is_refused);
    tcase_add_test(tc, a_golden_that_has_no_observations_is_refused);
    tcase_add_test(tc, a_broken_golden_is_refused);
    tcase_add_test(tc, a_truncated_observation_is_refused);
    suite_add_tcase(s, tc);
    SRunner *runner = srunner_create(s);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
