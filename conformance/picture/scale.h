/* Scales of axes: which numbers an axis covers, where its ticks are, and where on it a number lies.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PICTURE_SCALE_H
#define CONFORMANCE_PICTURE_SCALE_H

#include <stdbool.h>
#include <stddef.h>

#define PICTURE_TICKS_MAX  12
#define PICTURE_NUMBER_MAX 32

/* low < high; of a logarithmic scale they and the ticks are positive. ticks[0..n_ticks) rise. */
typedef struct picture_scale {
    bool is_log;
    double low, high;
    double ticks[PICTURE_TICKS_MAX];
    size_t n_ticks;
} picture_scale;

/* A scale of values [n] whose ends and ticks are round: multiples of 1, 2 or 5 of a power of ten, on a
 * logarithmic scale powers of ten. A linear scale includes zero. Values that the scale cannot have
 * (infinities, NaN, on a logarithmic scale also zero and negative ones) do not count; magnitudes beyond 1e300
 * and, on a logarithmic scale, below 1e-300 count as these. Without a value the scale is 0 to 1, or 1 to 10.
 */
picture_scale picture_scale_fit(const double *values, size_t n, bool is_log);

/* The place of a value: 0 at the low end to 1 at the high end, to which it is limited. Infinity is at the
 * end, zero on a logarithmic scale at the beginning; NaN has no place: NaN. */
double picture_scale_place(const picture_scale *scale, double value);

/* A number in at most 4 significant digits, as labels and tables show it: "0.25", "1e-12", "infinity", "NaN".
 */
void picture_number(char text[PICTURE_NUMBER_MAX], double value);

#endif
