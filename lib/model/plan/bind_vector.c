/* SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/bind_vector.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/dtype.h"
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
