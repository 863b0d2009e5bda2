/* Passes intermediate tensors to the caller's tap, which may overwrite them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REF_TRACE_H
#define REF_TRACE_H

#include <assay/engine.h>

#include "ref/arithmetic/real.h"

/* tap:       borrowed, with a function; NULL: nothing is traced.
 * first_row: the tap receives the rows from this one on, those of the tokens of the step. */
typedef struct ref_tracer {
    const assay_tap *tap;
    size_t sample;
    size_t first_row;
} ref_tracer;

/* Passes the rows of x [rows, cols] from first_row on to the tap if it wants this name, which is formatted as
 * by printf. The tap may change them. Returns ASSAY_OK, or ASSAY_ESTOPPED if the tap ends the step. */
assay_status ref_trace(const ref_tracer *tracer, ref_real *x, size_t rows, size_t cols, const char *format,
                       ...) __attribute__((format(printf, 5, 6)));

#endif
