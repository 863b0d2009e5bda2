/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/choice.h"

#include <math.h>

static double compared(const float *probability, const fp_choice *c, size_t e)
{
    return (double)probability[e] + (c->bias ? (double)c->bias[e] : 0);
}

/* Whether expert e is better than the other: of equal ones the first is. */
static bool is_better(const float *probability, const fp_choice *c, size_t e, size_t other)
{
    const double own = compared(probability, c, e), others = compared(probability, c, other);
    return own > others || (own == others && e < other);
}

/* How many experts are better than expert e. */
static size_t rank_of(const float *probability, const fp_choice *c, size_t e)
{
    size_t n = 0;
    for (size_t other = 0; other < c->n_experts; other++)
        n += other != e && is_better(probability, c, other, e);
    return n;
}

void fp_choose_experts(int32_t *chosen, float *share, const float *probability, size_t n_rows,
                       const fp_choice *c)
{
    for (size_t r = 0; r < n_rows;
         r++, probability += c->n_experts, chosen += c->n_active, share += c->n_active) {
        size_t n = 0;
        double sum = 0;
        for (size_t e = 0; e < c->n_experts && n < c->n_active; e++)
            if (rank_of(probability, c, e) < c->n_active) chosen[n++] = (int32_t)e;
        for (; n < c->n_active; n++) chosen[n] = 0; /* probabilities that are no numbers have no order */
        for (size_t k = 0; k < c->n_active; k++) sum += (double)probability[chosen[k]];
        const double divisor = c->renormalize ? fmax(sum, c->sum_floor) : 1;
        for (size_t k = 0; k < c->n_active; k++) share[k] = (float)((double)probability[chosen[k]] / divisor);
    }
}
