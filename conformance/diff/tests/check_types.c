/* Observations of engines that computed in a narrower type: judged by the noise of that type, or not at all.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "conformance/case/case.h"
#include "conformance/kinds/read.h"
#include "conformance/tests/compare.h"
#include "conformance/tests/engines/formula.h"
#include "conformance/tests/support.h"

/* The first logit of sample 0, step 1, of which nothing is padding. */
enum { PLACE = FORMULA_VOCAB };

static double truth_there(void)
{
    conf_case *c;
    assay_error err = {0};
    ck_assert_int_eq(conf_case_read(support_path("case.h5"), &c, &err), ASSAY_OK);
    const conf_rows *rows = &c->decoder.rows;
    double truth = rows->truth[(rows->n_rows - (size_t)CASE_B * CASE_N + 1) * rows->n_cols];
    conf_case_free(c);
    return truth;
}

static void setup(void)
{
    compare_setup();
    support_write_narrow(compare_golden, "bfloat16");
    compare_as = CONF_COMPUTE_BF16;
}

static compare_answer assert_outcome(conf_outcome outcome, const char *reason)
{
    compare_answer x = compare(compare_golden, compare_seen);
    ck_assert_msg(x.status == ASSAY_OK, "%s", x.err.text);
    ck_assert_msg(x.v.outcome == outcome, "%s: %s", x.v.reason, x.v.notes);
    if (!strstr(x.v.notes, reason)) assert_holds(x.v.reason, reason);
    conf_strings_free(&x.unknown);
    return x;
}

START_TEST(a_type_is_judged_by_the_noise_of_its_own_run)
{
    (void)support_observe(compare_golden, "bfloat16", compare_seen);
    compare_answer x = assert_outcome(
        CONF_PASSED,
        "12 rows of 19 logits in bfloat16 agree: 1 times the noise in bfloat16, of which 4 are allowed");
    ck_assert_double_eq_tol(x.v.multiple, 1, 1e-3);
    edit_element(compare_seen, "/observed/decode", PLACE, truth_there() + 5 * FORMULA_NARROW);
    assert_diverges("4 times the noise in bfloat16), ", "sample 0, decode, step 1, id 0: expected ", "");
    compare_as = CONF_COMPUTE_NONE;
    assert_diverges("4 times the noise), ", "sample 0, prefill, position 0, id 0: expected ", "");
    compare_as = CONF_COMPUTE_F32;
    assert_diverges("4 times the noise), ", "sample 0, prefill, position 0, id 0: expected ", "");
}
END_TEST

START_TEST(float64_that_was_computed_in_a_type_is_judged_by_its_noise)
{
    (void)support_observe(compare_golden, "truth", compare_seen);
    edit_element(compare_seen, "/observed/decode", PLACE, truth_there() + 2 * FORMULA_NARROW);
    compare_answer x = assert_outcome(CONF_PASSED, "times the noise in bfloat16");
    ck_assert(!x.v.float64);
    compare_as = CONF_COMPUTE_NONE;
    (void)assert_outcome(CONF_FAILED, "of the largest logit)");
}
END_TEST

START_TEST(a_tensor_is_not_judged_by_the_noise_of_another_type)
{
    edit_element(compare_seen, "/observed/trace/layer.00.out", 6, 1);
    compare_answer x = assert_outcome(CONF_PASSED, "agree");
    ck_assert_str_eq(x.v.trace, "2 of 2 recorded tensors compared, 2 of them only for NaN and infinities: "
                                "the noise in bfloat16 is not recorded");
    edit_element(compare_seen, "/observed/trace/layer.00.out", 6, INFINITY);
    (void)assert_outcome(CONF_FAILED, "a tensor on the way does not");
    edit_element(compare_seen, "/observed/trace/layer.00.out", 6, 1);
    compare_as = CONF_COMPUTE_NONE;
    (void)assert_outcome(CONF_FAILED, "a tensor on the way does not");
    compare_as = CONF_COMPUTE_BF16;
    edit_element(compare_seen, "/observed/decode", PLACE, truth_there() + 5 * FORMULA_NARROW);
    assert_diverges("4 times the noise in bfloat16), ", "sample 0, decode, step 1, id 0: expected ",
                    "times an estimate of its bound, since it has no recorded noise in this type");
}
END_TEST

START_TEST(a_case_without_a_run_in_that_type_judges_nothing)
{
    compare_as = CONF_COMPUTE_I8;
    (void)assert_outcome(CONF_SKIPPED, "case.h5: no run in int8 is recorded to judge it by");
    edit_element(compare_seen, "/observed/tokens", 1, 4);
    (void)assert_outcome(CONF_SKIPPED, "no run in int8");
}
END_TEST

