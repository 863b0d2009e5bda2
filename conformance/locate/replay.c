/* Replays that distinguish errors of batch, padding and state.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/locate/replay.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/case/members.h"
#include "conformance/case/prompt.h"
#include "conformance/case/row_list.h"
#include "conformance/evaluate/checkpoint.h"
#include "conformance/evaluate/failing.h"
#include "conformance/evaluate/load.h"
#include "conformance/evaluate/logits.h"
#include "conformance/evaluate/sequence.h"
#include "conformance/evaluate/tokens.h"
#include "conformance/hdf5/text.h"
#include "conformance/kinds/read.h"
#include "conformance/locate/location.h"
#include "conformance/replay/replay.h"
#include "conformance/replay/state.h"
#include "conformance/support/clock.h"

/* Copies the rows of one part from an array of the observation: of prefill [B, T, V], or [R, V] if the case
 * lists its rows; of decode [B, N, V]. */
static assay_status read_part(const conf_h5 *file, const conf_decoder *d, bool decode, conf_observed *o,
                              assay_error *err)
{
    const char *name = decode ? "/observed/decode" : "/observed/prefill";
    const size_t n_cols = d->rows.n_cols;
    size_t shape[3] = {d->n_samples, d->n_decode, n_cols};
    const size_t rank = decode ? 3 : conf_prefill_shape(d, n_cols, shape);
    conf_array a;
    conf_signature stored;
    assay_status rc = conf_h5_signature(file, name, &stored, err);
    if (rc == ASSAY_OK) rc = conf_array_read_wide(file, name, rank, shape, &a, err);
    if (rc != ASSAY_OK) return rc;
    o->float64 = stored.dtype == ASSAY_F64;
    for (size_t i = 0; i < d->rows.n_rows; i++) {
        if (d->rows.place[i].decode != decode) continue;
        memcpy(o->rows + i * n_cols, (const double *)a.data + conf_row_in_file(d, i) * n_cols,
               n_cols * sizeof *o->rows);
    }
    conf_array_free(&a);
    return ASSAY_OK;
}

assay_status conf_observed_read(const conf_h5 *file, const conf_case *c, conf_observed *out, assay_error *err)
{
    const conf_decoder *d = &c->decoder;
    *out = (conf_observed){0};
    if (!d->has_truth) return ASSAY_OK;
    conf_observed o = {.has_prefill = conf_h5_has(file, "/observed/prefill"),
                       .has_decode = d->n_decode && conf_h5_has(file, "/observed/decode")};
    o.rows = calloc(d->rows.n_rows * d->rows.n_cols, sizeof *o.rows);
    if (!o.rows) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", conf_h5_path(file));
    assay_status rc = ASSAY_OK;
    if (o.has_decode) rc = read_part(file, d, true, &o, err);
    if (rc == ASSAY_OK && o.has_prefill) rc = read_part(file, d, false, &o, err);
    if (rc == ASSAY_OK) *out = o;
    else free(o.rows);
    return rc;
}

static bool is_present(const conf_place *p, const conf_observed *o)
{
    return !o || (p->decode ? o->has_decode : o->has_prefill);
}

/* Whether place a is evaluated before b: prefill sample by sample, then step by step. */
static bool is_before(const conf_place *a, const conf_place *b)
{
    if (a->decode != b->decode) return b->decode;
    if (a->decode && a->pos != b->pos) return a->pos < b->pos;
    return a->sample != b->sample ? a->sample < b->sample : a->pos < b->pos;
}

/* Finds the first of n rows, in the order of evaluation, that exceeds its bound. observed NULL: rows of
 * an engine. */
static void find_row(const conf_replay *r, const double *all, size_t n, const conf_bounds *bounds,
                     const conf_observed *observed, conf_divergence *out)
{
    const conf_rows *rows = &r->c->decoder.rows;
    const conf_place *first = NULL;
    for (size_t i = 0; i < n; i++) {
        const conf_place *p = &rows->place[i];
        if (!is_present(p, observed) || (first && !is_before(p, first))) continue;
        if (r->wanted && !r->wanted[i]) continue;
        const double *truth = rows->truth + i * rows->n_cols, *found = all + i * rows->n_cols;
        conf_logits_judgement j = conf_logits_judge(truth, found, 1, rows->n_cols, bounds);
        if (j.rule == CONF_RULE_NONE) continue;
        first = p;
        (void)snprintf(out->what, sizeof out->what,
                       "sample %zu, %s, %s %zu, id %zu: expected %.*g, found %.*g, %.3g times its bound",
                       p->sample, p->decode ? "decode" : "prefill", p->decode ? "step" : "position", p->pos,
                       j.col, CONF_DIGITS(r->verdict), truth[j.col], CONF_DIGITS(r->verdict), found[j.col],
                       j.multiple / bounds->limit);
    }
    if (!first) return;
    out->part = first->decode ? CONF_PART_DECODE : CONF_PART_PREFILL;
    out->sample = first->sample;
    out->pos = first->pos;
}

