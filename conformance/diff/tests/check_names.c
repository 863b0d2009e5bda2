/* What a comparison passes over: it is named, and the tensors that were compared are counted.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include "conformance/tests/compare.h"
#include "conformance/tests/engines/formula.h"

/* Compares the two files, and returns the verdict. */
static conf_verdict assert_outcome(conf_outcome outcome)
{
    compare_answer x = compare(compare_golden, compare_seen);
    ck_assert_msg(x.status == ASSAY_OK, "%s", x.err.text);
    ck_assert_msg(x.v.outcome == outcome, "%s: %s %s", x.v.reason, x.v.where, x.v.trace);
    conf_strings_free(&x.unknown);
    return x.v;
}

static void add_trace(const char *name)
{
    char path[256];
    (void)snprintf(path, sizeof path, "/observed/trace/%s", name);
    edit_f64(compare_seen, path, 1, (size_t[]){1}, (const double[]){1});
}

START_TEST(unknown_members_are_noted)
{
    static const char *const expected[] = {"seen.h5: /extra", "seen.h5: /observed/colour",
                                           "seen.h5: attribute forced_token"};
    edit_i32(compare_seen, "/observed/colour", 1, (size_t[]){1}, (const int32_t[]){1});
    edit_i32(compare_seen, "/extra", 1, (size_t[]){1}, (const int32_t[]){1});
    edit_attribute_number(compare_seen, "/", "forced_token", 1);
    compare_answer x = compare(compare_golden, compare_seen);
    ck_assert_int_eq(x.v.outcome, CONF_PASSED);
    ck_assert_uint_eq(x.unknown.n, 3);
    for (size_t i = 0; i < 3; i++) assert_holds(x.unknown.at[i], expected[i]);
    conf_strings_free(&x.unknown);
}
END_TEST

START_TEST(known_attributes_are_not_noted)
{
    static const char *const names[] = {"schema", "kind", "case", "source", "recorder"};
    for (size_t i = 0; i < 5; i++) edit_attribute(compare_seen, names[i], "x");
    edit_attribute_number(compare_seen, "/", "forced_tokens", 1);
    compare_answer x = compare(compare_golden, compare_seen);
    ck_assert_uint_eq(x.unknown.n, 0);
}
END_TEST

START_TEST(a_tensor_that_is_missing_is_named)
{
    edit_remove(compare_seen, "/observed/trace/embed");
    ck_assert_str_eq(assert_outcome(CONF_PASSED).trace, "1 of 2 recorded tensors compared; missing: embed");
    const support_output *o = support_assay("diff case.h5 seen.h5");
    assert_holds(o->out, "\n  tensor: 1 of 2 recorded tensors compared; missing: embed\n");
    edit_remove(compare_seen, "/observed/trace");
    ck_assert_str_eq(assert_outcome(CONF_PASSED).trace,
                     "0 of 2 recorded tensors compared; missing: embed, layer.00.out");
    edit_element(compare_seen, "/observed/prefill", (size_t)2 * FORMULA_VOCAB, 100);
    assert_holds(assert_outcome(CONF_FAILED).notes,
                 "0 of 2 recorded tensors compared; missing: embed, layer.00.out");
}
END_TEST

START_TEST(a_tensor_that_is_not_recorded_is_named)
{
    edit_remove(compare_seen, "/observed/trace/layer.00.out");
    add_trace("layers.0.out");
    ck_assert_str_eq(assert_outcome(CONF_PASSED).trace,
                     "1 of 2 recorded tensors compared; missing: layer.00.out; not recorded, and ignored: "
                     "layers.0.out");
    for (size_t i = 1; i < 9; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "layers.%zu.out", i);
        add_trace(name);
    }
    assert_holds(assert_outcome(CONF_PASSED).trace, "not recorded, and ignored: layers.0.out, layers.1.out, "
                                                    "layers.2.out, layers.3.out and 5 more");
    edit_element(compare_seen, "/observed/trace/embed", 0, 100);
    conf_verdict v = assert_outcome(CONF_FAILED);
    assert_holds(v.trace, "embed[0,0]: expected ");
    assert_holds(v.notes, "not recorded, and ignored: layers.0.out, ");
}
END_TEST

