/* The error of a stored weight beside the smallest that its format allows.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_WEIGHTS_MEASURE_H
#define CONFORMANCE_WEIGHTS_MEASURE_H

#include <assay/status.h>

#include "conformance/weights/weight.h"

/* The largest error that a sound conversion has, in multiples of the smallest that the format allows: of the
 * whole weight, and of the columns of a row that share a scale. docs/formats.md has what published
 * converters reach. */
#define CONF_WEIGHT_MULTIPLE_MAX 2.5
#define CONF_GROUP_MULTIPLE_MAX  6.0

/* Up to this many times the bounds an error that no fault explains is sound: GPTQ's compensation of errors
 * reaches 2.3 times that of rounding to nearest. */
#define CONF_UNEXPLAINED 2.0

/* Errors in multiples of the original's RMS. */
typedef struct conf_weight_error {
    double rmse, largest, best; /* best: the smallest found: conf_rounding_best of at most 256 rows, evenly
                                  spread, or rmse */
    double multiple;            /* rmse / the smallest that was found by rounding; of plain numbers, at least
                                   that of bfloat16 */
    double group_multiple;      /* the same of the worst group of columns in a row */
    size_t row, column;         /* the first of that group */
    size_t n_groups, n_wrong;   /* groups of all rows, and those beyond CONF_GROUP_MULTIPLE_MAX */
    double original_rms;
} conf_weight_error;

/* Measures a pair of weights of the same shape. Fails with ASSAY_ENOMEM. */
assay_status conf_weight_measure(const conf_weight *original, const conf_weight *stored,
                                 conf_weight_error *out, assay_error *err);

/* The error that `multiple` counts. */
static inline double conf_weight_floor(const conf_weight_error *e)
{
    return e->multiple > 0 ? e->rmse / e->multiple : 0;
}

/* How large the error is, in multiples of the bounds. */
double conf_weight_excess(const conf_weight_error *e);

bool conf_weight_is_sound(const conf_weight_error *e);

#endif
