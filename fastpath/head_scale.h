/* Scales of queries and values by token and position (plan_head_scale), and by position (plan_query_factor).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_HEAD_SCALE_H
#define FASTPATH_HEAD_SCALE_H

#include "fastpath/pass.h"

/* Scratch of a layer: rows [R, 3 · n_heads · head_dim], and the scores of q and v [R, n_heads] each. */
typedef struct fp_head_scratch {
    float *rows, *of_q, *of_v;
} fp_head_scratch;

/* False if out of memory. */
bool fp_head_scale_alloc(fp_pass *pass, const plan_attention *a, fp_head_scratch *s);

/* Scales q and v of layer i in place. q, k, v: [R, n_heads, head_dim], as they are projected. */
void fp_head_scale_run(const fp_pass *pass, size_t i, const fp_head_scratch *s, float *q, const float *k,
                       float *v);

/* Multiplies the queries [R, n_heads, head_dim] by their factors (plan_query_factor). */
void fp_query_factor_run(const fp_pass *pass, const plan_attention *a, float *q);

#endif
