/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/kernels/vec/vec__avx2.h"

#include "fastpath/kernels/delta/delta__vec.h"

void fp_convolve__avx2(float *y, const float *weight, const float *const *rows, size_t kernel, size_t n)
{
    convolve(y, weight, rows, kernel, n);
}

void fp_delta__avx2(const fp_delta_call *call)
{
    delta_update(call);
}

void fp_sigmoid_gate__avx2(float *y, const float *x, const float *gate, size_t n)
{
    sigmoid_gate(y, x, gate, n);
}
