/* Deferred arrays: results and order of an evaluation, refusals, and the state after a failure.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "runtime/array.h"
#include "runtime/array_eval.h"

/* How a node was realised, and how often. */
typedef struct node {
    atomic_int n_made, n_dropped;
    int order; /* among all, from 1 on */
    bool fails;
} node;

static atomic_int n_made;

static assay_status make(void *context, array *self, array *const *inputs, assay_error *err)
{
    node *n = context;
    int *value = array_allocate(self);
    ck_assert_ptr_nonnull(value);
    *value = 1;
    if (inputs) *value += *(const int *)array_data(inputs[0]);
    (void)atomic_fetch_add(&n->n_made, 1);
    n->order = atomic_fetch_add(&n_made, 1) + 1;
    return n->fails ? assay_fail(err, ASSAY_EFORMAT, "it fails") : ASSAY_OK;
}

static void drop(void *context)
{
    (void)atomic_fetch_add(&((node *)context)->n_dropped, 1);
}

/* A new stream of this thread. */
static stream *new_stream(assay_stream_kind kind)
{
    assay_stream name;
    stream *s;
    ck_assert_int_eq(stream_new((assay_device){ASSAY_CPU, 0}, kind, &name, NULL), ASSAY_OK);
    ck_assert_int_eq(stream_find(&name, &s, NULL), ASSAY_OK);
    return s;
}

static array *defer(stream *s, node *n, array *const *inputs, size_t n_inputs)
{
    array *a;
    ck_assert_int_eq(array_defer(s, sizeof(int), (array_maker){make, n, drop}, inputs, n_inputs, &a, NULL),
                     ASSAY_OK);
    return a;
}

static int value(const array *a)
{
    return *(const int *)array_data(a);
}

typedef struct job {
    void (*fn)(void *context);
    void *context;
} job;

static void *call(void *context)
{
    const job *j = context;
    j->fn(j->context);
    return NULL;
}