START_TEST(long_names_leave_the_counts_readable)
{
    for (size_t i = 0; i < 6; i++) {
        char name[220];
        (void)snprintf(name, sizeof name, "%0200zu", i);
        add_trace(name);
    }
    conf_verdict v = assert_outcome(CONF_PASSED);
    assert_holds(v.trace, "2 of 2 recorded tensors compared; not recorded, and ignored: 0000");
    assert_holds(v.trace, " and 2 more");
}
END_TEST

START_TEST(tensors_without_a_golden_are_named)
{
    edit_remove(compare_golden, "/trace");
    ck_assert_str_eq(assert_outcome(CONF_PASSED).trace,
                     "0 of 0 recorded tensors compared; not recorded, and ignored: embed, layer.00.out");
    edit_remove(compare_seen, "/observed/trace");
    ck_assert_str_eq(assert_outcome(CONF_PASSED).trace, "");
}
END_TEST

START_TEST(tensors_of_two_observations_are_counted)
{
    compare_golden = support_observe(compare_golden, "float32", support_path("other.h5"));
    ck_assert_str_eq(assert_outcome(CONF_PASSED).trace, "2 of 2 tensors compared");
}
END_TEST

/* Noise */

static void remove_noise(hid_t file)
{
    ck_assert_int_ge(H5Adelete_by_name(file, "/trace/embed", "noise", H5P_DEFAULT), 0);
}

START_TEST(a_tensor_without_noise_is_reported_as_unjudged)
{
    edit_file(compare_golden, remove_noise);
    edit_element(compare_seen, "/observed/trace/embed", 0, 100);
    ck_assert_str_eq(assert_outcome(CONF_PASSED).trace,
                     "2 of 2 recorded tensors compared, 1 of them only for NaN and infinities: the noise is "
                     "not recorded");
    edit_element(compare_seen, "/observed/trace/embed", 0, NAN);
    assert_holds(assert_outcome(CONF_FAILED).trace, "embed[0,0]: expected ");
}
END_TEST

START_TEST(tensors_in_float32_beside_float64_logits_are_judged_as_float32)
{
    (void)support_observe(compare_golden, "truth", compare_seen);
    float embed[12] = {0};
    conf_array a;
    conf_h5 *file;
    ck_assert_int_eq(conf_h5_open(compare_seen, &file, NULL), ASSAY_OK);
    ck_assert_int_eq(conf_h5_read(file, "/observed/trace/embed", &a, NULL), ASSAY_OK);
    conf_h5_close(file);
    for (size_t i = 0; i < 12; i++) embed[i] = (float)((const double *)a.data)[i];
    embed[5] = nextafterf(embed[5], 1000);
    conf_array_free(&a);
    edit_f32(compare_seen, "/observed/trace/embed", 2, (size_t[]){3, 4}, embed);
    ck_assert(assert_outcome(CONF_PASSED).float64);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("conformance/diff/names");
    TCase *tc = tcase_create("names");
    tcase_add_checked_fixture(tc, compare_setup, support_teardown);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, unknown_members_are_noted);
    tcase_add_test(tc, known_attributes_are_not_noted);
    tcase_add_test(tc, a_tensor_that_is_missing_is_named);
    tcase_add_test(tc, a_tensor_that_is_not_recorded_is_named);
    tcase_add_test(tc, long_names_leave_the_counts_readable);
    tcase_add_test(tc, tensors_without_a_golden_are_named);
    tcase_add_test(tc, tensors_of_two_observations_are_counted);
    tcase_add_test(tc, a_tensor_without_noise_is_reported_as_unjudged);
    tcase_add_test(tc, tensors_in_float32_beside_float64_logits_are_judged_as_float32);
    suite_add_tcase(s, tc);
    return support_run(s);
}
