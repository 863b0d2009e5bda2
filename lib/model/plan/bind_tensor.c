/* SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/bind_tensor.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/error.h"
#include "base/grow.h"

enum { SHAPE_MAX_LENGTH = 8 * 21 + 3 };

static void bind_fail_at(bind *b, const assay_tensor *t, assay_status status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* As bind_fail, with the file and the name of a tensor. */
static void bind_fail_at(bind *b, const assay_tensor *t, assay_status status, const char *format, ...)
{
    char reason[600];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    const char *path = weights_file(b->weights, weights_index(b->weights, t->name));
    const char *slash = strrchr(path, '/');
    bind_fail(b, status, "%s: tensor '%s': %s", slash ? slash + 1 : path, t->name, reason);
}

static void shape_text(char *out, size_t rank, const size_t *shape)
{
    size_t at = (size_t)sprintf(out, "[");
    for (size_t i = 0; i < rank; i++) at += (size_t)sprintf(out + at, "%s%zu", i ? ", " : "", shape[i]);
    (void)sprintf(out + at, "]");
}

static bool dtype_allowed(assay_dtype dtype, bind_types types)
{
    if (types == BIND_CODES) return dtype == ASSAY_U32;
    return dtype_is_float(dtype) && (types == BIND_FLOATS || dtype != ASSAY_F64);
}

const assay_tensor *bind_tensor_find(bind *b, const char *name, bind_types types)
{
    static const char *const EXPECTED[] = {"F64, F32, F16 or BF16", "F32, F16 or BF16", "U32"};
    const assay_tensor *t = b->status == ASSAY_OK ? weights_find(b->weights, name) : NULL;
    if (t && !dtype_allowed(t->dtype, types)) {
        bind_fail_at(b, t, ASSAY_EUNSUPPORTED, "found type %s, expected %s", dtype_name(t->dtype),
                     EXPECTED[types]);
        return NULL;
    }
    if (!t) bind_fail(b, ASSAY_EFORMAT, "tensor '%s' is missing", name);
    return t;
}

/* Counts a tensor with this storage. */
static void count_storage(bind *b, const plan_storage *storage, size_t n_elements)
{
    size_t i = 0;
    while (i < b->n_storages &&
           (b->storages[i].dtype != storage->dtype || b->storages[i].bias_dtype != storage->bias_dtype ||
            b->storages[i].bits != storage->bits || b->storages[i].group != storage->group))
        i++;
    if (i == b->n_storages) {
        plan_storage *grown = grow_by_one(b->storages, i, sizeof *grown);
        if (!grown) {
            bind_fail(b, ASSAY_ENOMEM, "out of memory");
            return;
        }
        b->storages = grown;
        b->storages[b->n_storages++] = *storage;
        b->storages[i].n_tensors = b->storages[i].n_elements = 0;
    }
    b->storages[i].n_tensors++;
    b->storages[i].n_elements += n_elements;
}

void bind_tensor_count(bind *b, const assay_tensor *t, size_t n, plan_storage storage)
{
    const size_t i = weights_index(b->weights, t->name);
    if (!b->used[i]) {
        b->n_parameters += n;
        count_storage(b, &storage, n);
    }
    b->used[i] = true;
}

void bind_tensor_use(bind *b, const assay_tensor *t)
{
    b->used[weights_index(b->weights, t->name)] = true;
}

const assay_tensor *bind_tensor_take(bind *b, const char *name, bind_types types, size_t rank,
                                     const size_t *shape, const char *why)
{
    const assay_tensor *t = bind_tensor_find(b, name, types);
    if (!t) return NULL;
    if (t->rank != rank || memcmp(t->shape, shape, rank * sizeof *shape) != 0) {
        char is[SHAPE_MAX_LENGTH], wanted[SHAPE_MAX_LENGTH];
        shape_text(is, t->rank, t->shape);
        shape_text(wanted, rank, shape);
        bind_fail_at(b, t, ASSAY_EFORMAT, "found shape %s, expected %s%s", is, wanted, why);
        return NULL;
    }
    if (types == BIND_FLOATS) bind_tensor_count(b, t, dtype_elements(t), (plan_storage){.dtype = t->dtype});
    return t;
}

plan_weight bind_tensor_weight(const assay_tensor *t, size_t rows, size_t cols)
{
    if (!t) return (plan_weight){0};
    return (plan_weight){.name = t->name, .data = t->data, .dtype = t->dtype, .rows = rows, .cols = cols};
}

typedef struct stored {
    const void *data;
    assay_dtype dtype;
    size_t n;
} stored;

static assay_status convert_tensor(void *context, array *self, array *const *inputs, assay_error *err)
{
    const stored *s = context;
    double *values = array_allocate(self);
    (void)inputs;
    if (!values) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    dtype_to_f64(values, s->data, s->dtype, s->n);
    return ASSAY_OK;
}

plan_weight bind_tensor_part(bind *b, const assay_tensor *t, size_t first, size_t n)
{
    if (!t) return (plan_weight){0};
    plan_weight w = bind_tensor_weight(t, 1, n);
    w.data = (const char *)t->data + first * dtype_size(t->dtype);
    stored *s = malloc(sizeof *s);
    if (s) *s = (stored){w.data, t->dtype, n};
    const array_maker maker = {convert_tensor, s, free};
    if (s) w.values = array_list_defer(b->arrays, t->name, false, n * sizeof(double), maker, NULL, 0);
    if (!w.values) bind_fail(b, ASSAY_ENOMEM, "out of memory");
    return w;
}

plan_weight bind_tensor_vector(bind *b, const assay_tensor *t)
{
    return bind_tensor_part(b, t, 0, t ? t->shape[0] : 0);
}
