/* The reference engine's table of functions. A session stores only the tokens of its samples: every
 * evaluation starts from them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cblas.h>
#include <stdlib.h>
#include <string.h>

#include <assay/engine.h>
#include <assay/stream.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/options.h"
#include "config.h"
#include "model/checkpoint/rope_request.h"
#include "model/loader.h"
#include "model/plan/feature.h"
#include "ref/forward.h"
#include "runtime/cache_limit.h"
#include "runtime/stream_table.h"

struct assay_model {
    plan *plan;
};

struct assay_session {
    const plan *plan;
    ref_limit limit;
    assay_trace_fn *trace;
    void *trace_context;
    assay_override_fn *override;
    void *override_context;
    size_t n_samples;
    size_t *length;   /* [n_samples] */
    int32_t **tokens; /* [n_samples] of [length] */
};

/* Parts of a plan that forward.c and the files below it implement. */
static const uint32_t IMPLEMENTED =
    PLAN_WINDOW | PLAN_SHARED_KEYS | PLAN_VALUE_IS_KEY | PLAN_NO_ROPE | PLAN_HEAD_NORMS |
    PLAN_PROJECTION_NORMS | PLAN_NORM_OFFSET | PLAN_SCORE_CAP | PLAN_LOGIT_CAP | PLAN_POST_NORMS |
    PLAN_NO_PRE_NORMS | PLAN_EMBEDDING_SCALE | PLAN_RESIDUAL_FACTOR | PLAN_LOGIT_FACTOR | PLAN_SPARSE_MLP |
    PLAN_EXPERTS | PLAN_LAYER_INPUTS | PLAN_LAUREL | PLAN_STREAMS | PLAN_LAYER_SCALAR | PLAN_PLACEHOLDERS;

static assay_status ref_model_open_with(const char *dir, const assay_model_options *asked, assay_model **out,
                                        assay_error *err)
{
    assay_model_options options;
    assay_status rc = model_options_read(asked, &options, err);
    if (rc != ASSAY_OK) return rc;
    if (options.compute != ASSAY_DTYPE_NONE)
        return assay_fail(err, ASSAY_EUNSUPPORTED, "%s: it offers no choice of the type that it computes in",
                          REF_NAME);
    if (options.kernels)
        return assay_fail(err, ASSAY_EUNSUPPORTED, "%s: it takes no kernels from outside", REF_NAME);
    openblas_set_num_threads(1); /* results must not depend on the number of threads */
    assay_model *m = calloc(1, sizeof *m);
    if (!m) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
    rc = plan_open_allowing(dir, options.allow_unknown, &m->plan, err);
    if (rc == ASSAY_OK) rc = plan_check_features(m->plan, IMPLEMENTED, REF_NAME, err);
    if (rc == ASSAY_OK) {
        *out = m;
        return ASSAY_OK;
    }
    plan_free(m->plan);
    free(m);
    return rc;
}

static assay_status ref_model_open(const char *dir, assay_model **out, assay_error *err)
{
    return ref_model_open_with(dir, &(assay_model_options){.size = sizeof(assay_model_options)}, out, err);
}

static void ref_model_free(assay_model *m)
{
    if (!m) return;
    plan_free(m->plan);
    free(m);
}

static size_t ref_model_vocab(const assay_model *m)
{
    return m->plan->vocab;
}

static const int32_t *ref_model_stop_ids(const assay_model *m, size_t *n)
{
    return stop_set_ids(m->plan->stops, n);
}

static void ref_model_arrays(const assay_model *m, assay_array_visitor *visit, void *context)
{
    array_list_visit(m->plan->arrays, visit, context);
}

static assay_status ref_session_open_with(assay_model *m, const assay_session_options *options,
                                          assay_session **out, assay_error *err)
{
    assay_status rc = cache_limit_check(options->limit, options->sink_tokens, err);
    if (rc != ASSAY_OK) return rc;
    assay_session *s = calloc(1, sizeof *s);
    if (!s) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", m->plan->dir);
    s->plan = m->plan;
    s->limit = (ref_limit){options->limit, options->sink_tokens};
    *out = s;
    return ASSAY_OK;
}

