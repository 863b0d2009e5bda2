/* What the page of a comparison shows: errors by tensor, by row and by size.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/diff/html.h"
#include "conformance/tests/compare.h"
#include "conformance/tests/engines/formula.h"
#include "conformance/tests/support.h"

static conf_diff_shown *shown;

static void setup(void)
{
    compare_setup();
    shown = conf_diff_shown_share();
    ck_assert_ptr_nonnull(shown);
}

static void teardown(void)
{
    conf_diff_shown_unshare(shown);
    support_teardown();
}

/* The profile of compare_golden and compare_seen. */
static const conf_profile *profile_of(size_t n_workers, conf_verdict *v)
{
    const conf_diff_task task = {.golden = compare_golden,
                                 .observed = compare_seen,
                                 .compute = compare_as,
                                 .parts = compare_parts,
                                 .n_workers = n_workers};
    conf_strings unknown = {0};
    assay_error err = {0};
    memset(shown, 0, sizeof *shown);
    *v = (conf_verdict){0};
    ck_assert_msg(conf_diff_show(&task, shown, v, &unknown, &err) == ASSAY_OK, "%s", err.text);
    conf_strings_free(&unknown);
    return &shown->profile;
}

static size_t count(const size_t *sizes, double above)
{
    size_t n = 0;
    for (size_t i = 0; i < CONF_PROFILE_SIZES; i++)
        if (conf_profile_sizes[i] > above) n += sizes[i];
    return n;
}

START_TEST(each_row_and_each_tensor_has_its_error)
{
    conf_verdict v;
    const conf_profile *p = profile_of(2, &v);
    ck_assert_int_eq(v.outcome, CONF_PASSED);
    ck_assert_uint_eq(p->n_rows, 12);
    for (size_t i = 0; i < p->n_rows; i++) {
        ck_assert_double_gt(p->rows[i].multiple, 0.1);
        ck_assert_double_le(p->rows[i].multiple, 0.26);
    }
    ck_assert(p->rows[11].decode && p->rows[11].sample == 1 && p->rows[11].pos == CASE_N - 1);
    ck_assert_uint_eq(p->n_tensors, 2);
    ck_assert_str_eq(p->tensors[0].name, "embed");
    ck_assert_str_eq(p->tensors[1].name, "layer.00.out");
    ck_assert(p->is_observed && !p->is_relative && p->n_joined <= 1);
}
END_TEST

START_TEST(a_changed_logit_is_in_its_row_and_its_range)
{
    conf_verdict v;
    edit_element(compare_seen, "/observed/prefill", CASE_B * CASE_T * FORMULA_VOCAB - 1, 100);
    const conf_profile *p = profile_of(2, &v);
    size_t n_over = 0;
    for (size_t i = 0; i < p->n_rows; i++) {
        if (!(p->rows[i].multiple > 1)) continue;
        ck_assert(p->rows[i].sample == 1 && p->rows[i].pos == CASE_T - 1 && !p->rows[i].decode);
        n_over++;
    }
    ck_assert_uint_eq(n_over, 1);
    ck_assert_uint_eq(count(p->found, 0), (size_t)12 * FORMULA_VOCAB);
    ck_assert_uint_eq(count(p->found, 1), 1);
    ck_assert(p->has_recorded);
    ck_assert_uint_eq(count(p->recorded, 0), (size_t)12 * FORMULA_VOCAB);
    ck_assert_uint_eq(count(p->recorded, 0.25), 0);
}
END_TEST

START_TEST(a_changed_tensor_has_its_error)
{
    conf_verdict v;
    edit_element(compare_seen, "/observed/trace/layer.00.out", 6, 1);
    const conf_profile *p = profile_of(2, &v);
    ck_assert_double_le(p->tensors[0].multiple, 1);
    ck_assert_double_gt(p->tensors[1].multiple, 1);
}
END_TEST

START_TEST(float64_has_no_recorded_run)
{
    conf_verdict v;
    (void)support_observe(compare_golden, "truth", compare_seen);
    const conf_profile *p = profile_of(2, &v);
    ck_assert(!p->has_recorded);
    ck_assert_uint_eq(count(p->recorded, 0), 0);
    ck_assert_uint_eq(p->found[0], (size_t)12 * FORMULA_VOCAB);
}
END_TEST

/* A copy of compare_seen. */
static const char *make_second(void)
{
    return support_observe(compare_golden, "float32", support_path("second.h5"));
}

START_TEST(two_observations_have_the_smallest_bound)
{
    conf_verdict v;
    compare_golden = make_second();
    edit_element(compare_seen, "/observed/decode", 0, 100);
    const conf_profile *p = profile_of(2, &v);
    ck_assert(!p->is_relative && !p->has_recorded);
    ck_assert_uint_eq(count(p->found, 1), 1);
    ck_assert_uint_eq(p->n_tensors, 2);
    ck_assert_double_eq(p->tensors[0].multiple, 0);
}
END_TEST

