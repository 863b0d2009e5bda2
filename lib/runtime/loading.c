/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/loading.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"

/* The result of a load. */
typedef struct outcome {
    assay_status status;
    assay_error err;
    assay_model *model; /* NULL if it failed */
} outcome;

/* One call of loading_wait, on its own stack. The worker writes the outcome into it, so that a waiter
 * that wakes up late does not read the outcome of a later load. */
typedef struct waiter {
    bool told;
    outcome outcome;
    struct waiter *next;
} waiter;

struct loading {
    const assay_engine *engine;
    char *dir;
    assay_model_options options;
    pthread_t worker;
    bool has_worker;      /* a worker thread must be joined */
    pthread_mutex_t lock; /* protects the members below */
    pthread_cond_t ended;
    bool under_way;
    outcome last; /* of the last finished load; empty during the first */
    waiter *waiters;
};

static void open_model(const loading *l, outcome *o)
{
    o->status = l->engine->model_open(l->dir, &l->options, &o->model, &o->err);
    if (o->status == ASSAY_OK) return;
    o->model = NULL;
    o->err.status = o->status;
    o->err.text[sizeof o->err.text - 1] = '\0';
    if (!o->err.text[0]) (void)assay_fail(&o->err, o->status, "model %s: no reason given", l->dir);
}

static void finish_loading(loading *l, const outcome *o)
{
    (void)pthread_mutex_lock(&l->lock);
    l->last = *o;
    l->under_way = false;
    for (waiter *w = l->waiters; w; w = w->next) {
        w->outcome = *o;
        w->told = true;
    }
    l->waiters = NULL;
    (void)pthread_cond_broadcast(&l->ended);
    (void)pthread_mutex_unlock(&l->lock);
}

static void *worker_main(void *context)
{
    loading *l = context;
    outcome o = {0};
    open_model(l, &o);
    finish_loading(l, &o);
    return NULL;
}

static assay_status start_worker(loading *l, assay_error *err)
{
    int rc = pthread_create(&l->worker, NULL, worker_main, l);
    l->has_worker = rc == 0;
    if (rc == 0) return ASSAY_OK;
    return assay_fail(err, ASSAY_EINTERNAL, "model %s: no thread to load it on: %s", l->dir, strerror(rc));
}

static void join_worker(loading *l)
{
    if (l->has_worker) (void)pthread_join(l->worker, NULL);
    l->has_worker = false;
}

/* Timeouts use the monotonic clock. */
static void init_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attr;
    (void)pthread_condattr_init(&attr);
    (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    (void)pthread_cond_init(condition, &attr);
    (void)pthread_condattr_destroy(&attr);
}

static void free_loading(loading *l)
{
    (void)pthread_cond_destroy(&l->ended);
    (void)pthread_mutex_destroy(&l->lock);
    free(l->dir);
    free(l);
}

assay_status loading_start(const assay_engine *engine, const char *dir, const assay_model_options *options,
                           loading **out, assay_error *err)
{
    assay_model_options known;
    assay_status rc = assay_options_read(&known, sizeof known, options, "assay_model_options", err);
    if (rc != ASSAY_OK) return rc;
    loading *l = calloc(1, sizeof *l);
    char *copy = strdup(dir);
    if (!l || !copy) {
        free(l);
        free(copy);
        return assay_fail(err, ASSAY_ENOMEM, "model %s: out of memory", dir);
    }
    *l = (loading){.engine = engine, .dir = copy, .options = known, .under_way = true};
    (void)pthread_mutex_init(&l->lock, NULL);
    init_condition(&l->ended);
    rc = start_worker(l, err);
    if (rc == ASSAY_OK) *out = l;
    else free_loading(l);
    return rc;
}

/* The time `seconds` from now; false if it cannot be represented. */
static bool deadline_after(double seconds, struct timespec *at)
{
    if (!(seconds < 1e9)) return false;
    (void)clock_gettime(CLOCK_MONOTONIC, at);
    double whole = floor(seconds);
    at->tv_sec += (time_t)whole;
    at->tv_nsec += (long)((seconds - whole) * 1e9);
    if (at->tv_nsec >= 1000000000L) {
        at->tv_nsec -= 1000000000L;
        at->tv_sec++;
    }
    return true;
}

/* Waits, with the lock held, until the worker has delivered the outcome; false on a timeout. */
static bool wait_for(loading *l, waiter *w, double seconds)
{
    struct timespec at;
    bool limited = deadline_after(seconds, &at);
    w->next = l->waiters;
    l->waiters = w;
    while (!w->told) {
        int rc = limited ? pthread_cond_timedwait(&l->ended, &l->lock, &at)
                         : pthread_cond_wait(&l->ended, &l->lock);
        if (rc == ETIMEDOUT) break;
    }
    if (w->told) return true;
    waiter **link = &l->waiters;
    while (*link != w) link = &(*link)->next;
    *link = w->next;
    return false;
}

assay_status loading_wait(loading *l, double seconds, assay_model **out, assay_error *err)
{
    waiter w = {0};
    (void)pthread_mutex_lock(&l->lock);
    if (!l->under_way) w.outcome = l->last;
    bool ended = !l->under_way || wait_for(l, &w, seconds);
    (void)pthread_mutex_unlock(&l->lock);
    if (!ended) return assay_fail(err, ASSAY_ETIMEDOUT, "model %s: not ready after %g s", l->dir, seconds);
    if (w.outcome.status == ASSAY_OK) *out = w.outcome.model;
    else if (err) *err = w.outcome.err;
    return w.outcome.status;
}

assay_status loading_retry(loading *l, assay_error *err)
{
    (void)pthread_mutex_lock(&l->lock);
    const char *why = l->under_way ? "is under way" : l->last.status == ASSAY_OK ? "has been done" : NULL;
    if (!why) l->under_way = true;
    (void)pthread_mutex_unlock(&l->lock);
    if (why)
        return assay_fail(err, ASSAY_EINVAL, "model %s: the load %s, and cannot be retried", l->dir, why);
    join_worker(l);
    outcome o = {0};
    o.status = start_worker(l, &o.err);
    if (o.status == ASSAY_OK) return ASSAY_OK;
    finish_loading(l, &o); /* threads may be waiting already */
    if (err) *err = o.err;
    return o.status;
}

void loading_free(loading *l)
{
    if (!l) return;
    join_worker(l);
    if (l->last.model) l->engine->model_free(l->last.model);
    free_loading(l);
}
