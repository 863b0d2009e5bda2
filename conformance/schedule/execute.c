/* Executes the steps of a program with one OS thread for each thread of the program.
 *
 * Threads synchronise only where a step waits for another: a common lock would order the steps and so
 * hide races.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/schedule/execute.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/error.h"
#include "base/hash.h"
#include "conformance/abi/open.h"
#include "conformance/abi/step.h"
#include "conformance/case/items.h"
#include "conformance/case/prompt.h"
#include "conformance/replay/session.h"
#include "runtime/loading.h"

#define WAIT_SECONDS 30

/* Whether a step is done. */
typedef struct mark {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool done;
} mark;

typedef struct live_session {
    const assay_model *model;
    assay_session *session;
    size_t n_tokens; /* the longest prompt */
    size_t sample[CONF_SCHEDULE_SAMPLES_MAX];
    int32_t *tokens[CONF_SCHEDULE_SAMPLES_MAX]; /* the prompt of each row; NULL until it is written */
    bool used;                                  /* the samples have tokens */
    size_t n_decodes;                           /* since the last prefill */
} live_session;

typedef struct execution {
    const conf_schedule *s;
    const conf_case *c;
    const assay_engine *engine;
    const assay_model_options *options;
    conf_items items;
    conf_record *to;
    size_t row[CONF_SCHEDULE_STEPS_MAX];          /* index of each step's first row in the record */
    assay_model *opened[CONF_SCHEDULE_STEPS_MAX]; /* model that each open or wait step has returned */
    loading *loadings[CONF_SCHEDULE_MODELS_MAX];
    live_session sessions[CONF_SCHEDULE_SESSIONS_MAX];
    mark marks[CONF_SCHEDULE_STEPS_MAX];
    pthread_rwlock_t start; /* held until all threads have been created */
    bool given_up;          /* thread creation failed; guarded by start */
} execution;

/* The n-th decoded token: from the forced continuation, then the greedy one, then the prompt,
 * repeated. */
static int32_t next_token(const conf_case *c, size_t sample, size_t n)
{
    const conf_decoder *d = &c->decoder;
    if (n < d->n_decode) return ((const int32_t *)d->decode.data)[sample * d->n_decode + n];
    int32_t greedy = n < d->n_greedy ? ((const int32_t *)d->greedy.data)[sample * d->n_greedy + n] : -1;
    return greedy >= 0 ? greedy
                       : conf_prompt(&c->decoder, sample)[n % conf_prompt_length(&c->decoder, sample)];
}

size_t conf_schedule_rows(const conf_schedule *s, const conf_case *c, size_t i)
{
    const conf_step *a = &s->steps[i];
    const conf_schedule_session *session = &s->sessions[a->session];
    if (a->op == CONF_OP_DECODE || a->op == CONF_OP_PREFILL_LAST) return session->n_samples;
    size_t n = 0;
    for (size_t k = 0; a->op == CONF_OP_PREFILL && k < session->n_samples; k++)
        n += conf_prompt_length(&c->decoder, session->samples[k]);
    return n;
}

static void record_row(const execution *x, size_t row, const void *logits, size_t at)
{
    size_t bytes = x->to->vocab * dtype_size(x->engine->logits_dtype);
    const unsigned char *from = (const unsigned char *)logits + at * bytes;
    x->to->hash[row] = hash_bytes(from, bytes);
    if ((row + 1) * bytes <= CONF_RECORD_BYTES_MAX) memcpy(x->to->kept + row * bytes, from, bytes);
}

/* Records the model of step i. All models must have the same vocabulary size, and the recorded one if
 * the case has one. */
static assay_status record_model(execution *x, size_t i, assay_model *model, assay_error *err)
{
    const conf_decoder *d = &x->c->decoder;
    size_t found = x->engine->model_vocab(model), expected = x->to->vocab;
    if (!expected && d->has_truth) expected = d->rows.n_cols;
    if (!expected) expected = found;
    if (found != expected || found == 0)
        return assay_fail(err, ASSAY_EINTERNAL, "the engine's vocabulary has %zu ids, expected %zu", found,
                          expected);
    if (!x->to->vocab) x->to->vocab = found; /* only in the serial run, so without a race */
    x->opened[i] = model;
    return ASSAY_OK;
}

static assay_status do_open(execution *x, size_t i, assay_error *err)
{
    assay_model *model = NULL;
    const char *dir = x->c->model;
    assay_status rc = x->engine->model_open(dir, x->options, &model, err);
    return rc == ASSAY_OK ? record_model(x, i, model, err) : rc;
}