START_TEST(without_a_bound_errors_are_relative_to_the_largest_value)
{
    conf_verdict v;
    compare_golden = make_second();
    compare_as = CONF_COMPUTE_BF16;
    edit_element(compare_golden, "/observed/decode", 0, 1000);
    edit_element(compare_seen, "/observed/decode", 0, 900);
    edit_element(compare_golden, "/observed/trace/embed", 0, 50);
    edit_element(compare_seen, "/observed/trace/embed", 0, 49);
    const conf_profile *p = profile_of(2, &v);
    ck_assert_int_eq(v.outcome, CONF_SKIPPED);
    ck_assert(p->is_relative);
    double largest = 0;
    for (size_t i = 0; i < p->n_rows; i++) largest = fmax(largest, p->rows[i].multiple);
    ck_assert_double_eq_tol(largest, 0.1, 1e-9);
    ck_assert_double_eq_tol(p->tensors[0].multiple, 0.02, 1e-9);
    ck_assert_double_eq(p->tensors[1].multiple, 0);
    ck_assert_uint_eq(count(p->found, 0), 0);
}
END_TEST

enum { MANY = 5000, WIDTH = 3 };

static const char *write_many(const char *name)
{
    static float zeros[MANY * WIDTH];
    const char *path = support_path("%s", name);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t group = H5Gcreate2(file, "/observed", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    ck_assert_int_ge(group, 0);
    (void)H5Gclose(group);
    ck_assert_int_ge(H5Fclose(file), 0);
    for (size_t i = 0; i < (size_t)MANY * WIDTH; i++) zeros[i] = 1;
    edit_f32(path, "/observed/prefill", 3, (size_t[]){1, MANY, WIDTH}, zeros);
    return path;
}

START_TEST(neighbours_of_many_rows_are_joined_and_the_worst_stays)
{
    conf_verdict v;
    compare_golden = write_many("a.h5");
    compare_seen = write_many("b.h5");
    edit_element(compare_seen, "/observed/prefill", (MANY - 2) * WIDTH, 100);
    const conf_profile *p = profile_of(2, &v);
    ck_assert_uint_eq(p->n_joined, 10);
    ck_assert_uint_eq(p->n_rows, 500);
    ck_assert_uint_eq(p->rows[499].pos, MANY - 2);
    ck_assert_uint_eq(p->rows[498].pos, MANY - 20); /* of equal rows the first */
    ck_assert_double_gt(p->rows[499].multiple, 1);
    ck_assert_uint_eq(count(p->found, 0), (size_t)MANY * WIDTH);
}
END_TEST

START_TEST(a_profile_does_not_depend_on_the_threads)
{
    conf_verdict v;
    static conf_profile one;
    compare_golden = write_many("a.h5");
    compare_seen = write_many("b.h5");
    for (size_t i = 0; i < MANY; i += 7)
        edit_element(compare_seen, "/observed/prefill", i * WIDTH, 1 + (double)i / MANY);
    one = *profile_of(1, &v);
    ck_assert_mem_eq(&one, profile_of(8, &v), sizeof one);
}
END_TEST

START_TEST(a_page_names_the_sources_of_both_files)
{
    edit_attribute(compare_seen, "source", "engine <7>");
    edit_element(compare_seen, "/observed/decode", 0, 100);
    const support_output *o = support_assay("diff --html - case.h5 seen.h5");
    ck_assert_int_eq(o->code, 1);
    assert_holds(o->out, "<dt>first difference</dt><dd>sample 0, decode, step 0, id 0: expected ");
    assert_holds(o->out, "<dt>its source</dt><dd>engine &lt;7&gt;</dd>");
    assert_holds(o->out, "seen.h5, digest of the file ");
    assert_holds(o->out, "<figcaption>Error by position, sample 0</figcaption>");
    assert_holds(o->out, "error, times the bound");
}
END_TEST

START_TEST(a_page_without_a_bound_says_so)
{
    (void)make_second();
    edit_element(compare_seen, "/observed/decode", 0, 100);
    const support_output *o = support_assay("diff --compute bf16 --html - second.h5 seen.h5");
    ck_assert_int_eq(o->code, 77);
    assert_holds(o->out, "error, times the largest value");
    ck_assert_ptr_null(strstr(o->out, "error, times the bound"));
    ck_assert_ptr_null(strstr(o->out, "times the bound</dd>"));
}
END_TEST

int main(void)
{
    Suite *s = suite_create("conformance/diff/profile");
    TCase *tc = tcase_create("profiles");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, each_row_and_each_tensor_has_its_error);
    tcase_add_test(tc, a_changed_logit_is_in_its_row_and_its_range);
    tcase_add_test(tc, a_changed_tensor_has_its_error);
    tcase_add_test(tc, float64_has_no_recorded_run);
    tcase_add_test(tc, two_observations_have_the_smallest_bound);
    tcase_add_test(tc, without_a_bound_errors_are_relative_to_the_largest_value);
    tcase_add_test(tc, neighbours_of_many_rows_are_joined_and_the_worst_stays);
    tcase_add_test(tc, a_profile_does_not_depend_on_the_threads);
    tcase_add_test(tc, a_page_names_the_sources_of_both_files);
    tcase_add_test(tc, a_page_without_a_bound_says_so);
    suite_add_tcase(s, tc);
    return support_run(s);
}
