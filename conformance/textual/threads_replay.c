/* Replaying a program of threads.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/textual/threads_replay.h"
#include "base/error.h"

#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "conformance/abi/streams.h"
#include "conformance/textual/threads_order.h"
#include "conformance/textual/threads_read.h"

struct replay;

/* A thread of the program. It is started before its first step and waits on `turn` before each. */
typedef struct worker {
    struct replay *replay;
    pthread_t thread;
    bool runs;
    bool ends; /* it returns when `turn` is posted next */
    sem_t turn, done;
    assay_scope scopes[CONF_THREADS_STEPS_MAX]; /* [n_scopes], entered and not left */
    size_t n_scopes;
} worker;

/* The outcome of a step. */
typedef struct found {
    assay_status status;
    assay_error err;
    int32_t index;
    float *value; /* [CONF_THREADS_LENGTH_MAX] */
    size_t n;
    const char *broken; /* the rule of the ABI that the engine broke, or NULL */
} found;

typedef struct replay {
    const assay_streams *streams;
    const conf_threads_program *program;
    worker *workers;         /* [n_threads] */
    assay_stream *stream_of; /* [n_steps], indexed by the step that makes the stream */
    assay_array **array_of;  /* [n_steps], likewise */
    size_t step;             /* the current step */
    found found;
} replay;

static const assay_stream *stream_at(const replay *r, size_t step)
{
    return step == CONF_THREADS_NONE ? NULL : &r->stream_of[step];
}

static assay_status make_stream(replay *r, const conf_threads_step *s)
{
    assay_stream *out = &r->stream_of[r->step];
    assay_status rc;
    if (s->op == CONF_THREADS_DEFAULT_STREAM) {
        rc = r->streams->default_stream(s->device, out, &r->found.err);
    } else {
        assay_stream_kind kind = s->op == CONF_THREADS_NEW_STREAM                ? ASSAY_STREAM_OWNED
                                 : s->op == CONF_THREADS_NEW_THREAD_LOCAL_STREAM ? ASSAY_STREAM_PER_THREAD
                                                                                 : ASSAY_STREAM_SHARED;
        rc = r->streams->new_stream(s->device, kind, out, &r->found.err);
    }
    r->found.index = out->index;
    return rc;
}

static void list_operands(const replay *r, const conf_threads_step *s,
                          assay_array *of[CONF_THREADS_OPERANDS_MAX])
{
    for (size_t i = 0; i < s->n_of; i++) of[i] = r->array_of[s->of[i]];
}

/* If the step has a scope, enters it before and leaves it after making the array. */
static assay_status make_array(replay *r, const conf_threads_step *s)
{
    assay_array *of[CONF_THREADS_OPERANDS_MAX], **out = &r->array_of[r->step];
    assay_scope scope;
    assay_error late = {0};
    list_operands(r, s, of);
    bool scoped = s->scope != CONF_THREADS_NONE;
    if (scoped) {
        assay_status rc = r->streams->scope_enter(r->stream_of[s->scope], &scope, &r->found.err);
        if (rc != ASSAY_OK) return rc;
    }
    assay_status rc = r->streams->make(s->fn, s->length, of, stream_at(r, s->stream), out, &r->found.err);
    if (rc == ASSAY_OK && !*out) r->found.broken = "status ok without an array";
    assay_status left = scoped ? r->streams->scope_leave(&scope, &late) : ASSAY_OK;
    if (rc != ASSAY_OK || left == ASSAY_OK) return rc;
    r->found.err = late;
    return left;
}

static assay_status eval_operands(replay *r, const conf_threads_step *s)
{
    assay_array *of[CONF_THREADS_OPERANDS_MAX];
    list_operands(r, s, of);
    return r->streams->eval(of, s->n_of, s->op == CONF_THREADS_ASYNC_EVAL, &r->found.err);
}

/* Elements that the engine does not write stay NaN. */
static assay_status read_array(replay *r, const conf_threads_step *s)
{
    found *f = &r->found;
    for (size_t i = 0; i < CONF_THREADS_LENGTH_MAX; i++) f->value[i] = NAN;
    assay_status rc =
        r->streams->read(r->array_of[s->of[0]], f->value, CONF_THREADS_LENGTH_MAX, &f->n, &f->err);
    if (rc == ASSAY_OK && f->n > CONF_THREADS_LENGTH_MAX)
        f->broken = "more elements than the buffer's capacity";
    return rc;
}

static assay_status enter_scope(replay *r, const conf_threads_step *s, worker *w)
{
    assay_status rc =
        r->streams->scope_enter(r->stream_of[s->stream], &w->scopes[w->n_scopes], &r->found.err);
    if (rc == ASSAY_OK) w->n_scopes++;
    return rc;
}

static assay_status leave_scope(replay *r, worker *w)
{
    return r->streams->scope_leave(&w->scopes[--w->n_scopes], &r->found.err);
}

