/* SPDX-License-Identifier: Apache-2.0 */
#include "ref/heads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ref/arithmetic/product.h"
#include "ref/arithmetic/weight.h"

assay_status ref_heads_finish(ref_real *heads, size_t n_tokens, size_t n_heads, size_t head_dim,
                              const plan_norm *norm, ref_rotation rotation)
{
    assay_status rc = ASSAY_OK;
    if (rotation.rope && rotation.is_before_norm)
        ref_rope(heads, n_tokens, n_heads, rotation.rope, rotation.cosine, rotation.sine);
    if (norm->present)
        rc = ref_norm(heads, heads, n_tokens * n_heads * head_dim / norm->width, norm->width, norm);
    if (rc == ASSAY_OK && rotation.rope && !rotation.is_before_norm)
        ref_rope(heads, n_tokens, n_heads, rotation.rope, rotation.cosine, rotation.sine);
    return rc;
}

assay_status ref_heads_project(ref_real *heads, const ref_real *x, size_t n_tokens, size_t n_heads,
                               size_t head_dim, const plan_linear *linear, const plan_norm *norm,
                               ref_rotation rotation)
{
    assay_status rc = ref_linear(heads, x, n_tokens, linear);
    return rc == ASSAY_OK ? ref_heads_finish(heads, n_tokens, n_heads, head_dim, norm, rotation) : rc;
}

/* rows: [T, 3 · n], the activated projections, n elements of each. */
static void fill_rows(ref_real *rows, const ref_real *q, const ref_real *k, const ref_real *v,
                      size_t n_tokens, size_t n)
{
    for (size_t t = 0; t < n_tokens; t++) {
        memcpy(rows + 3 * t * n, q + t * n, n * sizeof *rows);
        memcpy(rows + (3 * t + 1) * n, k + t * n, n * sizeof *rows);
        memcpy(rows + (3 * t + 2) * n, v + t * n, n * sizeof *rows);
    }
    ref_activate(rows, 3 * n_tokens * n, ASSAY_GELU);
}

/* heads[t, h] *= tanh(score[t, h]) + 1 + (sigmoid(alpha[h] · log(position + 1)) - ½). score: [T, n_heads]. */
static void scale_heads(ref_real *heads, const ref_real *score, const ref_real *alpha, size_t n_tokens,
                        const int32_t *positions, const plan_attention *a)
{
    for (size_t t = 0; t < n_tokens; t++) {
        const double position = positions ? (double)positions[t * ROPE_AXES_MAX] : (double)t;
        for (size_t h = 0; h < a->n_heads; h++) {
            const double by_position = 1 / (1 + exp(-(double)alpha[h] * log(position + 1)));
            const double factor = tanh((double)score[t * a->n_heads + h]) + 1 + (by_position - 0.5);
            ref_scale(heads + (t * a->n_heads + h) * a->head_dim, a->head_dim, factor);
        }
    }
}

/* Moondream 3 (mlx-vlm, models/moondream3/language.py: Tau). */
assay_status ref_head_scale(ref_real *q, const ref_real *k, ref_real *v, size_t n_tokens,
                            const int32_t *positions, const plan_attention *a)
{
    const plan_head_scale *s = &a->head_scale;
    const size_t n = a->n_heads * a->head_dim;
    ref_real *rows = ref_alloc(n_tokens, 3 * n), *of_q = ref_alloc(n_tokens, a->n_heads),
             *of_v = ref_alloc(n_tokens, a->n_heads), *alpha = ref_alloc(1, a->n_heads);
    assay_status rc = rows && of_q && of_v && alpha ? ASSAY_OK : ASSAY_ENOMEM;
    if (rc == ASSAY_OK) {
        fill_rows(rows, q, k, v, n_tokens, n);
        ref_weight_rows(&s->alpha, 0, 1, alpha);
        rc = ref_matrix(of_q, rows, n_tokens, &s->q);
    }
    if (rc == ASSAY_OK) rc = ref_matrix(of_v, rows, n_tokens, &s->v);
    if (rc == ASSAY_OK) {
        scale_heads(q, of_q, alpha, n_tokens, positions, a);
        scale_heads(v, of_v, alpha, n_tokens, positions, a);
    }
    free(rows);
    free(of_q);
    free(of_v);
    free(alpha);
    return rc;
}
