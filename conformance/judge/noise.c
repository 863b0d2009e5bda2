/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/judge/noise.h"

#include <float.h>
#include <math.h>

double conf_noise_limit(bool float64)
{
    return float64 ? 1 : CONF_NOISE_MULTIPLE;
}

double conf_noise_floor(double max_abs)
{
    if (max_abs == 0) return CONF_FLOOR_ULPS * (double)FLT_TRUE_MIN;
    int exponent;
    (void)frexp(max_abs, &exponent); /* max_abs in [2^(e-1), 2^e): its float32 ulp is 2^(e-24) */
    return CONF_FLOOR_ULPS * ldexp(1, exponent - FLT_MANT_DIG);
}

double conf_noise_max(conf_compute run, double max_abs)
{
    return max_abs * (conf_compute_is_narrow(run) ? ldexp(224, -8) : ldexp(1024, -FLT_MANT_DIG));
}

double conf_noise_max_tensor(double max_abs)
{
    return ldexp(max_abs, 14 - FLT_MANT_DIG);
}

double conf_unit_float32(double noise, double max_abs)
{
    return fmax(noise, conf_noise_floor(max_abs));
}

conf_distance conf_noise_of(const double *truth, const double *float32, size_t n_rows, size_t n_cols)
{
    conf_distance noise = {.same_mask = true};
    for (size_t r = 0; r < n_rows; r++) {
        conf_distance d = conf_distance_of(truth + r * n_cols, float32 + r * n_cols, n_cols);
        conf_distance_keep_larger(&noise, &d);
    }
    return noise;
}

double conf_noise_largest(const double *truth, const double *float32, size_t n_rows, size_t n_cols)
{
    double largest = 0;
    for (size_t r = 0; r < n_rows; r++) {
        const conf_row t = conf_row_of_double(truth + r * n_cols),
                       c = conf_row_of_double(float32 + r * n_cols);
        largest = fmax(largest, conf_row_distance_but_kl(&t, &c, n_cols).max_abs);
    }
    return largest;
}

conf_bounds conf_bounds_of_noise(const conf_distance *noise, double max_abs)
{
    return (conf_bounds){.max_abs = conf_unit_float32(noise->max_abs, max_abs),
                         .rmse = conf_unit_float32(noise->rmse, max_abs),
                         .kl = conf_unit_float32(noise->kl, max_abs),
                         .limit = CONF_NOISE_MULTIPLE};
}

conf_bounds conf_bounds_float32(const double *truth, const double *float32, size_t n_rows, size_t n_cols)
{
    conf_distance noise = conf_noise_of(truth, float32, n_rows, n_cols);
    return conf_bounds_of_noise(&noise, conf_max_abs(truth, n_rows * n_cols));
}

bool conf_bounds_refuse_zeros(const conf_bounds *bounds, double max_abs)
{
    return max_abs == 0 || bounds->limit * bounds->max_abs < max_abs;
}

conf_bounds conf_bounds_relative(double relative, double max_abs)
{
    double bound = fmax(relative * max_abs, DBL_TRUE_MIN);
    return (conf_bounds){.max_abs = bound, .rmse = bound, .kl = bound, .limit = 1};
}

conf_bounds conf_bounds_float64(const double *truth, size_t n_rows, size_t n_cols, double relative)
{
    return conf_bounds_relative(relative, conf_max_abs(truth, n_rows * n_cols));
}