static assay_status ref_session_open(assay_model *m, assay_session **out, assay_error *err)
{
    return ref_session_open_with(
        m, &(assay_session_options){.size = sizeof(assay_session_options), .limit = SIZE_MAX}, out, err);
}

static void forget_tokens(assay_session *s)
{
    for (size_t b = 0; s->tokens && b < s->n_samples; b++) free(s->tokens[b]);
    free(s->tokens);
    free(s->length);
    s->tokens = NULL;
    s->length = NULL;
    s->n_samples = 0;
}

static void ref_session_free(assay_session *s)
{
    if (!s) return;
    forget_tokens(s);
    free(s);
}

static void ref_session_trace(assay_session *s, assay_trace_fn *fn, void *context)
{
    s->trace = fn;
    s->trace_context = context;
}

static void ref_session_override(assay_session *s, assay_override_fn *fn, void *context)
{
    s->override = fn;
    s->override_context = context;
}

static assay_status check_token(const plan *p, int32_t token, const char *where, size_t sample,
                                assay_error *err)
{
    if (plan_embeds_as(p, token) >= 0) return ASSAY_OK;
    return assay_fail(err, ASSAY_EINVAL, "%s: sample %zu: found token %d, expected 0 to %zu", where, sample,
                      token, p->n_token_ids - 1);
}

static assay_status check_batch(const plan *p, const assay_batch *batch, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    if (batch->n_inputs)
        return assay_fail(err, ASSAY_EUNSUPPORTED, "prefill: input '%s' is not understood",
                          batch->inputs[0].name);
    if (batch->n_samples == 0)
        return assay_fail(err, ASSAY_EINVAL, "prefill: found 0 samples, expected at least 1");
    for (size_t b = 0; rc == ASSAY_OK && b < batch->n_samples; b++) {
        size_t length = (size_t)batch->length[b];
        if (batch->length[b] < 1 || length > batch->n_tokens)
            return assay_fail(err, ASSAY_EINVAL, "prefill: sample %zu: found length %d, expected 1 to %zu", b,
                              batch->length[b], batch->n_tokens);
        const int32_t *row = batch->tokens + (b + 1) * batch->n_tokens - length;
        for (size_t t = 0; rc == ASSAY_OK && t < length; t++) rc = check_token(p, row[t], "prefill", b, err);
    }
    return rc;
}

static assay_status append_token(assay_session *s, size_t b, int32_t token, assay_error *err)
{
    int32_t *grown = grow_by_one(s->tokens[b], s->length[b], sizeof *grown);
    if (!grown) return assay_fail(err, ASSAY_ENOMEM, "sample %zu: out of memory", b);
    s->tokens[b] = grown;
    grown[s->length[b]++] = token;
    return ASSAY_OK;
}

static assay_status store_batch(assay_session *s, const assay_batch *batch, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    forget_tokens(s);
    s->length = calloc(batch->n_samples, sizeof *s->length);
    s->tokens = calloc(batch->n_samples, sizeof *s->tokens);
    if (!s->length || !s->tokens) return assay_fail(err, ASSAY_ENOMEM, "prefill: out of memory");
    s->n_samples = batch->n_samples;
    for (size_t b = 0; b < s->n_samples; b++)
        for (size_t t = batch->n_tokens - (size_t)batch->length[b]; rc == ASSAY_OK && t < batch->n_tokens;
             t++)
            rc = append_token(s, b, batch->tokens[b * batch->n_tokens + t], err);
    return rc;
}

static assay_status ref_prefill(assay_session *s, const assay_batch *batch, void *logits, assay_error *err)
{
    size_t vocab = s->plan->vocab;
    assay_status rc = array_list_require(s->plan->arrays, err);
    if (rc == ASSAY_OK) rc = check_batch(s->plan, batch, err);
    if (rc == ASSAY_OK) rc = store_batch(s, batch, err);
    for (size_t b = 0; rc == ASSAY_OK && b < batch->n_samples; b++) {
        ref_real *row = (ref_real *)logits + ((b + 1) * batch->n_tokens - s->length[b]) * vocab;
        ref_tracer tracer = {.fn = s->trace,
                             .context = s->trace_context,
                             .override = s->override,
                             .override_context = s->override_context,
                             .sample = b};
        rc = ref_forward(s->plan, s->tokens[b], s->length[b], 0, s->limit, tracer, row, err);
    }
    return rc;
}

