/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/picture/scale.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double LARGEST = 1e300, SMALLEST = 1e-300;
static const double N_STEPS = 5, N_DECADES = 8; /* about; a step may make them more */

/* The first of 1, 2, 5 and 10 times a power of ten that is at least x. */
static double round_step(double x)
{
    const double power = pow(10, floor(log10(x)));
    for (size_t i = 0; i < 3; i++)
        if ((const double[]){1, 2, 5}[i] * power >= x) return (const double[]){1, 2, 5}[i] * power;
    return 10 * power;
}

static void fit_linear(picture_scale *scale, double low, double high)
{
    if (low > 0) low = 0;
    if (high < 0) high = 0;
    if (high - low < SMALLEST) high = low + 1;
    const double step = round_step((high - low) / N_STEPS), first = floor(low / step),
                 last = ceil(high / step);
    scale->low = first * step;
    scale->high = last * step;
    for (double i = first; i <= last && scale->n_ticks < PICTURE_TICKS_MAX; i++)
        scale->ticks[scale->n_ticks++] = i * step;
}

static void fit_log(picture_scale *scale, double low, double high)
{
    const double first = floor(log10(low)), last = fmax(ceil(log10(high)), first + 1);
    const double step = ceil((last - first) / N_DECADES);
    scale->low = pow(10, first);
    scale->high = pow(10, last);
    for (double i = first; i <= last && scale->n_ticks < PICTURE_TICKS_MAX; i += step)
        scale->ticks[scale->n_ticks++] = pow(10, i);
}

picture_scale picture_scale_fit(const double *values, size_t n, bool is_log)
{
    picture_scale scale = {.is_log = is_log};
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(values[i]) || (is_log && values[i] <= 0)) continue;
        const double value = fmax(fmin(values[i], LARGEST), is_log ? SMALLEST : -LARGEST);
        low = fmin(low, value);
        high = fmax(high, value);
    }
    if (low > high) low = high = 1;
    if (is_log) fit_log(&scale, low, high);
    else fit_linear(&scale, low, high);
    return scale;
}

double picture_scale_place(const picture_scale *scale, double value)
{
    if (isnan(value)) return value;
    if (value <= scale->low) return 0;
    if (value >= scale->high) return 1;
    if (scale->is_log) return log10(value / scale->low) / log10(scale->high / scale->low);
    return (value - scale->low) / (scale->high - scale->low);
}

void picture_number(char text[PICTURE_NUMBER_MAX], double value)
{
    if (isnan(value)) (void)strcpy(text, "NaN");
    else if (isinf(value)) (void)strcpy(text, value > 0 ? "infinity" : "-infinity");
    else (void)snprintf(text, PICTURE_NUMBER_MAX, "%.4g", value == 0 ? 0.0 : value);
}
