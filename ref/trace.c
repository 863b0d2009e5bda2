/* SPDX-License-Identifier: Apache-2.0 */
#include "ref/trace.h"

#include <stdarg.h>
#include <stdio.h>

void ref_trace(const ref_tracer *tracer, ref_real *x, size_t rows, size_t cols, const char *format, ...)
{
    if (!tracer->fn && !tracer->override) return;
    char name[64];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(name, sizeof name, format, args);
    va_end(args);
    const assay_tensor tensor = {
        .name = name, .dtype = REF_DTYPE, .rank = 2, .shape = {rows, cols}, .data = x};
    if (tracer->fn) tracer->fn(tracer->context, tracer->sample, &tensor);
    if (tracer->override) tracer->override(tracer->override_context, tracer->sample, &tensor, x);
}
