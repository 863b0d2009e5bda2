/* A rope of test engines that rotates by 0: cos 1, sin 0. Its faults are words of the request's config.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TESTS_ENGINES_STILL_ROPE_H
#define CONFORMANCE_TESTS_ENGINES_STILL_ROPE_H

#include <assay/engine.h>

#include <string.h>

#include "conformance/tests/engines/fail.h"

/* Stores a number in an array of type ASSAY_F32 or ASSAY_F64. */
static inline void still_store(void *array, assay_dtype type, size_t i, double value)
{
    if (type == ASSAY_F64) ((double *)array)[i] = value;
    else ((float *)array)[i] = (float)value;
}

static inline double still_load(const void *array, assay_dtype type, size_t i)
{
    return type == ASSAY_F64 ? ((const double *)array)[i] : (double)((const float *)array)[i];
}

/* As assay_engine.rope; type: of the arrays. */
static inline assay_status still_rope(const assay_rope_request *request, assay_dtype type, void *out,
                                      void *cos, void *sin, size_t *dim, assay_error *err)
{
    const char *config = request->config;
    if (strstr(config, "unsupported")) return fail(err, ASSAY_EUNSUPPORTED, "no such rope");
    size_t n = request->n_positions * request->n_heads * request->head_dim;
    *dim = strstr(config, "narrow") ? request->head_dim - 2 : request->head_dim;
    for (size_t i = 0; i < n; i++) still_store(out, type, i, still_load(request->x, type, i));
    for (size_t i = 0; i < request->n_positions * *dim; i++) {
        still_store(cos, type, i, 1);
        still_store(sin, type, i, 0);
    }
    if (strstr(config, "off-x")) still_store(out, type, n - 1, still_load(out, type, n - 1) + 0.01);
    if (strstr(config, "off-cos")) still_store(cos, type, 1, 1.01);
    if (strstr(config, "off-sin")) still_store(sin, type, 1, 0.01);
    return ASSAY_OK;
}

#endif
