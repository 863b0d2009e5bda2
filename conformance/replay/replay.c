/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/replay/replay.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/shown.h"
#include "conformance/case/spans.h"
#include "conformance/replay/follow.h"
#include "conformance/replay/greedy.h"
#include "conformance/replay/rounds.h"
#include "conformance/replay/session.h"
#include "conformance/replay/trace.h"
#include "conformance/replay/watch.h"
#include "model/checkpoint/safetensors.h"

/* A manner is not evaluated if a stateless engine would evaluate more tokens for it. */
#define COST_MAX 11000

const char conf_replay_no_change[] = "it would change nothing";
const char conf_replay_unknown_ropes[] = "the ropes of this model are unknown";

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

/* Allocates n numbers, NaN until they are written. */
static double *alloc_nan(size_t n)
{
    double *a = calloc(n ? n : 1, sizeof *a);
    for (size_t i = 0; a && i < n; i++) a[i] = (double)NAN;
    return a;
}

static bool alloc_rows(conf_replay *r)
{
    const conf_decoder *d = &r->c->decoder;
    const size_t n = d->rows.n_rows;
    bool ok = true;
    if (d->has_truth) {
        r->rows = alloc_nan(n * r->vocab);
        r->wanted = calloc(n + 1, sizeof *r->wanted);
        r->once_more = alloc_nan(r->vocab);
        ok = r->rows && r->wanted && r->once_more;
    }
    if (ok && d->has_truth && d->n_greedy) ok = (r->again = alloc_nan(n * r->vocab)) != NULL;
    if (ok) ok = (r->greedy = alloc_nan(d->n_samples * (d->n_greedy + 1) * r->vocab)) != NULL;
    return ok ? true : conf_replay_no_memory(r);
}

/* Whether a row of logits is further from the truth than another; NaN is furthest. */
static bool is_worse(const double *row, const double *other, const double *truth, size_t n)
{
    double error = 0, least = 0;
    for (size_t v = 0; v < n; v++) {
        if (isnan(row[v])) return true;
        error = fmax(error, fabs(row[v] - truth[v]));
        least = isnan(other[v]) ? (double)INFINITY : fmax(least, fabs(other[v] - truth[v]));
    }
    return error > least;
}

/* conf_rounds_fn: stores a recorded row; of one that is evaluated several times, the worst. */
static void store_row(conf_replay *r, const conf_batch_row *row, size_t at, const void *logits)
{
    const size_t i = conf_rounds_row(r, row, at);
    if (i == SIZE_MAX) return;
    double *stored = r->rows + i * r->vocab;
    if (!r->wanted[i]) {
        conf_replay_row(r, stored, logits, 0);
        r->wanted[i] = true;
        return;
    }
    conf_replay_row(r, r->once_more, logits, 0);
    if (is_worse(r->once_more, stored, r->c->decoder.rows.truth + i * r->vocab, r->vocab))
        memcpy(stored, r->once_more, r->vocab * sizeof *stored);
}

/* Whether a recorded row was given. */
static bool has_rows(const conf_replay *r)
{
    for (size_t i = 0; r->wanted && i < r->c->decoder.rows.n_rows; i++)
        if (r->wanted[i]) return true;
    return false;
}

/* The prompts and forced tokens, then greedy generation in the same session. An engine that gives some rows,
 * and then refuses a step or a session, has these rows judged; the verdict is that of the refusal. */
static bool replay_whole(conf_replay *r)
{
    const conf_decoder *d = &r->c->decoder;
    conf_watch *watch = NULL;
    bool ok = true;
    if (d->has_truth) {
        conf_rounds *rounds = conf_rounds_plan(r, CONF_MANNER_WHOLE);
        ok = rounds && conf_rounds_run(rounds, store_row, d->n_greedy ? &watch : NULL);
        conf_rounds_free(rounds);
    }
    if (ok && d->n_greedy) ok = r->generated = conf_greedy_replay(r, watch);
    return ok || (has_rows(r) && r->verdict->outcome == CONF_SKIPPED);
}