static void on_another_thread(void (*fn)(void *), void *context)
{
    pthread_t thread;
    job j = {fn, context};
    ck_assert_int_eq(pthread_create(&thread, NULL, call, &j), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
}

static void expect_value_2(void *context)
{
    ck_assert_int_eq(value(context), 2);
    ck_assert_int_eq(array_evaluate((array **)&context, 1, NULL), ASSAY_OK);
}

START_TEST(an_array_is_realised_once_and_then_read_on_any_thread)
{
    node below = {0}, above = {0};
    stream *s = new_stream(ASSAY_STREAM_OWNED);
    array *a = defer(s, &below, NULL, 0), *b = defer(s, &above, &a, 1);
    ck_assert_int_eq(array_state(b), ASSAY_ARRAY_DEFERRED);
    ck_assert_int_eq(below.n_made, 0);
    ck_assert_int_eq(array_evaluate(&b, 1, NULL), ASSAY_OK);
    ck_assert_int_eq(array_state(a), ASSAY_ARRAY_REALISED);
    ck_assert_int_eq(array_evaluate((array *[]){a, b}, 2, NULL), ASSAY_OK);
    ck_assert_int_eq(below.n_made, 1);
    ck_assert_int_eq(above.n_made, 1);
    on_another_thread(expect_value_2, b);
    array_release(a);
    array_release(b);
    ck_assert_int_eq(below.n_dropped, 1);
    ck_assert_int_eq(above.n_dropped, 1);
}
END_TEST

START_TEST(an_unrealised_array_is_dropped_once)
{
    node below = {0}, above = {0};
    stream *s = new_stream(ASSAY_STREAM_OWNED);
    array *a = defer(s, &below, NULL, 0), *b = defer(s, &above, &a, 1);
    array_release(a);
    ck_assert_int_eq(below.n_dropped, 0);
    array_release(b);
    ck_assert_int_eq(below.n_dropped, 1);
    ck_assert_int_eq(above.n_dropped, 1);
    ck_assert_int_eq(n_made, 0);
}
END_TEST

static void expect_refused(void *context)
{
    array *a = context;
    assay_error err = {0};
    support_expect_error(&err, array_evaluate(&a, 1, &err), "There is no Stream(cpu, 0) in current thread.",
                         NULL);
    ck_assert_int_eq(err.status, ASSAY_ESTREAM);
    ck_assert_int_eq(array_state(a), ASSAY_ARRAY_DEFERRED);
}

START_TEST(only_the_builder_can_realise_an_array)
{
    node n = {0};
    array *a = defer(new_stream(ASSAY_STREAM_OWNED), &n, NULL, 0);
    on_another_thread(expect_refused, a);
    ck_assert_int_eq(array_evaluate(&a, 1, NULL), ASSAY_OK);
    array_release(a);
}
END_TEST

static void evaluate_foreign_between(void *context)
{
    array **own = context; /* {foreign, unused, unused} */
    node first = {0}, last = {0};
    stream *s = new_stream(ASSAY_STREAM_OWNED);
    own[1] = defer(s, &first, NULL, 0);
    own[2] = defer(s, &last, NULL, 0);
    array *list[] = {own[2], own[0], own[1]}; /* evaluated from the end */
    ck_assert_int_eq(array_evaluate(list, 3, NULL), ASSAY_ESTREAM);
    ck_assert_int_eq(array_state(own[1]), ASSAY_ARRAY_REALISED);
    ck_assert_int_eq(array_state(own[2]), ASSAY_ARRAY_DEFERRED);
    array_release(own[1]);
    array_release(own[2]);
}

START_TEST(arrays_before_a_refusal_are_realised)
{
    node n = {0};
    array *own[3] = {defer(new_stream(ASSAY_STREAM_OWNED), &n, NULL, 0)};
    on_another_thread(evaluate_foreign_between, own);
    ck_assert_int_eq(n.n_made, 0);
    array_release(own[0]);
}
END_TEST

enum { LONG = 200000, WIDE = 100 };

START_TEST(a_graph_may_be_as_deep_as_memory_allows)
{
    node *nodes = calloc(LONG, sizeof *nodes);
    stream *s[] = {new_stream(ASSAY_STREAM_OWNED), new_stream(ASSAY_STREAM_OWNED)};
    for (int made = 0; made < 2; made++) {
        array *a = defer(s[0], &nodes[0], NULL, 0);
        for (size_t i = 1; i < LONG; i++) {
            array *next = defer(s[i % 1000 == 0], &nodes[i], &a, 1);
            array_release(a);
            a = next;
        }
        if (made) ck_assert_int_eq(array_evaluate(&a, 1, NULL), ASSAY_OK);
        if (made) ck_assert_int_eq(value(a), LONG);
        array_release(a);
    }
    free(nodes);
}
END_TEST

START_TEST(siblings_are_made_from_the_last_to_the_first)
{
    static node nodes[WIDE];
    array *list[WIDE];
    stream *s = new_stream(ASSAY_STREAM_OWNED);
    for (size_t i = 0; i < WIDE; i++) list[i] = defer(s, &nodes[i], NULL, 0);
    ck_assert_int_eq(array_evaluate(list, WIDE, NULL), ASSAY_OK);
    for (size_t i = 0; i < WIDE; i++) ck_assert_int_eq(nodes[i].order, WIDE - (int)i);
    for (size_t i = 0; i < WIDE; i++) array_release(list[i]);
}
END_TEST

START_TEST(a_failure_fails_dependent_arrays_and_is_reported_once)
{
    node bad = {.fails = true}, above = {0}, beside = {0};
    stream *s = new_stream(ASSAY_STREAM_OWNED);
    const assay_stream name = stream_name(s);
    array *a = defer(s, &bad, NULL, 0), *b = defer(s, &above, &a, 1), *c = defer(s, &beside, NULL, 0);
    assay_error err = {0};
    support_expect_error(&err, array_evaluate((array *[]){b, c}, 2, &err), "it fails", NULL);
    ck_assert_int_eq(err.status, ASSAY_EFORMAT);
    ck_assert_int_eq(array_state(a), ASSAY_ARRAY_FAILED);
    ck_assert_int_eq(array_state(b), ASSAY_ARRAY_FAILED);
    ck_assert_int_eq(array_state(c), ASSAY_ARRAY_REALISED);
    ck_assert_int_eq(above.n_made, 0);
    ck_assert_int_eq(stream_synchronize(&name, NULL), ASSAY_OK);  /* the stream has forgotten it */
    ck_assert_int_eq(array_evaluate(&b, 1, NULL), ASSAY_EFORMAT); /* the array has not */
    array_release(a);
    array_release(b);
    array_release(c);
    ck_assert_int_eq(above.n_dropped, 1);
}
END_TEST

START_TEST(an_error_without_a_waiter_stays_on_the_stream)
{
    node bad = {.fails = true}, good = {0};
    stream *s = new_stream(ASSAY_STREAM_OWNED);
    const assay_stream name = stream_name(s);
    array *a = defer(s, &bad, NULL, 0), *b = defer(s, &good, NULL, 0);
    ck_assert_int_eq(array_start(&a, 1, NULL), ASSAY_OK);
    ck_assert_int_eq(array_start(&b, 1, NULL), ASSAY_OK);
    ck_assert_int_eq(stream_synchronize(&name, NULL), ASSAY_EFORMAT);
    ck_assert_int_eq(stream_synchronize(&name, NULL), ASSAY_OK);
    ck_assert_int_eq(array_evaluate(&b, 1, NULL), ASSAY_OK);
    array_release(a);
    array_release(b);
}
END_TEST

START_TEST(an_error_reaches_the_waiting_stream_and_stays_on_its_own)
{
    node bad = {.fails = true}, above = {0};
    stream *s = new_stream(ASSAY_STREAM_OWNED), *t = new_stream(ASSAY_STREAM_OWNED);
    const assay_stream first = stream_name(s), second = stream_name(t);
    array *a = defer(s, &bad, NULL, 0), *b = defer(t, &above, &a, 1);
    ck_assert_int_eq(array_evaluate(&b, 1, NULL), ASSAY_EFORMAT);
    ck_assert_int_eq(stream_synchronize(&second, NULL), ASSAY_OK);
    ck_assert_int_eq(stream_synchronize(&first, NULL), ASSAY_EFORMAT);
    ck_assert_int_eq(stream_synchronize(&first, NULL), ASSAY_OK);
    array_release(a);
    array_release(b);
}
END_TEST

static void start_and_end(void *context)
{
    node *nodes = context;
    stream *s = new_stream(ASSAY_STREAM_OWNED);
    for (size_t i = 0; i < WIDE; i++) {
        array *a = defer(s, &nodes[i], NULL, 0);
        ck_assert_int_eq(array_start(&a, 1, NULL), ASSAY_OK);
        array_release(a);
    }
}

START_TEST(work_is_done_though_its_thread_has_ended)
{
    static node nodes[WIDE];
    const assay_stream first = {{ASSAY_CPU, 0}, 0, ASSAY_STREAM_OWNED};
    on_another_thread(start_and_end, nodes);
    ck_assert_int_eq(stream_synchronize(&first, NULL), ASSAY_OK);
    for (size_t i = 0; i < WIDE; i++) ck_assert_int_eq(nodes[i].n_made, 1);
}
END_TEST

enum { MANY = 4000, TRIES = 10 };

/* Waits until its queue has some of the scheduled tasks. */
static assay_status make_late(void *context, array *self, array *const *inputs, assay_error *err)
{
    queue *q = context;
    (void)inputs, (void)err;
    while (queue_last(q) < MANY / 8) (void)sched_yield();
    return array_allocate(self) ? ASSAY_OK : ASSAY_ENOMEM;
}

static void hand_in_what_is_done_meanwhile(void *context)
{
    static node nodes[2 * MANY];
    static array *roots[MANY];
    array *late;
    stream *s = new_stream(ASSAY_STREAM_OWNED);
    const array_maker maker = {make_late, stream_queue(s), NULL};
    (void)context;
    memset(nodes, 0, sizeof nodes);
    ck_assert_int_eq(array_defer(s, sizeof(int), maker, NULL, 0, &late, NULL), ASSAY_OK);
    for (size_t i = 0; i < MANY; i++) {
        array *below = defer(s, &nodes[i], NULL, 0);
        roots[i] = defer(s, &nodes[MANY + i], &below, 1);
        array_release(below);
    }
    ck_assert_int_eq(array_start(&late, 1, NULL), ASSAY_OK); /* its thread also runs later tasks */
    ck_assert_int_eq(array_start(roots, MANY, NULL), ASSAY_OK);
    ck_assert_int_eq(array_evaluate(roots, MANY, NULL), ASSAY_OK);
    for (size_t i = 0; i < MANY; i++) array_release(roots[i]);
    array_release(late);
    for (size_t i = 0; i < 2 * MANY; i++) ck_assert_int_eq(nodes[i].n_dropped, 1);
}

/* Scheduling must not access nodes that are already finished and released. The sanitizers detect it. */
START_TEST(arrays_may_be_freed_while_a_graph_is_scheduled)
{
    for (int i = 0; i < TRIES; i++) on_another_thread(hand_in_what_is_done_meanwhile, NULL);
}
END_TEST

enum { THREADS = 8, ROUNDS = 200 };

/* Threads that share a stream and realised arrays, and build graphs of their own on them. */
typedef struct crowd {
    stream *shared;
    array *below;
} crowd;

static void work_concurrently(void *context)
{
    const crowd *c = context;
    stream *own = new_stream(ASSAY_STREAM_OWNED);
    node nodes[4] = {0};
    for (int i = 0; i < ROUNDS; i++) {
        array *a = defer(c->shared, &nodes[0], &c->below, 1), *b = defer(own, &nodes[1], &a, 1);
        array *d = defer(c->shared, &nodes[2], &b, 1), *e = defer(own, &nodes[3], &d, 1);
        if (i % 2) ck_assert_int_eq(array_start(&d, 1, NULL), ASSAY_OK);
        ck_assert_int_eq(array_evaluate((array *[]){e, c->below}, 2, NULL), ASSAY_OK);
        ck_assert_int_eq(value(e), 5);
        array_release(a);
        array_release(b);
        array_release(d);
        array_release(e);
    }
}

START_TEST(threads_share_streams_and_arrays_without_getting_in_each_others_way)
{
    node n = {0};
    crowd c = {new_stream(ASSAY_STREAM_SHARED), NULL};
    c.below = defer(c.shared, &n, NULL, 0);
    pthread_t threads[THREADS];
    job j = {work_concurrently, &c};
    for (size_t i = 0; i < THREADS; i++) ck_assert_int_eq(pthread_create(&threads[i], NULL, call, &j), 0);
    for (size_t i = 0; i < THREADS; i++) ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    ck_assert_int_eq(n.n_made, 1);
    array_release(c.below);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("runtime/array");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 60);
    tcase_add_test(all, an_array_is_realised_once_and_then_read_on_any_thread);
    tcase_add_test(all, an_unrealised_array_is_dropped_once);
    tcase_add_test(all, only_the_builder_can_realise_an_array);
    tcase_add_test(all, arrays_before_a_refusal_are_realised);
    tcase_add_test(all, a_graph_may_be_as_deep_as_memory_allows);
    tcase_add_test(all, siblings_are_made_from_the_last_to_the_first);
    tcase_add_test(all, a_failure_fails_dependent_arrays_and_is_reported_once);
    tcase_add_test(all, an_error_without_a_waiter_stays_on_the_stream);
    tcase_add_test(all, an_error_reaches_the_waiting_stream_and_stays_on_its_own);
    tcase_add_test(all, work_is_done_though_its_thread_has_ended);
    tcase_add_test(all, arrays_may_be_freed_while_a_graph_is_scheduled);
    tcase_add_test(all, threads_share_streams_and_arrays_without_getting_in_each_others_way);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
