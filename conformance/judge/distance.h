/* Distances of rows of logits from the truth. Masks are compared first: an element that is NaN or infinite
 * on one side must be the same on the other; no tolerance applies to it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_JUDGE_DISTANCE_H
#define CONFORMANCE_JUDGE_DISTANCE_H

#include <assay/engine.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A row of numbers in memory, borrowed. dtype: F64 or F32. */
typedef struct conf_row {
    assay_dtype dtype;
    const void *data;
} conf_row;

/* Element i as double. */
double conf_row_at(const conf_row *row, size_t i);

/* A row of float64 numbers that borrows `a`. */
conf_row conf_row_of_double(const double *a);

/* Distances of a row of logits from the truth, all in units of logits. */
typedef struct conf_distance {
    bool same_mask; /* if false, distances are 0 and worst is the first index with different masks */
    double max_abs;
    double rmse;
    double kl;    /* sqrt(2·KL(truth ‖ candidate)) */
    size_t worst; /* the index of the element with the error max_abs */
} conf_distance;

/* truth, found: [n], n > 0. All functions on conf_row convert float32 to double, exactly. */
conf_distance conf_distance_of(const double *truth, const double *found, size_t n);
conf_distance conf_row_distance(const conf_row *truth, const conf_row *found, size_t n);

/* The same without kl, which takes most of the time. */
conf_distance conf_row_distance_but_kl(const conf_row *truth, const conf_row *found, size_t n);

/* Sets each distance of *worst to the larger of *worst and *d; same_mask and worst->worst are
 * unchanged. */
void conf_distance_keep_larger(conf_distance *worst, const conf_distance *d);

/* KL(softmax(truth) ‖ softmax(found)) in nats, with small relative error however close the two are.
 * Ignores elements that are -infinity in both. truth, found: [n], with the same mask. */
double conf_kl(const double *truth, const double *found, size_t n);

/* The index of the first element at which the masks (finite, NaN, +infinity or -infinity) differ; n if
 * none does. */
size_t conf_mask_difference(const double *truth, const double *found, size_t n);
size_t conf_row_mask_difference(const conf_row *truth, const conf_row *found, size_t n);

/* The largest |a| that is finite; 0 if there is none. */
double conf_max_abs(const double *a, size_t n);
double conf_row_max_abs(const conf_row *row, size_t n);

/* The index of the largest element, the first of equal ones; NaN is ignored, 0 if all are NaN. */
size_t conf_argmax(const double *a, size_t n);
size_t conf_row_argmax(const conf_row *row, size_t n);

#endif
