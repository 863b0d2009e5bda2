/* Work split over threads.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "conformance/support/parallel.h"
#include "conformance/tests/support.h"

enum { N_ITEMS = 1000, N_WORKERS = 9 };

typedef struct counts {
    atomic_uint of_item[N_ITEMS];
    unsigned of_worker[N_WORKERS]; /* not atomic: a worker does one item at a time */
    size_t n_workers, stop_at;
    atomic_uint wrong;
} counts;

static bool count_item(void *context, size_t item, size_t worker)
{
    counts *c = context;
    if (item >= N_ITEMS || worker >= c->n_workers) {
        atomic_fetch_add(&c->wrong, 1);
        return true;
    }
    atomic_fetch_add(&c->of_item[item], 1);
    c->of_worker[worker]++;
    return item != c->stop_at;
}

static counts *run(size_t n_workers, size_t n_items, size_t stop_at)
{
    static counts c;
    c = (counts){.n_workers = n_workers, .stop_at = stop_at};
    conf_parallel(n_workers, n_items, count_item, &c);
    ck_assert_uint_eq(atomic_load(&c.wrong), 0);
    return &c;
}

static void assert_each_once(counts *c, size_t n_items)
{
    unsigned sum = 0;
    for (size_t i = 0; i < N_ITEMS; i++) ck_assert_uint_eq(atomic_load(&c->of_item[i]), i < n_items);
    for (size_t w = 0; w < N_WORKERS; w++) sum += c->of_worker[w];
    ck_assert_uint_eq(sum, n_items);
}

START_TEST(every_item_is_done_once)
{
    for (size_t n_workers = 1; n_workers <= N_WORKERS; n_workers++)
        assert_each_once(run(n_workers, N_ITEMS, SIZE_MAX), N_ITEMS);
}
END_TEST

START_TEST(there_may_be_fewer_items_than_workers)
{
    assert_each_once(run(N_WORKERS, 0, SIZE_MAX), 0);
    assert_each_once(run(N_WORKERS, 2, SIZE_MAX), 2);
}
END_TEST

START_TEST(no_item_is_begun_after_one_that_ends_the_loop)
{
    counts *c = run(1, N_ITEMS, 10);
    assert_each_once(c, 11);
    c = run(N_WORKERS, N_ITEMS, 10);
    for (size_t i = 0; i <= 10; i++) ck_assert_uint_eq(atomic_load(&c->of_item[i]), 1);
}
END_TEST

/* A stack larger than the address space makes every pthread_create fail. */
START_TEST(without_threads_the_caller_does_the_work)
{
    pthread_attr_t attr;
    ck_assert_int_eq(pthread_attr_init(&attr), 0);
    ck_assert_int_eq(pthread_attr_setstacksize(&attr, (size_t)1 << 60), 0);
    ck_assert_int_eq(pthread_setattr_default_np(&attr), 0);
    counts *c = run(N_WORKERS, N_ITEMS, SIZE_MAX);
    assert_each_once(c, N_ITEMS);
    ck_assert_uint_eq(c->of_worker[0], N_ITEMS);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("conformance/support/parallel");
    TCase *tc = tcase_create("fork and join");
    tcase_add_test(tc, every_item_is_done_once);
    tcase_add_test(tc, there_may_be_fewer_items_than_workers);
    tcase_add_test(tc, no_item_is_begun_after_one_that_ends_the_loop);
    tcase_add_test(tc, without_threads_the_caller_does_the_work);
    suite_add_tcase(s, tc);
    return support_run(s);
}