START_TEST(a_broken_run_is_refused)
{
    edit_element(compare_golden, "/expect/bfloat16/decode", 20, INFINITY);
    compare_answer x = compare(compare_golden, compare_seen);
    ck_assert_int_eq(x.status, ASSAY_EFORMAT);
    assert_holds(x.err.text, "/expect/bfloat16/decode: sample 0, position 1, id 1 is inf where the truth is");
}
END_TEST

START_TEST(the_distance_of_two_observations_is_reported)
{
    compare_golden = support_observe(compare_golden, "float32", support_path("other.h5"));
    (void)assert_outcome(CONF_PASSED, "bit-identical");
    edit_element(compare_seen, "/observed/decode", PLACE, truth_there() + 1000);
    edit_element(compare_seen, "/observed/trace/embed", 0, 7);
    compare_answer x =
        assert_outcome(CONF_SKIPPED, "not bit-identical, and no noise in bfloat16 is recorded");
    assert_holds(x.v.notes, "largest error 1e+03, ");
    edit_element(compare_seen, "/observed/tokens", 1, 4);
    (void)assert_outcome(CONF_FAILED, "a greedy token differs");
}
END_TEST

START_TEST(masks_of_two_observations_are_judged_in_any_type)
{
    compare_golden = support_observe(compare_golden, "float32", support_path("other.h5"));
    edit_element(compare_seen, "/observed/trace/embed", 0, NAN);
    assert_diverges("a tensor on the way does not", "", "embed[0,0]: expected ");
    edit_element(compare_seen, "/observed/decode", PLACE, NAN);
    assert_diverges("NaN or infinity", "sample 0, decode, step 1, id 0: expected ", "");
}
END_TEST

static const char *const floats[] = {"/observed/prefill", "/observed/decode", "/observed/trace/embed",
                                     "/observed/trace/layer.00.out"};

START_TEST(floats_of_two_bytes_are_widened)
{
    static const char *const names[] = {"F16", "F16", "BF16", "BF16"};
    hid_t type = edit_narrow_type(_i >= 2, _i % 2);
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++) edit_retype(compare_seen, floats[i], type);
    (void)H5Tclose(type);
    /* Eight bits of a logit of 3 to 6 are a sixty-fourth, which is 4 times FORMULA_NARROW. */
    if (_i < 2) (void)assert_outcome(CONF_PASSED, "12 rows of 19 logits in bfloat16 agree");
    edit_element(compare_seen, "/observed/decode", PLACE, 1000);
    assert_diverges("noise in bfloat16), ", "", "");
    compare_as = CONF_COMPUTE_NONE;
    compare_answer x = assert_outcome(CONF_FAILED, "4 times the noise), ");
    assert_holds(x.v.notes, "the logits are stored as ");
    assert_holds(x.v.notes, names[_i]);
    compare_golden = compare_seen;
    (void)assert_outcome(CONF_PASSED, "bit-identical: 5 members");
}
END_TEST

START_TEST(the_program_takes_the_type)
{
    (void)support_observe(compare_golden, "bfloat16", compare_seen);
    ck_assert_int_eq(support_assay("diff --compute bf16 case.h5 seen.h5")->code, 0);
    const support_output *o = support_assay("diff --compute int8 case.h5 seen.h5");
    ck_assert_int_eq(o->code, 77);
    assert_holds(o->out, "no run in int8 is recorded to judge it by\n");
    edit_element(compare_seen, "/observed/decode", PLACE, 1000);
    o = support_assay("diff --compute bf16 case.h5 seen.h5");
    ck_assert_int_eq(o->code, 1);
    assert_holds(o->out, "\n  REPRO: assay diff --compute bf16 case.h5 seen.h5\n");
    ck_assert_int_eq(support_assay("diff --compute fp16 case.h5 seen.h5")->code, 2);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("conformance/diff/types");
    TCase *tc = tcase_create("types");
    tcase_add_checked_fixture(tc, setup, support_teardown);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, a_type_is_judged_by_the_noise_of_its_own_run);
    tcase_add_test(tc, float64_that_was_computed_in_a_type_is_judged_by_its_noise);
    tcase_add_test(tc, a_tensor_is_not_judged_by_the_noise_of_another_type);
    tcase_add_test(tc, a_case_without_a_run_in_that_type_judges_nothing);
    tcase_add_test(tc, a_broken_run_is_refused);
    tcase_add_test(tc, the_distance_of_two_observations_is_reported);
    tcase_add_test(tc, masks_of_two_observations_are_judged_in_any_type);
    tcase_add_loop_test(tc, floats_of_two_bytes_are_widened, 0, 4);
    tcase_add_test(tc, the_program_takes_the_type);
    suite_add_tcase(s, tc);
    return support_run(s);
}
