/* The state of one forward pass.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REF_PASS_H
#define REF_PASS_H

#include "ref/features.h"
#include "ref/ops.h"
#include "ref/trace.h"

/* State that a pass carries from layer to layer. */
typedef struct ref_pass {
    const plan *plan;
    size_t n_tokens;          /* T */
    const int32_t *tokens;    /* [T], checked: within the vocabulary */
    const int32_t *positions; /* [T, ROPE_AXES_MAX], not negative; NULL: the index of each token */
    ref_limit limit;
    size_t *block_end; /* [T], see plan_block_ends */
    ref_tracer tracer;
    double **cosine, **sine; /* [n_ropes] of [T, rope_n_angles] */
    double *plane_angle;     /* [T, n_heads, dim / 2] of the plane rope; NULL: no token turns */
    ref_real **k, **v;      /* [n_layers] of [T, n_kv_heads, head_dim], kept for the layers that share them */
    ref_real *layer_inputs; /* [T, n_layers, P], or NULL */
    const media_list *media;
    ref_features features;
} ref_pass;

#endif
