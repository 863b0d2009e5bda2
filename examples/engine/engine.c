/* An engine to start from: the six functions that every engine has, around a model in other files. It keeps
 * the tokens of its samples and no cache: every step evaluates all of them again.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "engine.h"

#include "check.h"
#include "checkpoint.h"
#include "llama.h"
#include "optional.h"

#include <stdlib.h>
#include <string.h>

static assay_status model_open(const char *dir, const assay_model_options *given, assay_model **out,
                               assay_error *err)
{
    assay_model_options options;
    assay_status rc = assay_options_read(&options, sizeof options, given, "assay_model_options", err);
    if (rc != ASSAY_OK) return rc;
    if (options.kernels || options.compute_name || options.cache_name ||
        (options.compute != ASSAY_DTYPE_NONE && options.compute != ASSAY_F32))
        return engine_fail(err, ASSAY_EUNSUPPORTED, "only float32 and the engine's own loops are supported");
    return llama_open(dir, out, err);
}

static size_t model_vocab(const assay_model *m)
{
    return m->vocab;
}

static assay_status session_open(assay_model *model, const assay_session_options *given, assay_session **out,
                                 assay_error *err)
{
    assay_session_options options;
    assay_status rc = assay_options_read(&options, sizeof options, given, "assay_session_options", err);
    if (rc == ASSAY_OK) rc = engine_check_reserved(options.reserved, "assay_session_options", err);
    if (rc != ASSAY_OK) return rc;
    assay_session *s = calloc(1, sizeof *s);
    sample *samples = calloc(options.n_samples ? options.n_samples : 1, sizeof *samples);
    if (!s || !samples) {
        free(s);
        free(samples);
        return engine_fail(err, ASSAY_ENOMEM, "out of memory");
    }
    s->model = model;
    s->limit = options.limit;
    s->sink_tokens = options.sink_tokens;
    s->n_samples = options.n_samples;
    s->samples = samples;
    *out = s;
    return ASSAY_OK;
}

static void session_free(assay_session *s)
{
    if (!s) return;
    for (size_t i = 0; i < s->n_samples; i++) free(s->samples[i].tokens);
    free(s->samples);
    free(s);
}

/* Evaluates one step. Its tokens are stored after the sample's own, and not yet counted. */
static assay_status run_step(assay_session *s, const assay_step *step, assay_error *err)
{
    sample *a = &s->samples[step->sample];
    const size_t n = a->n_tokens + step->n_tokens;
    int32_t *tokens = realloc(a->tokens, n * sizeof *tokens);
    if (!tokens) return engine_fail(err, ASSAY_ENOMEM, "out of memory");
    a->tokens = tokens;
    memcpy(tokens + a->n_tokens, step->tokens, step->n_tokens * sizeof *tokens);
    const assay_output *logits = step->n_outputs ? step->outputs : NULL;
    const llama_pass pass = {s->limit, s->sink_tokens, s->tap, step->sample, a->n_tokens};
    if (!logits && !s->tap.fn) return ASSAY_OK;
    return llama_evaluate(s->model, &pass, tokens, n, logits ? logits->n_last : 0,
                          logits ? logits->data : NULL, err);
}

static assay_status step(assay_session *s, const assay_step *steps, size_t n, const assay_step_options *given,
                         assay_error *err)
{
    assay_step_options options; /* padded_width is ignored: there is no padding here */
    assay_status rc = assay_options_read(&options, sizeof options, given, "assay_step_options", err);
    if (rc == ASSAY_OK) rc = engine_check_reserved(options.reserved, "assay_step_options", err);
    if (rc == ASSAY_OK) rc = engine_check_steps(s, steps, n, err);
    for (size_t i = 0; rc == ASSAY_OK && i < n; i++) rc = run_step(s, &steps[i], err);
    /* Counted last: after a failure every sample has the tokens that it had before. */
    for (size_t i = 0; rc == ASSAY_OK && i < n; i++)
        s->samples[steps[i].sample].n_tokens += steps[i].n_tokens;
    return rc;
}

const assay_engine *assay_engine_v2(void);

const assay_engine *assay_engine_v2(void)
{
    static const assay_engine table = {
        .abi = ASSAY_ENGINE_ABI,
        .size = sizeof(assay_engine),
        .name = "example",
        .version = "1",
        .logits_dtype = ASSAY_F32,
        .model_open = model_open,
        .model_free = llama_free,
        .model_vocab = model_vocab,
        .session_open = session_open,
        .session_free = session_free,
        .step = step,
#ifdef WITH_OPTIONAL /* optional.so */
        .taps_can_write = true,
        .join = optional_join,
        .leave = optional_leave,
        .rewind = optional_rewind,
        .fork = optional_fork,
        .tap = optional_tap,
#endif
    };
    return &table;
}
