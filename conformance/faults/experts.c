/* Faults in experts: in the plan, and in the choice of the experts of a row.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/faults/fault.h"

#include <math.h>

#include "base/dtype.h"
#include "model/numerics/stored.h"

void fault_shared_expert_missing(plan *p)
{
    for (size_t i = 0; i < p->n_layers; i++) p->layers[i].experts.shared.present = false;
}

void fault_shared_gate_missing(plan *p)
{
    for (size_t i = 0; i < p->n_layers; i++) p->layers[i].experts.shared_gate = (plan_weight){0};
}

void fault_experts_of_text(plan *p)
{
    p->expert_tokens.n = 0;
}

/* The placeholder of images is the first. */
void fault_marks_of_text(plan *p)
{
    p->expert_tokens.n = 1;
}

static void change_experts(plan *p, void (*change)(plan_experts *x))
{
    for (size_t i = 0; i < p->n_layers; i++) {
        change(&p->layers[i].experts);
        change(&p->layers[i].own_experts);
    }
}

static void drop_choice_bias(plan_experts *x)
{
    x->choice_bias = (plan_weight){0};
}

void fault_choice_bias_missing(plan *p)
{
    change_experts(p, drop_choice_bias);
}

static void drop_division(plan_experts *x)
{
    x->renormalize = false;
}

void fault_shares_as_they_are(plan *p)
{
    change_experts(p, drop_division);
}

static void drop_floor(plan_experts *x)
{
    x->sum_floor = 0;
}

void fault_sum_floor_missing(plan *p)
{
    change_experts(p, drop_floor);
}

static void take_softmax(plan_experts *x)
{
    x->scoring = PLAN_SCORING_SOFTMAX;
}

void fault_scores_softmax(plan *p)
{
    change_experts(p, take_softmax);
}

static void ignore_groups(plan_experts *x)
{
    x->n_groups = 0;
}

void fault_groups_ignored(plan *p)
{
    change_experts(p, ignore_groups);
}

static void drop_offset(plan_experts *x)
{
    x->sum_offset = 0;
}

void fault_sum_offset_missing(plan *p)
{
    change_experts(p, drop_offset);
}

static void drop_factor(plan_experts *x)
{
    x->share_factor = 1;
}

void fault_share_factor_missing(plan *p)
{
    change_experts(p, drop_factor);
}

void fault_bias_weighs(fp_choice *choice, float *probability, float *bias)
{
    for (size_t e = 0; e < choice->n_experts; e++) {
        probability[e] += bias[e];
        bias[e] = 0;
    }
}

/* The sum of the n (1 or 2) largest sums of probability and bias in a group. */
static float group_score(const fp_choice *choice, const float *probability, const float *bias, size_t g,
                         size_t n)
{
    const size_t size = choice->n_experts / choice->n_groups;
    float first = -INFINITY, second = -INFINITY;
    for (size_t e = g * size; e < (g + 1) * size; e++) {
        const float value = probability[e] + bias[e];
        second = fmaxf(second, fminf(first, value));
        first = fmaxf(first, value);
    }
    return n == 1 ? first : first + second;
}

/* Replaces the rule of groups: they are chosen by n experts, and others are compared by `instead`. */
static void choose_groups(fp_choice *choice, const float *probability, float *bias, size_t n,
                          float (*instead)(float probability))
{
    const size_t n_groups = choice->n_groups, size = n_groups ? choice->n_experts / n_groups : 0;
    float score[64];
    for (size_t g = 0; g < n_groups; g++) score[g] = group_score(choice, probability, bias, g, n);
    for (size_t g = 0; g < n_groups; g++) {
        size_t rank = 0;
        for (size_t other = 0; other < n_groups; other++) rank += score[other] > score[g];
        for (size_t e = g * size; rank >= choice->n_active_groups && e < (g + 1) * size; e++)
            bias[e] = instead(probability[e]);
    }
    choice->n_groups = 0;
}

static float exclude(float probability)
{
    (void)probability;
    return -INFINITY;
}

static float cancel(float probability)
{
    return -probability;
}

void fault_group_by_one(fp_choice *choice, float *probability, float *bias)
{
    choose_groups(choice, probability, bias, 1, exclude);
}

void fault_groups_zeroed(fp_choice *choice, float *probability, float *bias)
{
    choose_groups(choice, probability, bias, 2, cancel);
}

static void drop_limit(plan_experts *x)
{
    x->gating.limit = 0;
}

void fault_gate_limit_missing(plan *p)
{
    change_experts(p, drop_limit);
}

static void drop_slope(plan_experts *x)
{
    x->gating.slope = 0;
}

void fault_gate_slope_missing(plan *p)
{
    change_experts(p, drop_slope);
}

static void drop_biases(plan_experts *x)
{
    x->gate_bias.data = x->up_bias.data = x->down_bias.data = NULL;
}

void fault_expert_biases_missing(plan *p)
{
    change_experts(p, drop_biases);
}

/* Gate and up of one expert, in alternate columns of plain numbers. */
static void take_halves(plan *p, plan_weight *gate, plan_weight *up)
{
    stored_numbers numbers;
    if (!stored_as_numbers(&gate->stored, &numbers) || numbers.row_stride != 2) return;
    numbers.row_stride = 1;
    (void)stored_of_numbers(p->layouts, &numbers, gate->rows, gate->cols, &gate->stored);
    numbers.data = (const char *)numbers.data + gate->rows * dtype_size(numbers.dtype);
    (void)stored_of_numbers(p->layouts, &numbers, up->rows, up->cols, &up->stored);
}

void fault_columns_as_halves(plan *p)
{
    for (size_t i = 0; i < p->n_layers; i++) {
        const plan_experts *x = &p->layers[i].experts;
        for (size_t e = 0; x->present && e < x->n_experts; e++) take_halves(p, &x->gate[e], &x->up[e]);
    }
}
