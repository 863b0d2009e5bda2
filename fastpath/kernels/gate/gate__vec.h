/* Gated activations over vectors; included once by gate__<isa>.c, after its vec__<isa>.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_GATE_VEC_H
#define FASTPATH_KERNELS_GATE_VEC_H

#include "fastpath/kernels/gate/gate.h"
#include "fastpath/kernels/vec/vec_math.h"

/* Uses 1 + tanh(z) = 2 sigmoid(2 z), which avoids cancellation. */
static inline vec gelu_tanh(vec x)
{
    const float twice_root_2_pi = 1.59576912F;
    vec cube = vec_mul(vec_mul(x, x), vec_mul(x, vec_of(0.044715F)));
    return vec_mul(x, vec_sigmoid(vec_mul(vec_of(twice_root_2_pi), vec_add(x, cube))));
}

static inline vec gelu(vec x)
{
    vec tail = vec_normal_tail(vec_abs(x));
    return vec_mul(x, vec_if_less(x, vec_of(0), tail, vec_sub(vec_of(1), tail)));
}

static inline vec activate(vec x, assay_activation activation)
{
    switch (activation) {
    case ASSAY_SILU: return vec_mul(x, vec_sigmoid(x));
    case ASSAY_GELU: return gelu(x);
    case ASSAY_GELU_TANH: return gelu_tanh(x);
    case ASSAY_QUICK_GELU: return vec_mul(x, vec_sigmoid(vec_mul(vec_of(1.702F), x)));
    case ASSAY_RELU: return vec_max(vec_of(0), x); /* propagates NaN in the second operand */
    }
    return x;
}

static inline void gate(float *y, const float *x, const float *up, size_t n, assay_activation activation)
{
    for (size_t i = 0; i < n; i += VEC)
        vec_store(y + i, vec_mul(activate(vec_load(x + i, n - i), activation), vec_load(up + i, n - i)),
                  n - i);
}

#endif