/* The first prompt for the traced tensors, in a separate session: an engine may take another code path while
 * it is traced, sample by sample or without fused kernels, but the judged logits must come from the
 * path without traces. */
static bool replay_traced(conf_replay *r)
{
    if (!r->engine->tap) return true;
    conf_watch *watch = conf_watch_open(r, r->batch.n_rows);
    if (!watch) return false;
    r->seen = calloc(r->c->decoder.n_traces + 1, sizeof *r->seen);
    bool ok = r->seen ? true : conf_replay_no_memory(r);
    if (ok) ok = conf_trace_prompts(r, watch);
    conf_watch_free(watch);
    return ok;
}

/* Copies the inputs besides tokens to pages that the engine cannot write. */
static bool guard_inputs(conf_replay *r)
{
    r->inputs = calloc(r->items.n_tensors + 1, sizeof *r->inputs);
    if (!r->inputs) return conf_replay_no_memory(r);
    for (size_t i = 0; i < r->items.n_tensors; i++) {
        assay_tensor *t = &r->items.tensors[i];
        const size_t n_bytes = safetensors_bytes(t);
        char name[CONF_GUARD_NAME_MAX];
        (void)snprintf(name, sizeof name, "the input %.64s", t->name);
        void *data = conf_guard_take(&r->inputs[i], n_bytes, name);
        if (!data) return conf_replay_no_memory(r);
        if (n_bytes) memcpy(data, t->data, n_bytes);
        t->data = data;
        conf_guard_protect(&r->inputs[i], CONF_GUARD_READ_ONLY);
    }
    return true;
}

/* Makes r->batch; the arrangement of a drawn batch is added to the notes of the verdict. */
static bool arrange_batch(conf_replay *r)
{
    assay_error err = {0};
    if (conf_arrange(r->c, r->seed, &r->batch, &err) != ASSAY_OK) return conf_replay_no_memory(r);
    if (conf_items_divide(r->c->path, &r->c->decoder, &r->items, &err) != ASSAY_OK) {
        conf_verdict_set(r->verdict, CONF_BROKEN, "%s", err.text);
        return false;
    }
    conf_spans_find(&r->items, &r->c->decoder, &r->verdict->checkpoint.placeholders);
    if (!guard_inputs(r)) return false;
    if (!r->seed) return true;
    char text[256];
    conf_arrangement_print(&r->batch, &r->c->decoder, text, sizeof text);
    conf_verdict_note(r->verdict, "seed %" PRIu64 ": %s", *r->seed, text);
    return true;
}

static void take_remark(conf_replay *r)
{
    const char *note = r->engine->model_note ? r->engine->model_note(r->model) : NULL;
    if (!note) return;
    (void)snprintf(r->verdict->remark, sizeof r->verdict->remark, "%s", note);
    shown_clean(r->verdict->remark, sizeof r->verdict->remark);
}

bool conf_replay_decoder(conf_replay *r)
{
    assay_error err = {0};
    if (!arrange_batch(r)) return false;
    r->verdict->stage = CONF_STAGE_MODEL_OPEN;
    assay_model_options options = {
        .size = sizeof options, .kernels = r->kernels, .allow_unknown = r->c->allow_unknown};
    conf_compute_request(r->verdict->compute, r->engine, &options);
    assay_status rc = r->engine->model_open(r->c->model, &options, &r->model, &err);
    if (rc != ASSAY_OK) return conf_replay_refused(r, rc, &err);
    take_remark(r);
    return check_vocab(r) && (r->c->decoder.n_greedy == 0 || conf_greedy_read_stops(r)) && replay_traced(r) &&
           alloc_rows(r) && replay_whole(r);
}

