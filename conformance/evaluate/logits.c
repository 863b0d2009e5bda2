/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/evaluate/logits.h"

#include <stdio.h>
#include <string.h>

#include "conformance/case/run_noise.h"
#include "conformance/evaluate/fail.h"
#include "conformance/judge/compute.h"
#include "conformance/judge/fit.h"
#include "conformance/judge/logits.h"
#include "conformance/judge/noise.h"
#include "conformance/replay/rounds.h"
#include "conformance/replay/state.h"

#define STEPS_TEXT_MAX 256

conf_bounds conf_evaluate_bounds(const conf_replay *r)
{
    const conf_rows *rows = &r->c->decoder.rows;
    if (!r->c->decoder.has_truth) return (conf_bounds){.limit = conf_noise_limit(r->verdict->float64)};
    return r->verdict->float64
               ? conf_bounds_float64(rows->truth, rows->n_rows, rows->n_cols, r->c->float64_bound)
               : conf_run_bounds(rows, r->verdict->compute);
}

/* Writes the reason: which measure exceeds its bound, and by how much. */
static void fail_logits(conf_verdict *v, const conf_bounds *b, const conf_logits_judgement *j)
{
    if (j->rule == CONF_RULE_MASK)
        (void)conf_evaluate_fail(v, CONF_CLASS_MASK,
                                 "NaN or infinity where the truth is finite, or the reverse");
    else
        (void)conf_evaluate_fail(v, CONF_CLASS_LOGITS, "%s of the logits is %.3g times its bound",
                                 conf_rule_name(j->rule), j->multiple / b->limit);
}

/* Multiples are those of the bounds, as in the reason. */
static void note_measures(conf_verdict *v, const conf_logits_judgement *j, const conf_bounds *b,
                          size_t n_rows, const conf_allowance *allowance)
{
    const conf_distance *worst = &j->worst;
    const double max_abs = b->max_abs * b->limit;
    char rule[64];
    if (v->float64) (void)snprintf(rule, sizeof rule, "%.0e of the largest logit", allowance->relative);
    else (void)snprintf(rule, sizeof rule, "%.0f times %s", b->limit, allowance->unit);
    v->measured = true;
    v->multiple = j->multiple;
    v->n_rows = n_rows;
    v->n_same_best = j->n_top1;
    conf_verdict_note(v,
                      "largest error %.3g, RMSE %.3g, KL %.3g: %.3g, %.3g, %.3g times their bounds (%.3g for "
                      "the largest error, %s), best token the same in %zu of %zu rows",
                      worst->max_abs, worst->rmse, worst->kl, worst->max_abs / max_abs,
                      worst->rmse / (b->rmse * b->limit), worst->kl / (b->kl * b->limit), max_abs, rule,
                      j->n_top1, n_rows);
}

bool conf_evaluate_measures(conf_verdict *v, const conf_logits_judgement *j, const conf_bounds *bounds,
                            size_t n_rows, const conf_allowance *allowance)
{
    note_measures(v, j, bounds, n_rows, allowance);
    if (j->rule == CONF_RULE_NONE) return true;
    fail_logits(v, bounds, j);
    return false;
}

void conf_evaluate_where(conf_verdict *v, const conf_place *p, size_t col, double expected, double found)
{
    (void)snprintf(v->where, sizeof v->where, "sample %zu, %s, %s %zu, id %zu: expected %.*g, found %.*g",
                   p->sample, p->decode ? "decode" : "prefill", p->decode ? "step" : "position", p->pos, col,
                   CONF_DIGITS(v), expected, CONF_DIGITS(v), found);
}

/* The number of rows that the engine was asked for, and gave. */
static size_t count_wanted(const conf_replay *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->c->decoder.rows.n_rows; i++) n += r->wanted[i];
    return n;
}

static conf_allowance allowance_of(const conf_replay *r)
{
    return (conf_allowance){.relative = r->c->float64_bound, .unit = conf_compute_unit(r->verdict->compute)};
}

/* Names the recorded compute type that would explain the errors. */
static void state_fit(const conf_replay *r, const conf_logits_judgement *j)
{
    const conf_rows *rows = &r->c->decoder.rows;
    const double largest = conf_max_abs(rows->truth, rows->n_rows * rows->n_cols);
    conf_fit best = {0};
    if (j->rule == CONF_RULE_MASK) return;
    for (size_t i = 0; i < rows->n_runs; i++) {
        const conf_distance noise = conf_run_noise(rows, &rows->runs[i]);
        conf_fit_consider(&best, rows->runs[i].compute, &j->worst, &noise, largest);
    }
    conf_fit_state(r->verdict, j->multiple, &best);
}

