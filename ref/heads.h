/* Heads of attention: projection, scales, norm, rotation.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REF_HEADS_H
#define REF_HEADS_H

#include "ref/ops.h"

/* How heads rotate. rope NULL: not at all. cosine, sine: [T, rope_n_angles], from
 * rope_tables. */
typedef struct ref_rotation {
    const rope *rope;
    const double *cosine, *sine;
    bool is_before_norm;
} ref_rotation;

/* Normalises each head or all of them together, and rotates them. heads: [T, n_heads, head_dim]. Fails with
 * ASSAY_ENOMEM. */
assay_status ref_heads_finish(ref_real *heads, size_t n_tokens, size_t n_heads, size_t head_dim,
                              const plan_norm *norm, ref_rotation rotation);

/* Projects x to heads, normalises and rotates them. x: [T, in]; heads: [T, n_heads, head_dim]. Fails with
 * ASSAY_ENOMEM. */
assay_status ref_heads_project(ref_real *heads, const ref_real *x, size_t n_tokens, size_t n_heads,
                               size_t head_dim, const plan_linear *linear, const plan_norm *norm,
                               ref_rotation rotation);

/* Scales q and v in place. q, k, v: [T, n_heads, head_dim], as they are projected. positions: [T,
 * ROPE_AXES_MAX], of which the first axis counts, or NULL: the index of each token. Fails with ASSAY_ENOMEM.
 */
assay_status ref_head_scale(ref_real *q, const ref_real *k, ref_real *v, size_t n_tokens,
                            const int32_t *positions, const plan_attention *a);

#endif
