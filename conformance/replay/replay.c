/* SPDX-License-Identifier: Apache-2.0 */

#include "conformance/replay/replay.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/error.h"
#include "conformance/abi/cache_limit.h"
#include "conformance/abi/compute.h"
#include "conformance/abi/kernels.h"
#include "conformance/case/prompt.h"
#include "conformance/judge/token.h"
#include "conformance/process/isolate.h"
#include "conformance/replay/last.h"
#include "conformance/replay/session.h"
#include "conformance/replay/state.h"
#include "conformance/replay/trace.h"
#include "model/checkpoint/stop.h"

/* The row index in logits [S, T, V] of position `pos` of a sample. */
static size_t prefill_row(const conf_replay *r, size_t sample, size_t pos)
{
    size_t length = conf_prompt_length(&r->c->decoder, sample);
    return (r->batch.row[sample] + 1) * r->batch.n_tokens - length + pos;
}

/* Copies the rows of prefill that the case has to `row`; returns the end of the copy. Does nothing if
 * `row` is NULL. */
static double *copy_prefill(const conf_replay *r, const void *prefill, double *row)
{
    const conf_rows *rows = &r->c->decoder.rows;
    for (size_t i = 0; row && i < rows->n_rows && !rows->place[i].decode; i++, row += r->vocab)
        conf_replay_row(r, row, prefill, prefill_row(r, rows->place[i].sample, rows->place[i].pos));
    return row;
}

/* Prefill and the forced continuation, into r->rows. */
static bool replay_forced(conf_replay *r, assay_session *session, void *prefill, void *step, int32_t *tokens)
{
    const conf_decoder *d = &r->c->decoder;
    r->verdict->stage = CONF_STAGE_PREFILL;
    if (!conf_replay_prefill(r, session, r->engine->prefill, prefill)) return false;
    double *row = copy_prefill(r, prefill, r->rows);
    r->verdict->stage = CONF_STAGE_DECODE;
    for (size_t n = 0; row && n < d->n_decode; n++) {
        conf_replay_force(r, n, tokens);
        if (!conf_replay_step(r, session, tokens, step)) return false;
        for (size_t b = 0; b < d->n_samples; b++)
            conf_replay_row(r, row + (b * d->n_decode + n) * r->vocab, step, r->batch.row[b]);
    }
    return true;
}

size_t conf_greedy_steps(const conf_replay *r, size_t b, size_t *n_golden)
{
    const conf_decoder *d = &r->c->decoder;
    const int32_t *row = (const int32_t *)d->greedy.data + b * d->n_greedy;
    size_t n = 0;
    while (n < d->n_greedy && row[n] >= 0) n++;
    *n_golden = n;
    bool holds_stop = n > 0 && conf_is_stop(row[n - 1], r->stop_ids, r->n_stop_ids);
    return n + (d->stops[b] && !holds_stop);
}

/* Sets the tokens [S] to force before step k > 0: the expected ones of step k - 1, -1 for samples that
 * have no step k. False if no sample has one. */
static bool next_tokens(const conf_replay *r, size_t k, int32_t *tokens)
{
    const conf_decoder *d = &r->c->decoder;
    bool any = false;
    conf_arrangement_clear_tokens(&r->batch, tokens);
    for (size_t b = 0; b < d->n_samples; b++) {
        size_t n_golden, n = conf_greedy_steps(r, b, &n_golden);
        if (k >= n) continue;
        tokens[r->batch.row[b]] = ((const int32_t *)d->greedy.data)[b * d->n_greedy + k - 1];
        any = true;
    }
    return any;
}

/* Greedy generation, into r->greedy. The same session is prefilled again, into r->again: the second
 * prefill must discard the state of the first. */