void conf_evaluate_logits(const conf_replay *r, const conf_bounds *bounds)
{
    const conf_rows *rows = &r->c->decoder.rows;
    conf_verdict *v = r->verdict;
    const bool *given = v->outcome == CONF_SKIPPED ? r->wanted : NULL;
    conf_logits_judgement j =
        conf_rows_judge(rows->truth, r->rows, given, rows->n_rows, rows->n_cols, bounds);
    const conf_allowance allowance = allowance_of(r);
    if (conf_evaluate_measures(v, &j, bounds, given ? count_wanted(r) : rows->n_rows, &allowance)) return;
    state_fit(r, &j);
    size_t at = j.row * rows->n_cols + j.col;
    conf_evaluate_where(v, &rows->place[j.row], j.col, rows->truth[at], r->rows[at]);
}

size_t conf_rows_of_prefill(const conf_decoder *d)
{
    return d->rows.n_rows - d->n_samples * d->n_decode;
}

void conf_evaluate_put_aside(conf_verdict *v, size_t n_kept, const char *what)
{
    v->notes[n_kept] = '\0';
    if (v->measured)
        conf_verdict_note(v, "%s it agrees: %.3g times its bound", what,
                          v->multiple / conf_noise_limit(v->float64));
    v->measured = false;
    v->multiple = 0;
    v->n_rows = v->n_same_best = 0;
}

/* Fails for a further evaluation of the case. all: like the case's rows, of which n_rows were judged; what:
 * what was different, for the message. */
static void fail_further(const conf_replay *r, const conf_bounds *bounds, const conf_logits_judgement *j,
                         const double *all, size_t n_rows, const char *what)
{
    const conf_rows *rows = &r->c->decoder.rows;
    conf_verdict *v = r->verdict;
    char before[CONF_NOTES_MAX];
    (void)snprintf(before, sizeof before, "%s", v->notes);
    v->notes[0] = '\0';
    const conf_allowance allowance = allowance_of(r);
    note_measures(v, j, bounds, n_rows, &allowance);
    if (before[0]) conf_verdict_note(v, "%s", before);
    if (j->rule == CONF_RULE_MASK)
        (void)conf_evaluate_fail(v, CONF_CLASS_MASK, "%s: NaN or infinity where the truth is finite", what);
    else
        (void)conf_evaluate_fail(v, CONF_CLASS_LOGITS, "%s: %s of the logits is %.3g times its bound", what,
                                 conf_rule_name(j->rule), j->multiple / bounds->limit);
    state_fit(r, j);
    const size_t at = j->row * rows->n_cols + j->col;
    conf_evaluate_where(v, &rows->place[j->row], j->col, rows->truth[at], all[at]);
}

void conf_evaluate_again(const conf_replay *r, const conf_bounds *bounds, size_t n_kept)
{
    const conf_rows *rows = &r->c->decoder.rows;
    const size_t n_rows = conf_rows_of_prefill(&r->c->decoder);
    conf_verdict *v = r->verdict;
    if (!r->again || v->outcome == CONF_FAILED) return;
    const conf_logits_judgement j = conf_logits_judge(rows->truth, r->again, n_rows, rows->n_cols, bounds);
    if (j.rule == CONF_RULE_NONE) {
        if (j.multiple > v->multiple) v->multiple = j.multiple;
        return;
    }
    conf_evaluate_put_aside(v, n_kept, "in a new session");
    fail_further(r, bounds, &j, r->again, n_rows,
                 "in a session that was used before, its earlier contents have an effect");
}

/* Appends to v->where what the engine was asked for of a sample. */
static void append_steps(conf_replay *r, conf_manner manner, size_t sample)
{
    conf_verdict *v = r->verdict;
    char steps[STEPS_TEXT_MAX];
    conf_rounds *rounds = conf_rounds_plan(r, manner);
    if (!rounds) return;
    conf_rounds_print(rounds, sample, steps, sizeof steps);
    conf_rounds_free(rounds);
    const size_t n = strlen(v->where);
    (void)snprintf(v->where + n, sizeof v->where - n, "; its steps: %s", steps);
}

void conf_evaluate_manner(conf_replay *r, const conf_bounds *bounds, conf_manner manner)
{
    const conf_rows *rows = &r->c->decoder.rows;
    const conf_logits_judgement j =
        conf_rows_judge(rows->truth, r->rows, r->wanted, rows->n_rows, rows->n_cols, bounds);
    if (j.rule == CONF_RULE_NONE) {
        if (j.multiple > r->verdict->multiple) r->verdict->multiple = j.multiple;
        return;
    }
    fail_further(r, bounds, &j, r->rows, count_wanted(r), conf_manner_of(manner)->label);
    append_steps(r, manner, rows->place[j.row].sample);
}
