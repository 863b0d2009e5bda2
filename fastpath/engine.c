/* The fastpath engine's table of functions.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <assay/engine.h>
#include <assay/stream.h>

#include "config.h"
#include "fastpath/batch.h"
#include "fastpath/rope_request.h"

#include "base/error.h"
#include "base/options.h"
#include "runtime/stream_table.h"

/* First member of an open model or session, cleared when it is freed, so that an assertion fails if a
 * caller uses a freed one (unless built with -DNDEBUG). */
#define MODEL_MARK   UINT64_C(0x6d6f64656c206673)
#define SESSION_MARK UINT64_C(0x73657373206f6673)

struct assay_model {
    volatile uint64_t mark; /* volatile: a write just before free is not removed */
    atomic_size_t n_sessions;
    fp_model *model;
};

struct assay_session {
    volatile uint64_t mark;
    assay_model *owner;
    fp_batch *batch;
    fp_tracer tracer;
};

static fp_model *model_of(const assay_model *m)
{
    assert(m->mark == MODEL_MARK && "not an open model: was it freed?");
    return m->model;
}

static fp_batch *batch_of(const assay_session *s)
{
    assert(s->mark == SESSION_MARK && "not an open session: was it freed?");
    (void)model_of(s->owner);
    return s->batch;
}

/* The only function that reads the environment, besides assay_kernels_v2. */
static assay_status read_environment(fp_options *out, assay_error *err)
{
    const char *workers = getenv("ASSAY_WORKERS");
    *out = (fp_options){.isa = getenv("ASSAY_ISA"), .grain = SIZE_MAX};
    if (!workers || !*workers) return ASSAY_OK;
    char *end;
    errno = 0;
    unsigned long n = strtoul(workers, &end, 10);
    if (errno || *end || *workers < '0' || *workers > '9' || n == 0 || n > FP_WORKERS_MAX)
        return assay_fail(err, ASSAY_EINVAL, "ASSAY_WORKERS: found \"%s\", expected 1 to %zu", workers,
                          FP_WORKERS_MAX);
    out->n_workers = n;
    return ASSAY_OK;
}

static assay_status fp_abi_model_open_with(const char *dir, const assay_model_options *asked,
                                           assay_model **out, assay_error *err)
{
    fp_options options;
    assay_model_options known;
    assay_status rc = model_options_read(asked, &known, err);
    if (rc == ASSAY_OK) rc = read_environment(&options, err);
    if (rc != ASSAY_OK) return rc;
    assay_model *m = calloc(1, sizeof *m);
    if (!m) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
    options.compute = known.compute;
    options.kernels = known.kernels;
    options.allow_unknown = known.allow_unknown;
    if (rc == ASSAY_OK) rc = fp_model_open(dir, &options, &m->model, err);
    m->mark = MODEL_MARK;
    if (rc == ASSAY_OK) *out = m;
    else free(m);
    return rc;
}

static assay_status fp_abi_model_open(const char *dir, assay_model **out, assay_error *err)
{
    return fp_abi_model_open_with(dir, &(assay_model_options){.size = sizeof(assay_model_options)}, out, err);
}

static void fp_abi_model_free(assay_model *m)
{
    if (!m) return;
    fp_model *own = model_of(m);
    assert(atomic_load(&m->n_sessions) == 0 && "sessions of this model are still open");
    m->mark = 0;
    fp_model_free(own);
    free(m);
}

static size_t fp_abi_model_vocab(const assay_model *m)
{
    return model_of(m)->plan->vocab;
}

static const int32_t *fp_abi_model_stop_ids(const assay_model *m, size_t *n)
{
    return stop_set_ids(model_of(m)->plan->stops, n);
}

static void fp_abi_model_arrays(const assay_model *m, assay_array_visitor *visit, void *context)
{
    array_list_visit(model_of(m)->plan->arrays, visit, context);
}

