/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "fastpath/kernels/gate/gate.h"

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static double activate(double x, assay_activation activation)
{
    const double root_half = 0.70710678118654752440, root_2_pi = 0.79788456080286535588;
    switch (activation) {
    case ASSAY_SILU: return x * sigmoid(x);
    case ASSAY_GELU: return x / 2 * erfc(-x * root_half);
    case ASSAY_GELU_TANH: return x * sigmoid(2 * root_2_pi * (x + 0.044715 * x * x * x));
    case ASSAY_QUICK_GELU: return x * sigmoid(1.702 * x);
    case ASSAY_RELU: return x < 0 ? 0 : x; /* NaN is propagated */
    }
    return x;
}

void fp_gate_f32__scalar(float *y, const float *gate, const float *up, size_t n, assay_activation activation)
{
    for (size_t i = 0; i < n; i++) y[i] = (float)(activate((double)gate[i], activation) * (double)up[i]);
}
