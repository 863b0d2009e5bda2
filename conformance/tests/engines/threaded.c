/* An engine that evaluates the formula model, with the concurrency fault that the name of its
 * checkpoint's directory selects.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <assay/engine.h>

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "conformance/tests/engines/fail.h"
#include "conformance/tests/engines/formula.h"
#include "conformance/tests/engines/samples.h"

/* State that sessions share by mistake. Atomic, so that only the order of accesses is wrong. */
static atomic_uint scratch, copied, n_models, n_inside;

struct assay_model {
    char fault[64];
    pthread_t maker;
    unsigned workers;
    assay_model_options asked; /* by the caller */
};

struct assay_session {
    const assay_model *model;
    pthread_t maker;
    bool has_copy; /* of a sample of some session */
    test_samples samples;
};

/* It needs struct assay_session. */
#include "conformance/tests/engines/sample_calls.h"

static bool errs(const assay_model *m, const char *fault)
{
    return strcmp(m->fault, fault) == 0;
}

static bool is_other_thread(pthread_t maker)
{
    return !pthread_equal(maker, pthread_self());
}

/* Supports no int8. The model "asked" insists on an option. */
static assay_status check_options(const char *fault, const assay_model_options *options, assay_error *err)
{
    if (options->compute == ASSAY_I8) return fail(err, ASSAY_EUNSUPPORTED, "int8 is not implemented");
    if (strcmp(fault, "asked") == 0 && !options->compute && !options->kernels)
        return fail(err, ASSAY_EINTERNAL, "opened without what was asked for");
    if (strcmp(fault, "unsupported") == 0) return fail(err, ASSAY_EUNSUPPORTED, "sinks are not implemented");
    return ASSAY_OK;
}

static assay_status model_open(const char *dir, const assay_model_options *given, assay_model **out,
                               assay_error *err)
{
    const char *slash = strrchr(dir, '/'), *workers = getenv("ASSAY_WORKERS");
    const char *fault = slash ? slash + 1 : dir;
    assay_model_options options;
    assay_status rc = assay_options_read(&options, sizeof options, given, "assay_model_options", err);
    if (rc == ASSAY_OK) rc = check_options(fault, &options, err);
    if (rc != ASSAY_OK) return rc;
    assay_model *m = calloc(1, sizeof *m);
    if (!m) return fail(err, ASSAY_ENOMEM, "out of memory");
    (void)snprintf(m->fault, sizeof m->fault, "%s", fault);
    m->maker = pthread_self();
    m->asked = options;
    m->workers = workers ? (unsigned)atoi(workers) : 0;
    if (errs(m, "one-model") && atomic_fetch_add(&n_models, 1) > 0) {
        free(m);
        return fail(err, ASSAY_EINTERNAL, "the engine is open already");
    }
    if (errs(m, "slow-open")) (void)usleep(1000);
    *out = m;
    return ASSAY_OK;
}

static void model_free(assay_model *model)
{
    if (model && errs(model, "one-model")) (void)atomic_fetch_sub(&n_models, 1);
    free(model);
}

static size_t model_vocab(const assay_model *model)
{
    return errs(model, "vocab") ? FORMULA_VOCAB + 1 : FORMULA_VOCAB;
}

static assay_status session_open(assay_model *model, const assay_session_options *given, assay_session **out,
                                 assay_error *err)
{
    assay_session_options options;
    assay_status rc = assay_options_read(&options, sizeof options, given, "assay_session_options", err);
    if (rc != ASSAY_OK) return rc;
    if (options.limit) return fail(err, ASSAY_EUNSUPPORTED, "caches have no limit");
    if (options.n_samples > 1 && errs(model, "one-sample"))
        return fail(err, ASSAY_EUNSUPPORTED, "at most one sample");
    assay_session *s = calloc(1, sizeof *s);
    if (!s) return fail(err, ASSAY_ENOMEM, "out of memory");
    s->model = model;
    s->maker = pthread_self();
    rc = samples_open(&s->samples, options.n_samples, err);
    if (rc == ASSAY_OK) *out = s;
    else free(s);
    return rc;
}

static void session_free(assay_session *session)
{
    if (session && errs(session->model, "free-crashes") && is_other_thread(session->maker)) {
        (void)signal(SIGSEGV, SIG_DFL);
        (void)raise(SIGSEGV);
    }
    if (session) samples_free(&session->samples);
    free(session);
}

static void write_row(const assay_session *s, float *row, uint32_t state)
{
    for (size_t v = 0; v < FORMULA_VOCAB; v++) row[v] = (float)formula_logit(state, v);
    const bool by_workers = errs(s->model, "workers") || errs(s->model, "fork-unsupported-workers");
    if (by_workers && s->model->workers > 1) row[7] = nextafterf(row[7], INFINITY);
}

/* Faults of a step that begins a sample. */
static assay_status begin_prefill(const assay_session *s, assay_error *err)
{
    if (errs(s->model, "builder-only") && is_other_thread(s->model->maker))
        return fail(err, ASSAY_ESTREAM, "There is no Stream(cpu, 2) in current thread.");
    bool alone = atomic_fetch_add(&n_inside, 1) == 0;
    if (errs(s->model, "one-prefill")) (void)usleep(2000);
    (void)atomic_fetch_sub(&n_inside, 1);
    if (errs(s->model, "one-prefill") && !alone)
        return fail(err, ASSAY_EINTERNAL, "another prefill is under way");
    return ASSAY_OK;
}

