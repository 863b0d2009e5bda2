/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/array.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "runtime/array_node.h"

assay_status array_defer(stream *s, size_t n_bytes, array_maker maker, array *const *inputs, size_t n_inputs,
                         array **out, assay_error *err)
{
    array *a = calloc(1, sizeof *a);
    array **kept = n_inputs ? calloc(n_inputs, sizeof *kept) : NULL;
    if (!a || (n_inputs && !kept)) {
        free(a);
        free(kept);
        if (maker.drop) maker.drop(maker.context);
        return assay_fail(err, ASSAY_ENOMEM, "array: out of memory");
    }
    for (size_t i = 0; i < n_inputs; i++) kept[i] = array_retain(inputs[i]);
    atomic_init(&a->n_users, 1);
    atomic_init(&a->state, NODE_DEFERRED);
    a->stream = s;
    a->maker = maker;
    a->inputs = kept;
    a->n_inputs = n_inputs;
    a->n_bytes = n_bytes;
    *out = a;
    return ASSAY_OK;
}

array *array_retain(array *a)
{
    (void)atomic_fetch_add(&a->n_users, 1);
    return a;
}

/* Iterative, since a graph may be too deep for recursion. */
void array_release(array *a)
{
    array *doomed = NULL;
    if (a && atomic_fetch_sub(&a->n_users, 1) == 1) doomed = a;
    while (doomed) {
        a = doomed;
        doomed = a->next;
        for (size_t i = 0; i < a->n_inputs; i++) {
            array *in = a->inputs[i];
            if (atomic_fetch_sub(&in->n_users, 1) != 1) continue;
            in->next = doomed;
            doomed = in;
        }
        free(a->inputs);
        if (a->maker.drop) a->maker.drop(a->maker.context);
        if (a->owns_data) free(a->data);
        free(a);
    }
}

void *array_allocate(array *self)
{
    self->data = calloc(self->n_bytes ? self->n_bytes : 1, 1);
    self->owns_data = true;
    return self->data;
}

void array_point(array *self, void *data)
{
    self->data = data;
}

assay_array_state array_state(const array *a)
{
    switch ((node_state)atomic_load_explicit(&a->state, memory_order_acquire)) {
    case NODE_REALISED: return ASSAY_ARRAY_REALISED;
    case NODE_FAILED: return ASSAY_ARRAY_FAILED;
    default: return ASSAY_ARRAY_DEFERRED;
    }
}

const stream *array_stream(const array *a)
{
    return a->stream;
}

size_t array_bytes(const array *a)
{
    return a->n_bytes;
}

const void *array_data(const array *a)
{
    assert(array_state(a) == ASSAY_ARRAY_REALISED && "this array is not realised");
    return a->data;
}
