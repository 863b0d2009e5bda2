/* Weighted sums of rows in double, for the kernels that use no instruction set.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_VEC_ROWS_H
#define FASTPATH_KERNELS_VEC_ROWS_H

#include <stddef.h>
#include <string.h>

#include "fastpath/kernels/vec/unroll.h"

enum { FP_ROWS_LANES = 8 }; /* elements that are summed at once, in registers */

/* n, rounded up to whole lanes. */
static inline size_t fp_rows_width(size_t n)
{
    return (n + FP_ROWS_LANES - 1) / FP_ROWS_LANES * FP_ROWS_LANES;
}

/* Adds n rows to sum[width], row i times times[i]: to each element in the order of the rows. rows: [n, ld],
 * of which the first `width` of each row are read. width: of whole lanes. */
static inline void fp_rows_add(double *sum, const double *times, const double *rows, size_t ld, size_t n,
                               size_t width)
{
    for (size_t at = 0; at < width; at += FP_ROWS_LANES) {
        double lanes[FP_ROWS_LANES];
        memcpy(lanes, sum + at, sizeof lanes);
        for (size_t i = 0; i < n; i++) {
            const double *row = rows + i * ld + at;
            FP_UNROLL(8)
            for (size_t k = 0; k < FP_ROWS_LANES; k++) lanes[k] += times[i] * row[k];
        }
        memcpy(sum + at, lanes, sizeof lanes);
    }
}

#endif
