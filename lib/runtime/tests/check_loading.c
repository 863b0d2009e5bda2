/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/loading.h"

#include "base/error.h"
#include "base/tests/support.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

enum { N_WAITERS = 8 };

struct assay_model {
    int n;
};

/* A fake engine whose loads last until the test ends them. */
static struct gate {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int n_opened, n_told; /* loads that have begun, and that may end */
    bool fails, mute;
    int n_freed;
    assay_dtype compute;
    bool on_caller; /* a load ran on the thread of the test */
    pthread_t caller;
    struct assay_model model;
} gate = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static assay_status fake_open(const char *dir, const assay_model_options *options, assay_model **out,
                              assay_error *err)
{
    (void)pthread_mutex_lock(&gate.lock);
    int n = ++gate.n_opened;
    gate.compute = options ? options->compute : ASSAY_DTYPE_NONE;
    gate.on_caller = gate.on_caller || pthread_equal(pthread_self(), gate.caller);
    (void)pthread_cond_broadcast(&gate.changed);
    while (gate.n_told < n) (void)pthread_cond_wait(&gate.changed, &gate.lock);
    bool fails = gate.fails, mute = gate.mute;
    (void)pthread_mutex_unlock(&gate.lock);
    if (fails && mute) return ASSAY_EIO;
    if (fails) return assay_fail(err, ASSAY_EFORMAT, "%s: no such tensor, load %d", dir, n);
    *out = &gate.model;
    return ASSAY_OK;
}

static void fake_free(assay_model *model)
{
    ck_assert_ptr_eq(model, &gate.model);
    gate.n_freed++;
}

static const assay_engine engine = {.model_open = fake_open, .model_free = fake_free};

/* Lets one more load end, with this result. */
static void end_load(bool fails)
{
    (void)pthread_mutex_lock(&gate.lock);
    gate.fails = fails;
    gate.n_told++;
    (void)pthread_cond_broadcast(&gate.changed);
    (void)pthread_mutex_unlock(&gate.lock);
}

static void await_open(int n)
{
    (void)pthread_mutex_lock(&gate.lock);
    while (gate.n_opened < n) (void)pthread_cond_wait(&gate.changed, &gate.lock);
    (void)pthread_mutex_unlock(&gate.lock);
}

static loading *start(void)
{
    loading *l = NULL;
    assay_error err;
    gate.caller = pthread_self();
    ck_assert_int_eq(loading_start(&engine, "some/dir", NULL, &l, &err), ASSAY_OK);
    return l;
}

/* A waiting thread, and its result. */
typedef struct asker {
    pthread_t thread;
    loading *of;
    double seconds;
    assay_status status;
    assay_model *model;
    assay_error err;
} asker;

static void *wait_for_model(void *context)
{
    asker *a = context;
    a->status = loading_wait(a->of, a->seconds, &a->model, &a->err);
    return NULL;
}

static void start_askers(asker *askers, loading *of)
{
    for (size_t i = 0; i < N_WAITERS; i++) {
        askers[i] = (asker){.of = of, .seconds = i % 2 ? INFINITY : 1000};
        ck_assert_int_eq(pthread_create(&askers[i].thread, NULL, wait_for_model, &askers[i]), 0);
    }
}

static void assert_all_are_told(asker *askers, assay_status status, const char *text)
{
    for (size_t i = 0; i < N_WAITERS; i++) {
        (void)pthread_join(askers[i].thread, NULL);
        ck_assert_int_eq(askers[i].status, status);
        ck_assert_str_eq(askers[i].err.text, text);
        ck_assert_ptr_eq(askers[i].model, status == ASSAY_OK ? &gate.model : NULL);
    }
}

START_TEST(early_and_late_waiters_get_the_model_of_the_worker)
{
    loading *l = start();
    asker early[N_WAITERS], late[N_WAITERS];
    start_askers(early, l);
    end_load(false);
    assert_all_are_told(early, ASSAY_OK, "");
    start_askers(late, l);
    assert_all_are_told(late, ASSAY_OK, "");
    loading_free(l);
    ck_assert_int_eq(gate.n_opened, 1);
    ck_assert_int_eq(gate.n_freed, 1);
    ck_assert(!gate.on_caller);
}
END_TEST

START_TEST(a_failed_load_reaches_every_waiter_as_the_same_error)
{
    loading *l = start();
    asker early[N_WAITERS], late[N_WAITERS];
    start_askers(early, l);
    end_load(true);
    assert_all_are_told(early, ASSAY_EFORMAT, "some/dir: no such tensor, load 1");
    start_askers(late, l);
    assert_all_are_told(late, ASSAY_EFORMAT, "some/dir: no such tensor, load 1");
    assay_model *model = NULL;
    ck_assert_int_eq(loading_wait(l, 0, &model, NULL), ASSAY_EFORMAT);
    loading_free(l);
    ck_assert_int_eq(gate.n_freed, 0);
}
END_TEST

START_TEST(a_failure_without_a_text_names_the_directory)
{
    gate.mute = true;
    loading *l = start();
    end_load(true);
    assay_model *model = NULL;
    assay_error err = {0};
    ck_assert_int_eq(loading_wait(l, INFINITY, &model, &err), ASSAY_EIO);
    ck_assert_int_eq(err.status, ASSAY_EIO);
    ck_assert_str_eq(err.text, "model some/dir: no reason given");
    loading_free(l);
}
END_TEST

