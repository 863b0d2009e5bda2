/* The reference's mixture of experts on inputs whose results are known.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/tests/weight.h"
#include "ref/choice.h"
#include "ref/mlp.h"

#include "base/tests/support.h"

static plan_weight matrix(const double *data, size_t rows, size_t cols)
{
    return weight_of(data, ASSAY_F64, rows, cols);
}

/* Three experts that give 1, 2 and 4 times relu(x)·x; the router's input is x = (1), its scores are its
 * rows: probabilities 1/7, 2/7, 4/7. The options that are given replace its own. Tokens with experts of their
 * own have one that gives 100. */
static void route(const plan_experts *given, size_t n_tokens, const bool *has_own, double *y)
{
    static const double router[] = {0, 0.69314718055994530942, 1.3862943611198906188}, one[] = {1},
                        factor[] = {1, 2, 4};
    plan_weight gate[3], up[3], down[3];
    for (size_t e = 0; e < 3; e++) {
        gate[e] = up[e] = matrix(one, 1, 1);
        down[e] = matrix(&factor[e], 1, 1);
    }
    static const double hundred = 100;
    plan_weight own_down = matrix(&hundred, 1, 1);
    plan_layer layer = {.experts = *given};
    plan_experts *x = &layer.experts;
    x->present = true;
    x->n_experts = 3;
    x->n_active = 2;
    x->intermediate = 1;
    x->activation = ASSAY_RELU;
    x->router = matrix(router, 3, 1);
    x->router_factor = 1;
    if (x->share_factor == 0) x->share_factor = 1;
    x->gate = gate;
    x->up = up;
    x->down = down;
    layer.own_experts = *x;
    layer.own_experts.router = matrix(router, 1, 1);
    layer.own_experts.n_experts = layer.own_experts.n_active = 1;
    layer.own_experts.down = &own_down;
    const ref_real in[] = {1, 1, 1};
    ck_assert_int_eq(ref_experts(y, in, in, n_tokens, &layer, has_own), ASSAY_OK);
}

START_TEST(the_best_experts_are_mixed_by_probability)
{
    static const double scale[] = {9, 3, 1};
    double y;
    route(&(plan_experts){0}, 1, NULL, &y);
    ck_assert(fabs(y - (2 * 2 + 4 * 4) / 7.0) < 1e-14);
    route(&(plan_experts){.renormalize = true}, 1, NULL, &y);
    ck_assert(fabs(y - (2 * 2 + 4 * 4) / 6.0) < 1e-14);
    route(&(plan_experts){.renormalize = true, .expert_scale = matrix(scale, 1, 3)}, 1, NULL, &y);
    ck_assert(fabs(y - (3 * 2 * 2 + 4 * 4) / 6.0) < 1e-14);
}
END_TEST

START_TEST(a_choice_bias_changes_the_choice_and_no_weight)
{
    static const double bias[] = {3 / 14.0, 1 / 14.0, -0.125}; /* 5/14, 5/14, 0.446 */
    static const double first[] = {1, 0, 0};
    double y;
    route(&(plan_experts){.choice_bias = matrix(bias, 1, 3)}, 1, NULL, &y);
    ck_assert(fabs(y - (1 + 4 * 4) / 7.0) < 1e-14); /* of equal ones the first */
    route(&(plan_experts){.choice_bias = matrix(first, 1, 3), .renormalize = true}, 1, NULL, &y);
    ck_assert(fabs(y - (1 + 4 * 4) / 5.0) < 1e-14);
}
END_TEST

START_TEST(the_sum_that_divides_is_not_below_its_floor)
{
    double y;
    route(&(plan_experts){.renormalize = true, .sum_floor = 0.5}, 1, NULL, &y);
    ck_assert(fabs(y - (2 * 2 + 4 * 4) / 6.0) < 1e-14);
    route(&(plan_experts){.renormalize = true, .sum_floor = 2}, 1, NULL, &y);
    ck_assert(fabs(y - (2 * 2 + 4 * 4) / 14.0) < 1e-14);
}
END_TEST

START_TEST(groups_are_chosen_by_two_experts)
{
    const plan_experts x = {
        .n_experts = 6, .n_active = 2, .n_groups = 3, .n_active_groups = 1, .share_factor = 1};
    const ref_real none[6] = {0}, bias[6] = {-2, -2, 0, 0, 0, 0};
    ref_real scratch[12], share[6] = {0.5, 0.375, 0.875, 0, 0.5, 0.25};
    ref_choose_experts(share, none, &x, scratch); /* 0.875 twice, then 0.75: of equal ones the first */
    ck_assert(share[0] == 0.5 && share[1] == 0.375 && share[2] == 0 && share[4] == 0);
    ref_real biased[6] = {0.5, 0.375, 0.875, 0, 0.5, 0.5};
    ref_choose_experts(biased, bias, &x, scratch);
    ck_assert(biased[0] == 0 && biased[2] == 0 && biased[4] == 0.5 && biased[5] == 0.5);
    /* An expert of the chosen group is chosen although all of the others have larger numbers. */
    const ref_real low[6] = {0, -2, -0.625, -0.625, -0.625, -0.625};
    ref_real lone[6] = {0.875, 0.125, 0, 0, 0, 0};
    ref_choose_experts(lone, low, &x, scratch); /* -1 against -1.25 */
    ck_assert(lone[0] == 0.875 && lone[1] == 0.125 && lone[2] == 0);
}
END_TEST

START_TEST(sigmoids_have_an_offset_of_their_sum_and_a_factor)
{
    static const double first[] = {1, 0, 0};
    plan_experts x = {.scoring = PLAN_SCORING_SIGMOID, .share_factor = 1};
    double y;
    route(&x, 1, NULL, &y); /* 1/2, 2/3, 4/5 */
    ck_assert(fabs(y - (2 * 2 / 3.0 + 4 * 4 / 5.0)) < 1e-14);
    x.share_factor = 3;
    route(&x, 1, NULL, &y);
    ck_assert(fabs(y - 3 * (2 * 2 / 3.0 + 4 * 4 / 5.0)) < 1e-14);
    x.renormalize = true;
    x.sum_offset = 22 / 15.0; /* the sum itself */
    route(&x, 1, NULL, &y);
    ck_assert(fabs(y - 3 * (2 * 2 / 3.0 + 4 * 4 / 5.0) / (44 / 15.0)) < 1e-14);
    x = (plan_experts){.scoring = PLAN_SCORING_SIGMOID, .choice_bias = matrix(first, 1, 3)};
    route(&x, 1, NULL, &y);
    ck_assert(fabs(y - (1 / 2.0 + 4 * 4 / 5.0)) < 1e-14);
}
END_TEST

START_TEST(tokens_with_experts_of_their_own_have_no_others)
{
    double y[3];
    route(&(plan_experts){0}, 3, (const bool[]){false, true, false}, y);
    ck_assert(fabs(y[0] - 20 / 7.0) < 1e-14 && fabs(y[1] - 100) < 1e-12 && fabs(y[2] - 20 / 7.0) < 1e-14);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ref/experts");
    TCase *all = tcase_create("all");
    tcase_add_test(all, the_best_experts_are_mixed_by_probability);
    tcase_add_test(all, a_choice_bias_changes_the_choice_and_no_weight);
    tcase_add_test(all, the_sum_that_divides_is_not_below_its_floor);
    tcase_add_test(all, sigmoids_have_an_offset_of_their_sum_and_a_factor);
    tcase_add_test(all, groups_are_chosen_by_two_experts);
    tcase_add_test(all, tokens_with_experts_of_their_own_have_no_others);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
