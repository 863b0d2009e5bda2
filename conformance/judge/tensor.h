/* The verdict on tensors of the forward pass and on rotated vectors.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_JUDGE_TENSOR_H
#define CONFORMANCE_JUDGE_TENSOR_H

#include "conformance/judge/noise.h"

/* A tensor against its truth, element by element. multiple: the largest error in units; infinite if the
 * masks differ. at: the index of that element. */
typedef struct conf_tensor_judgement {
    double multiple;
    size_t at;
} conf_tensor_judgement;

conf_tensor_judgement conf_judge_tensor(const double *truth, const double *found, size_t n, double unit);
conf_tensor_judgement conf_row_judge(const conf_row *truth, const conf_row *found, size_t n, double unit);

/* The largest error that an element of a rotated row may have. The angle at position p has a rounding error
 * of p ulps, so an error that grows with p is rounding and no fault. max_abs: largest |x| of the row, or of
 * the table; pos: largest |position| of the row over the axes. */
double conf_rope_bound_float64(double max_abs, double pos, double relative);
double conf_rope_bound_float32(double max_abs, double pos);

#endif
