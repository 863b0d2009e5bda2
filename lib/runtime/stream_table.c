/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/stream_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "runtime/array.h"
#include "runtime/array_eval.h"
#include <config.h>

/* An array of the ABI: the deferred array, and its number of elements. */
struct assay_array {
    array *array;
    size_t n;
};

static assay_status make_arange(void *context, array *self, array *const *inputs, assay_error *err)
{
    float *x = array_allocate(self);
    (void)context;
    (void)inputs;
    if (!x) return assay_fail(err, ASSAY_ENOMEM, "arange: out of memory");
    for (size_t i = 0; i < array_bytes(self) / sizeof *x; i++) x[i] = (float)i;
    return ASSAY_OK;
}

static float apply_function(assay_array_fn fn, float x, float y)
{
    switch (fn) {
    case ASSAY_ARRAY_SQUARE: return x * x;
    case ASSAY_ARRAY_NEGATIVE: return -x;
    case ASSAY_ARRAY_ABS: return x < 0 ? -x : x + 0.0F; /* also turns -0 into 0 */
    case ASSAY_ARRAY_ADD: return x + y;
    case ASSAY_ARRAY_INVERSE: return 1 / x;
    case ASSAY_ARRAY_ARANGE: break;
    }
    return x;
}

/* context: the assay_array_fn. */
static assay_status make_elementwise(void *context, array *self, array *const *inputs, assay_error *err)
{
    const assay_array_fn fn = *(const assay_array_fn *)context;
    float *out = array_allocate(self);
    const float *x = array_data(inputs[0]), *y = fn == ASSAY_ARRAY_ADD ? array_data(inputs[1]) : x;
    if (!out) return assay_fail(err, ASSAY_ENOMEM, "array: out of memory");
    for (size_t i = 0; i < array_bytes(self) / sizeof *out; i++) {
        if (fn == ASSAY_ARRAY_INVERSE && x[i] == 0)
            return assay_fail(
                err, ASSAY_EINTERNAL,
                /* MLX's own words */ "[Inverse::eval_cpu] LU factorization failed with error code 1");
        out[i] = apply_function(fn, x[i], y[i]);
    }
    return ASSAY_OK;
}

/* Defers fn of n_inputs arrays (0 to 2). */
static assay_status defer_array(stream *s, assay_array_fn fn, size_t n, array *const *inputs, size_t n_inputs,
                                array **out, assay_error *err)
{
    static assay_array_fn functions[] = {ASSAY_ARRAY_ARANGE, ASSAY_ARRAY_SQUARE, ASSAY_ARRAY_NEGATIVE,
                                         ASSAY_ARRAY_ABS,    ASSAY_ARRAY_ADD,    ASSAY_ARRAY_INVERSE};
    const array_maker maker = {n_inputs ? make_elementwise : make_arange, &functions[fn], NULL};
    return array_defer(s, n * sizeof(float), maker, inputs, n_inputs, out, err);
}

static assay_status copy_input(void *context, array *self, array *const *inputs, assay_error *err)
{
    float *out = array_allocate(self);
    (void)context;
    if (!out) return assay_fail(err, ASSAY_ENOMEM, "array: out of memory");
    memcpy(out, array_data(inputs[0]), array_bytes(self));
    return ASSAY_OK;
}

/* MLX inverts [n, 1, 1] matrices, so that its graph has a reshape before and after the inverse. Both count in
 * the order of evaluation. */
static assay_status defer_inverse(stream *s, size_t n, array *x, array **out, assay_error *err)
{
    const array_maker reshape = {copy_input, NULL, NULL};
    array *matrices = NULL, *inverse = NULL;
    assay_status rc = array_defer(s, n * sizeof(float), reshape, &x, 1, &matrices, err);
    if (rc == ASSAY_OK) rc = defer_array(s, ASSAY_ARRAY_INVERSE, n, &matrices, 1, &inverse, err);
    if (rc == ASSAY_OK) rc = array_defer(s, n * sizeof(float), reshape, &inverse, 1, out, err);
    array_release(matrices);
    array_release(inverse);
    return rc;
}

static assay_status table_make(assay_array_fn fn, size_t n, assay_array *const *of, const assay_stream *name,
                               assay_array **out, assay_error *err)
{
    if ((unsigned)fn > ASSAY_ARRAY_INVERSE)
        return assay_fail(err, ASSAY_EINVAL, "make: found function %d, expected 0 to %d", (int)fn,
                          (int)ASSAY_ARRAY_INVERSE);
    const size_t n_inputs = fn == ASSAY_ARRAY_ARANGE ? 0 : fn == ASSAY_ARRAY_ADD ? 2 : 1;
    array *inputs[2] = {n_inputs > 0 ? of[0]->array : NULL, n_inputs > 1 ? of[1]->array : NULL};
    if (n_inputs > 0) n = of[0]->n;
    if (n_inputs > 1 && of[1]->n != n)
        return assay_fail(err, ASSAY_EINVAL,
                          "make: found arrays of %zu and %zu elements, expected one length", n, of[1]->n);
    if (n > SIZE_MAX / sizeof(float))
        return assay_fail(err, ASSAY_ENOMEM, "make: no memory for %zu elements", n);
    stream *s;
    assay_status rc = stream_find(name, &s, err);
    if (rc != ASSAY_OK) return rc;
    assay_array *a = calloc(1, sizeof *a);
    if (!a) return assay_fail(err, ASSAY_ENOMEM, "make: out of memory");
    a->n = n;
    rc = fn == ASSAY_ARRAY_INVERSE ? defer_inverse(s, n, inputs[0], &a->array, err)
                                   : defer_array(s, fn, n, inputs, n_inputs, &a->array, err);
    if (rc == ASSAY_OK) *out = a;
    else free(a);
    return rc;
}

static void table_free(assay_array *a)
{
    if (!a) return;
    array_release(a->array);
    free(a);
}

static assay_status table_eval(assay_array *const *of, size_t n, bool async, assay_error *err)
{
    array **list = calloc(n ? n : 1, sizeof *list);
    if (!list) return assay_fail(err, ASSAY_ENOMEM, "eval: out of memory");
    for (size_t i = 0; i < n; i++) list[i] = of[i]->array;
    assay_status rc = async ? array_start(list, n, err) : array_evaluate(list, n, err);
    free(list);
    return rc;
}

static assay_status table_read(assay_array *a, float *out, size_t capacity, size_t *n, assay_error *err)
{
    if (a->n > capacity)
        return assay_fail(err, ASSAY_EINVAL, "read: found a capacity of %zu elements, expected %zu", capacity,
                          a->n);
    assay_status rc = array_evaluate(&a->array, 1, err);
    if (rc != ASSAY_OK) return rc;
    memcpy(out, array_data(a->array), a->n * sizeof *out);
    *n = a->n;
    return ASSAY_OK;
}

const assay_streams stream_table = {
    .abi = ASSAY_STREAMS_ABI,
    .size = sizeof(assay_streams),
    .name = "assay",
    .version = PACKAGE_VERSION,
    .device_count = stream_device_count,
    .new_stream = stream_new,
    .default_stream = stream_default,
    .set_default_stream = stream_set_default,
    .scope_enter = stream_scope_enter,
    .scope_leave = stream_scope_leave,
    .clear_streams = stream_clear,
    .synchronize = stream_synchronize,
    .make = table_make,
    .array_free = table_free,
    .eval = table_eval,
    .read = table_read,
};
