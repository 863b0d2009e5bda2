/* The parts of a gated delta net that are not products (model/plan/plan.h: plan_delta). They are no plug-in
 * point.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_DELTA_DELTA_H
#define FASTPATH_KERNELS_DELTA_DELTA_H

#include <stddef.h>

#include "fastpath/kernels/isa/isa.h"

/* y[c] = silu(sum over j of weight[j, c] rows[j][c]). y: [n], overlaps no row; weight: [kernel, n]; rows:
 * [kernel] of [n], the inputs of the latest tokens, the oldest first. */
typedef void fp_convolve_fn(float *y, const float *weight, const float *const *rows, size_t kernel, size_t n);

/* Consecutive columns of the state of one value head, and n_tokens tokens of one sample, the first of them
 * the oldest. With S the state, for each token: S = decay S; S += k (beta (v - Sᵀk))ᵀ; out = Sᵀq. */
typedef struct fp_delta_call {
    const float *from; /* [k_dim, ld_state], S before the first token */
    float *to;         /* [k_dim, ld_state], receives S after the last token */
    size_t ld_state;
    const float *q, *k; /* [n_tokens, ld_qk], of k_dim elements: normalised, q scaled */
    size_t ld_qk;
    const float *v; /* [n_tokens, ld_v] */
    size_t ld_v;
    const float *decay, *beta; /* [n_tokens, ld_gate], of one element */
    size_t ld_gate;
    float *out; /* [n_tokens, ld_out] */
    size_t ld_out;
    size_t n_tokens, k_dim, n_columns; /* none 0 */
} fp_delta_call;

/* A column's numbers depend on nothing but that column and its place among n_columns, so a state divided at
 * multiples of this gives the same bits. */
#define FP_DELTA_COLUMNS ((size_t)64)

typedef void fp_delta_fn(const fp_delta_call *call);

/* y = x / (1 + exp(-gate)); y may be x. x, gate, y: [n]. */
typedef void fp_sigmoid_gate_fn(float *y, const float *x, const float *gate, size_t n);

typedef struct fp_delta_variant {
    fp_isa isa;
    fp_convolve_fn *convolve;
    fp_delta_fn *update;
    fp_sigmoid_gate_fn *sigmoid_gate;
} fp_delta_variant;

/* The variants of this build, best first; the last one is scalar. */
extern const fp_delta_variant FP_DELTA[];
extern const size_t FP_N_DELTA;

/* The best variant that runs on isa. */
const fp_delta_variant *fp_delta_pick(fp_isa isa);

fp_convolve_fn fp_convolve__scalar, fp_convolve__neon, fp_convolve__avx2, fp_convolve__avx512;
fp_delta_fn fp_delta__scalar, fp_delta__neon, fp_delta__avx2, fp_delta__avx512;
fp_sigmoid_gate_fn fp_sigmoid_gate__scalar, fp_sigmoid_gate__neon, fp_sigmoid_gate__avx2,
    fp_sigmoid_gate__avx512;

#endif
