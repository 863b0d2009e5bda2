/* Schedules a graph on its streams, and waits for it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "runtime/array_eval.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/grow.h"
#include "runtime/array.h"
#include "runtime/array_node.h"
#include "runtime/array_order.h"
#include "runtime/executor.h"

/* One stream of an evaluation. Streams that use its arrays wait for the tasks that it had by then. */
typedef struct part {
    stream *stream;
    uint64_t ticket; /* ticket of the latest array that another stream waits for */
    struct note *note;
} part;

/* Whether the stream had failed when an array for another stream was finished. */
typedef struct note {
    atomic_size_t n_users;
    atomic_bool failed;
} note;

typedef struct evaluation {
    array_order order;
    part *parts; /* [n_parts] */
    size_t n_parts;
    assay_error *err;
} evaluation;

static assay_status out_of_memory(assay_error *err)
{
    return assay_fail(err, ASSAY_ENOMEM, "array: out of memory");
}

static void note_release(note *n)
{
    if (n && atomic_fetch_sub(&n->n_users, 1) == 1) free(n);
}

static void write_note(queue *q, void *context)
{
    note *n = context;
    if (queue_has_failed(q)) atomic_store(&n->failed, true);
    note_release(n);
}

/* A stream that waits for another one, and is poisoned by its failure. */
typedef struct waiting {
    queue *from;
    uint64_t ticket;
    note *note; /* NULL: waits only */
} waiting;

static void wait_for_other(queue *q, void *context)
{
    waiting *w = context;
    queue_wait(w->from, w->ticket);
    if (w->note && atomic_load(&w->note->failed)) queue_poison(q, w->from);
    note_release(w->note);
    free(w);
}

static assay_status add_waiting(stream *s, stream *from, uint64_t ticket, note *n, assay_error *err)
{
    waiting *w = malloc(sizeof *w);
    if (!w) return out_of_memory(err);
    *w = (waiting){stream_queue(from), ticket, n};
    if (n) (void)atomic_fetch_add(&n->n_users, 1);
    assay_status rc = queue_add(stream_queue(s), wait_for_other, w, NULL, err);
    if (rc != ASSAY_OK) {
        note_release(n);
        free(w);
    }
    return rc;
}

/* An array fails if one of its inputs has failed. */
static assay_status make_from_inputs(array *a, assay_error *err)
{
    for (size_t i = 0; i < a->n_inputs; i++)
        if (array_state(a->inputs[i]) == ASSAY_ARRAY_FAILED) {
            *err = a->inputs[i]->error;
            return err->status;
        }
    return a->maker.make(a->maker.context, a, a->inputs, err);
}

static void make_array(queue *q, void *context)
{
    array *a = context;
    const assay_status rc = make_from_inputs(a, &a->error);
    for (size_t i = 0; i < a->n_inputs; i++) array_release(a->inputs[i]);
    free(a->inputs);
    a->inputs = NULL;
    a->n_inputs = 0;
    if (a->maker.drop) a->maker.drop(a->maker.context);
    a->maker.drop = NULL;
    if (rc != ASSAY_OK) queue_fail(q, &a->error);
    atomic_store(&a->state, rc == ASSAY_OK ? NODE_REALISED : NODE_FAILED);
    array_release(a);
}

/* NULL if out of memory. */
static part *part_of(evaluation *e, stream *s)
{
    for (size_t i = 0; i < e->n_parts; i++)
        if (e->parts[i].stream == s) return &e->parts[i];
    part *grown = grow_by_one(e->parts, e->n_parts, sizeof *grown);
    if (!grown) return NULL;
    e->parts = grown;
    grown[e->n_parts] = (part){.stream = s};
    return &grown[e->n_parts++];
}

/* Makes a stream wait for an input that this or an earlier evaluation has scheduled. */
static assay_status await_input(evaluation *e, stream *s, const array *in)
{
    if (in->is_shared) {
        const part *from = part_of(e, in->stream);
        return from ? add_waiting(s, from->stream, from->ticket, from->note, e->err) : out_of_memory(e->err);
    }
    if (in->stream != s && atomic_load(&in->state) == NODE_SCHEDULED)
        return add_waiting(s, in->stream, in->ticket, NULL, e->err);
    return ASSAY_OK;
}

static assay_status note_shared(evaluation *e, stream *s)
{
    part *p = part_of(e, s);
    if (!p) return out_of_memory(e->err);
    if (!p->note) {
        p->note = calloc(1, sizeof *p->note);
        if (!p->note) return out_of_memory(e->err);
        atomic_init(&p->note->n_users, 1);
    }
    (void)atomic_fetch_add(&p->note->n_users, 1);
    assay_status rc = queue_add(stream_queue(s), write_note, p->note, &p->ticket, e->err);
    if (rc != ASSAY_OK) note_release(p->note);
    return rc;
}

