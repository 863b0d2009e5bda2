/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/array_list.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "runtime/array_eval.h"

typedef struct entry {
    array *array;
    char *name;
    bool is_private;
} entry;

struct array_list {
    assay_stream stream;
    entry *at; /* [n] */
    size_t n;
    atomic_bool is_realised; /* all arrays are known to be realised */
    assay_status status;     /* first failure of array_list_defer */
    assay_error error;
};

assay_status array_list_open(array_list **out, assay_error *err)
{
    array_list *l = calloc(1, sizeof *l);
    if (!l) return assay_fail(err, ASSAY_ENOMEM, "arrays: out of memory");
    assay_status rc = stream_default((assay_device){ASSAY_CPU, 0}, &l->stream, err);
    if (rc == ASSAY_OK) *out = l;
    else free(l);
    return rc;
}

void array_list_free(array_list *l)
{
    if (!l) return;
    for (size_t i = 0; i < l->n; i++) {
        array_release(l->at[i].array);
        free(l->at[i].name);
    }
    free(l->at);
    free(l);
}

static bool reserve_entry(array_list *l)
{
    entry *grown = grow_by_one(l->at, l->n, sizeof *grown);
    if (grown) l->at = grown;
    return grown;
}

static void drop_maker(const array_maker *maker)
{
    if (maker->drop) maker->drop(maker->context);
}

array *array_list_defer(array_list *l, const char *name, bool is_private, size_t n_bytes, array_maker maker,
                        array *const *inputs, size_t n_inputs)
{
    stream *s;
    array *made;
    if (l->status == ASSAY_OK) l->status = stream_find(&l->stream, &s, &l->error);
    char *copy = l->status == ASSAY_OK && reserve_entry(l) ? strdup(name) : NULL;
    if (!copy) {
        drop_maker(&maker);
        if (l->status == ASSAY_OK)
            l->status = assay_fail(&l->error, ASSAY_ENOMEM, "array '%s': out of memory", name);
        return NULL;
    }
    l->status = array_defer(s, n_bytes, maker, inputs, n_inputs, &made, &l->error);
    if (l->status != ASSAY_OK) {
        free(copy);
        return NULL;
    }
    l->at[l->n++] = (entry){made, copy, is_private};
    atomic_store(&l->is_realised, false);
    return made;
}

static assay_status fail_with_name(const entry *e, const assay_error *why, assay_error *err)
{
    return assay_fail(err, why->status, "%s (array '%s')", why->text, e->name);
}

/* Schedules the arrays one by one, so that they are made in the order of the list. */
static assay_status schedule_all(array_list *l, assay_error *err)
{
    assay_error why;
    for (size_t i = 0; i < l->n; i++)
        if (array_schedule(&l->at[i].array, 1, &why) != ASSAY_OK) return fail_with_name(&l->at[i], &why, err);
    return ASSAY_OK;
}

/* Another thread may have taken the stream's error. */
static assay_status check_all(array_list *l, assay_error *err)
{
    assay_error why;
    for (size_t i = 0; i < l->n; i++)
        if (array_evaluate(&l->at[i].array, 1, &why) != ASSAY_OK) return fail_with_name(&l->at[i], &why, err);
    atomic_store(&l->is_realised, true);
    return ASSAY_OK;
}

assay_status array_list_realise(array_list *l, assay_error *err)
{
    if (l->status != ASSAY_OK) {
        if (err) *err = l->error;
        return l->status;
    }
    assay_status rc = schedule_all(l, err),
                 later = stream_synchronize(&l->stream, rc == ASSAY_OK ? err : NULL);
    if (rc == ASSAY_OK)
        rc = later; /* after a failure all scheduled tasks have ended: nothing uses the caller's memory any
                       more */
    return rc == ASSAY_OK ? check_all(l, err) : rc;
}

assay_status array_list_require(array_list *l, assay_error *err)
{
    return atomic_load_explicit(&l->is_realised, memory_order_acquire) ? ASSAY_OK
                                                                       : array_list_realise(l, err);
}

size_t array_list_count(const array_list *l)
{
    return l->n;
}

array *array_list_at(const array_list *l, size_t i, assay_array_info *info)
{
    const entry *e = &l->at[i];
    if (info)
        *info = (assay_array_info){.name = e->name,
                                   .is_private = e->is_private,
                                   .state = array_state(e->array),
                                   .stream = stream_name(array_stream(e->array)).index,
                                   .n_bytes = array_bytes(e->array)};
    return e->array;
}

void array_list_visit(const array_list *l, assay_array_visitor *visit, void *context)
{
    for (size_t i = 0; i < l->n; i++) {
        assay_array_info info;
        (void)array_list_at(l, i, &info);
        visit(context, &info);
    }
}
