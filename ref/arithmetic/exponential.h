/* Exponentials of many numbers at once, written for one instruction set each.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REF_ARITHMETIC_EXPONENTIAL_H
#define REF_ARITHMETIC_EXPONENTIAL_H

#include <stddef.h>

typedef struct ref_exponential {
    const char *isa;
    /* x[i] = exp(x[i] - shift) for [n] numbers, at most one unit in the last place from the nearest double;
     * of NaN, and beyond the range of double, as exp does. Returns their sum. */
    double (*replace)(double *x, size_t n, double shift);
} ref_exponential;

/* The i-th of those that this processor can run, the fastest first; the last one calls exp. NULL: it has no
 * more. */
const ref_exponential *ref_exponential_at(size_t i);

/* By the fastest. */
double ref_exp(double *x, size_t n, double shift);

#endif