static assay_status do_wait(execution *x, size_t i, assay_error *err)
{
    assay_model *model = NULL;
    assay_status rc = loading_wait(x->loadings[x->s->steps[i].model], WAIT_SECONDS, &model, err);
    return rc == ASSAY_OK ? record_model(x, i, model, err) : rc;
}

static assay_status do_close(execution *x, size_t i)
{
    size_t model = x->s->steps[i].model;
    if (x->loadings[model]) {
        loading_free(x->loadings[model]);
        return ASSAY_OK;
    }
    for (size_t k = 0; k < i; k++)
        if (x->s->steps[k].op == CONF_OP_OPEN && x->s->steps[k].model == model)
            x->engine->model_free(x->opened[k]);
    return ASSAY_OK;
}

/* The model of step i, from the first open or wait step of that model: several threads may wait for
 * it. */
static assay_model *model_of(const execution *x, size_t i)
{
    size_t k = 0;
    while (x->s->steps[k].model != x->s->steps[i].model ||
           (x->s->steps[k].op != CONF_OP_OPEN && x->s->steps[k].op != CONF_OP_WAIT))
        k++;
    return x->opened[k];
}

static assay_status do_session(execution *x, size_t i, assay_error *err)
{
    size_t number = x->s->steps[i].session;
    const conf_schedule_session *is = &x->s->sessions[number];
    live_session *live = &x->sessions[number];
    for (size_t k = 0; k < is->n_samples; k++) {
        size_t n = conf_prompt_length(&x->c->decoder, is->samples[k]);
        live->sample[k] = k;
        if (n > live->n_tokens) live->n_tokens = n;
    }
    return conf_open_session(x->engine, model_of(x, i), is->n_samples, x->c->decoder.caches, &live->session,
                             err);
}

static assay_status write_row(execution *x, size_t number, size_t row, assay_error *err)
{
    live_session *live = &x->sessions[number];
    const size_t sample = x->s->sessions[number].samples[row];
    const size_t n = conf_prompt_length(&x->c->decoder, sample);
    free(live->tokens[row]);
    live->tokens[row] = malloc(n * sizeof *live->tokens[row]);
    if (!live->tokens[row]) return assay_fail(err, ASSAY_ENOMEM, "out of memory in the harness");
    memcpy(live->tokens[row], conf_prompt(&x->c->decoder, sample), n * sizeof *live->tokens[row]);
    return ASSAY_OK;
}

/* Samples that have tokens leave and join again or, without these functions, are rewound. */
static assay_status empty_samples(const execution *x, live_session *live, size_t n, assay_error *err)
{
    const assay_engine *e = x->engine;
    const bool leaves = e->leave && e->join;
    assay_status rc = ASSAY_OK;
    if (!live->used) return ASSAY_OK;
    if (!leaves && !e->rewind)
        return assay_fail(err, ASSAY_EUNSUPPORTED, "the engine lacks join, leave and rewind");
    for (size_t k = 0; rc == ASSAY_OK && k < n; k++)
        rc = leaves ? e->leave(live->session, live->sample[k], err)
                    : e->rewind(live->session, live->sample[k], 0, err);
    for (size_t k = 0; rc == ASSAY_OK && leaves && k < n; k++)
        rc = e->join(live->session, &live->sample[k], err);
    return rc;
}

/* Evaluates one step of all samples and records the logits of its wanted rows. */
static assay_status run_step(execution *x, size_t i, conf_sample_step *steps, size_t n, size_t padded_width,
                             assay_error *err)
{
    const live_session *live = &x->sessions[x->s->steps[i].session];
    const size_t row_bytes = x->to->vocab * dtype_size(x->engine->logits_dtype);
    size_t n_rows = 0;
    for (size_t k = 0; k < n; k++) n_rows += steps[k].n_last;
    char *logits = conf_nan_alloc(x->engine, n_rows * x->to->vocab);
    if (!logits) return assay_fail(err, ASSAY_ENOMEM, "out of memory in the harness");
    for (size_t k = 0, row = 0; k < n; row += steps[k++].n_last) {
        steps[k].sample = live->sample[k];
        steps[k].logits = logits + row * row_bytes;
    }
    const assay_status rc = conf_step_run(x->engine, live->session, steps, n, padded_width, err);
    for (size_t row = 0; rc == ASSAY_OK && row < n_rows; row++) record_row(x, x->row[i] + row, logits, row);
    free(logits);
    return rc;
}

