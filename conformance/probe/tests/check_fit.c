/* What was done to log-probabilities, and in which type they were computed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <math.h>
#include <string.h>

#include "conformance/probe/tests/made.h"
#include "conformance/probe/truth/fit.h"
#include "conformance/tests/support.h"

/* Judges the rows after every token of the prompt, with values that `change` has changed. */
static probe_fit fit_claimed(probe_type claim, double (*change)(double value, size_t rank), probe_judge *j)
{
    ck_assert(probe_judge_begin(j, &made_truth, claim));
    for (size_t n = 1; n <= made_prompt->n_prompt; n++) {
        made m;
        const probe_place place = {.prompt = made_prompt, .n_before = n, .taken = -1};
        int32_t id;
        made_row(&m, n);
        m.row.has_token = false;
        m.row.token.id = -1;
        for (size_t k = 0; k < MADE_TOP; k++) m.entries[k].value = change(m.entries[k].value, k);
        probe_judge_row(j, &m.rows, 0, &place, &id);
    }
    return probe_fit_of(j->pairs, j->n_pairs, 2 * made_bound);
}

static probe_fit fit_changed(double (*change)(double value, size_t rank), probe_judge *j)
{
    return fit_claimed(PROBE_F32, change, j);
}

static double unchanged(double value, size_t rank)
{
    (void)rank;
    return value;
}

static double warm(double value, size_t rank)
{
    (void)rank;
    return value / 0.7;
}

static double shifted(double value, size_t rank)
{
    (void)rank;
    return value + 0.3;
}

static double zero(double value, size_t rank)
{
    (void)value;
    (void)rank;
    return 0;
}

static double noisy(double value, size_t rank)
{
    return value + (rank % 2 ? 1 : -1) * 0.9 * made_prompt->noise[PROBE_BF16].noise;
}

static double noisy16(double value, size_t rank)
{
    return value + (rank % 2 ? 1 : -1) * 0.9 * made_prompt->noise[PROBE_F16].noise;
}

START_TEST(fit_names_a_temperature_and_a_shift)
{
    probe_judge j;
    char text[256];
    probe_fit f = fit_changed(unchanged, &j);
    ck_assert_int_eq(f.change, PROBE_UNCHANGED);
    probe_judge_end(&j);
    f = fit_changed(warm, &j);
    ck_assert_int_eq(f.change, PROBE_SCALED);
    probe_fit_describe(&f, text, sizeof text);
    ck_assert_ptr_nonnull(strstr(text, "a temperature of 0.7 was applied"));
    probe_judge_end(&j);
    f = fit_changed(shifted, &j);
    ck_assert_int_eq(f.change, PROBE_OFFSET);
    ck_assert(fabs(f.offset - 0.3) < 1e-9);
    probe_judge_end(&j);
}
END_TEST

START_TEST(fit_names_a_penalty)
{
    probe_pair pairs[8];
    for (size_t i = 0; i < 8; i++)
        pairs[i] =
            (probe_pair){.truth = -(double)i, .found = -(double)i - (i % 2 ? 0.5 : 0), .in_context = i % 2};
    const probe_fit f = probe_fit_of(pairs, 8, 1e-4);
    ck_assert_int_eq(f.change, PROBE_PENALISED);
}
END_TEST

START_TEST(values_that_are_all_zero_are_noticed)
{
    probe_judge j;
    (void)fit_changed(zero, &j);
    ck_assert(j.all_zero);
    ck_assert(!j.normalised);
    probe_judge_end(&j);
    (void)fit_changed(unchanged, &j);
    ck_assert(!j.all_zero);
    ck_assert(j.normalised);
    probe_judge_end(&j);
}
END_TEST

