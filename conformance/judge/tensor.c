/* The verdict on intermediate tensors and on rotated vectors.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/judge/tensor.h"

#include <float.h>
#include <math.h>

conf_tensor_judgement conf_row_judge(const conf_row *truth, const conf_row *found, size_t n, double unit)
{
    size_t differs = conf_row_mask_difference(truth, found, n);
    if (differs < n) return (conf_tensor_judgement){.multiple = INFINITY, .at = differs};
    conf_tensor_judgement j = {0};
    for (size_t i = 0; i < n; i++) {
        double expected = conf_row_at(truth, i);
        double error = isfinite(expected) ? fabs(conf_row_at(found, i) - expected) : 0;
        double multiple = error / unit;
        if (multiple > j.multiple) j = (conf_tensor_judgement){.multiple = multiple, .at = i};
    }
    return j;
}

conf_tensor_judgement conf_tensor_judge(const double *truth, const double *found, size_t n, double unit)
{
    conf_row t = {.dtype = ASSAY_F64, .data = truth}, c = {.dtype = ASSAY_F64, .data = found};
    return conf_row_judge(&t, &c, n, unit);
}

double conf_rope_bound_float64(double max_abs, double pos, double relative)
{
    return (relative + CONF_NOISE_MULTIPLE * ldexp(fabs(pos), -DBL_MANT_DIG)) * max_abs;
}

double conf_rope_bound_float32(double max_abs, double pos)
{
    double roundoffs = CONF_FLOOR_ULPS + fabs(pos); /* units of roundoff, 2^-24 */
    return CONF_NOISE_MULTIPLE * ldexp(roundoffs, -FLT_MANT_DIG) * max_abs;
}
