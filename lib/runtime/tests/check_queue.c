/* Queues and executors: the order of tasks, the threads that run them, and the state after a failure.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "runtime/executor.h"

enum { N_TASKS = 100, N_THREADS = 8 };

/* Executors are at queues until the process ends. */
static queue queues[N_THREADS];
static atomic_int done[N_TASKS], n_done;
static _Atomic pthread_t did; /* the latest task */

static void task(queue *q, void *context)
{
    (void)q;
    did = pthread_self();
    atomic_store((atomic_int *)context, atomic_fetch_add(&n_done, 1) + 1);
}

static uint64_t add(queue *q, queue_fn *fn, void *context)
{
    uint64_t ticket = 0;
    ck_assert_int_eq(queue_add(q, fn, context, &ticket, NULL), ASSAY_OK);
    return ticket;
}

START_TEST(tasks_run_in_order_up_to_the_requested_ticket)
{
    queue *q = &queues[0];
    queue_begin(q);
    ck_assert_uint_eq(queue_last(q), 0);
    for (size_t i = 0; i < N_TASKS; i++) ck_assert_uint_eq(add(q, task, &done[i]), i + 1);
    ck_assert_uint_eq(queue_last(q), N_TASKS);
    queue_wait(q, 0);
    ck_assert_int_eq(n_done, 0);
    queue_wait(q, 7);
    ck_assert_int_eq(n_done, 7);
    queue_wait(q, 3);
    ck_assert_int_eq(n_done, 7);
    queue_wait(q, queue_last(q));
    for (size_t i = 0; i < N_TASKS; i++) ck_assert_int_eq(done[i], (int)i + 1);
    ck_assert_uint_eq(add(q, task, &done[0]), N_TASKS + 1); /* after an empty queue */
    queue_wait(q, N_TASKS + 1);
    ck_assert_int_eq(done[0], N_TASKS + 1);
    queue_end(q);
}
END_TEST

START_TEST(remaining_tasks_are_dropped)
{
    queue q;
    queue_begin(&q);
    (void)add(&q, task, &done[0]);
    (void)add(&q, task, &done[1]);
    queue_end(&q);
    memset(&q, 0, sizeof q); /* no stream is found through it any more */
    ck_assert_int_eq(n_done, 0);
}
END_TEST

static assay_error error_of(assay_status status, const char *text)
{
    assay_error err = {0};
    (void)assay_fail(&err, status, "%s", text);
    return err;
}

static void expect_error(queue *q, assay_status status, const char *text)
{
    assay_error err = {0};
    ck_assert(queue_has_failed(q));
    ck_assert_int_eq(queue_take_error(q, &err), status);
    ck_assert_int_eq(err.status, status);
    ck_assert_str_eq(err.text, text);
    ck_assert(!queue_has_failed(q));
    ck_assert_int_eq(queue_take_error(q, &err), ASSAY_OK);
    ck_assert_str_eq(err.text, text);
}

START_TEST(the_first_error_stays_until_it_is_taken)
{
    queue *q = &queues[0];
    const assay_error first = error_of(ASSAY_ENOMEM, "first"), second = error_of(ASSAY_EFORMAT, "second");
    queue_begin(q);
    ck_assert_int_eq(queue_take_error(q, NULL), ASSAY_OK);
    queue_fail(q, &first);
    queue_fail(q, &second);
    expect_error(q, ASSAY_ENOMEM, "first");
    queue_fail(q, &second);
    ck_assert_int_eq(queue_take_error(q, NULL), ASSAY_EFORMAT);
    ck_assert(!queue_has_failed(q));
    queue_end(q);
}
END_TEST

START_TEST(poison_is_the_others_error_in_the_place_of_ones_own)
{
    queue *q = &queues[0], *from = &queues[1];
    const assay_error own = error_of(ASSAY_ENOMEM, "own"), other = error_of(ASSAY_EFORMAT, "other");
    queue_begin(q);
    queue_begin(from);
    queue_poison(q, from);
    ck_assert(!queue_has_failed(q));
    queue_fail(q, &own);
    queue_poison(q, from); /* has none */
    expect_error(q, ASSAY_ENOMEM, "own");
    queue_fail(q, &own);
    queue_fail(from, &other);
    queue_poison(q, from);
    expect_error(q, ASSAY_EFORMAT, "other");
    queue_poison(q, q);
    expect_error(from, ASSAY_EFORMAT, "other");
    queue_end(q);
    queue_end(from);
}
END_TEST

START_TEST(a_queue_is_promised_until_it_is_found_empty)
{
    queue *q = &queues[0];
    queue_begin(q);
    ck_assert(queue_promise(q));
    ck_assert(!queue_promise(q));
    (void)add(q, task, &done[0]);
    (void)add(q, task, &done[1]);
    queue_serve(q);
    ck_assert_int_eq(n_done, 2);
    ck_assert(queue_promise(q));
    queue_end(q);
}
END_TEST

/* A task that is added while the queue is served. */
static void add_another(queue *q, void *context)
{
    task(q, context);
    (void)add(q, task, (atomic_int *)context + 1);
}