static assay_status run_step(replay *r, worker *w)
{
    const conf_threads_step *s = &r->program->steps[r->step];
    switch (s->op) {
    case CONF_THREADS_DEFAULT_STREAM:
    case CONF_THREADS_NEW_STREAM:
    case CONF_THREADS_NEW_THREAD_LOCAL_STREAM:
    case CONF_THREADS_NEW_THREAD_UNSAFE_STREAM: return make_stream(r, s);
    case CONF_THREADS_SET_DEFAULT_STREAM:
        return r->streams->set_default_stream(r->stream_of[s->stream], &r->found.err);
    case CONF_THREADS_SYNCHRONIZE: return r->streams->synchronize(stream_at(r, s->stream), &r->found.err);
    case CONF_THREADS_MAKE: return make_array(r, s);
    case CONF_THREADS_EVAL:
    case CONF_THREADS_ASYNC_EVAL: return eval_operands(r, s);
    case CONF_THREADS_ENTER_SCOPE: return enter_scope(r, s, w);
    case CONF_THREADS_LEAVE_SCOPE: return leave_scope(r, w);
    case CONF_THREADS_CLEAR_STREAMS: r->streams->clear_streams(); return ASSAY_OK;
    case CONF_THREADS_READ: return read_array(r, s);
    case CONF_THREADS_EXIT:
    case CONF_THREADS_N_OPS: break;
    }
    return ASSAY_OK;
}

static void *run_worker(void *context)
{
    worker *w = context;
    while (true) {
        while (sem_wait(&w->turn) != 0) continue;
        if (w->ends) return NULL;
        w->replay->found.status = run_step(w->replay, w);
        (void)sem_post(&w->done);
    }
}

static bool start_worker(worker *w)
{
    if (sem_init(&w->turn, 0, 0) != 0 || sem_init(&w->done, 0, 0) != 0) return false;
    w->runs = pthread_create(&w->thread, NULL, run_worker, w) == 0;
    return w->runs;
}

/* Ends the thread and joins it, so that its thread-local data is destroyed when this returns. */
static void end_worker(worker *w)
{
    if (!w->runs) return;
    w->ends = true;
    (void)sem_post(&w->turn);
    (void)pthread_join(w->thread, NULL);
    w->runs = false;
}

/* Runs step r->step on its thread and waits for it. False if the thread cannot be started. */
static bool run_on_thread(replay *r)
{
    const conf_threads_step *s = &r->program->steps[r->step];
    worker *w = &r->workers[s->thread];
    float *value = r->found.value;
    r->found = (found){.value = value};
    if (!w->runs && !start_worker(w)) return false;
    if (s->op == CONF_THREADS_EXIT) {
        end_worker(w);
        return true;
    }
    (void)sem_post(&w->turn);
    while (sem_wait(&w->done) != 0) continue;
    r->found.err.text[sizeof r->found.err.text - 1] = '\0';
    return true;
}

/* Whether an error is the expected one: the text must be the same, with two exceptions. The text for a
 * device index out of range comes from libstdc++ ("vector::_M_range_check: __n (which is 1) >=
 * this->size() (which is 1)"), so only the status is compared. Text after "There is no Stream(cpu, 1)
 * in current thread." is ignored: it may name the array. */
static bool error_matches(const char *expected, const found *f)
{
    static const char range[] = "vector::_M_range_check", stream[] = "There is no Stream(";
    if (strncmp(expected, range, sizeof range - 1) == 0) return f->status == ASSAY_EINVAL;
    if (strncmp(expected, stream, sizeof stream - 1) == 0)
        return f->status == ASSAY_ESTREAM && string_begins_with(f->err.text, expected);
    return strcmp(f->err.text, expected) == 0;
}

/* The index of the first element that differs; the shorter length if none does. */
static size_t first_difference(const conf_threads_outcome *expected, const found *f)
{
    size_t n = expected->n < f->n ? expected->n : f->n, i = 0;
    while (i < n && expected->value[i] <= f->value[i] && expected->value[i] >= f->value[i]) i++;
    return i;
}

static bool outcome_matches(const conf_threads_outcome *expected, const found *f)
{
    if (f->broken) return false;
    if (expected->result == CONF_THREADS_ERROR)
        return f->status != ASSAY_OK && error_matches(expected->error, f);
    if (f->status != ASSAY_OK) return false;
    if (expected->result == CONF_THREADS_INDEX) return f->index == expected->index;
    if (expected->result == CONF_THREADS_VALUE)
        return f->n == expected->n && first_difference(expected, f) == f->n;
    return true;
}

