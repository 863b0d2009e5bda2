/* Noise of runs that a case does not store.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "conformance/case/rows.h"
#include "conformance/case/run_noise.h"
#include "conformance/kinds/read.h"
#include "conformance/tests/case_refused.h"
#include "conformance/tests/support.h"

static const char *path;

static void setup(void)
{
    support_setup();
    path = support_write_decoder(support_path("case.h5"), "logits", "model");
}

static void make_groups(hid_t file)
{
    H5Gclose(H5Gcreate2(file, "/expect/float16", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Gclose(H5Gcreate2(file, "/expect/affine4", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}

static const double numbers[] = {0.5, 0.25, 0.125};

static void write_noise(const char *name)
{
    edit_f64(path, name, 1, (size_t[]){3}, numbers);
}

START_TEST(each_run_has_its_own_noise_and_a_missing_one_has_none)
{
    conf_case *c = NULL;
    assay_error err = {0};
    edit_file(path, make_groups);
    write_noise("/expect/float16/noise");
    edit_f64(path, "/expect/affine4/noise", 1, (size_t[]){3}, (double[]){3, 2, 1});
    ck_assert_msg(conf_case_read(path, &c, &err) == ASSAY_OK, "%s", err.text);
    const conf_rows *rows = &c->decoder.rows;
    const conf_run *half = conf_run_find(rows, CONF_COMPUTE_F16);
    ck_assert(half && !half->rows && !conf_rows_noise(rows, CONF_COMPUTE_F16));
    ck_assert_double_eq(half->noise.max_abs, 0.5);
    ck_assert_double_eq(half->noise.rmse, 0.25);
    ck_assert_double_eq(half->noise.kl, 0.125);
    ck_assert_double_eq(conf_run_noise(rows, conf_run_find(rows, CONF_COMPUTE_AFFINE4)).max_abs, 3);
    ck_assert_ptr_null(conf_run_find(rows, CONF_COMPUTE_AFFINE8));
    ck_assert_double_eq(conf_run_bounds(rows, CONF_COMPUTE_AFFINE4).max_abs, 3);
    ck_assert_uint_eq(c->unknown.n, 0);
    conf_case_free(c);
}
END_TEST

static void make_others(hid_t file)
{
    H5Gclose(H5Gcreate2(file, "/expect/q8_K+f16", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Gclose(H5Gcreate2(file, "/expect/q8_K+f17", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}

START_TEST(a_type_may_have_a_cache_and_an_unknown_name_is_reported)
{
    conf_case *c = NULL;
    assay_error err = {0};
    edit_file(path, make_others);
    write_noise("/expect/q8_K+f16/noise");
    ck_assert_msg(conf_case_read(path, &c, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_ptr_nonnull(conf_run_find(&c->decoder.rows, conf_compute_of("q8_K+f16")));
    ck_assert_uint_eq(c->unknown.n, 1);
    ck_assert_str_eq(c->unknown.at[0], "/expect/q8_K+f17");
    conf_case_free(c);
}
END_TEST

START_TEST(logits_of_any_type_are_a_run)
{
    conf_case *c = NULL;
    assay_error err = {0};
    support_write_narrow(path, "fp8-token");
    ck_assert_msg(conf_case_read(path, &c, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_ptr_nonnull(conf_rows_noise(&c->decoder.rows, conf_compute_of("fp8-token")));
    ck_assert_uint_eq(c->unknown.n, 0);
    conf_case_free(c);
}
END_TEST

START_TEST(noise_is_three_positive_numbers)
{
    edit_file(path, make_groups);
    write_noise("/expect/float16/noise");
    assert_case_refused(path, ASSAY_EFORMAT, "/expect/affine4/prefill");
    write_noise("/expect/affine4/noise");
    edit_element(path, "/expect/affine4/noise", 1, 0);
    assert_case_refused(path, ASSAY_EFORMAT,
                        "/expect/affine4/noise: element 1 is 0, expected a positive number");
    edit_element(path, "/expect/affine4/noise", 1, NAN);
    assert_case_refused(path, ASSAY_EFORMAT, "element 1 is nan");
    edit_f64(path, "/expect/affine4/noise", 1, (size_t[]){2}, numbers);
    assert_case_refused(path, ASSAY_EFORMAT, "/expect/affine4/noise has shape");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/case/run_noise");
    TCase *all = tcase_create("read");
    tcase_add_checked_fixture(all, setup, support_teardown);
    tcase_add_test(all, each_run_has_its_own_noise_and_a_missing_one_has_none);
    tcase_add_test(all, a_type_may_have_a_cache_and_an_unknown_name_is_reported);
    tcase_add_test(all, logits_of_any_type_are_a_run);
    tcase_add_test(all, noise_is_three_positive_numbers);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
