/* The operations of the reference engine, each one plain loop per equation over row-major arrays.
 * T: tokens of the sample. Unless a comment says otherwise, outputs must not overlap inputs.
 * Every function that needs scratch memory returns ASSAY_OK or ASSAY_ENOMEM; the others cannot fail, since
 * the plan has been checked.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REF_OPS_H
#define REF_OPS_H

#include "model/plan/mask.h"
#include "model/plan/plan.h"
#include "ref/arithmetic/real.h"

/* Allocates a zeroed array of rows × cols numbers; the caller frees it. NULL if out of memory, or if
 * the size overflows. */
ref_real *ref_alloc(size_t rows, size_t cols);

/* y = clamp(clamp(x) Wᵀ + b). x: [T, in], y: [T, out]. */
assay_status ref_linear(ref_real *y, const ref_real *x, size_t n_tokens, const plan_linear *linear);

/* The norm of every row, of the kind that it states; copies x if the norm is not present. x: [n, width]; y
 * may be x. */
assay_status ref_norm(ref_real *y, const ref_real *x, size_t n_rows, size_t width, const plan_norm *norm);
/* RMSNorm (Zhang & Sennrich 2019) and LayerNorm (Ba et al. 2016, with the biased variance, as
 * torch.nn.LayerNorm). */
assay_status ref_rms_norm(ref_real *y, const ref_real *x, size_t n_rows, size_t width, const plan_norm *norm);
assay_status ref_layer_norm(ref_real *y, const ref_real *x, size_t n_rows, size_t width,
                            const plan_norm *norm);

/* Values of x [n] below min become min, those above max become max, in place; NaN stays. */
void ref_clamp(ref_real *x, size_t n, double min, double max);

/* x: [n], in place. */
void ref_activate(ref_real *x, size_t n, assay_activation activation);

/* 1 / (1 + exp(-x)), in place over x: [n]. */
void ref_sigmoid(ref_real *x, size_t n);

/* In place over x: [n]; subtracts the maximum first. Entries of -INFINITY become 0. */
void ref_softmax(ref_real *x, size_t n);

/* tanh(x / cap) * cap, in place over x: [n]. */
void ref_soft_cap(ref_real *x, size_t n, double cap);

/* y += x. */
void ref_add(ref_real *y, const ref_real *x, size_t n);
void ref_scale(ref_real *y, size_t n, double factor);
/* y *= x. */
void ref_multiply(ref_real *y, const ref_real *x, size_t n);

/* Rotates the leading r->dim elements of every head in place.
 * x: [T, n_heads, head_dim]; cosine, sine: [T, rope_n_angles], from rope_tables. */
void ref_rope(ref_real *x, size_t n_tokens, size_t n_heads, const rope *r, const double *cosine,
              const double *sine);

/* Rotates pairs of every head in place, as plan_plane_rope says. x: [T, n_heads, head_dim]; angle:
 * [T, n_heads, dim / 2], from ref_features_angles. */
void ref_plane_rope(ref_real *x, size_t n_tokens, size_t n_heads, size_t head_dim, const plan_plane_rope *r,
                    const double *angle);

/* Limits the keys to which a token attends in layers without a window: the first `sink_tokens`, and the
 * latest others, `limit` in all. SIZE_MAX: no limit. */
typedef struct ref_limit {
    size_t limit, sink_tokens;
} ref_limit;

/* Softmax attention of one sample, each query over its own keys.
 * q: [n_tokens, n_heads, head_dim]; k, v: [n_keys, n_kv_heads, head_dim]; out like q. keys: [n_tokens], end
 * <= n_keys. */
assay_status ref_attention(ref_real *out, const ref_real *q, const ref_real *k, const ref_real *v,
                           size_t n_tokens, size_t n_keys, const plan_attention *a, const plan_keys *keys);

#endif