static void print_expected(char *text, size_t size, const conf_threads_outcome *expected, const found *f)
{
    bool compares = expected->result == CONF_THREADS_VALUE && f->status == ASSAY_OK && !f->broken;
    size_t at = compares ? first_difference(expected, f) : 0;
    switch (expected->result) {
    case CONF_THREADS_OK: (void)snprintf(text, size, "ok"); break;
    case CONF_THREADS_INDEX: (void)snprintf(text, size, "index %d", (int)expected->index); break;
    case CONF_THREADS_ERROR: (void)snprintf(text, size, "error \"%.200s\"", expected->error); break;
    case CONF_THREADS_VALUE:
        if (!compares || f->n != expected->n) (void)snprintf(text, size, "%zu numbers", expected->n);
        else (void)snprintf(text, size, "element %zu to be %.9g", at, (double)expected->value[at]);
    }
}

static void print_found(char *text, size_t size, const conf_threads_outcome *expected, const found *f)
{
    char status[STATUS_TEXT_MAX];
    if (f->broken) (void)snprintf(text, size, "%s", f->broken);
    else if (f->status != ASSAY_OK)
        (void)snprintf(text, size, "error \"%.200s\" (%s)", f->err.text,
                       assay_status_print(f->status, status));
    else if (expected->result == CONF_THREADS_INDEX) (void)snprintf(text, size, "index %d", (int)f->index);
    else if (expected->result == CONF_THREADS_VALUE && f->n == expected->n)
        (void)snprintf(text, size, "%.9g", (double)f->value[first_difference(expected, f)]);
    else if (expected->result == CONF_THREADS_VALUE) (void)snprintf(text, size, "%zu", f->n);
    else (void)snprintf(text, size, "ok");
}

static void fail_outcome(const replay *r, conf_verdict *v)
{
    const conf_threads_outcome *expected = &r->program->steps[r->step].expect;
    char expected_text[256], found_text[256];
    print_expected(expected_text, sizeof expected_text, expected, &r->found);
    print_found(found_text, sizeof found_text, expected, &r->found);
    conf_verdict_fail(v, CONF_CLASS_THREADS, "%s: expected %s, found %s", v->where, expected_text,
                      found_text);
}

/* Ends the threads before it frees the arrays: the ABI promises that arrays outlive the threads that
 * made them. */
static void end_all(replay *r, conf_verdict *v)
{
    (void)snprintf(v->where, sizeof v->where, "the end of the threads");
    for (size_t i = 0; i < r->program->n_threads; i++) end_worker(&r->workers[i]);
    (void)snprintf(v->where, sizeof v->where, "array_free");
    for (size_t i = 0; i < r->program->n_steps; i++)
        if (r->array_of[i]) r->streams->array_free(r->array_of[i]);
    v->where[0] = '\0';
}

/* Stops at the first step whose outcome diverges, without ending threads or freeing arrays: the process
 * ends after this vector. */
static void run_program(replay *r, conf_verdict *v)
{
    for (r->step = 0; r->step < r->program->n_steps; r->step++) {
        conf_threads_step_print(v->where, sizeof v->where, r->program, r->step);
        if (!run_on_thread(r)) {
            conf_verdict_set(v, CONF_BROKEN, "%s: no thread can be started", v->where);
            return;
        }
        if (outcome_matches(&r->program->steps[r->step].expect, &r->found)) continue;
        fail_outcome(r, v);
        return;
    }
    end_all(r, v);
}

/* Frees nothing: threads may still use the data, and the process ends after this vector. */
void conf_threads_replay(const void *offered, const conf_case *c, const conf_vector *vector,
                         const conf_json_at *at, conf_verdict *v)
{
    conf_threads_program program;
    conf_strings unknown = {0};
    assay_error err = {0};
    (void)c;
    (void)vector;
    if (conf_threads_program_read(at, &program, &unknown, &err) != ASSAY_OK) {
        conf_verdict_set(v, CONF_BROKEN, "%s", err.text);
        return;
    }
    replay r = {.streams = offered,
                .program = &program,
                .workers = calloc(program.n_threads, sizeof *r.workers),
                .stream_of = calloc(program.n_steps, sizeof *r.stream_of),
                .array_of = calloc(program.n_steps, sizeof(assay_array *)),
                .found.value = malloc(CONF_THREADS_LENGTH_MAX * sizeof(float))};
    if (!r.workers || !r.stream_of || !r.array_of || !r.found.value) {
        conf_verdict_set(v, CONF_BROKEN, "out of memory");
        return;
    }
    for (size_t i = 0; i < program.n_threads; i++) r.workers[i].replay = &r;
    run_program(&r, v);
}

const void *conf_threads_open(const char *module, conf_verdict *v)
{
    const assay_streams *streams;
    assay_error err = {0};
    assay_status rc = conf_streams_open(module, &streams, &err);
    if (rc == ASSAY_OK) return streams;
    conf_verdict_set(v, rc == ASSAY_EUNSUPPORTED ? CONF_SKIPPED : CONF_BROKEN, "%s", err.text);
    return NULL;
}
