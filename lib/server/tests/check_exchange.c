/* SPDX-License-Identifier: Apache-2.0 */
#include "server/job/exchange.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/tests/support.h"

#define LONG 3000000 /* bytes, more than may wait */

static void count_wake(void *context)
{
    atomic_fetch_add((atomic_size_t *)context, 1);
}

/* The byte at a position of the test's answer. */
static char byte_at(size_t i)
{
    return (char)(i * 31 + i / 251);
}

static void *put_answer(void *context)
{
    server_exchange *x = context;
    char piece[997];
    server_exchange_begin(x, 200, "text/plain");
    for (size_t at = 0, n; at < LONG; at += n) {
        n = 1 + at % sizeof piece;
        if (n > LONG - at) n = LONG - at;
        for (size_t i = 0; i < n; i++) piece[i] = byte_at(at + i);
        ck_assert(server_exchange_put(x, piece, n));
    }
    server_exchange_end(x);
    server_exchange_release(x);
    return NULL;
}

START_TEST(bytes_arrive_in_order_and_once_on_another_thread)
{
    atomic_size_t n_woken = 0;
    server_exchange *x = server_exchange_new(count_wake, &n_woken);
    pthread_t thread;
    char piece[1500];
    bool ended = false;
    size_t at = 0, n_wrong = 0;
    server_exchange_hold(x);
    ck_assert_int_eq(pthread_create(&thread, NULL, put_answer, x), 0);
    while (!ended) {
        const size_t n = server_exchange_take(x, piece, 1 + at % sizeof piece, &ended);
        for (size_t i = 0; i < n; i++) n_wrong += piece[i] != byte_at(at + i);
        at += n;
    }
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert_uint_eq(at, LONG);
    ck_assert_uint_eq(n_wrong, 0);
    ck_assert_uint_gt(atomic_load(&n_woken), 1000);
    server_exchange_release(x);
}
END_TEST

START_TEST(an_answer_ends_after_its_last_byte)
{
    atomic_size_t n_woken = 0;
    server_exchange *x = server_exchange_new(count_wake, &n_woken);
    const char *type;
    char to[8];
    bool ended;
    size_t n;
    ck_assert_int_eq(server_exchange_status(x, &type), 0);
    server_exchange_begin(x, 200, "text/plain");
    server_exchange_begin(x, 500, "text/html");
    ck_assert_int_eq(server_exchange_status(x, &type), 200);
    ck_assert_str_eq(type, "text/plain");
    ck_assert(server_exchange_put(x, "abc", 3));
    ck_assert(!server_exchange_has_ended(x, &n));
    server_exchange_end(x);
    ck_assert(server_exchange_has_ended(x, &n));
    ck_assert_uint_eq(n, 3);
    ck_assert_uint_eq(server_exchange_take(x, to, 2, &ended), 2);
    ck_assert(!ended);
    ck_assert_uint_eq(server_exchange_take(x, to, 2, &ended), 1);
    ck_assert(ended);
    ck_assert_uint_eq(atomic_load(&n_woken), 3);
    server_exchange_release(x);
}
END_TEST

START_TEST(nothing_is_kept_for_a_client_that_has_gone)
{
    atomic_size_t n_woken = 0;
    server_exchange *x = server_exchange_new(count_wake, &n_woken);
    ck_assert(server_exchange_put(x, "abc", 3));
    ck_assert(!server_exchange_is_abandoned(x));
    server_exchange_abandon(x);
    ck_assert(server_exchange_is_abandoned(x));
    ck_assert(server_exchange_put(x, "def", 3));
    ck_assert_uint_eq(server_exchange_waiting(x), 0);
    server_exchange_release(x);
}
END_TEST

START_TEST(a_client_is_slow_when_it_leaves_a_mebibyte)
{
    atomic_size_t n_woken = 0;
    server_exchange *x = server_exchange_new(count_wake, &n_woken);
    char *bytes = calloc(1, SERVER_EXCHANGE_WAITING_MAX);
    double stalled;
    bool ended;
    ck_assert(!server_exchange_is_slow(x, &stalled));
    ck_assert_double_eq(stalled, 0);
    ck_assert(server_exchange_put(x, bytes, SERVER_EXCHANGE_WAITING_MAX - 1));
    ck_assert(!server_exchange_is_slow(x, &stalled));
    ck_assert(server_exchange_put(x, bytes, 1));
    ck_assert(server_exchange_is_slow(x, &stalled));
    ck_assert_double_gt(stalled, 0);
    ck_assert_uint_eq(server_exchange_take(x, bytes, 1, &ended), 1);
    ck_assert(!server_exchange_is_slow(x, &stalled));
    free(bytes);
    server_exchange_release(x);
}
END_TEST

static void *put_forever(void *context)
{
    server_exchange *x = context;
    while (!server_exchange_is_abandoned(x)) (void)server_exchange_put(x, "x", 1);
    server_exchange_release(x);
    return NULL;
}

START_TEST(no_wake_runs_after_detach)
{
    for (size_t round = 0; round < 50; round++) {
        atomic_size_t *n_woken = calloc(1, sizeof *n_woken);
        server_exchange *x = server_exchange_new(count_wake, n_woken);
        pthread_t thread;
        server_exchange_hold(x);
        ck_assert_int_eq(pthread_create(&thread, NULL, put_forever, x), 0);
        while (atomic_load(n_woken) == 0) continue;
        server_exchange_detach(x);
        free(n_woken); /* a sanitizer finds a later wake */
        server_exchange_abandon(x);
        server_exchange_release(x);
        ck_assert_int_eq(pthread_join(thread, NULL), 0);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("server/exchange");
    TCase *t = tcase_create("exchange");
    tcase_set_timeout(t, 60); /* of a machine that does other things, under a sanitizer */
    tcase_add_test(t, bytes_arrive_in_order_and_once_on_another_thread);
    tcase_add_test(t, an_answer_ends_after_its_last_byte);
    tcase_add_test(t, nothing_is_kept_for_a_client_that_has_gone);
    tcase_add_test(t, a_client_is_slow_when_it_leaves_a_mebibyte);
    tcase_add_test(t, no_wake_runs_after_detach);
    suite_add_tcase(suite, t);
    return support_run(suite);
}