static void find_token(const conf_replay *r, const conf_bounds *bounds, conf_divergence *out)
{
    if (!conf_tokens_differ(r, bounds, &out->sample, &out->pos)) return;
    out->part = CONF_PART_GREEDY;
    (void)snprintf(out->what, sizeof out->what, "%s", r->verdict->where);
}

/* Judges the prompts' logits of a session with earlier contents. */
static void judge_reused_session(const conf_replay *r, const conf_bounds *bounds, conf_divergence *out)
{
    find_row(r, r->again, conf_rows_of_prefill(&r->c->decoder), bounds, NULL, out);
    if (out->part != CONF_PART_NONE) out->part = CONF_PART_AGAIN;
}

/* Evaluates the case in every other manner until one diverges; each has the time limit `seconds`. A manner
 * that ends early leaves its verdict. */
static void try_manners(conf_replay *r, const conf_bounds *bounds, double seconds, conf_divergence *out)
{
    char text[CONF_TEXT_MAX];
    for (conf_manner m = CONF_MANNER_WHOLE + 1; m < CONF_N_MANNERS && out->part == CONF_PART_NONE; m++) {
        const char *skipped;
        (void)snprintf(r->verdict->manner, sizeof r->verdict->manner, "%s", conf_manner_of(m)->name);
        r->verdict->until = conf_clock() + seconds;
        if (!conf_replay_manner(r, m, &skipped, text)) {
            if (r->verdict->outcome != CONF_SKIPPED) return;
            conf_verdict_set(r->verdict, CONF_PASSED, "%s", "");
            continue;
        }
        if (skipped) continue;
        find_row(r, r->rows, r->c->decoder.rows.n_rows, bounds, NULL, out);
        if (out->part != CONF_PART_NONE) out->manner = m;
    }
    r->verdict->manner[0] = '\0';
}

static void describe_divergence(const conf_case *c, conf_divergence *out)
{
    const conf_decoder *d = &c->decoder;
    if (out->part == CONF_PART_NONE) return;
    out->padded = conf_prompt_padding(d, out->sample) > 0;
    out->has_neighbours = d->n_samples > 1;
}

/* Replays a case. If the engine fails while its prompts are traced, which the walk reports, the case is
 * replayed again without a tap; *untapped becomes the engine's table. */
static bool replay_decoder(conf_replay *r, assay_engine *untapped)
{
    const conf_replay initial = *r;
    conf_verdict *v = r->verdict;
    if (conf_replay_decoder(r)) return true;
    const bool refused = v->class == CONF_CLASS_REFUSED || v->class == CONF_CLASS_MEMORY;
    if (!refused || v->stage != CONF_STAGE_TRACED_PREFILL) return false;
    conf_replay_free(r);
    *r = initial;
    *untapped = *r->engine;
    untapped->tap = NULL;
    r->engine = untapped;
    conf_verdict_set(v, CONF_PASSED, "%s", "");
    v->last_trace[0] = '\0';
    return conf_replay_decoder(r);
}

/* Names the tensors at which samples begin to diverge. */
static void find_tensors(const conf_replay_task *t, const conf_replay *r, const conf_bounds *bounds)
{
    conf_divergence *d = t->divergence;
    if (d->part == CONF_PART_NONE || !t->location->reference || !r->verdict->last_trace[0]) return;
    if (!conf_evaluate_failing(r, bounds, d->manner, t->location->reference, d->tensor)) d->tensor[0] = '\0';
}

