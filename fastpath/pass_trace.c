/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/pass_trace.h"

#include <stdarg.h>
#include <stdio.h>

assay_status fp_pass_trace(const fp_pass *pass, float *x, const char *format, ...)
{
    if (!fp_trace_is_on(&pass->tracer)) return ASSAY_OK;
    char name[64];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(name, sizeof name, format, args);
    va_end(args);
    const size_t hidden = pass->plan->hidden;
    assay_status rc = ASSAY_OK;
    for (size_t j = 0; rc == ASSAY_OK && j < pass->n_runs; j++) {
        const fp_run *run = &pass->runs[j];
        fp_tracer own = pass->tracer;
        own.sample = run->sample;
        rc = fp_trace(&own, x + run->first_row * hidden, run->n_rows, hidden, "%s", name);
    }
    return rc;
}
