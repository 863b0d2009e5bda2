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
#include "fastpath/session/rope_request.h"
#include "fastpath/session/steps.h"

#include "base/error.h"
#include "model/formats/inputs.h"
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
    fp_session *session;
    fp_steps steps;
    fp_tracer tracer;
};

static fp_model *model_of(const assay_model *m)
{
    assert(m->mark == MODEL_MARK && "not an open model: was it freed?");
    return m->model;
}

static fp_session *session_of(const assay_session *s)
{
    assert(s->mark == SESSION_MARK && "not an open session: was it freed?");
    (void)model_of(s->owner);
    return s->session;
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

static assay_status check_reserved(uint32_t reserved, const char *what, assay_error *err)
{
    if (reserved == 0) return ASSAY_OK;
    return assay_fail(err, ASSAY_EUNSUPPORTED, "%s: reserved is %lu, expected 0", what,
                      (unsigned long)reserved);
}

static assay_status fp_abi_model_open(const char *dir, const assay_model_options *asked, assay_model **out,
                                      assay_error *err)
{
    fp_options options;
    assay_model_options known;
    assay_status rc = assay_options_read(&known, sizeof known, asked, "model options", err);
    if (rc == ASSAY_OK) rc = read_environment(&options, err);
    if (rc != ASSAY_OK) return rc;
    assay_model *m = calloc(1, sizeof *m);
    if (!m) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
    options.compute = (assay_dtype)known.compute;
    options.compute_name = known.compute_name;
    options.cache_name = known.cache_name;
    options.kernels = known.kernels;
    options.allow_unknown = known.allow_unknown;
    rc = fp_model_open(dir, &options, &m->model, err);
    m->mark = MODEL_MARK;
    if (rc == ASSAY_OK) *out = m;
    else free(m);
    return rc;
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

static const char *fp_abi_model_note(const assay_model *m)
{
    const char *note = model_of(m)->note;
    return note[0] ? note : NULL;
}

/* Opens a session with n_samples samples; on failure nothing is left of it. */
static assay_status open_samples(const fp_model *m, const assay_session_options *options, fp_session **out,
                                 assay_error *err)
{
    fp_session *s;
    size_t slot;
    assay_status rc = fp_session_open(m, &s, err);
    if (rc != ASSAY_OK) return rc;
    rc = fp_session_limit(s, options->limit, options->sink_tokens, err);
    for (size_t i = 0; rc == ASSAY_OK && i < options->n_samples; i++) {
        rc = fp_session_join(s, &slot, err);
        assert(rc != ASSAY_OK || slot == i);
    }
    if (rc == ASSAY_OK) *out = s;
    else fp_session_free(s);
    return rc;
}

static assay_status fp_abi_session_open(assay_model *m, const assay_session_options *asked,
                                        assay_session **out, assay_error *err)
{
    assay_session_options options;
    const fp_model *own = model_of(m);
    assay_status rc = assay_options_read(&options, sizeof options, asked, "session options", err);
    if (rc == ASSAY_OK) rc = check_reserved(options.reserved, "session options", err);
    if (rc != ASSAY_OK) return rc;
    assay_session *s = calloc(1, sizeof *s);
    if (!s) return assay_fail(err, ASSAY_ENOMEM, "session: out of memory");
    rc = open_samples(own, &options, &s->session, err);
    if (rc != ASSAY_OK) {
        free(s);
        return rc;
    }
    s->mark = SESSION_MARK;
    s->owner = m;
    (void)atomic_fetch_add(&m->n_sessions, 1);
    *out = s;
    return ASSAY_OK;
}

static void fp_abi_session_free(assay_session *s)
{
    if (!s) return;
    fp_session_free(session_of(s));
    fp_steps_free(&s->steps);
    (void)atomic_fetch_sub(&s->owner->n_sessions, 1);
    s->mark = 0;
    free(s);
}

static assay_status fp_abi_step(assay_session *s, const assay_step *steps, size_t n,
                                const assay_step_options *asked, assay_error *err)
{
    assay_step_options options;
    fp_session *own = session_of(s);
    assay_status rc = assay_options_read(&options, sizeof options, asked, "step options", err);
    if (rc == ASSAY_OK) rc = check_reserved(options.reserved, "step options", err);
    if (rc != ASSAY_OK) return rc;
    return fp_steps_run(&s->steps, own, steps, n, options.padded_width, &s->tracer, err);
}

static assay_status fp_abi_join(assay_session *s, size_t *sample, assay_error *err)
{
    return fp_session_join(session_of(s), sample, err);
}

static assay_status fp_abi_leave(assay_session *s, size_t sample, assay_error *err)
{
    return fp_session_leave(session_of(s), sample, err);
}

static assay_status fp_abi_rewind(assay_session *s, size_t sample, size_t n_tokens, assay_error *err)
{
    return fp_session_rewind(session_of(s), sample, n_tokens, err);
}

static assay_status fp_abi_fork(const assay_session *from, size_t sample, assay_session *into, size_t *forked,
                                assay_error *err)
{
    return fp_session_fork(session_of(from), sample, session_of(into), forked, err);
}

static assay_status fp_abi_tap(assay_session *s, const assay_tap *asked, assay_error *err)
{
    assay_tap tap = {0};
    (void)session_of(s);
    if (asked) {
        assay_status rc = assay_options_read(&tap, sizeof tap, asked, "tap", err);
        if (rc == ASSAY_OK) rc = check_reserved(tap.reserved, "tap", err);
        if (rc != ASSAY_OK) return rc;
        if (tap.n_names > 0 && !tap.names) return assay_fail(err, ASSAY_EINVAL, "tap: names is NULL");
    }
    s->tracer = (fp_tracer){.fn = tap.fn, .context = tap.context, .names = tap.names, .n_names = tap.n_names};
    return ASSAY_OK;
}

static assay_status fp_abi_positions(const assay_model *m, const assay_step *step, int32_t *out,
                                     int32_t *delta, assay_error *err)
{
    return fp_steps_positions(model_of(m)->plan, step, out, delta, err);
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

const assay_engine *assay_engine_v2(void);

const assay_engine *assay_engine_v2(void)
{
    static const assay_engine ENGINE = {
        .abi = ASSAY_ENGINE_ABI,
        .size = sizeof(assay_engine),
        .name = "fastpath",
        .version = PACKAGE_VERSION,
        .logits_dtype = ASSAY_F32,
        .taps_can_write = true,
        .model_open = fp_abi_model_open,
        .model_free = fp_abi_model_free,
        .model_vocab = fp_abi_model_vocab,
        .session_open = fp_abi_session_open,
        .session_free = fp_abi_session_free,
        .step = fp_abi_step,
        .model_stop_ids = fp_abi_model_stop_ids,
        .model_arrays = fp_abi_model_arrays,
        .join = fp_abi_join,
        .leave = fp_abi_leave,
        .rewind = fp_abi_rewind,
        .fork = fp_abi_fork,
        .tap = fp_abi_tap,
        .positions = fp_abi_positions,
        .rope = fp_abi_rope,
        .compute_types = FORMAT_COMPUTES,
        .cache_types = FP_CACHE_TYPES,
        .model_note = fp_abi_model_note,
    };
    return &ENGINE;
}

const assay_streams *assay_streams_v1(void);

const assay_streams *assay_streams_v1(void)
{
    return &stream_table;
}
