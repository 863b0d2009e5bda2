/* Operations on rows. n_rows is the caller's, since experts see fewer rows than the pass has.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_OPS_H
#define FASTPATH_OPS_H

#include "fastpath/pass.h"

/* The same of several matrices, which the workers share as one. */
typedef struct fp_target {
    float *y;
    const fp_matrix *w;
} fp_target;

/* Takes pass->narrow out of its scratch, if the model multiplies anything narrower than float32; false where
 * memory is short. */
bool fp_narrow_room(fp_pass *pass);

/* y = x Wᵀ. x: [n_rows, n_in], y: [n_rows, n_out]. */
void fp_product(const fp_pass *pass, float *y, const float *x, size_t n_rows, const fp_matrix *w);
void fp_products(const fp_pass *pass, const float *x, size_t n_rows, const fp_target *targets, size_t n);

/* y += b, if there is one. */
void fp_bias_run(float *y, size_t n_rows, const fp_linear *linear);

/* y = x Wᵀ + b. */
void fp_linear_run(const fp_pass *pass, float *y, const float *x, size_t n_rows, const fp_linear *linear);

/* x: [n_rows, width]; y may be x. The identity where norm is not present. */
void fp_norm_run(const fp_pass *pass, float *y, const float *x, size_t n_rows, size_t width,
                 const fp_norm *norm);

/* y = activation(gate) * up; y may be gate. gate, y: [n_rows, width]; up: likewise, ld_up elements from row
 * to row. */
void fp_gate_run(const fp_pass *pass, float *y, const float *gate, const float *up, size_t ld_up,
                 size_t n_rows, size_t width, assay_activation activation);

/* x: [n_rows, width], to the nearest numbers of bfloat16, in place. */
void fp_round_run(const fp_pass *pass, float *x, size_t n_rows, size_t width);
void fp_add(float *y, const float *x, size_t n);

/* y += x, of all rows of the pass: [R, width]. */
void fp_add_run(const fp_pass *pass, float *y, const float *x, size_t width);
void fp_scale(float *y, size_t n, double factor);

/* Every row of x [n_rows, width] times factors [width]. */
void fp_scale_columns(float *x, size_t n_rows, size_t width, const float *factors);

#endif