START_TEST(a_wait_times_out_while_the_load_continues)
{
    loading *l = start();
    assay_model *model = NULL;
    assay_error err;
    ck_assert_int_eq(loading_wait(l, 0, &model, &err), ASSAY_ETIMEDOUT);
    ck_assert_str_eq(err.text, "model some/dir: not ready after 0 s");
    ck_assert_int_eq(loading_wait(l, 0.05, &model, &err), ASSAY_ETIMEDOUT);
    ck_assert_int_eq(err.status, ASSAY_ETIMEDOUT);
    ck_assert_str_eq(err.text, "model some/dir: not ready after 0.05 s");
    ck_assert_ptr_null(model);
    end_load(false);
    ck_assert_int_eq(loading_wait(l, INFINITY, &model, &err), ASSAY_OK);
    ck_assert_int_eq(loading_wait(l, 0, &model, &err), ASSAY_OK);
    loading_free(l);
}
END_TEST

START_TEST(a_timeout_of_one_waiter_leaves_the_others_waiting)
{
    loading *l = start();
    asker askers[N_WAITERS];
    start_askers(askers, l);
    for (size_t i = 0; i < 3; i++) {
        assay_model *model = NULL;
        ck_assert_int_eq(loading_wait(l, 0.01, &model, NULL), ASSAY_ETIMEDOUT);
    }
    end_load(false);
    assert_all_are_told(askers, ASSAY_OK, "");
    loading_free(l);
}
END_TEST

START_TEST(a_second_load_after_a_failed_one_works)
{
    loading *l = start();
    asker askers[N_WAITERS];
    assay_model *model = NULL;
    assay_error err;
    end_load(true);
    ck_assert_int_eq(loading_wait(l, INFINITY, &model, &err), ASSAY_EFORMAT);
    ck_assert_int_eq(loading_retry(l, &err), ASSAY_OK);
    await_open(2);
    ck_assert_int_eq(loading_wait(l, 0, &model, &err), ASSAY_ETIMEDOUT);
    start_askers(askers, l);
    end_load(false);
    assert_all_are_told(askers, ASSAY_OK, "");
    loading_free(l);
    ck_assert_int_eq(gate.n_freed, 1);
}
END_TEST

/* Whether the thread waits before or after the first load fails is random; its result must be that of
 * one load. */
START_TEST(a_waiter_across_a_retry_gets_the_outcome_of_one_load)
{
    loading *l = start();
    asker askers[N_WAITERS];
    assay_error err;
    assay_model *model = NULL;
    start_askers(askers, l);
    end_load(true);
    ck_assert_int_eq(loading_wait(l, INFINITY, &model, &err), ASSAY_EFORMAT);
    ck_assert_int_eq(loading_retry(l, &err), ASSAY_OK);
    end_load(false);
    for (size_t i = 0; i < N_WAITERS; i++) {
        asker *a = &askers[i];
        (void)pthread_join(a->thread, NULL);
        ck_assert(a->status == ASSAY_OK || a->status == ASSAY_EFORMAT);
        ck_assert_ptr_eq(a->model, a->status == ASSAY_OK ? &gate.model : NULL);
        ck_assert_str_eq(a->err.text, a->status == ASSAY_OK ? "" : "some/dir: no such tensor, load 1");
    }
    loading_free(l);
}
END_TEST

START_TEST(only_a_failed_load_is_retried)
{
    loading *l = start();
    assay_error err;
    assay_model *model = NULL;
    ck_assert_int_eq(loading_retry(l, &err), ASSAY_EINVAL);
    ck_assert_str_eq(err.text, "model some/dir: the load is under way, and cannot be retried");
    end_load(false);
    ck_assert_int_eq(loading_wait(l, INFINITY, &model, &err), ASSAY_OK);
    ck_assert_int_eq(loading_retry(l, &err), ASSAY_EINVAL);
    ck_assert_str_eq(err.text, "model some/dir: the load has been done, and cannot be retried");
    loading_free(l);
    ck_assert_int_eq(gate.n_opened, 1);
}
END_TEST

static void *tell_later(void *context)
{
    (void)context;
    await_open(1);
    end_load(false);
    return NULL;
}

START_TEST(freeing_waits_for_the_worker)
{
    pthread_t thread;
    loading *l = start();
    ck_assert_int_eq(pthread_create(&thread, NULL, tell_later, NULL), 0);
    loading_free(l);
    ck_assert_int_eq(gate.n_freed, 1);
    (void)pthread_join(thread, NULL);
    loading_free(NULL);
}
END_TEST

START_TEST(options_reach_the_engine_as_they_were_at_the_start)
{
    loading *l = NULL;
    assay_error err;
    assay_model *model = NULL;
    assay_model_options options = {.size = sizeof options, .compute = ASSAY_BF16};
    ck_assert_int_eq(loading_start(&engine, "some/dir", &options, &l, &err), ASSAY_OK);
    options.compute = ASSAY_I8;
    end_load(false);
    ck_assert_int_eq(loading_wait(l, INFINITY, &model, &err), ASSAY_OK);
    ck_assert_int_eq(gate.compute, ASSAY_BF16);
    loading_free(l);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("runtime/loading");
    TCase *all = tcase_create("all");
    tcase_add_test(all, early_and_late_waiters_get_the_model_of_the_worker);
    tcase_add_test(all, a_failed_load_reaches_every_waiter_as_the_same_error);
    tcase_add_test(all, a_failure_without_a_text_names_the_directory);
    tcase_add_test(all, a_wait_times_out_while_the_load_continues);
    tcase_add_test(all, a_timeout_of_one_waiter_leaves_the_others_waiting);
    tcase_add_test(all, a_second_load_after_a_failed_one_works);
    tcase_add_test(all, a_waiter_across_a_retry_gets_the_outcome_of_one_load);
    tcase_add_test(all, only_a_failed_load_is_retried);
    tcase_add_test(all, freeing_waits_for_the_worker);
    tcase_add_test(all, options_reach_the_engine_as_they_were_at_the_start);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
