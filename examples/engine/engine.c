/* An engine to start from: what the ABI asks for, around a model in other files. It keeps the tokens of its
 * samples and no cache: every step evaluates all of them again.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "llama.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct assay_model {
    llama *llama;
};

typedef struct tokens {
    int32_t *id;
    size_t n;
} tokens;

struct assay_session {
    const assay_model *model;
    cache_limit cache;
    size_t n_samples;
    tokens *samples; /* [n_samples] */
};

assay_status engine_fail(assay_error *err, assay_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (err) (void)vsnprintf(err->text, sizeof err->text, format, args);
    if (err) err->status = status;
    va_end(args);
    return status;
}

static void model_free(assay_model *m)
{
    if (m) llama_free(m->llama);
    free(m);
}

static assay_status model_open(const char *dir, const assay_model_options *given, assay_model **out,
                               assay_error *err)
{
    assay_model_options options;
    assay_status rc = assay_options_read(&options, sizeof options, given, "assay_model_options", err);
    if (rc != ASSAY_OK) return rc;
    if (options.kernels || (options.compute != ASSAY_DTYPE_NONE && options.compute != ASSAY_F32))
        return engine_fail(err, ASSAY_EUNSUPPORTED, "only float32 and the engine's own loops are supported");
    assay_model *m = calloc(1, sizeof *m);
    if (!m) return engine_fail(err, ASSAY_ENOMEM, "out of memory");
    rc = llama_open(dir, &m->llama, err);
    if (rc == ASSAY_OK) *out = m;
    else model_free(m);
    return rc;
}

static size_t model_vocab(const assay_model *m)
{
    return m->llama->vocab;
}

static void session_free(assay_session *s)
{
    for (size_t i = 0; s && i < s->n_samples; i++) free(s->samples[i].id);
    if (s) free(s->samples);
    free(s);
}

static assay_status session_open(assay_model *model, const assay_session_options *given, assay_session **out,
                                 assay_error *err)
{
    assay_session_options options;
    assay_status rc = assay_options_read(&options, sizeof options, given, "assay_session_options", err);
    if (rc != ASSAY_OK) return rc;
    if (options.reserved)
        return engine_fail(err, ASSAY_EUNSUPPORTED, "assay_session_options: reserved is not 0");
    assay_session *s = calloc(1, sizeof *s);
    if (!s) return engine_fail(err, ASSAY_ENOMEM, "out of memory");
    s->model = model;
    s->cache = (cache_limit){.limit = options.limit, .sink_tokens = options.sink_tokens};
    s->samples = calloc(options.n_samples + 1, sizeof *s->samples);
    if (!s->samples) {
        free(s);
        return engine_fail(err, ASSAY_ENOMEM, "out of memory");
    }
    s->n_samples = options.n_samples;
    *out = s;
    return ASSAY_OK;
}

static assay_status check_step(const assay_session *s, const assay_step *step, assay_error *err)
{
    if (step->sample >= s->n_samples)
        return engine_fail(err, ASSAY_EINVAL, "there is no sample %zu", step->sample);
    if (step->n_tokens == 0) return engine_fail(err, ASSAY_EINVAL, "sample %zu: no tokens", step->sample);
    if (step->positions || step->n_items)
        return engine_fail(err, ASSAY_EUNSUPPORTED, "only tokens are supported, no positions and no items");
    for (size_t i = 0; i < step->n_tokens; i++)
        if (step->tokens[i] < 0 || (size_t)step->tokens[i] >= s->model->llama->vocab)
            return engine_fail(err, ASSAY_EINVAL, "token %d is outside the vocabulary", (int)step->tokens[i]);
    for (size_t i = 0; i < step->n_outputs; i++) {
        const assay_output *o = &step->outputs[i];
        if (strcmp(o->name, "logits") != 0)
            return engine_fail(err, ASSAY_EUNSUPPORTED, "there is no output %s", o->name);
        if (o->n_last == 0 || o->n_last > step->n_tokens)
            return engine_fail(err, ASSAY_EINVAL, "%zu rows of %zu tokens are wanted", o->n_last,
                               step->n_tokens);
    }
    return ASSAY_OK;
}

/* Evaluates one step. Its tokens are stored after the sample's own, and not yet counted. */
static assay_status run_step(assay_session *s, const assay_step *step, assay_error *err)
{
    tokens *a = &s->samples[step->sample];
    const size_t n = a->n + step->n_tokens;
    int32_t *grown = realloc(a->id, n * sizeof *grown);
    if (!grown) return engine_fail(err, ASSAY_ENOMEM, "out of memory");
    a->id = grown;
    memcpy(a->id + a->n, step->tokens, step->n_tokens * sizeof *grown);
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; rc == ASSAY_OK && i < step->n_outputs; i++) {
        const assay_output *o = &step->outputs[i];
        rc = llama_evaluate(s->model->llama, s->cache, a->id, n, o->n_last, o->data, err);
    }
    return rc;
}

static assay_status step(assay_session *s, const assay_step *steps, size_t n, const assay_step_options *given,
                         assay_error *err)
{
    assay_step_options options; /* this engine does not pad */
    assay_status rc = assay_options_read(&options, sizeof options, given, "assay_step_options", err);
    if (rc == ASSAY_OK && options.reserved)
        rc = engine_fail(err, ASSAY_EUNSUPPORTED, "assay_step_options: reserved is not 0");
    for (size_t i = 0; rc == ASSAY_OK && i < n; i++) {
        rc = check_step(s, &steps[i], err);
        for (size_t j = 0; rc == ASSAY_OK && j < i; j++)
            if (steps[j].sample == steps[i].sample)
                rc = engine_fail(err, ASSAY_EINVAL, "sample %zu has two steps", steps[i].sample);
    }
    for (size_t i = 0; rc == ASSAY_OK && i < n; i++) rc = run_step(s, &steps[i], err);
    /* After a failure every sample has the tokens that it had before. */
    for (size_t i = 0; rc == ASSAY_OK && i < n; i++) s->samples[steps[i].sample].n += steps[i].n_tokens;
    return rc;
}

static assay_status rewind_sample(assay_session *s, size_t sample, size_t n_tokens, assay_error *err)
{
    if (sample >= s->n_samples) return engine_fail(err, ASSAY_EINVAL, "there is no sample %zu", sample);
    if (n_tokens > s->samples[sample].n)
        return engine_fail(err, ASSAY_EINVAL, "sample %zu has fewer than %zu tokens", sample, n_tokens);
    s->samples[sample].n = n_tokens;
    return ASSAY_OK;
}

const assay_engine *assay_engine_v2(void);

const assay_engine *assay_engine_v2(void)
{
    static const assay_engine table = {.abi = ASSAY_ENGINE_ABI,
                                       .size = sizeof(assay_engine),
                                       .name = "example",
                                       .version = "1",
                                       .logits_dtype = ASSAY_F32,
                                       .model_open = model_open,
                                       .model_free = model_free,
                                       .model_vocab = model_vocab,
                                       .session_open = session_open,
                                       .session_free = session_free,
                                       .step = step,
                                       .rewind = rewind_sample};
    return &table;
}
