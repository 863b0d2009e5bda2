/* Handing intermediate tensors to whoever asked for them, to look at or to overwrite.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REF_TRACE_H
#define REF_TRACE_H

#include <assay/engine.h>

#include "ref/real.h"

/* Receives the tensors of the pass, fn first; NULL: nobody asks. */
typedef struct ref_tracer {
    assay_trace_fn *fn;
    void *context;
    assay_override_fn *override;
    void *override_context;
    size_t sample;
} ref_tracer;

/* Hands x [rows, cols] to the tracer under a name that is formatted like printf. It may come back changed. */
void ref_trace(const ref_tracer *tracer, ref_real *x, size_t rows, size_t cols, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
