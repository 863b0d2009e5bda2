/* Operations on rows. n_rows is an argument because an expert gets fewer rows than the pass has.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_OPS_H
#define FASTPATH_OPS_H

#include "fastpath/pass.h"

/* One of several products with the same x, which the workers share as one call. */
typedef struct fp_target {
    float *y;
    const fp_matrix *w;
} fp_target;

/* Allocates pass->narrow and pass->ordered from the scratch, if any of the model's products takes a type
 * narrower than float32, or columns in another order. False if out of memory. */
bool fp_narrow_alloc(fp_pass *pass);

/* y = x Wᵀ. x: [n_rows, n_in], y: [n_rows, n_out]. */
void fp_product(const fp_pass *pass, float *y, const float *x, size_t n_rows, const fp_matrix *w);
void fp_products(const fp_pass *pass, const float *x, size_t n_rows, const fp_target *targets, size_t n);

/* y += b, if the layer has a bias. */
void fp_bias_run(float *y, size_t n_rows, const fp_linear *linear);

/* y = x Wᵀ + b. */
void fp_linear_run(const fp_pass *pass, float *y, const float *x, size_t n_rows, const fp_linear *linear);

/* RMSNorm or LayerNorm. x: [n_rows, width]; y may be x. Copies x if the norm is not present. With n_weights,
 * row r has the weights r % n_weights, and n_rows is a multiple of n_weights. */
void fp_norm_run(const fp_pass *pass, float *y, const float *x, size_t n_rows, size_t width,
                 const fp_norm *norm);

/* y = activation(gate) * up; y may be gate. gate, y: [n_rows, width]; up: likewise, with a row stride
 * of ld_up elements; 0: all rows have the same. */
void fp_gate_run(const fp_pass *pass, float *y, const float *gate, const float *up, size_t ld_up,
                 size_t n_rows, size_t width, assay_activation activation);

/* x: [n_rows, width], rounded to bfloat16 (nearest even), in place. */
void fp_round_run(const fp_pass *pass, float *x, size_t n_rows, size_t width);
/* y += x, which must not overlap. */
void fp_add(float *restrict y, const float *restrict x, size_t n);

/* y += x for all rows of the pass. x, y: [R, width]. */
void fp_add_run(const fp_pass *pass, float *y, const float *x, size_t width);
void fp_scale(float *y, size_t n, double factor);
/* y += offset; nothing if it is 0. */
void fp_offset(float *y, size_t n, double offset);

/* Changes the factors of a gated MLP, [n] each, as plan_gating says, except for the activation, so that their
 * product is activation(gate) * up. */
void fp_gating(float *gate, float *up, size_t n, const plan_gating *g);

/* Rotates one token's heads in place by a rope with sections ROPE_SECTIONS_DOUBLED, whose pairs are i and
 * i + dim/2: the elements of a pair have angles of their own. x: [n_heads, head_dim]; cosine, sine: [dim]. */
void fp_rope_doubled(float *x, size_t n_heads, const rope *r, const float *cosine, const float *sine);

/* Multiplies every row of x [n_rows, width] by factors [width], element by element. */
void fp_scale_columns(float *x, size_t n_rows, size_t width, const float *factors);

/* What a gate of a residual or of a table multiplies by: tanh of it. gate: [1]; NULL: 1. */
double fp_gate_value(const float *gate);

#endif
