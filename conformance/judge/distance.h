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

double conf_row_at(const conf_row *row, size_t i);

/* A row of float64. */
conf_row conf_row_of_double(const double *a);

/* Distances of a row of logits from the truth, all in units of logits. */
typedef struct conf_distance {
    bool same_mask; /* if not, the distances are undefined and worst is the first element at which the masks
                       differ */
    double max_abs;
    double rmse;
    double kl;    /* sqrt(2·KL(truth ‖ candidate)) */
    size_t worst; /* the index of the element with the error max_abs */
} conf_distance;

/* truth, found: [n], n > 0. All functions on conf_row convert float32 to double, exactly. */
conf_distance conf_distance_of(const double *truth, const double *found, size_t n);
conf_distance conf_row_distance(const conf_row *truth, const conf_row *found, size_t n);

/* Stores the larger of each distance in *worst. */
void conf_distance_keep_larger(conf_distance *worst, const conf_distance *d);

/* KL(softmax(truth) ‖ softmax(found)) in nats, accurate however close the two are. Ignores elements that are
 * -infinity on both sides. truth, found: [n], of the same mask. */
double conf_kl(const double *truth, const double *found, size_t n);

/* The first element at which the masks of finite, NaN, +infinity and -infinity differ; n if they are the
 * same. */
size_t conf_mask_difference(const double *truth, const double *found, size_t n);
size_t conf_row_mask_difference(const conf_row *truth, const conf_row *found, size_t n);

/* The largest |a| that is finite; 0 if there is none. */
double conf_max_abs(const double *a, size_t n);
double conf_row_max_abs(const conf_row *row, size_t n);

/* The index of the largest element, the first of equal ones; NaN is ignored. */
size_t conf_argmax(const double *a, size_t n);
size_t conf_row_argmax(const conf_row *row, size_t n);

#endif