static bool replay_greedy(conf_replay *r, assay_session *session, void *prefill, void *step, int32_t *tokens)
{
    const conf_decoder *d = &r->c->decoder;
    r->verdict->stage = CONF_STAGE_GENERATE;
    conf_nan_refill(r->engine, prefill, r->batch.n_rows * r->batch.n_tokens * r->vocab);
    if (!conf_replay_prefill(r, session, r->engine->prefill, prefill)) return false;
    (void)copy_prefill(r, prefill, r->again);
    size_t stride = (d->n_greedy + 1) * r->vocab;
    for (size_t b = 0; b < d->n_samples; b++)
        conf_replay_row(r, r->greedy + b * stride, prefill, (r->batch.row[b] + 1) * r->batch.n_tokens - 1);
    for (size_t k = 1; next_tokens(r, k, tokens); k++) {
        if (!conf_replay_step(r, session, tokens, step)) return false;
        for (size_t b = 0; b < d->n_samples; b++)
            if (tokens[r->batch.row[b]] >= 0)
                conf_replay_row(r, r->greedy + b * stride + k * r->vocab, step, r->batch.row[b]);
    }
    return true;
}

/* Sets r->stop_ids from the engine's model_stop_ids or, without it, from the checkpoint's documents. */
static bool read_stops(conf_replay *r)
{
    stop_set *set = NULL;
    size_t n = 0;
    const int32_t *ids;
    if (r->engine->model_stop_ids) {
        ids = r->engine->model_stop_ids(r->model, &n);
    } else {
        assay_error err = {0};
        if (stop_set_read(r->c->model, &set, &err) != ASSAY_OK) {
            conf_verdict_set(r->verdict, CONF_BROKEN, "%s", err.text);
            return false;
        }
        ids = stop_set_ids(set, &n);
    }
    r->stop_ids = calloc(n + 1, sizeof *r->stop_ids);
    if (r->stop_ids && ids) memcpy(r->stop_ids, ids, n * sizeof *ids);
    r->n_stop_ids = ids ? n : 0;
    stop_set_free(set);
    return r->stop_ids ? true : conf_replay_no_memory(r);
}

static int32_t largest_token(const conf_array *a)
{
    int32_t largest = -1;
    for (size_t i = 0; a->data && i < a->n; i++)
        if (((const int32_t *)a->data)[i] > largest) largest = ((const int32_t *)a->data)[i];
    return largest;
}

/* Sets r->vocab and checks it first: nothing can be compared if the vocabularies differ. */
static bool check_vocab(conf_replay *r)
{
    const conf_decoder *d = &r->c->decoder;
    r->vocab = r->engine->model_vocab(r->model);
    if (d->has_truth && r->vocab != d->rows.n_cols) {
        conf_verdict_fail(r->verdict, CONF_CLASS_SHAPE,
                          "the engine's vocabulary has %zu ids, the recorded one %zu", r->vocab,
                          d->rows.n_cols);
        return false;
    }
    int32_t largest = largest_token(&d->greedy);
    if (r->vocab == 0 || (largest >= 0 && (size_t)largest >= r->vocab)) {
        conf_verdict_fail(r->verdict, CONF_CLASS_SHAPE,
                          "the engine's vocabulary has %zu ids, and the recorded tokens hold %" PRId32,
                          r->vocab, largest);
        return false;
    }
    size_t most = CONF_H5_DATASET_BYTES_MAX / sizeof(double) / r->vocab / r->batch.n_rows;
    if (r->batch.n_tokens <= most && d->n_greedy < most) return true;
    conf_verdict_set(r->verdict, CONF_BROKEN, "%s: logits of %zu samples of %zu tokens are too large",
                     r->c->path, r->batch.n_rows, r->batch.n_tokens);
    return false;
}

static bool replay_session(conf_replay *r, assay_session *session)
{
    const conf_decoder *d = &r->c->decoder;
    void *prefill = conf_nan_alloc(r->engine, r->batch.n_rows * r->batch.n_tokens * r->vocab);
    void *step = conf_nan_alloc(r->engine, r->batch.n_rows * r->vocab);
    int32_t *tokens = calloc(r->batch.n_rows, sizeof *tokens);
    if (d->has_truth) r->rows = calloc(d->rows.n_rows * r->vocab, sizeof *r->rows);
    bool twice = d->has_truth && d->n_greedy;
    if (twice) r->again = calloc(d->rows.n_rows * r->vocab, sizeof *r->again);
    r->greedy = calloc(d->n_samples * (d->n_greedy + 1) * r->vocab, sizeof *r->greedy);
    bool ok = prefill && step && tokens && (r->rows || !d->has_truth) && (r->again || !twice) && r->greedy;
    if (!ok) (void)conf_replay_no_memory(r);
    for (size_t i = 0; ok && i < d->n_samples * (d->n_greedy + 1) * r->vocab; i++) r->greedy[i] = (double)NAN;
    if (ok && d->has_truth) ok = replay_forced(r, session, prefill, step, tokens);
    if (ok && d->n_greedy) ok = replay_greedy(r, session, prefill, step, tokens);
    if (ok) ok = conf_replay_last(r, session, prefill, step, tokens);
    free(prefill);
    free(step);
    free(tokens);
    return ok;
}

