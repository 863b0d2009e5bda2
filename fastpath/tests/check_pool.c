/* Workers: every item runs once, also with concurrent callers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "fastpath/pool.h"

enum { N_ITEMS = 1000, N_CALLS = 300 };

static fp_pool *pool_of(size_t n_workers, size_t grain)
{
    fp_pool *p;
    assay_error err;
    ck_assert_msg(fp_pool_open(n_workers, grain, &p, &err) == ASSAY_OK, "%s", err.text);
    return p;
}

static void count(void *context, size_t item)
{
    atomic_uint *counts = context;
    atomic_fetch_add(&counts[item], 1);
}

static void run_and_count(fp_pool *p)
{
    atomic_uint *counts = calloc(N_ITEMS, sizeof *counts);
    ck_assert_ptr_nonnull(counts);
    for (unsigned call = 1; call <= N_CALLS; call++) {
        fp_pool_run(p, call % N_ITEMS, 1, count, counts);
        for (size_t i = 0; i < call; i++) ck_assert_uint_eq(atomic_load(&counts[i]), call - i);
    }
    free(counts);
}

START_TEST(every_item_is_done_once_before_the_call_returns)
{
    static const size_t WORKERS[] = {1, 2, 5};
    fp_pool *p = pool_of(WORKERS[_i], 0);
    ck_assert_uint_eq(fp_pool_workers(p), WORKERS[_i]);
    run_and_count(p);
    fp_pool_free(p);
}
END_TEST

static void *other_caller(void *context)
{
    run_and_count(context);
    return NULL;
}

START_TEST(two_callers_do_not_disturb_each_other)
{
    fp_pool *p = pool_of(3, 0);
    pthread_t other;
    ck_assert_int_eq(pthread_create(&other, NULL, other_caller, p), 0);
    run_and_count(p);
    ck_assert_int_eq(pthread_join(other, NULL), 0);
    fp_pool_free(p);
}
END_TEST

static void remember_thread(void *context, size_t item)
{
    pthread_t *threads = context;
    threads[item] = pthread_self();
}

START_TEST(little_work_stays_on_the_callers_thread)
{
    fp_pool *p = pool_of(4, 1000);
    pthread_t threads[9];
    fp_pool_run(p, 9, 100, remember_thread, threads);
    for (size_t i = 0; i < 9; i++) ck_assert(pthread_equal(threads[i], pthread_self()));
    ck_assert(!fp_pool_shares(p, 999) && fp_pool_shares(p, 1000));
    fp_pool_free(p);
}
END_TEST

START_TEST(a_pool_without_a_call_ends)
{
    fp_pool_free(pool_of(4, 0));
    fp_pool_free(NULL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fastpath/pool");
    TCase *tc = tcase_create("pool");
    tcase_add_loop_test(tc, every_item_is_done_once_before_the_call_returns, 0, 3);
    tcase_add_test(tc, two_callers_do_not_disturb_each_other);
    tcase_add_test(tc, little_work_stays_on_the_callers_thread);
    tcase_add_test(tc, a_pool_without_a_call_ends);
    suite_add_tcase(suite, tc);
    return support_run(suite);
}