static assay_status schedule_array(evaluation *e, array *a)
{
    assay_status rc = part_of(e, a->stream) ? ASSAY_OK : out_of_memory(e->err);
    for (size_t i = 0; rc == ASSAY_OK && i < a->n_inputs; i++) rc = await_input(e, a->stream, a->inputs[i]);
    if (rc == ASSAY_OK) rc = stream_check(a->stream, e->err);
    if (rc != ASSAY_OK) return rc;
    (void)array_retain(a);
    atomic_store(&a->state, NODE_SCHEDULED);
    rc = queue_add(stream_queue(a->stream), make_array, a, &a->ticket, e->err);
    if (rc != ASSAY_OK) {
        atomic_store(&a->state, NODE_DEFERRED);
        array_release(a);
        return rc;
    }
    return a->is_shared ? note_shared(e, a->stream) : ASSAY_OK;
}

/* The stream that the evaluation waits for must be accessible from this thread, too. */
static assay_status schedule_each(evaluation *e, array *const *list, size_t n, stream *target)
{
    assay_status rc = part_of(e, target) ? ASSAY_OK : out_of_memory(e->err);
    array_graph_lock();
    if (rc == ASSAY_OK) rc = array_order_find(list, n, target, &e->order, e->err);
    for (size_t i = 0; rc == ASSAY_OK && i < e->order.n; i++) rc = schedule_array(e, e->order.at[i]);
    for (size_t i = 0; rc == ASSAY_OK && i < n; i++) rc = await_input(e, target, list[i]);
    if (rc == ASSAY_OK) rc = stream_check(target, e->err);
    array_order_reset(&e->order);
    array_graph_unlock();
    array_order_free(&e->order);
    return rc;
}

/* Scheduled tasks finish before the failure is reported; further failures are dropped, as upstream. */
static void abandon_evaluation(evaluation *e)
{
    for (size_t i = 0; i < e->n_parts; i++) {
        queue *q = stream_queue(e->parts[i].stream);
        queue_wait(q, queue_last(q));
        (void)queue_take_error(q, NULL);
    }
}

static void free_evaluation(evaluation *e)
{
    for (size_t i = 0; i < e->n_parts; i++) note_release(e->parts[i].note);
    free(e->parts);
}

/* The stream of the first deferred array, for which the evaluation waits; NULL: no array is deferred. */
static stream *find_target(array *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (atomic_load(&list[i]->state) == NODE_DEFERRED) return list[i]->stream;
    return NULL;
}

/* serve: starts threads for all streams but `but`. */
static assay_status schedule_arrays(array *const *list, size_t n, stream *target, bool serve,
                                    const stream *but, assay_error *err)
{
    evaluation e = {.err = err};
    assay_status rc = schedule_each(&e, list, n, target);
    for (size_t i = 0; rc == ASSAY_OK && serve && i < e.n_parts; i++)
        if (e.parts[i].stream != but) executor_serve(stream_queue(e.parts[i].stream));
    if (rc != ASSAY_OK) abandon_evaluation(&e);
    free_evaluation(&e);
    return rc;
}

assay_status array_schedule(array *const *list, size_t n, assay_error *err)
{
    stream *target = find_target(list, n);
    return target ? schedule_arrays(list, n, target, false, NULL, err) : ASSAY_OK;
}

assay_status array_start(array *const *list, size_t n, assay_error *err)
{
    stream *target = find_target(list, n);
    return target ? schedule_arrays(list, n, target, true, NULL, err) : ASSAY_OK;
}

/* Waits for a scheduled array. */
static void wait_for_one(const array *a)
{
    array_graph_lock(); /* protects the ticket */
    const bool under_way = atomic_load(&a->state) == NODE_SCHEDULED;
    const uint64_t ticket = a->ticket;
    array_graph_unlock();
    if (under_way) queue_wait(stream_queue(a->stream), ticket);
}

/* Waits for all, and returns the error of the first that has failed. */
static assay_status wait_for(array *const *list, size_t n, assay_error *err)
{
    for (size_t i = 0; i < n; i++) {
        if (atomic_load(&list[i]->state) == NODE_SCHEDULED) wait_for_one(list[i]);
        if (atomic_load(&list[i]->state) != NODE_FAILED) continue;
        if (err) *err = list[i]->error;
        return list[i]->error.status;
    }
    return ASSAY_OK;
}

assay_status array_evaluate(array *const *list, size_t n, assay_error *err)
{
    stream *target = find_target(list, n);
    assay_status rc = ASSAY_OK;
    if (target) {
        rc = schedule_arrays(list, n, target, true, target, err);
        if (rc != ASSAY_OK) return rc;
        queue *q = stream_queue(target);
        queue_wait(q, queue_last(q));
        rc = queue_take_error(q, err);
    }
    return rc == ASSAY_OK ? wait_for(list, n, err) : rc;
}
