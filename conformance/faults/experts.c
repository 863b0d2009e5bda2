/* Faults in experts: in the plan, and in the choice of the experts of a row.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/faults/fault.h"

#include <math.h>

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

/* The largest sum of probability and bias in a group. */
static float best_of_group(const fp_choice *choice, const float *probability, const float *bias, size_t g)
{
    const size_t size = choice->n_experts / choice->n_groups;
    float best = -INFINITY;
    for (size_t e = g * size; e < (g + 1) * size; e++) best = fmaxf(best, probability[e] + bias[e]);
    return best;
}

/* Groups are chosen by their best expert alone: the bias excludes the experts of the others. */
void fault_group_by_one(fp_choice *choice, float *probability, float *bias)
{
    const size_t n = choice->n_groups, size = n ? choice->n_experts / n : 0;
    float best[64];
    for (size_t g = 0; g < n; g++) best[g] = best_of_group(choice, probability, bias, g);
    for (size_t g = 0; g < n; g++) {
        size_t rank = 0;
        for (size_t other = 0; other < n; other++) rank += best[other] > best[g];
        for (size_t e = 0; rank >= choice->n_active_groups && e < size; e++) bias[g * size + e] = -INFINITY;
    }
    choice->n_groups = 0;
}
