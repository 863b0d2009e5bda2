/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "fastpath/kernels/cap/cap.h"

void fp_cap_f32__scalar(float *x, size_t n, float cap)
{
    for (size_t i = 0; i < n; i++) x[i] = (float)(tanh((double)x[i] / (double)cap) * (double)cap);
}
