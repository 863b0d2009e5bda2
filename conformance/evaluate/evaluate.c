/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/evaluate/evaluate.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "conformance/abi/compute.h"
#include "conformance/abi/engine.h"
#include "conformance/abi/kernels.h"
#include "conformance/abi/serving.h"
#include "conformance/case/case.h"
#include "conformance/case/rows.h"
#include "conformance/evaluate/checkpoint.h"
#include "conformance/evaluate/parts.h"
#include "conformance/evaluate/vectors.h"
#include "conformance/kinds/kinds.h"
#include "conformance/kinds/read.h"
#include "conformance/replay/dump.h"

bool conf_evaluate_fail(conf_verdict *v, conf_class class, const char *format, ...)
{
    char reason[CONF_TEXT_MAX];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    if (v->outcome == CONF_FAILED) {
        conf_verdict_note(v, "also %s", reason);
        return false;
    }
    conf_verdict_fail(v, class, "%s", reason);
    return true;
}

conf_bounds conf_evaluate_bounds(const conf_replay *r)
{
    const conf_rows *rows = &r->c->decoder.rows;
    if (!r->c->decoder.has_truth)
        return (conf_bounds){.limit = r->verdict->float64 ? 1 : CONF_NOISE_MULTIPLE};
    return r->verdict->float64
               ? conf_bounds_float64(rows->truth, rows->n_rows, rows->n_cols, r->c->float64_bound)
               : conf_bounds_float32(rows->truth, conf_rows_noise(rows, r->verdict->compute), rows->n_rows,
                                     rows->n_cols);
}

/* How the broken rule reads: by how much, and of what. */
static void fail_logits(conf_verdict *v, const conf_bounds *b, const conf_logits_judgement *j,
                        const conf_allowance *allowance)
{
    if (j->rule == CONF_RULE_MASK) {
        (void)conf_evaluate_fail(v, CONF_CLASS_MASK,
                                 "NaN or infinity where the truth has none, or the other way round");
        return;
    }
    double times = j->multiple / b->limit;
    double unit = j->rule == CONF_RULE_RMSE ? b->rmse : j->rule == CONF_RULE_KL ? b->kl : b->max_abs;
    if (v->float64)
        (void)conf_evaluate_fail(v, CONF_CLASS_LOGITS,
                                 "%s of the logits is %.3g times its bound (%.3g, %.0e of the largest logit)",
                                 conf_rule_name(j->rule), times, unit, allowance->relative);
    else
        (void)conf_evaluate_fail(v, CONF_CLASS_LOGITS,
                                 "%s of the logits is %.3g times its bound (%.3g, %.0f times %s)",
                                 conf_rule_name(j->rule), times, unit * b->limit, b->limit, allowance->unit);
}

bool conf_evaluate_measures(conf_verdict *v, const conf_logits_judgement *j, const conf_bounds *bounds,
                            size_t n_rows, const conf_allowance *allowance)
{
    v->measured = true;
    v->multiple = j->multiple;
    conf_verdict_note(
        v,
        "largest error %.3g, RMSE %.3g, KL %.3g (%.3g, %.3g, %.3g x), best token the same in %zu of %zu rows",
        j->worst.max_abs, j->worst.rmse, j->worst.kl, j->worst.max_abs / bounds->max_abs,
        j->worst.rmse / bounds->rmse, j->worst.kl / bounds->kl, j->n_top1, n_rows);
    if (j->rule == CONF_RULE_NONE) return true;
    fail_logits(v, bounds, j, allowance);
    return false;
}

void conf_evaluate_where(conf_verdict *v, const conf_place *p, size_t col, double expected, double found)
{
    (void)snprintf(v->where, sizeof v->where, "sample %zu, %s, %s %zu, id %zu: expected %.*g, found %.*g",
                   p->sample, p->decode ? "decode" : "prefill", p->decode ? "step" : "position", p->pos, col,
                   CONF_DIGITS(v), expected, CONF_DIGITS(v), found);
}

void conf_evaluate_logits(const conf_replay *r, const conf_bounds *bounds)
{
    const conf_rows *rows = &r->c->decoder.rows;
    conf_verdict *v = r->verdict;
    conf_logits_judgement j = conf_judge_logits(rows->truth, r->rows, rows->n_rows, rows->n_cols, bounds);
    const conf_allowance allowance = {.relative = r->c->float64_bound, .unit = conf_compute_unit(v->compute)};
    if (conf_evaluate_measures(v, &j, bounds, rows->n_rows, &allowance)) return;
    size_t at = j.row * rows->n_cols + j.col;
    conf_evaluate_where(v, &rows->place[j.row], j.col, rows->truth[at], r->rows[at]);
}