static const char *find_obstacle(const conf_replay *r, conf_manner manner, const conf_rounds *rounds,
                                 char *text)
{
    const char *lacks = conf_manner_lacks(manner, r->engine);
    if (lacks) {
        (void)snprintf(text, CONF_TEXT_MAX, "the engine lacks %s", lacks);
        return text;
    }
    if (manner == CONF_MANNER_STOPPED && !r->verdict->last_trace[0]) return "the engine gives no tensor";
    if (!conf_rounds_differ(rounds)) return conf_replay_no_change;
    if (conf_rounds_cost(rounds) > COST_MAX) {
        (void)snprintf(text, CONF_TEXT_MAX, "it would take more than %d evaluations of tokens", COST_MAX);
        return text;
    }
    if (!conf_manner_of(manner)->divides || conf_rounds_are_divisible(rounds)) return NULL;
    return r->verdict->checkpoint.n_divisible ? "the placeholder tokens of the prompts' inputs are unknown"
                                              : conf_replay_unknown_ropes;
}

static void clear_rows(conf_replay *r)
{
    const size_t n = r->c->decoder.rows.n_rows;
    for (size_t i = 0; i < n * r->vocab; i++) r->rows[i] = (double)NAN;
    memset(r->wanted, 0, n * sizeof *r->wanted);
}

/* *divides: spans might be divided. */
static bool replay_rounds(conf_replay *r, conf_manner manner, const char **skipped, bool *divides, char *text)
{
    conf_rounds *rounds = conf_rounds_plan(r, manner);
    *divides = false;
    if (!rounds) return false;
    *skipped = find_obstacle(r, manner, rounds, text);
    *divides = conf_rounds_divide_spans(rounds);
    bool ok = true;
    if (!*skipped) {
        clear_rows(r);
        ok = conf_rounds_run(rounds, store_row, NULL);
        if (ok && !has_rows(r)) *skipped = "it asks for no recorded row";
    }
    conf_rounds_free(rounds);
    return ok;
}

bool conf_replay_manner(conf_replay *r, conf_manner manner, const char **skipped, char *text)
{
    bool divides;
    r->keeps_spans = false;
    *skipped = "no truth is recorded";
    if (!r->rows) return true;
    if (replay_rounds(r, manner, skipped, &divides, text)) return true;
    if (r->verdict->outcome != CONF_SKIPPED || !divides) return false;
    char refusal[CONF_TEXT_MAX];
    (void)snprintf(refusal, sizeof refusal, "%s", r->verdict->reason);
    conf_verdict_set(r->verdict, CONF_PASSED, "%s", "");
    r->keeps_spans = true;
    const bool ok = replay_rounds(r, manner, skipped, &divides, text);
    if (ok && *skipped) conf_verdict_set(r->verdict, CONF_SKIPPED, "%s", refusal);
    if (!ok || *skipped) return false;
    (void)snprintf(text, CONF_TEXT_MAX, "%s", refusal);
    return true;
}

bool conf_replay_followed(conf_replay *r, conf_manner manner)
{
    conf_watch *watch = NULL;
    bool ok = true;
    if (r->c->decoder.has_truth) {
        clear_rows(r);
        conf_rounds *rounds = conf_rounds_plan(r, manner);
        ok = rounds && conf_rounds_run(rounds, store_row, r->follow->generates ? &watch : NULL);
        conf_rounds_free(rounds);
    }
    return ok && (!r->follow->generates || conf_greedy_replay(r, watch));
}

void conf_replay_free(conf_replay *r)
{
    if (r->model) {
        const conf_stage reached = r->verdict->stage;
        r->verdict->stage = CONF_STAGE_CLOSE;
        r->engine->model_free(r->model);
        r->verdict->stage = reached;
    }
    for (size_t i = 0; i < r->n_seen; i++) conf_array_free(&r->seen[i].value);
    free(r->seen);
    free(r->rows);
    free(r->wanted);
    free(r->once_more);
    free(r->again);
    free(r->greedy);
    free(r->stop_ids);
    for (size_t i = 0; r->inputs && i < r->items.n_tensors; i++) conf_guard_free(&r->inputs[i]);
    free(r->inputs);
    conf_items_free(&r->items);
    conf_arrangement_free(&r->batch);
}