/* Faults of any other step. */
static assay_status begin_decode(const assay_session *s, assay_error *err)
{
    if (errs(s->model, "decode-unsupported")) return fail(err, ASSAY_EUNSUPPORTED, "no decode");
    if (errs(s->model, "decode-fails") && is_other_thread(s->maker))
        return fail(err, ASSAY_ESTREAM, "There is no Stream(cpu, 2) in current thread.");
    const assay_model_options *asked = &s->model->asked;
    if (errs(s->model, "narrow-fails") && asked->compute == ASSAY_BF16 && is_other_thread(s->maker))
        return fail(err, ASSAY_ESTREAM, "There is no bfloat16 in current thread.");
    if (errs(s->model, "kernels-fail") && asked->kernels && is_other_thread(s->maker))
        return fail(err, ASSAY_ESTREAM, "There is no kernel in current thread.");
    while (errs(s->model, "decode-hangs") && is_other_thread(s->maker)) (void)pause();
    if (errs(s->model, "decode-exits") && is_other_thread(s->maker)) _exit(3);
    return ASSAY_OK;
}

static void run_sample(assay_session *s, const assay_step *step, uint32_t state)
{
    test_sample *one = &s->samples.at[step->sample];
    sample_append(one, state, step->tokens, step->n_tokens);
    for (size_t o = 0; o < step->n_outputs; o++)
        for (size_t i = 0; i < step->outputs[o].n_last; i++)
            write_row(s, (float *)step->outputs[o].data + i * FORMULA_VOCAB,
                      one->state[one->n_tokens - step->outputs[o].n_last + i]);
}

/* Up to 2 ms, other ones each time: of two threads, either may be the first. */
static void wait_any_time(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    (void)usleep((uint32_t)now.tv_nsec * 2654435761u >> 21);
}

static assay_status run_step(assay_session *s, const assay_step *steps, size_t n,
                             const assay_step_options *given, assay_error *err)
{
    assay_step_options options;
    assay_status rc = assay_options_read(&options, sizeof options, given, "assay_step_options", err);
    if (rc == ASSAY_OK) rc = samples_check(&s->samples, steps, n, err);
    if (rc != ASSAY_OK || n == 0) return rc;
    bool is_prefill = samples_begin(&s->samples, steps, n);
    const bool shares_copies = s->has_copy && errs(s->model, "copies-share");
    rc = is_prefill ? begin_prefill(s, err) : begin_decode(s, err);
    if (rc != ASSAY_OK) return rc;
    for (size_t i = 0; i < n; i++) {
        const test_sample *one = &s->samples.at[steps[i].sample];
        uint32_t state = sample_state(one, one->n_tokens);
        if (!is_prefill && i == 0 && errs(s->model, "scratch")) state = atomic_load(&scratch);
        if (i == 0 && shares_copies) state = atomic_load(&copied);
        run_sample(s, &steps[i], state);
    }
    const test_sample *first = &s->samples.at[steps->sample];
    if (is_prefill && errs(s->model, "scratch")) wait_any_time();
    if (is_prefill) atomic_store(&scratch, sample_state(first, first->n_tokens));
    if ((is_prefill && errs(s->model, "scratch")) || shares_copies) (void)usleep(2000);
    if (shares_copies) atomic_store(&copied, sample_state(first, first->n_tokens));
    return ASSAY_OK;
}

/* A call that fails on any thread but the one that opened the session. */
static assay_status check_thread(const assay_session *s, const char *fault, assay_error *err)
{
    if (errs(s->model, fault) && is_other_thread(s->maker))
        return fail(err, ASSAY_ESTREAM, "There is no Stream(cpu, 2) in current thread.");
    return ASSAY_OK;
}

static assay_status join(assay_session *s, size_t *sample, assay_error *err)
{
    const assay_status rc = check_thread(s, "join-fails", err);
    return rc == ASSAY_OK ? call_join(s, sample, err) : rc;
}

static assay_status leave(assay_session *s, size_t sample, assay_error *err)
{
    const assay_status rc = check_thread(s, "leave-fails", err);
    return rc == ASSAY_OK ? call_leave(s, sample, err) : rc;
}

static assay_status rewind_sample(assay_session *s, size_t sample, size_t n_tokens, assay_error *err)
{
    const assay_status rc = check_thread(s, "rewind-fails", err);
    return rc == ASSAY_OK ? call_rewind(s, sample, n_tokens, err) : rc;
}

static assay_status fork_sample(const assay_session *from, size_t sample, assay_session *into, size_t *forked,
                                assay_error *err)
{
    if (strncmp(into->model->fault, "fork-unsupported", strlen("fork-unsupported")) == 0)
        return fail(err, ASSAY_EUNSUPPORTED, "forks are not supported");
    assay_status rc = check_thread(into, "fork-fails", err);
    if (rc == ASSAY_OK) rc = call_fork(from, sample, into, forked, err);
    into->has_copy = true;
    return rc;
}

const assay_engine *assay_engine_v2(void);

const assay_engine *assay_engine_v2(void)
{
    static const assay_engine table = {.abi = ASSAY_ENGINE_ABI,
                                       .size = sizeof(assay_engine),
                                       .name = "threaded",
                                       .version = "1",
                                       .logits_dtype = ASSAY_F32,
                                       .model_open = model_open,
                                       .model_free = model_free,
                                       .model_vocab = model_vocab,
                                       .session_open = session_open,
                                       .session_free = session_free,
                                       .step = run_step,
                                       .join = join,
                                       .leave = leave,
                                       .rewind = rewind_sample,
                                       .fork = fork_sample};
    return &table;
}
