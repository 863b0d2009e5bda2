/* SPDX-License-Identifier: Apache-2.0 */
#include "ref/choice.h"

#include <math.h>

/* How many of value[first … end) are larger than value[i], or equal and before it. */
static size_t rank_of(const ref_real *value, size_t first, size_t end, size_t i)
{
    size_t n = 0;
    for (size_t j = first; j < end; j++) n += value[j] > value[i] || (j < i && value[j] == value[i]);
    return n;
}

/* Excludes the experts of the groups that are not chosen (Glm4vMoeTextTopkRouter). value: [n_experts]; score:
 * [n_groups], scratch. */
static void exclude_groups(ref_real *value, ref_real *score, const plan_experts *x)
{
    const size_t n = x->n_groups, size = x->n_experts / n;
    for (size_t g = 0; g < n; g++) {
        score[g] = 0;
        for (size_t e = g * size; e < (g + 1) * size; e++)
            if (rank_of(value, g * size, (g + 1) * size, e) < 2) score[g] += value[e];
    }
    for (size_t g = 0; g < n; g++)
        if (rank_of(score, 0, n, g) >= x->n_active_groups)
            for (size_t e = g * size; e < (g + 1) * size; e++) value[e] = -(ref_real)INFINITY;
}

void ref_choose_experts(ref_real *share, const ref_real *bias, const plan_experts *x, ref_real *scratch)
{
    const size_t n = x->n_experts;
    ref_real *value = scratch;
    double sum = 0, factor = x->share_factor;
    for (size_t e = 0; e < n; e++) value[e] = share[e] + bias[e];
    if (x->n_groups) exclude_groups(value, scratch + n, x);
    for (size_t e = 0; e < n; e++) {
        if (rank_of(value, 0, n, e) >= x->n_active) share[e] = 0;
        sum += (double)share[e];
    }
    if (x->renormalize) factor /= fmax(sum, x->sum_floor) + x->sum_offset;
    if (factor != 1) ref_scale(share, n, factor);
}
