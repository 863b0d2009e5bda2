/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/kernels/vec/vec__avx512.h"

#include "fastpath/kernels/gate/gate__vec.h"

void fp_gate_f32__avx512(float *y, const float *x, const float *up, size_t n, assay_activation activation)
{
    gate(y, x, up, n, activation);
}
