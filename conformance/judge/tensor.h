/* The verdict on tensors of the forward pass and on rotated vectors.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_JUDGE_TENSOR_H
#define CONFORMANCE_JUDGE_TENSOR_H

#include "conformance/judge/noise.h"

/* The comparison of a tensor with its truth. multiple: the largest error in units; infinite if the
 * masks differ (which elements are NaN or infinite: distance.h). at: the index of the element with that
 * error, or of the first one with different masks. */
typedef struct conf_tensor_judgement {
    double multiple;
    size_t at;
} conf_tensor_judgement;

/* truth, found: [n]. unit: of the reported error. */
conf_tensor_judgement conf_tensor_judge(const double *truth, const double *found, size_t n, double unit);
conf_tensor_judgement conf_row_judge(const conf_row *truth, const conf_row *found, size_t n, double unit);

/* The bound of an element of a rotated row, or of a table of factors. It grows with the position p,
 * since the angle at p has a rounding error of p units of roundoff. max_abs: largest |x| of the row or table.
 * pos: largest |position| of the row over the axes. relative: as for conf_bounds_float64. */
double conf_rope_bound_float64(double max_abs, double pos, double relative);
double conf_rope_bound_float32(double max_abs, double pos);

#endif