static assay_status do_prefill(execution *x, size_t i, assay_error *err)
{
    const conf_step *a = &x->s->steps[i];
    const conf_schedule_session *is = &x->s->sessions[a->session];
    live_session *live = &x->sessions[a->session];
    conf_sample_step steps[CONF_SCHEDULE_SAMPLES_MAX];
    assay_status rc = empty_samples(x, live, is->n_samples, err);
    for (size_t k = 0; k < is->n_samples && rc == ASSAY_OK; k++) {
        const size_t n = conf_prompt_length(&x->c->decoder, is->samples[k]);
        if (!live->tokens[k]) rc = write_row(x, a->session, k, err);
        steps[k] = (conf_sample_step){
            .tokens = live->tokens[k], .n_tokens = n, .n_last = a->op == CONF_OP_PREFILL ? n : 1};
        steps[k].items = conf_items_of(&x->items, is->samples[k], &steps[k].n_items);
    }
    live->used = true;
    live->n_decodes = 0;
    return rc == ASSAY_OK ? run_step(x, i, steps, is->n_samples, live->n_tokens, err) : rc;
}

static assay_status do_decode(execution *x, size_t i, assay_error *err)
{
    size_t number = x->s->steps[i].session;
    const conf_schedule_session *is = &x->s->sessions[number];
    live_session *live = &x->sessions[number];
    conf_sample_step steps[CONF_SCHEDULE_SAMPLES_MAX];
    int32_t tokens[CONF_SCHEDULE_SAMPLES_MAX];
    for (size_t k = 0; k < is->n_samples; k++) {
        tokens[k] = next_token(x->c, is->samples[k], live->n_decodes);
        steps[k] = (conf_sample_step){.tokens = &tokens[k], .n_tokens = 1, .n_last = 1};
    }
    live->n_decodes++;
    return run_step(x, i, steps, is->n_samples, 0, err);
}

static assay_status do_free(execution *x, size_t i)
{
    live_session *live = &x->sessions[x->s->steps[i].session];
    x->engine->session_free(live->session);
    for (size_t k = 0; k < CONF_SCHEDULE_SAMPLES_MAX; k++) free(live->tokens[k]);
    return ASSAY_OK;
}

static assay_status do_step(execution *x, size_t i, assay_error *err)
{
    const conf_step *a = &x->s->steps[i];
    switch (a->op) {
    case CONF_OP_OPEN: return do_open(x, i, err);
    case CONF_OP_LOAD: return loading_start(x->engine, x->c->model, x->options, &x->loadings[a->model], err);
    case CONF_OP_WAIT: return do_wait(x, i, err);
    case CONF_OP_SESSION: return do_session(x, i, err);
    case CONF_OP_ROW: return write_row(x, a->session, a->row, err);
    case CONF_OP_PREFILL:
    case CONF_OP_PREFILL_LAST: return do_prefill(x, i, err);
    case CONF_OP_DECODE: return do_decode(x, i, err);
    case CONF_OP_FREE: return do_free(x, i);
    default: return do_close(x, i);
    }
}

/* Executes step i on thread `thread`; false if it fails. Only the first failure is recorded. */
static bool execute_step(execution *x, size_t i, size_t thread)
{
    assay_error err = {0};
    size_t none = 0;
    x->to->at[thread] = i + 1;
    assay_status rc = do_step(x, i, &err);
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

void conf_schedule_execute(const conf_schedule *s, const conf_case *c, const assay_engine *engine,
                           const assay_model_options *options, bool serial, conf_record *to, conf_verdict *v)
{
    execution *x = calloc(1, sizeof *x);
    bool ok = x != NULL;
    if (ok) {
        *x = (execution){.s = s, .c = c, .engine = engine, .options = options, .to = to};
        for (size_t i = 1; i < s->n_steps; i++) x->row[i] = x->row[i - 1] + conf_schedule_rows(s, c, i - 1);
        to->wide = engine->logits_dtype == ASSAY_F64;
        assay_error err = {0};
        if (conf_items_divide(c->path, &c->decoder, &x->items, &err) != ASSAY_OK) {
            conf_verdict_set(v, CONF_BROKEN, "%s", err.text);
            free(x);
            return;
        }
        bool going = true;
        for (size_t i = 0; serial && going && i < s->n_steps; i++) going = execute_step(x, i, 0);
        if (!serial) ok = run_threads(x);
        conf_items_free(&x->items);
    }
    if (!ok) conf_verdict_set(v, CONF_BROKEN, "no memory or no threads for the schedule");
    else if (atomic_load(&to->failed)) judge_failure(x, v);
    free(x);
}