START_TEST(the_serving_thread_runs_tasks_added_meanwhile)
{
    queue_begin(&queues[0]);
    (void)add(&queues[0], add_another, &done[0]);
    ck_assert(queue_promise(&queues[0]));
    queue_serve(&queues[0]);
    ck_assert_int_eq(done[1], 2);
    queue_end(&queues[0]);
}
END_TEST

static void *wait_for_all(void *context)
{
    queue *q = context;
    for (uint64_t ticket = 1; ticket <= N_TASKS; ticket++) {
        queue_wait(q, ticket);
        ck_assert_int_ge(n_done, (int)ticket); /* done by any thread */
    }
    return NULL;
}

static void slow_task(queue *q, void *context)
{
    (void)usleep(50);
    task(q, context);
}

START_TEST(waiters_and_an_executor_take_turns)
{
    queue *q = &queues[0];
    pthread_t threads[N_THREADS];
    queue_begin(q);
    for (size_t i = 0; i < N_TASKS; i++) (void)add(q, slow_task, &done[i]);
    for (size_t i = 0; i < N_THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, wait_for_all, q), 0);
    executor_serve(q);
    for (size_t i = 0; i < N_THREADS; i++) ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    for (size_t i = 0; i < N_TASKS; i++) ck_assert_int_eq(done[i], (int)i + 1);
}
END_TEST

static void failing_task(queue *q, void *context)
{
    queue_fail(q, context);
}

static void *poll_queue(void *context)
{
    queue *q = context;
    for (uint64_t last = 0; last < N_TASKS;) {
        ck_assert_uint_ge(queue_last(q), last);
        last = queue_last(q);
        if (queue_has_failed(q)) (void)queue_take_error(q, &(assay_error){0});
    }
    return NULL;
}

/* For the sanitizer. */
START_TEST(any_thread_may_query_while_others_add_and_serve)
{
    static assay_error why;
    pthread_t threads[N_THREADS];
    queue *q = &queues[0];
    why = error_of(ASSAY_EFORMAT, "why");
    queue_begin(q);
    for (size_t i = 0; i < N_THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, poll_queue, q), 0);
    for (size_t i = 0; i < N_TASKS; i++) {
        (void)add(q, failing_task, &why);
        executor_serve(q);
    }
    for (size_t i = 0; i < N_THREADS; i++) ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    queue_wait(q, queue_last(q));
}
END_TEST

/* Without waiting for the queue, which would do the work here. */
static void await_done(int n)
{
    for (int i = 0; atomic_load(&n_done) < n; i++) {
        ck_assert_int_lt(i, 50000);
        (void)usleep(100);
    }
}

START_TEST(an_executor_works_for_one_queue_after_another)
{
    pthread_t first = pthread_self();
    for (size_t i = 0; i < N_THREADS; i++) {
        queue_begin(&queues[i]);
        (void)add(&queues[i], task, &done[i]);
        executor_serve(&queues[i]);
        await_done((int)i + 1);
        (void)usleep(20000); /* until it is idle */
        ck_assert(!pthread_equal(did, pthread_self()));
        if (i == 0) first = did;
        else ck_assert(pthread_equal(did, first));
    }
}
END_TEST

static atomic_int n_met;

/* Ends when as many are at it. */
static void wait_for_all_tasks(queue *q, void *context)
{
    (void)q, (void)context;
    (void)atomic_fetch_add(&n_met, 1);
    while (atomic_load(&n_met) < N_THREADS) (void)usleep(100);
}

START_TEST(queues_have_executors_at_the_same_time)
{
    queue_begin(&queues[0]);
    (void)add(&queues[0], task, &done[0]);
    executor_serve(&queues[0]); /* leaves one idle */
    await_done(1);
    (void)usleep(20000);
    for (size_t i = 0; i < N_THREADS; i++) {
        if (i > 0) queue_begin(&queues[i]);
        (void)add(&queues[i], wait_for_all_tasks, NULL);
        (void)add(&queues[i], task, &done[i]);
        executor_serve(&queues[i]);
        executor_serve(&queues[i]); /* once is enough */
    }
    await_done(1 + N_THREADS);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("runtime/queue");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 20);
    tcase_add_test(all, tasks_run_in_order_up_to_the_requested_ticket);
    tcase_add_test(all, remaining_tasks_are_dropped);
    tcase_add_test(all, the_first_error_stays_until_it_is_taken);
    tcase_add_test(all, poison_is_the_others_error_in_the_place_of_ones_own);
    tcase_add_test(all, a_queue_is_promised_until_it_is_found_empty);
    tcase_add_test(all, the_serving_thread_runs_tasks_added_meanwhile);
    tcase_add_test(all, waiters_and_an_executor_take_turns);
    tcase_add_test(all, any_thread_may_query_while_others_add_and_serve);
    tcase_add_test(all, an_executor_works_for_one_queue_after_another);
    tcase_add_test(all, queues_have_executors_at_the_same_time);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
