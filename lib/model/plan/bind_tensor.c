/* SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/bind_tensor.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/choices.h"
#include "base/dtype.h"
#include "base/error.h"
#include "base/grow.h"
#include "model/numerics/stored.h"

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

const assay_tensor *bind_tensor_find(bind *b, const char *name, uint32_t types)
{
    const assay_tensor *t = b->status == ASSAY_OK ? weights_find(b->weights, name) : NULL;
    if (t && !(types & FORMAT_TYPE(t->dtype))) {
        char expected[120];
        const gguf_type *blocks = weights_type(b->weights, weights_index(b->weights, name));
        choices_of_types(expected, sizeof expected, types);
        bind_fail_at(b, t, ASSAY_EUNSUPPORTED, "found type %s, expected %s",
                     blocks ? blocks->name : dtype_name(t->dtype), expected);
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
           (b->storages[i].format != storage->format || b->storages[i].dtype != storage->dtype ||
            b->storages[i].bias_dtype != storage->bias_dtype || b->storages[i].bits != storage->bits ||
            b->storages[i].group != storage->group))
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

const assay_tensor *bind_tensor_take(bind *b, const char *name, uint32_t types, size_t rank,
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

plan_weight bind_tensor_numbers(bind *b, const assay_tensor *t, size_t rows, size_t cols, size_t row_stride,
                                size_t col_stride)
{
    if (!t) return (plan_weight){0};
    plan_weight w = {.name = t->name,
                     .data = t->data,
                     .rows = rows,
                     .cols = cols,
                     .n_bytes = rows * cols * dtype_size(t->dtype)};
    const stored_numbers numbers = {t->data, t->dtype, row_stride, col_stride};
    if (!stored_of_numbers(b->layouts, &numbers, rows, cols, &w.stored))
        bind_fail(b, ASSAY_ENOMEM, "out of memory");
    return w;
}

plan_weight bind_tensor_weight(bind *b, const assay_tensor *t, size_t rows, size_t cols)
{
    return bind_tensor_numbers(b, t, rows, cols, cols, 1);
}

/* Numbers to be converted. */
typedef struct number_run {
    const void *data;
    assay_dtype dtype;
    size_t n, head_rows; /* head_rows: as in weights_rename_fn */
} number_run;

static assay_status convert_tensor(void *context, array *self, array *const *inputs, assay_error *err)
{
    const number_run *s = context;
    double *values = array_allocate(self);
    (void)inputs;
    if (!values) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    if (!s->head_rows) dtype_to_f64(values, s->data, s->dtype, s->n);
    for (size_t i = 0; s->head_rows && i < s->n; i++) {
        const size_t half = s->head_rows / 2, at = i % s->head_rows;
        const size_t from = i - at + 2 * (at % half) + at / half;
        dtype_to_f64(&values[i], (const char *)s->data + from * dtype_size(s->dtype), s->dtype, 1);
    }
    return ASSAY_OK;
}

plan_weight bind_tensor_part(bind *b, const assay_tensor *t, size_t first, size_t n)
{
    if (!t) return (plan_weight){0};
    assay_tensor part = *t;
    part.data = (const char *)t->data + first * dtype_size(t->dtype);
    plan_weight w = bind_tensor_weight(b, &part, 1, n);
    number_run *s = malloc(sizeof *s);
    if (s)
        *s = (number_run){part.data, t->dtype, n,
                          weights_head_rows(b->weights, weights_index(b->weights, t->name))};
    const array_maker maker = {convert_tensor, s, free};
    if (s) w.values = array_list_defer(b->arrays, t->name, false, n * sizeof(double), maker, NULL, 0);
    if (!w.values) bind_fail(b, ASSAY_ENOMEM, "out of memory");
    return w;
}

plan_weight bind_tensor_vector(bind *b, const assay_tensor *t)
{
    return bind_tensor_part(b, t, 0, t ? t->shape[0] : 0);
}
