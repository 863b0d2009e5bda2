/* Executes the steps of a program with one OS thread for each thread of the program.
 *
 * Threads synchronise only where a step waits for another: a common lock would order the steps and so
 * hide races.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/schedule/execute.h"

#include <pthread.h>
#include <stdlib.h>

#include "conformance/schedule/calls.h"

/* Whether a step is done. */
typedef struct mark {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool done;
} mark;

typedef struct execution {
    conf_calls calls;
    const conf_schedule *s;
    conf_record *to;
    mark marks[CONF_SCHEDULE_STEPS_MAX];
    pthread_rwlock_t start; /* held until all threads have been created */
    bool given_up;          /* thread creation failed; guarded by start */
} execution;

/* Executes step i on thread `thread`; false if it fails. Only the first failure is recorded. */
static bool execute_step(execution *x, size_t i, size_t thread)
{
    assay_error err = {0};
    size_t none = 0;
    x->to->at[thread] = i + 1;
    assay_status rc = conf_calls_run(&x->calls, i, &err);
    x->to->at[thread] = 0;
    if (rc == ASSAY_OK) return true;
    if (!atomic_compare_exchange_strong(&x->to->failed, &none, i + 1)) return false;
    x->to->status = rc;
    x->to->err = err;
    return false;
}

static void set_done(mark *m)
{
    (void)pthread_mutex_lock(&m->lock);
    m->done = true;
    (void)pthread_cond_broadcast(&m->changed);
    (void)pthread_mutex_unlock(&m->lock);
}

static void await_mark(mark *m)
{
    (void)pthread_mutex_lock(&m->lock);
    while (!m->done) (void)pthread_cond_wait(&m->changed, &m->lock);
    (void)pthread_mutex_unlock(&m->lock);
}

typedef struct runner_thread {
    execution *x;
    size_t number;
    pthread_t id;
} runner_thread;

/* After a failure the remaining steps are skipped, but marked as done, so that no thread waits
 * forever. */
static void *thread_main(void *context)
{
    const runner_thread *t = context;
    execution *x = t->x;
    (void)pthread_rwlock_rdlock(&x->start);
    bool given_up = x->given_up;
    (void)pthread_rwlock_unlock(&x->start);
    for (size_t i = 0; i < x->s->n_steps && !given_up; i++) {
        if (x->s->steps[i].thread != t->number) continue;
        for (size_t k = 0; k < i; k++)
            if (x->s->steps[k].thread != t->number && conf_schedule_waits(x->s, i, k))
                await_mark(&x->marks[k]);
        if (atomic_load_explicit(&x->to->failed, memory_order_relaxed) == 0)
            (void)execute_step(x, i, t->number);
        set_done(&x->marks[i]);
    }
    return NULL;
}

/* False if the system cannot create all threads. */
static bool run_threads(execution *x)
{
    runner_thread threads[CONF_SCHEDULE_THREADS_MAX];
    size_t n = conf_schedule_threads(x->s), n_made = 0;
    (void)pthread_rwlock_init(&x->start, NULL);
    for (size_t i = 0; i < x->s->n_steps; i++) {
        (void)pthread_mutex_init(&x->marks[i].lock, NULL);
        (void)pthread_cond_init(&x->marks[i].changed, NULL);
    }
    (void)pthread_rwlock_wrlock(&x->start);
    for (; n_made < n; n_made++) {
        runner_thread *t = &threads[n_made];
        *t = (runner_thread){.x = x, .number = n_made};
        if (pthread_create(&t->id, NULL, thread_main, t) != 0) break;
    }
    x->given_up = n_made < n;
    (void)pthread_rwlock_unlock(&x->start);
    for (size_t i = 0; i < n_made; i++) (void)pthread_join(threads[i].id, NULL);
    return n_made == n;
}

static void judge_failure(const execution *x, conf_verdict *v)
{
    conf_record *to = x->to;
    size_t i = atomic_load(&to->failed) - 1;
    to->err.text[sizeof to->err.text - 1] = '\0';
    const char *text = to->err.text[0] ? to->err.text : "no reason given";
    conf_class class = to->status == ASSAY_ENOMEM ? CONF_CLASS_MEMORY : CONF_CLASS_REFUSED;
    conf_verdict_fail(v, class, "%s failed: %s", conf_op_names[x->s->steps[i].op], text);
    conf_schedule_name_step(x->s, i, v->where, sizeof v->where);
}

/* Runs all steps, on one thread or on those of the program. False if the system cannot create them. */
static bool run_steps(execution *x, bool serial)
{
    bool going = true;
    if (!serial) return run_threads(x);
    for (size_t i = 0; going && i < x->s->n_steps; i++) going = execute_step(x, i, 0);
    return true;
}

void conf_schedule_execute(const conf_schedule *s, const conf_case *c, const conf_items *items,
                           const assay_engine *engine, const assay_model_options *options, bool serial,
                           conf_record *to, conf_verdict *v)
{
    execution *x = calloc(1, sizeof *x);
    if (!x) {
        conf_verdict_set(v, CONF_BROKEN, "no memory for the schedule");
        return;
    }
    x->s = s;
    x->to = to;
    conf_calls *calls = &x->calls;
    calls->s = s;
    calls->c = c;
    calls->engine = engine;
    calls->options = options;
    calls->to = to;
    calls->items = items;
    conf_schedule_rows(s, c, items, calls->row);
    to->wide = engine->logits_dtype == ASSAY_F64;
    if (!run_steps(x, serial)) conf_verdict_set(v, CONF_BROKEN, "no threads for the schedule");
    else if (atomic_load(&to->failed)) judge_failure(x, v);
    free(x);
}
