/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/kernels/vec/vec__avx512.h"

#include "fastpath/kernels/delta/delta__vec.h"

void fp_convolve__avx512(float *y, const float *weight, const float *const *rows, size_t kernel, size_t n)
{
    convolve(y, weight, rows, kernel, n);
}

void fp_delta__avx512(const fp_delta_call *call)
{
    delta_update(call);
}

void fp_sigmoid_gate__avx512(float *y, const float *x, const float *gate, size_t n)
{
    sigmoid_gate(y, x, gate, n);
}