size_t conf_rows_of_prefill(const conf_decoder *d)
{
    return d->rows.n_rows - d->n_samples * d->n_decode;
}

void conf_evaluate_again(const conf_replay *r, const conf_bounds *bounds)
{
    const conf_rows *rows = &r->c->decoder.rows;
    conf_verdict *v = r->verdict;
    if (!r->again || v->outcome == CONF_FAILED) return;
    conf_logits_judgement j =
        conf_judge_logits(rows->truth, r->again, conf_rows_of_prefill(&r->c->decoder), rows->n_cols, bounds);
    if (j.multiple > v->multiple) v->multiple = j.multiple;
    if (j.rule == CONF_RULE_NONE) return;
    conf_class class = j.rule == CONF_RULE_MASK ? CONF_CLASS_MASK : CONF_CLASS_LOGITS;
    (void)conf_evaluate_fail(v, class,
                             "prefilled again, what the session held before is not gone: %s of the logits is "
                             "%.3g times its bound",
                             conf_rule_name(j.rule), j.multiple / bounds->limit);
    size_t at = j.row * rows->n_cols + j.col;
    conf_evaluate_where(v, &rows->place[j.row], j.col, rows->truth[at], r->again[at]);
}

void conf_evaluate_last(const conf_replay *r)
{
    conf_verdict *v = r->verdict;
    if (!r->contradiction[0]) return;
    if (conf_evaluate_fail(v, CONF_CLASS_INCONSISTENT, "prefill_last contradicts prefill"))
        (void)snprintf(v->where, sizeof v->where, "%s", r->contradiction);
}

/* False where the observation cannot be written: then the verdict says so, for nothing else would. */
static bool dump(const conf_replay *r, const char *path)
{
    assay_error err = {0};
    if (!path || conf_dump_write(path, r, &err) == ASSAY_OK) return true;
    conf_verdict_set(r->verdict, CONF_BROKEN, "%s", err.text);
    return false;
}

static void evaluate_decoder(conf_replay *r, const char *dump_path)
{
    if (!conf_replay_decoder(r) || !dump(r, dump_path)) return;
    r->verdict->stage = CONF_STAGE_JUDGE;
    conf_bounds bounds = conf_evaluate_bounds(r);
    if (r->rows) conf_evaluate_logits(r, &bounds);
    if (r->c->decoder.n_greedy) conf_evaluate_tokens(r, &bounds);
    conf_evaluate_again(r, &bounds);
    conf_evaluate_traces(r);
    conf_evaluate_last(r);
}

static void evaluate_rope(conf_replay *r)
{
    conf_rope_answer answer;
    if (!conf_replay_rope(r, &answer)) return;
    r->verdict->stage = CONF_STAGE_JUDGE;
    conf_evaluate_rope(r, &answer);
    conf_rope_answer_free(&answer);
}

const assay_engine *conf_evaluate_load(const char *engine, assay_dtype compute, conf_verdict *v)
{
    const assay_engine *e;
    assay_error err = {0};
    v->stage = CONF_STAGE_LOAD;
    if (conf_engine_open(engine, &e, &err) != ASSAY_OK) {
        conf_verdict_set(v, CONF_BROKEN, "%s", err.text);
        return NULL;
    }
    if (compute != ASSAY_DTYPE_NONE && !e->model_open_with) {
        conf_verdict_set(v, CONF_SKIPPED, "%s", conf_compute_refusal);
        return NULL;
    }
    v->compute = compute;
    v->float64 = compute == ASSAY_DTYPE_NONE && e->logits_dtype == ASSAY_F64;
    return e;
}

bool conf_evaluate_bounded(const conf_bounds *bounds, double max_abs, assay_dtype compute, conf_verdict *v)
{
    if (!conf_compute_is_narrow(compute) || conf_bounds_refuse_zeros(bounds, max_abs)) return true;
    conf_verdict_set(
        v, CONF_SKIPPED,
        "the run in %s is a quarter of the largest logit or more away from the truth: within %.0f "
        "times that noise logits of zero would pass",
        conf_compute_run(compute), bounds->limit);
    return false;
}

static bool has_bounds(const conf_rows *rows, assay_dtype compute, conf_verdict *v)
{
    const conf_bounds bounds =
        conf_bounds_float32(rows->truth, conf_rows_noise(rows, compute), rows->n_rows, rows->n_cols);
    return conf_evaluate_bounded(&bounds, conf_max_abs(rows->truth, rows->n_rows * rows->n_cols), compute, v);
}

