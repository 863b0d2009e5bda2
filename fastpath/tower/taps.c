/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/tower/taps.h"

#include <math.h>

/* Keys' cubic convolution with a = -0.75, as a function of the distance. */
static double cubic(double d)
{
    const double a = -0.75;
    return d <= 1 ? ((a + 2) * d - (a + 3)) * d * d + 1 : ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
}

fp_taps fp_taps_find(const plan_table *t, size_t i, size_t n)
{
    const double side = (double)t->side;
    const double source = t->aligns_corners ? (double)i * (side - 1) / (double)(n > 1 ? n - 1 : 1)
                                            : ((double)i + 0.5) * side / (double)n - 0.5;
    const double base = floor(source);
    fp_taps k = {.n = t->kind == PLAN_TABLE_BICUBIC ? 4 : 2};
    for (size_t j = 0; j < k.n; j++) {
        const double at = base + (double)j - (k.n == 4 ? 1 : 0), distance = fabs(source - at);
        k.at[j] = (size_t)(at < 0 ? 0 : at > side - 1 ? side - 1 : at);
        k.weight[j] = (float)(k.n == 4 ? cubic(distance) : 1 - distance);
    }
    return k;
}
