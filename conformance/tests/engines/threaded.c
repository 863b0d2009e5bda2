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
#include <unistd.h>

#include "conformance/tests/engines/formula.h"

enum { SAMPLES_MAX = 16 };

/* State that sessions share by mistake. Atomic, so that only the order of accesses is wrong. */
static atomic_uint scratch, n_models, n_inside;

struct assay_model {
    char fault[64];
    pthread_t maker;
    unsigned workers;
    assay_model_options asked; /* options of model_open_with, or zero */
};

struct assay_session {
    const assay_model *model;
    pthread_t maker;
    size_t n_samples;
    uint32_t state[SAMPLES_MAX];
};

static bool errs(const assay_model *m, const char *fault)
{
    return strcmp(m->fault, fault) == 0;
}

static assay_status fail(assay_error *err, assay_status status, const char *text)
{
    if (err) (void)snprintf(err->text, sizeof err->text, "%s", text);
    return status;
}

static bool is_other_thread(pthread_t maker)
{
    return !pthread_equal(maker, pthread_self());
}

static assay_status open_model(const char *dir, const assay_model_options *asked, assay_model **out,
                               assay_error *err)
{
    const char *slash = strrchr(dir, '/'), *workers = getenv("ASSAY_WORKERS");
    assay_model *m = calloc(1, sizeof *m);
    if (!m) return fail(err, ASSAY_ENOMEM, "out of memory");
    (void)snprintf(m->fault, sizeof m->fault, "%s", slash ? slash + 1 : dir);
    m->maker = pthread_self();
    m->asked = *asked;
    m->workers = workers ? (unsigned)atoi(workers) : 0;
    if (errs(m, "one-model") && atomic_fetch_add(&n_models, 1) > 0) {
        free(m);
        return fail(err, ASSAY_EINTERNAL, "the engine is open already");
    }
    if (errs(m, "slow-open")) (void)usleep(1000);
    if (errs(m, "unsupported")) {
        free(m);
        return fail(err, ASSAY_EUNSUPPORTED, "sinks are not implemented");
    }
    *out = m;
    return ASSAY_OK;
}

static assay_status model_open(const char *dir, assay_model **out, assay_error *err)
{
    const char *slash = strrchr(dir, '/');
    if (strcmp(slash ? slash + 1 : dir, "asked") == 0)
        return fail(err, ASSAY_EINTERNAL, "opened without what was asked for");
    return open_model(dir, &(assay_model_options){0}, out, err);
}

/* Supports no int8. */
static assay_status model_open_with(const char *dir, const assay_model_options *options, assay_model **out,
                                    assay_error *err)
{
    if (options->compute == ASSAY_I8) return fail(err, ASSAY_EUNSUPPORTED, "int8 is not implemented");
    return open_model(dir, options, out, err);
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

static assay_status session_open(assay_model *model, assay_session **out, assay_error *err)
{
    assay_session *s = calloc(1, sizeof *s);
    if (!s) return fail(err, ASSAY_ENOMEM, "out of memory");
    s->model = model;
    s->maker = pthread_self();
    *out = s;
    return ASSAY_OK;
}

static void session_free(assay_session *session)
{
    if (session && errs(session->model, "free-crashes") && is_other_thread(session->maker)) {
        (void)signal(SIGSEGV, SIG_DFL);
        (void)raise(SIGSEGV);
    }
    free(session);
}

static void write_row(const assay_session *s, float *row, uint32_t state)
{
    for (size_t v = 0; v < FORMULA_VOCAB; v++) row[v] = (float)formula_logit(state, v);
    if (errs(s->model, "workers") && s->model->workers > 1) row[7] = nextafterf(row[7], INFINITY);
}

static assay_status prefill(assay_session *s, const assay_batch *batch, void *out, assay_error *err)
{
    if (batch->n_samples > SAMPLES_MAX) return fail(err, ASSAY_EUNSUPPORTED, "too many samples");
    if (errs(s->model, "builder-only") && is_other_thread(s->model->maker))
        return fail(err, ASSAY_ESTREAM, "There is no Stream(cpu, 2) in current thread.");
    bool alone = atomic_fetch_add(&n_inside, 1) == 0;
    if (errs(s->model, "one-prefill")) (void)usleep(2000);
    (void)atomic_fetch_sub(&n_inside, 1);
    if (errs(s->model, "one-prefill") && !alone)
        return fail(err, ASSAY_EINTERNAL, "another prefill is under way");
    s->n_samples = batch->n_samples;
    for (size_t b = 0; b < batch->n_samples; b++) {
        size_t n = (size_t)batch->length[b], pad = batch->n_tokens - n;
        s->state[b] = 0;
        for (size_t t = pad; t < batch->n_tokens; t++) {
            s->state[b] = formula_step(s->state[b], batch->tokens[b * batch->n_tokens + t]);
            write_row(s, (float *)out + (b * batch->n_tokens + t) * FORMULA_VOCAB, s->state[b]);
        }
    }
    atomic_store(&scratch, s->state[0]);
    if (errs(s->model, "scratch")) (void)usleep(2000);
    return ASSAY_OK;
}

static assay_status decode(assay_session *s, const int32_t *tokens, void *out, assay_error *err)
{
    if (errs(s->model, "decode-fails") && is_other_thread(s->maker))
        return fail(err, ASSAY_ESTREAM, "There is no Stream(cpu, 2) in current thread.");
    const assay_model_options *asked = &s->model->asked;
    if (errs(s->model, "narrow-fails") && asked->compute == ASSAY_BF16 && is_other_thread(s->maker))
        return fail(err, ASSAY_ESTREAM, "There is no bfloat16 in current thread.");
    if (errs(s->model, "kernels-fail") && asked->kernels && is_other_thread(s->maker))
        return fail(err, ASSAY_ESTREAM, "There is no kernel in current thread.");
    while (errs(s->model, "decode-hangs") && is_other_thread(s->maker)) (void)pause();
    if (errs(s->model, "decode-exits") && is_other_thread(s->maker)) _exit(3);
    if (errs(s->model, "scratch")) s->state[0] = atomic_load(&scratch);
    for (size_t b = 0; b < s->n_samples; b++) {
        s->state[b] = formula_step(s->state[b], tokens[b]);
        write_row(s, (float *)out + b * FORMULA_VOCAB, s->state[b]);
    }
    return ASSAY_OK;
}

const assay_engine *assay_engine_v1(void);

const assay_engine *assay_engine_v1(void)
{
    static const assay_engine table = {.abi = ASSAY_ENGINE_ABI,
                                       .size = sizeof(assay_engine),
                                       .name = "threaded",
                                       .version = "1",
                                       .logits_dtype = ASSAY_F32,
                                       .model_open = model_open,
                                       .model_open_with = model_open_with,
                                       .model_free = model_free,
                                       .model_vocab = model_vocab,
                                       .session_open = session_open,
                                       .session_free = session_free,
                                       .prefill = prefill,
                                       .decode = decode};
    return &table;
}