static void replay_engine(const conf_replay_task *t, const conf_case *c, conf_verdict *v)
{
    conf_case plain = *c; /* a replay stores the tensors to compare: none here */
    plain.decoder.n_traces = 0;
    conf_replay r = {.engine = conf_evaluate_load(t->location->engine, t->location->compute, v),
                     .c = &plain,
                     .verdict = v};
    assay_engine untapped;
    if (!r.engine || !conf_evaluate_kernels(t->location->kernels, &r.kernels, v)) return;
    if (replay_decoder(&r, &untapped)) {
        v->stage = CONF_STAGE_JUDGE;
        conf_bounds bounds = conf_evaluate_bounds(&r);
        if (r.rows) find_row(&r, r.rows, plain.decoder.rows.n_rows, &bounds, NULL, t->divergence);
        if (t->divergence->part == CONF_PART_NONE && r.generated) find_token(&r, &bounds, t->divergence);
        if (t->divergence->part == CONF_PART_NONE && r.generated && r.again)
            judge_reused_session(&r, &bounds, t->divergence);
        if (t->divergence->part == CONF_PART_NONE && v->outcome == CONF_PASSED)
            try_manners(&r, &bounds, t->location->limits->seconds, t->divergence);
        find_tensors(t, &r, &bounds);
    }
    conf_replay_free(&r);
}

static assay_status judge_observed(const conf_replay_task *t, const conf_case *c, conf_verdict *v,
                                   assay_error *err)
{
    conf_h5 *file;
    conf_observed o;
    assay_status rc = conf_h5_open(t->location->observed, &file, err);
    if (rc != ASSAY_OK) return rc;
    rc = conf_observed_read(file, c, &o, err);
    conf_h5_close(file);
    if (rc != ASSAY_OK || !o.rows) return rc;
    v->compute = t->location->compute;
    v->float64 = o.float64 && v->compute == ASSAY_DTYPE_NONE;
    conf_replay r = {.c = c, .verdict = v, .rows = o.rows};
    conf_bounds bounds = conf_evaluate_bounds(&r);
    find_row(&r, r.rows, c->decoder.rows.n_rows, &bounds, &o, t->divergence);
    free(o.rows);
    return ASSAY_OK;
}

void conf_divergence_find(const void *context, conf_verdict *v)
{
    const conf_replay_task *t = context;
    conf_case *c;
    assay_error err = {0};
    v->stage = CONF_STAGE_READ;
    assay_status rc = conf_case_read_outline(t->location->path, &c, &err);
    if (rc == ASSAY_OK) c->allow_unknown = t->location->allow_unknown;
    if (rc == ASSAY_OK) {
        if (t->location->engine) v->checkpoint = conf_checkpoint_check(c);
        if (t->location->engine) replay_engine(t, c, v);
        else rc = judge_observed(t, c, v, &err);
        describe_divergence(c, t->divergence);
        conf_case_free(c);
    }
    if (rc != ASSAY_OK) conf_verdict_set(v, CONF_BROKEN, "%s", err.text);
}

/* The bounds are those of the whole case, not of the rows of the sequence. */
static void replay_sequence(const conf_replay_task *t, const conf_case *c, conf_case *own, conf_verdict *v)
{
    conf_replay whole = {.c = c, .verdict = v};
    conf_replay r = {
        .engine = conf_evaluate_load(t->location->engine, t->location->compute, v), .c = own, .verdict = v};
    if (!r.engine || !conf_evaluate_kernels(t->location->kernels, &r.kernels, v)) return;
    conf_bounds bounds = conf_evaluate_bounds(&whole);
    assay_engine untapped;
    if (replay_decoder(&r, &untapped)) {
        v->stage = CONF_STAGE_JUDGE;
        if (r.rows) conf_evaluate_logits(&r, &bounds);
        if (own->decoder.n_greedy) conf_evaluate_tokens(&r, &bounds);
    }
    conf_replay_free(&r);
}

void conf_sequence_replay(const void *context, conf_verdict *v)
{
    const conf_replay_task *t = context;
    conf_case *c, own;
    assay_error err = {0};
    v->stage = CONF_STAGE_READ;
    if (conf_case_read_outline(t->location->path, &c, &err) != ASSAY_OK) {
        conf_verdict_set(v, CONF_BROKEN, "%s", err.text);
        return;
    }
    c->allow_unknown = t->location->allow_unknown;
    if (conf_sequence_case(c, t->sequence, &own)) replay_sequence(t, c, &own, v);
    else conf_verdict_set(v, CONF_BROKEN, "%s: out of memory", t->location->path);
    conf_sequence_case_free(&own);
    conf_case_free(c);
}
