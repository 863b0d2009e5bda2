/* Passes intermediate tensors to the caller's tap, which may overwrite them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_TRACE_H
#define FASTPATH_TRACE_H

#include <assay/engine.h>
#include <stdbool.h>

/* fn, context, names: the members of assay_tap; fn NULL: no tap. sample: the slot of the sample that is being
 * evaluated. */
typedef struct fp_tracer {
    assay_tap_fn *fn;
    void *context;
    const char *const *names; /* [n_names] */
    size_t n_names;
    size_t sample;
} fp_tracer;

bool fp_trace_is_on(const fp_tracer *tracer);

/* Passes x [rows, cols] to the tap, which may change it, if its names include this one. The name is formatted
 * as by printf. Fails with ASSAY_ESTOPPED if the tap returns false. */
assay_status fp_trace(const fp_tracer *tracer, float *x, size_t rows, size_t cols, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