static bool open_session(conf_replay *r, assay_session **session)
{
    assay_error err = {0};
    r->verdict->stage = CONF_STAGE_SESSION_OPEN;
    assay_status rc = conf_cache_limit_open(r->engine, r->model, r->c->decoder.caches, session, &err);
    return rc == ASSAY_OK ? true : conf_replay_refused(r, rc, &err);
}

static void close_session(const conf_replay *r, assay_session *session)
{
    conf_stage reached = r->verdict->stage;
    r->verdict->stage = CONF_STAGE_CLOSE;
    r->engine->session_free(session);
    r->verdict->stage = reached;
}

/* A prefill for the traced tensors, in a separate session: an engine may take another code path while
 * it is traced, sample by sample or without fused kernels, but the judged logits must come from the
 * path without traces. */
static bool replay_traced(conf_replay *r)
{
    assay_session *session = NULL;
    if (!r->engine->session_trace) return true;
    if (!open_session(r, &session)) return false;
    void *prefill = conf_nan_alloc(r->engine, r->batch.n_rows * r->batch.n_tokens * r->vocab);
    r->seen = calloc(r->c->decoder.n_traces + 1, sizeof *r->seen);
    bool ok = prefill && r->seen ? true : conf_replay_no_memory(r);
    if (ok) {
        r->verdict->stage = CONF_STAGE_TRACED_PREFILL;
        conf_trace_enable(r, session);
        ok = conf_replay_prefill(r, session, r->engine->prefill, prefill);
    }
    free(prefill);
    close_session(r, session);
    return ok;
}

/* Makes r->batch; the arrangement of a drawn batch is added to the notes of the verdict. */
static bool arrange_batch(conf_replay *r)
{
    assay_error err = {0};
    if (conf_arrange(r->c, r->seed, &r->batch, &err) != ASSAY_OK) return conf_replay_no_memory(r);
    if (!r->seed) return true;
    char text[256];
    conf_arrangement_print(&r->batch, &r->c->decoder, text, sizeof text);
    conf_verdict_note(r->verdict, "seed %" PRIu64 ": %s", *r->seed, text);
    return true;
}

bool conf_replay_decoder(conf_replay *r)
{
    assay_error err = {0};
    if (!arrange_batch(r)) return false;
    r->verdict->stage = CONF_STAGE_MODEL_OPEN;
    const assay_model_options options = {
        .compute = r->verdict->compute, .kernels = r->kernels, .allow_unknown = r->c->allow_unknown};
    assay_status rc = conf_compute_open(r->engine, &options, r->c->model, &r->model, &err);
    if (rc != ASSAY_OK) return conf_replay_refused(r, rc, &err);
    assay_session *session = NULL;
    bool ok = check_vocab(r) && (r->c->decoder.n_greedy == 0 || read_stops(r)) && replay_traced(r) &&
              open_session(r, &session) && replay_session(r, session);
    close_session(r, session);
    conf_stage reached = r->verdict->stage;
    r->verdict->stage = CONF_STAGE_CLOSE;
    r->engine->model_free(r->model);
    r->verdict->stage = reached;
    return ok;
}

void conf_replay_free(conf_replay *r)
{
    for (size_t i = 0; i < r->n_seen; i++) conf_array_free(&r->seen[i].value);
    free(r->seen);
    free(r->rows);
    free(r->again);
    free(r->greedy);
    free(r->stop_ids);
    conf_arrangement_free(&r->batch);
}
