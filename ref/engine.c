/* The reference engine's table of functions.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cblas.h>
#include <stdlib.h>
#include <string.h>

#include <assay/engine.h>
#include <assay/stream.h>

#include "base/error.h"
#include "config.h"
#include "model/checkpoint/rope_request.h"
#include "model/loader.h"
#include "model/plan/feature.h"
#include "ref/ops.h"
#include "ref/session.h"
#include "ref/step.h"
#include "runtime/stream_table.h"

struct assay_model {
    plan *plan;
};

/* The features that this engine does not implement: none at present. */
static const plan_feature_set LACKED = {{false}};

static assay_status ref_model_open(const char *dir, const assay_model_options *given, assay_model **out,
                                   assay_error *err)
{
    assay_model_options options;
    assay_status rc = assay_options_read(&options, sizeof options, given, "assay_model_options", err);
    if (rc != ASSAY_OK) return rc;
    if (options.compute != ASSAY_DTYPE_NONE || options.compute_name || options.cache_name)
        return assay_fail(err, ASSAY_EUNSUPPORTED, "%s: it offers no choice of the type that it computes in",
                          REF_NAME);
    if (options.kernels)
        return assay_fail(err, ASSAY_EUNSUPPORTED, "%s: it takes no kernels from outside", REF_NAME);
    openblas_set_num_threads(1); /* results must not depend on the number of threads */
    assay_model *m = calloc(1, sizeof *m);
    if (!m) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
    rc = plan_open_allowing(dir, options.allow_unknown, &m->plan, err);
    if (rc == ASSAY_OK) rc = plan_check_features(m->plan, &LACKED, REF_NAME, err);
    if (rc == ASSAY_OK) {
        *out = m;
        return ASSAY_OK;
    }
    plan_free(m->plan);
    free(m);
    return rc;
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

static assay_status ref_model_session_open(assay_model *m, const assay_session_options *options,
                                           assay_session **out, assay_error *err)
{
    return ref_session_open(m->plan, options, out, err);
}

static assay_status ref_model_positions(const assay_model *m, const assay_step *step, int32_t *out,
                                        int32_t *delta, assay_error *err)
{
    return ref_step_positions(m->plan, step, out, delta, err);
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

const assay_engine *assay_engine_v2(void);

const assay_engine *assay_engine_v2(void)
{
    static const assay_engine ENGINE = {
        .abi = ASSAY_ENGINE_ABI,
        .size = sizeof(assay_engine),
        .name = REF_NAME,
        .version = PACKAGE_VERSION,
        .logits_dtype = REF_DTYPE,
        .taps_can_write = true,
        .model_open = ref_model_open,
        .model_free = ref_model_free,
        .model_vocab = ref_model_vocab,
        .session_open = ref_model_session_open,
        .session_free = ref_session_free,
        .step = ref_session_step,
        .model_stop_ids = ref_model_stop_ids,
        .model_arrays = ref_model_arrays,
        .join = ref_session_join,
        .leave = ref_session_leave,
        .rewind = ref_session_rewind,
        .fork = ref_session_fork,
        .tap = ref_session_tap,
        .positions = ref_model_positions,
        .rope = ref_rope_request,
    };
    return &ENGINE;
}

const assay_streams *assay_streams_v1(void);

const assay_streams *assay_streams_v1(void)
{
    return &stream_table;
}
