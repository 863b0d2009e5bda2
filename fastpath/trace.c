/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/trace.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool fp_trace_is_on(const fp_tracer *tracer)
{
    return tracer->fn;
}

static bool includes_name(const fp_tracer *tracer, const char *name)
{
    for (size_t i = 0; i < tracer->n_names; i++)
        if (strcmp(tracer->names[i], name) == 0) return true;
    return tracer->n_names == 0;
}

assay_status fp_trace(const fp_tracer *tracer, float *x, size_t rows, size_t cols, const char *format, ...)
{
    if (!fp_trace_is_on(tracer)) return ASSAY_OK;
    char name[64];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(name, sizeof name, format, args);
    va_end(args);
    if (!includes_name(tracer, name)) return ASSAY_OK;
    const assay_tensor tensor = {
        .name = name, .dtype = ASSAY_F32, .rank = 2, .shape = {rows, cols}, .data = x};
    return tracer->fn(tracer->context, tracer->sample, &tensor, x) ? ASSAY_OK : ASSAY_ESTOPPED;
}
