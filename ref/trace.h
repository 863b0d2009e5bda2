/* Handing intermediate tensors to whoever asked for them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REF_TRACE_H
#define REF_TRACE_H

#include <assay/engine.h>

#include "ref/real.h"

/* Receives the traces of the pass; fn NULL: none are made. */
typedef struct ref_tracer {
    assay_trace_fn *fn;
    void *context;
    size_t sample;
} ref_tracer;

/* Hands x [rows, cols] to the tracer under a name that is formatted like printf. */
void ref_trace(const ref_tracer *tracer, const ref_real *x, size_t rows, size_t cols, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
