/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/choice.h"

#include <math.h>

/* How many of value[0..n) are better than value[i]: of equal ones the first is. */
static size_t rank_of(const double *value, size_t n, size_t i)
{
    size_t rank = 0;
    for (size_t j = 0; j < n; j++) rank += value[j] > value[i] || (j < i && value[j] == value[i]);
    return rank;
}

/* The sum of the two largest of value[0..n), n >= 2. */
static double sum_of_two(const double *value, size_t n)
{
    double first = fmax(value[0], value[1]), second = fmin(value[0], value[1]);
    for (size_t i = 2; i < n; i++) {
        second = fmax(second, fmin(first, value[i]));
        first = fmax(first, value[i]);
    }
    return first + second;
}

/* Makes -infinity of the values of groups that are not chosen. value: [n_experts], score: [n_groups]. */
static void exclude_groups(double *value, double *score, const fp_choice *c)
{
    const size_t size = c->n_experts / c->n_groups;
    for (size_t g = 0; g < c->n_groups; g++) score[g] = sum_of_two(value + g * size, size);
    for (size_t g = 0; g < c->n_groups; g++) {
        if (rank_of(score, c->n_groups, g) < c->n_active_groups) continue;
        for (size_t e = 0; e < size; e++) value[g * size + e] = -INFINITY;
    }
}

/* One row. */
static void choose(int32_t *chosen, float *share, const float *probability, const fp_choice *c, double *value)
{
    size_t n = 0;
    double sum = 0;
    for (size_t e = 0; e < c->n_experts; e++)
        value[e] = (double)probability[e] + (c->bias ? (double)c->bias[e] : 0);
    if (c->n_groups) exclude_groups(value, value + c->n_experts, c);
    for (size_t e = 0; e < c->n_experts && n < c->n_active; e++)
        if (rank_of(value, c->n_experts, e) < c->n_active) chosen[n++] = (int32_t)e;
    for (; n < c->n_active; n++) chosen[n] = 0; /* probabilities that are no numbers have no order */
    for (size_t k = 0; k < c->n_active; k++) sum += (double)probability[chosen[k]];
    const double divisor = c->renormalize ? fmax(sum, c->sum_floor) + c->sum_offset : 1;
    for (size_t k = 0; k < c->n_active; k++)
        share[k] = (float)((double)probability[chosen[k]] * (c->factor / divisor));
}

void fp_choose_experts(int32_t *chosen, float *share, const float *probability, size_t n_rows,
                       const fp_choice *c, double *scratch)
{
    for (size_t r = 0; r < n_rows; r++)
        choose(chosen + r * c->n_active, share + r * c->n_active, probability + r * c->n_experts, c, scratch);
}