bool conf_evaluate_judgeable(const conf_case *c, assay_dtype compute, conf_verdict *v)
{
    bool narrow = conf_compute_is_narrow(compute);
    if (narrow && conf_kind_of(c->kind)->textual)
        conf_verdict_set(v, CONF_SKIPPED, "a textual case has no products: nothing of it is computed in %s",
                         conf_compute_run(compute));
    else if (narrow && c->kind == CONF_ROPE)
        conf_verdict_set(v, CONF_SKIPPED, "a rope has no products: nothing of it is computed in %s",
                         conf_compute_run(compute));
    else if (narrow && !conf_rows_noise(&c->decoder.rows, compute))
        conf_verdict_set(v, CONF_SKIPPED, "no run in %s is recorded to judge it by",
                         conf_compute_run(compute));
    return v->outcome == CONF_PASSED && (!narrow || has_bounds(&c->decoder.rows, compute, v));
}

bool conf_evaluate_kernels(const char *library, const assay_engine *engine, const assay_kernels **out,
                           conf_verdict *v)
{
    assay_error err = {0};
    if (!library) return true;
    if (!engine->model_open_with) conf_verdict_set(v, CONF_SKIPPED, "%s", conf_kernels_refusal);
    else if (conf_kernels_open(library, out, &err) != ASSAY_OK)
        conf_verdict_set(v, CONF_BROKEN, "%s", err.text);
    return v->outcome == CONF_PASSED;
}

static void replay(const conf_assignment *assignment, const assay_engine *engine, const conf_case *c,
                   conf_verdict *v)
{
    const assay_kernels *kernels = NULL;
    if (!conf_evaluate_kernels(assignment->kernels, engine, &kernels, v) || !c) return;
    if (kernels && c->kind == CONF_ROPE) {
        conf_verdict_set(v, CONF_SKIPPED, "a rope by itself belongs to no model: kernels have no part in it");
        return;
    }
    if (conf_kind_of(c->kind)->textual) {
        if (kernels) conf_verdict_set(v, CONF_SKIPPED, "kernels have no part in a textual case");
        else conf_evaluate_vectors(assignment, c, v);
        return;
    }
    conf_replay r = {.engine = engine, .kernels = kernels, .c = c, .seed = assignment->seed, .verdict = v};
    if (c->kind == CONF_ROPE) evaluate_rope(&r);
    else evaluate_decoder(&r, assignment->dump);
    conf_replay_free(&r);
}

/* Reads the case; NULL where the verdict is set instead, because nothing can be replayed. */
static conf_case *read_case(const conf_assignment *assignment, conf_verdict *v)
{
    conf_case *c = NULL;
    assay_error err = {0};
    v->stage = CONF_STAGE_READ;
    if (conf_case_read(assignment->path, &c, &err) != ASSAY_OK) {
        conf_verdict_set(v, CONF_BROKEN, "%s", err.text);
        return NULL;
    }
    c->allow_unknown = assignment->allow_unknown;
    conf_verdict_list_unknown(v, c->unknown.at, c->unknown.n);
    v->beside = conf_kind_of(c->kind)->beside;
    const char *refusal = conf_kind_of(c->kind)->refusal;
    if (refusal && c->kind == CONF_OBSERVATION) conf_verdict_set(v, CONF_BROKEN, "%s: %s", c->path, refusal);
    else if (refusal) conf_verdict_set(v, CONF_SKIPPED, "%s", refusal);
    else if (assignment->vector && !conf_kind_of(c->kind)->textual)
        conf_verdict_set(v, CONF_SKIPPED, "it has no vectors");
    else if (conf_evaluate_judgeable(c, assignment->compute, v)) {
        v->checkpoint = conf_checkpoint_check(c);
        return c;
    }
    conf_case_free(c);
    return NULL;
}

/* A server's own library, without an engine. */
static void serve(const conf_assignment *assignment, const conf_case *c, conf_verdict *v)
{
    if (assignment->kernels) conf_verdict_set(v, CONF_SKIPPED, "%s", conf_kernels_refusal);
    else if (assignment->compute != ASSAY_DTYPE_NONE)
        conf_verdict_set(v, CONF_SKIPPED, "%s", conf_compute_refusal);
    else if (c && conf_kind_of(c->kind)->textual) conf_evaluate_vectors(assignment, c, v);
    else if (c)
        conf_verdict_set(v, CONF_SKIPPED, "it has no engine: it does not export %s", ASSAY_ENGINE_SYMBOL);
}

void conf_evaluate(const conf_assignment *assignment, conf_verdict *v)
{
    conf_case *c = assignment->path ? read_case(assignment, v) : NULL;
    if (assignment->path && !c) return;
    v->stage = CONF_STAGE_LOAD;
    if (conf_serving_stands_alone(assignment->engine)) {
        serve(assignment, c, v);
    } else {
        const assay_engine *engine = conf_evaluate_load(assignment->engine, assignment->compute, v);
        if (engine) replay(assignment, engine, c, v);
    }
    conf_case_free(c);
}
