/* SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/bind_vector.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/error.h"
#include "base/text.h"
#include "model/plan/bind_tensor.h"

plan_weight bind_vector(bind *b, size_t n, const char *format, ...)
{
    char name[BIND_NAME_MAX];
    BIND_TENSOR_NAME(name, "", format);
    return bind_tensor_vector(b, bind_tensor_take(b, name, BIND_FLOATS, 1, (const size_t[]){n}, ""));
}

plan_weight bind_vector_row(bind *b, size_t rows, size_t n, size_t row, const char *format, ...)
{
    char name[BIND_NAME_MAX];
    const size_t shape[] = {rows, n};
    BIND_TENSOR_NAME(name, "", format);
    return bind_tensor_part(b, bind_tensor_take(b, name, BIND_FLOATS, 2, shape, ""), row * n, n);
}

plan_weight bind_elements(bind *b, size_t rank, const size_t *shape, const char *format, ...)
{
    char name[BIND_NAME_MAX];
    BIND_TENSOR_NAME(name, "", format);
    const assay_tensor *t = bind_tensor_take(b, name, BIND_FLOATS, rank, shape, "");
    return bind_tensor_part(b, t, 0, t ? dtype_elements(t) : 0);
}

static assay_status join_vectors(void *context, array *self, array *const *inputs, assay_error *err)
{
    const size_t *count = context;
    double *values = array_allocate(self);
    if (!values) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    for (size_t i = 0; i < *count; i++) {
        const size_t n = array_bytes(inputs[i]);
        memcpy((char *)values + i * n, array_data(inputs[i]), n);
    }
    return ASSAY_OK;
}

plan_weight bind_vectors(bind *b, size_t count, size_t n, const char *format, ...)
{
    char name[BIND_NAME_MAX], one[BIND_NAME_MAX + 32];
    plan_weight all = {0};
    BIND_TENSOR_NAME(name, "", format);
    array **parts = calloc(count, sizeof *parts);
    size_t *n_parts = malloc(sizeof *n_parts);
    if (!parts || !n_parts) bind_fail(b, ASSAY_ENOMEM, "out of memory");
    for (size_t i = 0; b->status == ASSAY_OK && i < count; i++) {
        (void)snprintf(one, sizeof one, "%s.%zu.weight", name, i);
        const assay_tensor *t = bind_tensor_take(b, one, BIND_FLOATS, 1, (const size_t[]){n}, "");
        const plan_weight w = bind_tensor_vector(b, t);
        parts[i] = w.values;
        if (i == 0) all = w;
    }
    all.cols = count * n;
    all.n_bytes *= count;
    if (n_parts) *n_parts = count;
    if (b->status == ASSAY_OK)
        all.values = array_list_defer(b->arrays, all.name, true, all.cols * sizeof(double),
                                      (array_maker){join_vectors, n_parts, free}, parts, count);
    else free(n_parts);
    if (b->status == ASSAY_OK && !all.values) bind_fail(b, ASSAY_ENOMEM, "out of memory");
    free(parts);
    return b->status == ASSAY_OK ? all : (plan_weight){0};
}

plan_norm bind_norm(bind *b, size_t n, double epsilon, const char *format, ...)
{
    char name[BIND_NAME_MAX];
    BIND_TENSOR_NAME(name, ".weight", format);
    const assay_tensor *t = bind_tensor_take(b, name, BIND_FLOATS, 1, (const size_t[]){n}, "");
    return (plan_norm){.present = true, .epsilon = epsilon, .width = n, .weight = bind_tensor_vector(b, t)};
}

plan_norm bind_layer_norm(bind *b, size_t n, double epsilon, const char *format, ...)
{
    char name[BIND_NAME_MAX];
    BIND_TENSOR_NAME(name, ".weight", format);
    const assay_tensor *weight = bind_tensor_take(b, name, BIND_FLOATS, 1, (const size_t[]){n}, "");
    BIND_TENSOR_NAME(name, ".bias", format);
    const assay_tensor *bias = bind_tensor_take(b, name, BIND_FLOATS, 1, (const size_t[]){n}, "");
    return (plan_norm){.present = true,
                       .kind = PLAN_LAYER_NORM,
                       .epsilon = epsilon,
                       .width = n,
                       .weight = bind_tensor_vector(b, weight),
                       .bias = bind_tensor_vector(b, bias)};
}

double bind_scalar(bind *b, const char *format, ...)
{
    char name[BIND_NAME_MAX];
    double value = 0;
    BIND_TENSOR_NAME(name, "", format);
    const assay_tensor *t = bind_tensor_find(b, name, BIND_FLOATS);
    if (t) t = bind_tensor_take(b, name, BIND_FLOATS, t->rank == 1, (const size_t[]){1}, "");
    if (!t) return 0;
    dtype_to_f64(&value, t->data, t->dtype, 1);
    if (isnan(value)) bind_fail(b, ASSAY_EFORMAT, "tensor '%s': found nan, expected a number", name);
    return value;
}

void bind_ignore(bind *b, config_notes *notes, const char *start, const char *why)
{
    char below[BIND_NAME_MAX];
    (void)snprintf(below, sizeof below, "%s%s", b->prefix, start);
    size_t n = 0;
    for (size_t i = 0; b->status == ASSAY_OK && i < weights_count(b->weights); i++) {
        const assay_tensor *t = weights_at(b->weights, i);
        if (b->used[i] || !(string_begins_with(t->name, start) || string_begins_with(t->name, below)))
            continue;
        b->n_ignored += dtype_elements(t);
        b->used[i] = true;
        n++;
    }
    if (n) config_note(notes, "%zu tensor%s below %s passed over: %s", n, n == 1 ? "" : "s", start, why);
}
