/* The verdict on traces and on rotated vectors.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/judge.h"

#include <float.h>
#include <math.h>

conf_tensor_judgement conf_judge_tensor(const double *truth, const double *found, size_t n, double unit)
{
    size_t differs = conf_mask_difference(truth, found, n);
    if (differs < n) return (conf_tensor_judgement){.multiple = INFINITY, .at = differs};
    conf_tensor_judgement j = {0};
    for (size_t i = 0; i < n; i++) {
        double error = isfinite(truth[i]) ? fabs(found[i] - truth[i]) : 0;
        if (error == 0) continue;
        double multiple = error / unit;
        if (multiple > j.multiple) j = (conf_tensor_judgement){.multiple = multiple, .at = i};
    }
    return j;
}

double conf_rope_bound_float64(double max_abs, double pos, double relative)
{
    return (relative + CONF_NOISE_MULTIPLE * ldexp(fabs(pos), -DBL_MANT_DIG)) * max_abs;
}

double conf_rope_bound_float32(double max_abs, double pos)
{
    double ulps = CONF_FLOOR_ULPS + fabs(pos);
    return CONF_NOISE_MULTIPLE * ldexp(ulps, -FLT_MANT_DIG) * max_abs;
}
