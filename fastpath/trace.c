/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/trace.h"

#include <stdarg.h>
#include <stdio.h>

bool fp_trace_is_on(const fp_tracer *tracer)
{
    return tracer->fn || tracer->override;
}

void fp_trace(const fp_tracer *tracer, float *x, size_t rows, size_t cols, const char *format, ...)
{
    if (!fp_trace_is_on(tracer)) return;
    char name[64];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(name, sizeof name, format, args);
    va_end(args);
    const assay_tensor tensor = {
        .name = name, .dtype = ASSAY_F32, .rank = 2, .shape = {rows, cols}, .data = x};
    if (tracer->fn) tracer->fn(tracer->context, tracer->sample, &tensor);
    if (tracer->override) tracer->override(tracer->override_context, tracer->sample, &tensor, x);
}