START_TEST(errors_of_bfloat16_are_those_of_bfloat16)
{
    probe_judge j;
    (void)fit_changed(noisy, &j);
    ck_assert(j.errors[PROBE_F32] > 100);
    ck_assert(fabs(j.errors[PROBE_BF16] - 0.9) < 1e-6);
    ck_assert_int_eq(probe_served_type(made_prompt->noise, j.errors), PROBE_BF16);
    probe_judge_end(&j);
    (void)fit_changed(unchanged, &j);
    ck_assert_int_eq(probe_served_type(made_prompt->noise, j.errors), PROBE_F32);
    probe_judge_end(&j);
    (void)fit_changed(warm, &j);
    ck_assert_int_eq(probe_served_type(made_prompt->noise, j.errors), PROBE_TYPES);
    probe_judge_end(&j);
}
END_TEST

START_TEST(claim_of_float16_is_judged_by_the_noise_of_float16)
{
    probe_judge j;
    made_teardown();
    made_open("bundle/qwen3/prompts.h5");
    ck_assert(made_prompt->noise[PROBE_F16].noise > 4 * made_prompt->noise[PROBE_F32].noise);
    ck_assert(made_prompt->noise[PROBE_BF16].noise > 4 * made_prompt->noise[PROBE_F16].noise);
    (void)fit_changed(noisy16, &j);
    ck_assert_uint_gt(j.rules[PROBE_RULE_DIFFERENCE].n_broken, 0);
    probe_judge_end(&j);
    (void)fit_claimed(PROBE_F16, noisy16, &j);
    ck_assert_uint_gt(j.rules[PROBE_RULE_DIFFERENCE].n, 0);
    ck_assert_uint_eq(j.rules[PROBE_RULE_DIFFERENCE].n_broken, 0);
    ck_assert_uint_eq(j.rules[PROBE_RULE_LOGPROB].n_broken, 0);
    ck_assert(fabs(j.errors[PROBE_F16] - 0.9) < 1e-6);
    ck_assert_int_eq(probe_served_type(made_prompt->noise, j.errors), PROBE_F16);
    probe_judge_end(&j);
    (void)fit_claimed(PROBE_F16, noisy, &j);
    ck_assert_uint_gt(j.rules[PROBE_RULE_DIFFERENCE].n_broken, 0);
    ck_assert_int_eq(probe_served_type(made_prompt->noise, j.errors), PROBE_BF16);
    probe_judge_end(&j);
}
END_TEST

START_TEST(types_of_another_size_are_not_listed)
{
    char text[256];
    probe_noise noise[PROBE_TYPES] = {0};
    double errors[PROBE_TYPES] = {0};
    /* as a server with caches in float16 was seen to have them */
    const struct {
        probe_type type;
        double noise, error;
    } seen[] = {{PROBE_F32, 1, 311}, {PROBE_F16, 1215, 0.256}, {PROBE_BF16, 10160, 0.0306}};
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) {
        noise[seen[i].type] = (probe_noise){.noise = seen[i].noise, .bound = 4 * seen[i].noise};
        errors[seen[i].type] = seen[i].error;
    }
    probe_served_types(noise, errors, text, sizeof text);
    ck_assert_str_eq(text, "0.256 times that of f16");
    errors[PROBE_BF16] = 0.2;
    probe_served_types(noise, errors, text, sizeof text);
    ck_assert_str_eq(text, "0.256 times that of f16, 0.2 times that of bf16");
    errors[PROBE_F16] = 5;
    errors[PROBE_BF16] = 0.01; /* too small an error, but nothing is nearer */
    probe_served_types(noise, errors, text, sizeof text);
    ck_assert_str_eq(text, "0.01 times that of bf16");
    errors[PROBE_BF16] = 5;
    probe_served_types(noise, errors, text, sizeof text);
    ck_assert_str_eq(text, "");
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("fit");
    tcase_add_checked_fixture(c, made_setup, made_teardown);
    tcase_add_test(c, fit_names_a_temperature_and_a_shift);
    tcase_add_test(c, fit_names_a_penalty);
    tcase_add_test(c, values_that_are_all_zero_are_noticed);
    tcase_add_test(c, errors_of_bfloat16_are_those_of_bfloat16);
    tcase_add_test(c, claim_of_float16_is_judged_by_the_noise_of_float16);
    tcase_add_test(c, types_of_another_size_are_not_listed);
    Suite *suite = suite_create("probe/fit");
    suite_add_tcase(suite, c);
    return support_run(suite);
}
