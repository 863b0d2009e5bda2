/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "fastpath/kernels/router/router.h"

static void softmax(float *x, size_t n)
{
    float top = x[0];
    double sum = 0;
    for (size_t i = 1; i < n; i++) top = x[i] > top ? x[i] : top;
    for (size_t i = 0; i < n; i++) sum += exp((double)x[i] - (double)top);
    for (size_t i = 0; i < n; i++) x[i] = (float)(exp((double)x[i] - (double)top) / sum);
}

/* Whether expert e is in chosen[0..n). */
static bool is_among(const int32_t *chosen, size_t n, size_t e)
{
    for (size_t i = 0; i < n; i++)
        if ((size_t)chosen[i] == e) return true;
    return false;
}

/* Puts e into the ascending list chosen[0..n). */
static void insert_expert(int32_t *chosen, size_t n, size_t e)
{
    for (; n > 0 && (size_t)chosen[n - 1] > e; n--) chosen[n] = chosen[n - 1];
    chosen[n] = (int32_t)e;
}

static void choose_experts(int32_t *chosen, const float *probability, size_t n_experts, size_t n_active)
{
    for (size_t k = 0; k < n_active; k++) {
        size_t best = n_experts;
        for (size_t e = 0; e < n_experts; e++)
            if ((best == n_experts || probability[e] > probability[best]) && !is_among(chosen, k, e))
                best = e;
        insert_expert(chosen, k, best);
    }
}

void fp_router_f32__scalar(int32_t *chosen, float *share, float *scores, size_t n_rows, size_t n_experts,
                           size_t n_active, bool renormalize)
{
    for (size_t r = 0; r < n_rows; r++) {
        float *row = scores + r * n_experts;
        double sum = 0;
        softmax(row, n_experts);
        choose_experts(chosen + r * n_active, row, n_experts, n_active);
        for (size_t k = 0; k < n_active; k++) sum += (double)row[chosen[r * n_active + k]];
        for (size_t k = 0; k < n_active; k++)
            share[r * n_active + k] =
                (float)((double)row[chosen[r * n_active + k]] / (renormalize ? sum : 1));
    }
}