static assay_status ref_decode(assay_session *s, const int32_t *tokens, void *logits, assay_error *err)
{
    assay_status rc = array_list_require(s->plan->arrays, err);
    if (rc == ASSAY_OK && s->n_samples == 0)
        rc = assay_fail(err, ASSAY_EINVAL, "decode: nothing was prefilled");
    for (size_t b = 0; rc == ASSAY_OK && b < s->n_samples; b++)
        if (tokens[b] != -1) rc = check_token(s->plan, tokens[b], "decode", b, err);
    for (size_t b = 0; rc == ASSAY_OK && b < s->n_samples; b++) {
        if (tokens[b] == -1) continue;
        rc = append_token(s, b, tokens[b], err);
        if (rc == ASSAY_OK)
            rc = ref_forward(s->plan, s->tokens[b], s->length[b], s->length[b] - 1, s->limit, (ref_tracer){0},
                             (ref_real *)logits + b * s->plan->vocab, err);
    }
    return rc;
}

/* Spreads half-width tables over all rotating elements of each position. */
static void spread_pairs(const rope *r, const double *half, size_t n_positions, ref_real *out)
{
    size_t n = r->dim / 2;
    bool adjacent = r->pairing == ROPE_PAIRS_ADJACENT;
    for (size_t p = 0; p < n_positions; p++)
        for (size_t i = 0; i < n; i++) {
            ref_real *row = out + p * r->dim;
            row[adjacent ? 2 * i : i] = row[adjacent ? 2 * i + 1 : i + n] = (ref_real)half[p * n + i];
        }
}

static assay_status rotate_request(const assay_rope_request *request, const rope *r, void *out, void *cosine,
                                   void *sine, assay_error *err)
{
    size_t n = r->dim / 2, rows = request->n_positions;
    double *frequency = calloc(n, sizeof *frequency), *c = calloc(rows * n + 1, sizeof *c),
           *s = calloc(rows * n + 1, sizeof *s);
    assay_status rc = ASSAY_OK;
    if (!frequency || !c || !s) {
        rc = assay_fail(err, ASSAY_ENOMEM, "rope: out of memory");
    } else {
        rope_frequencies(r, rope_request_length(request), frequency);
        rope_tables(r, frequency, request->position, request->n_axes, rows, c, s);
        memcpy(out, request->x, rows * request->n_heads * request->head_dim * sizeof(ref_real));
        ref_rope(out, rows, request->n_heads, r, c, s);
        spread_pairs(r, c, rows, cosine);
        spread_pairs(r, s, rows, sine);
    }
    free(frequency);
    free(c);
    free(s);
    return rc;
}

static assay_status ref_rope_request(const assay_rope_request *request, void *out, void *cosine, void *sine,
                                     size_t *dim, assay_error *err)
{
    rope r;
    assay_status rc = rope_request_read(request, &r, err);
    if (rc == ASSAY_OK) rc = rotate_request(request, &r, out, cosine, sine, err);
    if (rc == ASSAY_OK) *dim = r.dim;
    rope_free(&r);
    return rc;
}

const assay_engine *assay_engine_v1(void);

const assay_engine *assay_engine_v1(void)
{
    static const assay_engine ENGINE = {
        .abi = ASSAY_ENGINE_ABI,
        .size = sizeof(assay_engine),
        .name = REF_NAME,
        .version = PACKAGE_VERSION,
        .logits_dtype = REF_DTYPE,
        .model_open = ref_model_open,
        .model_free = ref_model_free,
        .model_vocab = ref_model_vocab,
        .model_stop_ids = ref_model_stop_ids,
        .session_open = ref_session_open,
        .session_free = ref_session_free,
        .session_trace = ref_session_trace,
        .prefill = ref_prefill,
        .decode = ref_decode,
        .rope = ref_rope_request,
        .session_override = ref_session_override,
        .model_open_with = ref_model_open_with,
        .session_open_with = ref_session_open_with,
        .model_arrays = ref_model_arrays,
    };
    return &ENGINE;
}

const assay_streams *assay_streams_v1(void);

const assay_streams *assay_streams_v1(void)
{
    return &stream_table;
}
