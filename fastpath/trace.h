/* Handing intermediate tensors to whoever asked for them, to look at or to overwrite.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_TRACE_H
#define FASTPATH_TRACE_H

#include <assay/engine.h>
#include <stdbool.h>

/* Receives the tensors of a pass, fn first; NULL: nobody asks. */
typedef struct fp_tracer {
    assay_trace_fn *fn;
    void *context;
    assay_override_fn *override;
    void *override_context;
    size_t sample;
} fp_tracer;

bool fp_trace_asks(const fp_tracer *tracer);

/* Hands x [rows, cols] to the tracer under a name that is formatted like printf. It may come back changed. */
void fp_trace(const fp_tracer *tracer, float *x, size_t rows, size_t cols, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
