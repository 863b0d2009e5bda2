/* The choice of experts by probability and bias.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/choice.h"

#include "base/tests/support.h"

#include <math.h>

enum { N = 4, ACTIVE = 2 };

static const float PROBABILITY[2 * N] = {0.5F, 0.25F, 0.125F, 0.125F, 0.25F, 0.25F, 0.25F, 0.25F};

static void expect(const fp_choice *choice, const int32_t *chosen, const float *share)
{
    int32_t own[2 * ACTIVE];
    float own_share[2 * ACTIVE];
    double scratch[2 * N];
    fp_choose_experts(own, own_share, PROBABILITY, 2, choice, scratch);
    for (size_t k = 0; k < 2 * ACTIVE; k++) {
        ck_assert_msg(own[k] == chosen[k], "[%zu]: %d, not %d", k, own[k], chosen[k]);
        ck_assert_msg(own_share[k] == share[k], "[%zu]: %g, not %g", k, (double)own_share[k],
                      (double)share[k]);
    }
}

START_TEST(without_a_bias_the_most_probable_are_chosen)
{
    const fp_choice choice = {.n_experts = N, .n_active = ACTIVE, .factor = 1};
    expect(&choice, (const int32_t[]){0, 1, 0, 1}, (const float[]){0.5F, 0.25F, 0.25F, 0.25F});
}
END_TEST

START_TEST(a_bias_changes_the_choice_and_no_share)
{
    static const float bias[N] = {-0.5F, 0, 0, 0.25F};
    fp_choice choice = {.n_experts = N, .n_active = ACTIVE, .factor = 1, .bias = bias};
    expect(&choice, (const int32_t[]){1, 3, 1, 3}, (const float[]){0.25F, 0.125F, 0.25F, 0.25F});
    choice.renormalize = true;
    expect(&choice, (const int32_t[]){1, 3, 1, 3}, (const float[]){2 / 3.0F, 1 / 3.0F, 0.5F, 0.5F});
}
END_TEST

START_TEST(the_sum_that_divides_is_not_below_its_floor)
{
    const fp_choice choice = {
        .n_experts = N, .n_active = ACTIVE, .factor = 1, .renormalize = true, .sum_floor = 0.625};
    expect(&choice, (const int32_t[]){0, 1, 0, 1}, (const float[]){2 / 3.0F, 1 / 3.0F, 0.4F, 0.4F});
}
END_TEST

START_TEST(an_offset_of_the_sum_and_a_factor_change_the_shares)
{
    fp_choice choice = {.n_experts = N, .n_active = ACTIVE, .factor = 3, .sum_offset = 0.25};
    expect(&choice, (const int32_t[]){0, 1, 0, 1}, (const float[]){1.5F, 0.75F, 0.75F, 0.75F});
    choice.renormalize = true;
    expect(&choice, (const int32_t[]){0, 1, 0, 1}, (const float[]){1.5F, 0.75F, 1, 1});
}
END_TEST

START_TEST(groups_are_chosen_by_two_experts)
{
    static const float bias[N] = {-0.5F, 0, 0.125F,
                                  0.125F}; /* 0 + 0.25, twice 0.25; -0.25 + 0.25, twice 0.375 */
    fp_choice choice = {.n_experts = N, .n_active = ACTIVE, .factor = 1, .n_groups = 2, .n_active_groups = 1};
    expect(&choice, (const int32_t[]){0, 1, 0, 1}, (const float[]){0.5F, 0.25F, 0.25F, 0.25F});
    choice.bias = bias;
    expect(&choice, (const int32_t[]){2, 3, 2, 3}, (const float[]){0.125F, 0.125F, 0.25F, 0.25F});
    static const float low[N] = {0, -2, -1,
                                 -1}; /* 0.5 - 1.75 against twice -0.875; 0.25 - 1.75, twice -0.75 */
    choice.bias = low;
    expect(&choice, (const int32_t[]){0, 1, 0, 1}, (const float[]){0.5F, 0.25F, 0.25F, 0.25F});
}
END_TEST

START_TEST(probabilities_that_are_no_numbers_choose_experts_that_exist)
{
    const float none[N] = {NAN, NAN, NAN, NAN};
    int32_t chosen[ACTIVE] = {-1, -1};
    float share[ACTIVE];
    double scratch[N];
    const fp_choice choice = {
        .n_experts = N, .n_active = ACTIVE, .factor = 1, .renormalize = true, .sum_floor = 1e-12};
    fp_choose_experts(chosen, share, none, 1, &choice, scratch);
    ck_assert(chosen[0] == 0 && chosen[1] == 1 && isnan(share[0]));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fastpath/choice");
    TCase *all = tcase_create("all");
    tcase_add_test(all, without_a_bias_the_most_probable_are_chosen);
    tcase_add_test(all, a_bias_changes_the_choice_and_no_share);
    tcase_add_test(all, the_sum_that_divides_is_not_below_its_floor);
    tcase_add_test(all, an_offset_of_the_sum_and_a_factor_change_the_shares);
    tcase_add_test(all, groups_are_chosen_by_two_experts);
    tcase_add_test(all, probabilities_that_are_no_numbers_choose_experts_that_exist);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
