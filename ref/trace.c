/* SPDX-License-Identifier: Apache-2.0 */
#include "ref/trace.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool tap_wants(const assay_tap *tap, const char *name)
{
    for (size_t i = 0; i < tap->n_names; i++)
        if (strcmp(tap->names[i], name) == 0) return true;
    return tap->n_names == 0;
}

assay_status ref_trace(const ref_tracer *tracer, ref_real *x, size_t rows, size_t cols, const char *format,
                       ...)
{
    const assay_tap *tap = tracer->tap;
    if (!tap) return ASSAY_OK;
    char name[64];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(name, sizeof name, format, args);
    va_end(args);
    if (!tap_wants(tap, name)) return ASSAY_OK;
    ref_real *data = x + tracer->first_row * cols;
    const assay_tensor tensor = {
        .name = name, .dtype = REF_DTYPE, .rank = 2, .shape = {rows - tracer->first_row, cols}, .data = data};
    return tap->fn(tap->context, tracer->sample, &tensor, data) ? ASSAY_OK : ASSAY_ESTOPPED;
}