static assay_status fp_abi_session_open_with(assay_model *m, const assay_session_options *options,
                                             assay_session **out, assay_error *err)
{
    assay_session *s = calloc(1, sizeof *s);
    if (!s) return assay_fail(err, ASSAY_ENOMEM, "session: out of memory");
    assay_status rc = fp_batch_open(model_of(m), &s->batch, err);
    if (rc == ASSAY_OK)
        rc = fp_session_limit(fp_batch_session(s->batch), options->limit, options->sink_tokens, err);
    if (rc != ASSAY_OK) {
        fp_batch_free(s->batch);
        free(s);
        return rc;
    }
    s->mark = SESSION_MARK;
    s->owner = m;
    (void)atomic_fetch_add(&m->n_sessions, 1);
    *out = s;
    return ASSAY_OK;
}

static assay_status fp_abi_session_open(assay_model *m, assay_session **out, assay_error *err)
{
    return fp_abi_session_open_with(
        m, &(assay_session_options){.size = sizeof(assay_session_options), .limit = SIZE_MAX}, out, err);
}

static void fp_abi_session_free(assay_session *s)
{
    if (!s) return;
    fp_batch_free(batch_of(s));
    (void)atomic_fetch_sub(&s->owner->n_sessions, 1);
    s->mark = 0;
    free(s);
}

static void fp_abi_session_trace(assay_session *s, assay_trace_fn *fn, void *context)
{
    (void)batch_of(s);
    s->tracer.fn = fn;
    s->tracer.context = context;
}

static void fp_abi_session_override(assay_session *s, assay_override_fn *fn, void *context)
{
    (void)batch_of(s);
    s->tracer.override = fn;
    s->tracer.override_context = context;
}

static assay_status fp_abi_prefill(assay_session *s, const assay_batch *batch, void *logits, assay_error *err)
{
    return fp_batch_prefill(batch_of(s), batch, &s->tracer, FP_WANTED_ALL, logits, err);
}

static assay_status fp_abi_prefill_last(assay_session *s, const assay_batch *batch, void *logits,
                                        assay_error *err)
{
    return fp_batch_prefill(batch_of(s), batch, &s->tracer, FP_WANTED_LAST, logits, err);
}

static assay_status fp_abi_decode(assay_session *s, const int32_t *tokens, void *logits, assay_error *err)
{
    return fp_batch_decode(batch_of(s), tokens, logits, err);
}

static assay_status fp_abi_rope(const assay_rope_request *request, void *out, void *cosine, void *sine,
                                size_t *dim, assay_error *err)
{
    fp_options options;
    fp_isa isa;
    assay_status rc = read_environment(&options, err);
    if (rc == ASSAY_OK) rc = fp_isa_choose(options.isa, "ASSAY_ISA", &isa, err);
    if (rc != ASSAY_OK) return rc;
    return fp_rope_request(fp_rope_pick(isa)->f32, request, out, cosine, sine, dim, err);
}

const assay_engine *assay_engine_v1(void);

const assay_engine *assay_engine_v1(void)
{
    static const assay_engine ENGINE = {
        .abi = ASSAY_ENGINE_ABI,
        .size = sizeof(assay_engine),
        .name = "fastpath",
        .version = PACKAGE_VERSION,
        .logits_dtype = ASSAY_F32,
        .model_open = fp_abi_model_open,
        .model_free = fp_abi_model_free,
        .model_vocab = fp_abi_model_vocab,
        .model_stop_ids = fp_abi_model_stop_ids,
        .session_open = fp_abi_session_open,
        .session_free = fp_abi_session_free,
        .session_trace = fp_abi_session_trace,
        .prefill = fp_abi_prefill,
        .decode = fp_abi_decode,
        .rope = fp_abi_rope,
        .session_override = fp_abi_session_override,
        .model_open_with = fp_abi_model_open_with,
        .prefill_last = fp_abi_prefill_last,
        .session_open_with = fp_abi_session_open_with,
        .model_arrays = fp_abi_model_arrays,
    };
    return &ENGINE;
}

const assay_streams *assay_streams_v1(void);

const assay_streams *assay_streams_v1(void)
{
    return &stream_table;
}
