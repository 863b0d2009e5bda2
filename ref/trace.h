/* Passes intermediate tensors to the caller's trace function, which may overwrite them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REF_TRACE_H
#define REF_TRACE_H

#include <assay/engine.h>

#include "ref/real.h"

/* The caller's functions: fn is called first, then the override. Each may be NULL. */
typedef struct ref_tracer {
    assay_trace_fn *fn;
    void *context;
    assay_override_fn *override;
    void *override_context;
    size_t sample;
} ref_tracer;

/* Passes x [rows, cols] to the tracer, which may change it. The name is formatted as by printf. */
void ref_trace(const ref_tracer *tracer, ref_real *x, size_t rows, size_t cols, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
