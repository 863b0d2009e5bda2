/* Passes intermediate tensors to the caller's trace function, which may overwrite them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_TRACE_H
#define FASTPATH_TRACE_H

#include <assay/engine.h>
#include <stdbool.h>

/* The caller's functions: fn is called first, then the override. Each may be NULL. */
typedef struct fp_tracer {
    assay_trace_fn *fn;
    void *context;
    assay_override_fn *override;
    void *override_context;
    size_t sample;
} fp_tracer;

bool fp_trace_is_on(const fp_tracer *tracer);

/* Passes x [rows, cols] to the tracer, which may change it. The name is formatted as by printf. */
void fp_trace(const fp_tracer *tracer, float *x, size_t rows, size_t cols, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
