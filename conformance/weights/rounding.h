/* The smallest error that a format allows: the best rounding of numbers that share a scale.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_WEIGHTS_ROUNDING_H
#define CONFORMANCE_WEIGHTS_ROUNDING_H

#include <assay/stored.h>

enum { CONF_LEVELS_MAX = 256 };

/* The numbers that a code stands for. */
typedef struct conf_levels {
    double at[CONF_LEVELS_MAX]; /* [n], ascending; n 0: plain numbers of `number` */
    size_t n;
    bool is_even; /* the same distance between all of them */
    bool shifts;  /* the format has zero points or minimums, so that all can be moved by the same amount */
    assay_dtype number;
} conf_levels;

void conf_levels_read(const assay_stored *s, conf_levels *out);

/* The smallest sum of squared errors found of x [n], rounded to the nearest of a scale times the levels, plus
 * a shift where the format has one. Tried are scales around the one that just holds the largest number, and
 * the least-squares fit of each to its own codes; scales and shifts are not rounded as the format does, and
 * may have either sign. Plain numbers are rounded to nearest. */
double conf_rounding_best(const conf_levels *levels, const double *x, size_t n);

#endif
