/* The compute type that would explain an error.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/judge/fit.h"
#include "conformance/tests/support.h"

static const conf_distance noise_of_1 = {.same_mask = true, .max_abs = 1, .rmse = 0.5, .kl = 0.25};
#define LARGEST 100.0

static conf_distance times(double factor)
{
    return (conf_distance){.same_mask = true, .max_abs = factor, .rmse = factor / 2, .kl = factor / 4};
}

static conf_fit fit(double errors)
{
    const conf_distance found = times(errors), fine = times(1e-3);
    conf_fit best = {0};
    conf_fit_consider(&best, CONF_COMPUTE_F32, &found, &fine, LARGEST);
    conf_fit_consider(&best, CONF_COMPUTE_BF16, &found, &noise_of_1, LARGEST);
    return best;
}

START_TEST(a_type_explains_errors_between_an_eighth_and_four_times_its_noise)
{
    ck_assert_uint_eq(fit(0.126).compute, CONF_COMPUTE_BF16);
    ck_assert_uint_eq(fit(3.9).compute, CONF_COMPUTE_BF16);
    ck_assert_double_eq(fit(3.9).multiple, 3.9);
    ck_assert_uint_eq(fit(0.1).compute, CONF_COMPUTE_NONE);
    ck_assert_uint_eq(fit(4.1).compute, CONF_COMPUTE_NONE);
}
END_TEST

START_TEST(each_of_the_three_measures_must_be_within_its_bound)
{
    conf_distance found = noise_of_1;
    conf_fit best = {0};
    found.kl = 1.01;
    conf_fit_consider(&best, CONF_COMPUTE_BF16, &found, &noise_of_1, LARGEST);
    ck_assert_uint_eq(best.compute, CONF_COMPUTE_NONE);
}
END_TEST

START_TEST(of_two_types_the_one_with_a_multiple_nearest_to_1_is_named)
{
    const conf_distance found = times(0.5), larger = times(3), nearer = times(0.6);
    conf_fit best = {0};
    conf_fit_consider(&best, CONF_COMPUTE_BF16, &found, &nearer, LARGEST);
    conf_fit_consider(&best, CONF_COMPUTE_AFFINE4, &found, &larger, LARGEST);
    conf_fit_consider(&best, CONF_COMPUTE_AFFINE8, &found, &noise_of_1, LARGEST);
    ck_assert_uint_eq(best.compute, CONF_COMPUTE_BF16);
}
END_TEST

START_TEST(a_noise_within_which_zeros_pass_explains_nothing)
{
    conf_fit best = {0};
    conf_fit_consider(&best, CONF_COMPUTE_AFFINE4, &noise_of_1, &noise_of_1, 3.9);
    ck_assert_uint_eq(best.compute, CONF_COMPUTE_NONE);
}
END_TEST

START_TEST(a_verdict_names_the_type_that_judged_and_the_one_that_explains)
{
    conf_verdict v = {0};
    const conf_compute cached = conf_compute_of("q8_K+f16");
    conf_fit_state(&v, 39000, &(conf_fit){.compute = cached, .multiple = 0.6});
    ck_assert_str_eq(v.explained, "3.9e+04 times the noise of float32; 0.6 times that of q8_K+f16");
    v = (conf_verdict){.float64 = true};
    conf_fit_state(&v, 39000, &(conf_fit){.compute = cached, .multiple = 0.6});
    ck_assert_str_eq(v.explained, "");
}
END_TEST

START_TEST(every_type_has_names_of_its_own_with_and_without_a_cache)
{
    size_t n = 0;
    for (; conf_compute_choice(n); n++) {
        const conf_compute plain = conf_compute_of(conf_compute_choice(n));
        ck_assert_uint_eq(plain, n + 1);
        ck_assert(conf_compute_rounds(plain)[0]);
        for (size_t c = 0; conf_cache_choice(c); c++) {
            const unsigned cache = conf_cache_of(conf_cache_choice(c));
            const conf_compute both = conf_compute_with_cache(plain, cache);
            ck_assert_uint_eq(cache, c + 1);
            ck_assert_uint_eq(conf_compute_of(conf_compute_name(both)), both);
            ck_assert_uint_eq(conf_compute_of_run(conf_compute_run(both)), both);
            ck_assert(conf_compute_is_narrow(both));
        }
    }
    ck_assert_uint_eq(n, 16);
    ck_assert_uint_eq(conf_compute_of("q8_k"), CONF_COMPUTE_NONE);
    ck_assert_uint_eq(conf_compute_of_run("bf16"), CONF_COMPUTE_NONE);
    ck_assert_uint_eq(conf_cache_of(""), 0);
}
END_TEST

START_TEST(an_engine_is_told_by_name_only_what_its_table_lists)
{
    static const char *const names[] = {"x", NULL};
    const conf_compute both = conf_compute_with_cache(conf_compute_of("q8_K"), conf_cache_of("q8_0")),
                       wide = conf_compute_with_cache(CONF_COMPUTE_F32, conf_cache_of("int8"));
    assay_engine engine = {0};
    assay_model_options options = {0};
    conf_compute_request(both, &engine, &options);
    ck_assert(!options.compute_name && !options.cache_name && !options.compute);
    engine.compute_types = engine.cache_types = names;
    conf_compute_request(both, &engine, &options);
    ck_assert_str_eq(options.compute_name, "q8_K");
    ck_assert_str_eq(options.cache_name, "q8_0");
    options = (assay_model_options){0};
    conf_compute_request(wide, &engine, &options);
    ck_assert(!options.compute_name && options.compute == ASSAY_F32);
    ck_assert_str_eq(options.cache_name, "int8");
    options = (assay_model_options){0};
    conf_compute_request(CONF_COMPUTE_NONE, &engine, &options);
    ck_assert(!options.compute_name && !options.cache_name && !options.compute);
}
END_TEST

START_TEST(a_type_that_an_engine_cannot_be_told_is_refused_on_demand)
{
    static const char *const names[] = {"x", NULL};
    const conf_compute both = conf_compute_with_cache(conf_compute_of("q8_K"), conf_cache_of("q8_0")),
                       wide = conf_compute_with_cache(CONF_COMPUTE_F32, conf_cache_of("int8"));
    assay_engine engine = {0};
    assay_model_options options = {0};
    assay_error err;
    ck_assert_int_eq(conf_compute_demand(both, &engine, "e", &options, &err), ASSAY_EUNSUPPORTED);
    ck_assert_str_eq(err.text, "e: compute type q8_K: the engine lists no types by name");
    ck_assert_int_eq(conf_compute_demand(wide, &engine, "e", &options, &err), ASSAY_EUNSUPPORTED);
    ck_assert_str_eq(err.text, "e: cache type int8: the engine lists no types of caches");
    options = (assay_model_options){0};
    ck_assert_int_eq(conf_compute_demand(CONF_COMPUTE_BF16, &engine, "e", &options, &err), ASSAY_OK);
    ck_assert_uint_eq(options.compute, ASSAY_BF16);
    engine.compute_types = engine.cache_types = names;
    ck_assert_int_eq(conf_compute_demand(both, &engine, "e", &options, &err), ASSAY_OK);
    ck_assert_str_eq(options.compute_name, "q8_K");
    ck_assert_str_eq(options.cache_name, "q8_0");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/judge/fit");
    TCase *all = tcase_create("fit");
    tcase_add_test(all, a_type_explains_errors_between_an_eighth_and_four_times_its_noise);
    tcase_add_test(all, each_of_the_three_measures_must_be_within_its_bound);
    tcase_add_test(all, of_two_types_the_one_with_a_multiple_nearest_to_1_is_named);
    tcase_add_test(all, a_noise_within_which_zeros_pass_explains_nothing);
    tcase_add_test(all, a_verdict_names_the_type_that_judged_and_the_one_that_explains);
    tcase_add_test(all, every_type_has_names_of_its_own_with_and_without_a_cache);
    tcase_add_test(all, a_type_that_an_engine_cannot_be_told_is_refused_on_demand);
    tcase_add_test(all, an_engine_is_told_by_name_only_what_its_table_lists);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
