/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/evaluate/shift.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/abi/engine.h"
#include "conformance/abi/step.h"
#include "conformance/case/prompt.h"
#include "conformance/evaluate/reference.h"
#include "conformance/evaluate/shift_kept.h"
#include "conformance/evaluate/shift_tokens.h"
#include "conformance/judge/logits.h"

/* conf_shift_find does not evaluate more tokens. */
#define COST_MAX 22000

/* The reference, and what it computes for a case. */
typedef struct shifter {
    const conf_case *c;
    const assay_engine *engine;
    assay_model *model;
    int32_t **tokens; /* [B]: of each sample the prompt and the forced tokens */
    int32_t *left;    /* [limit] */
    double *rows;     /* [R, V]: the truth, and the shifted rows in the place of theirs */
    assay_error err;
} shifter;

static size_t token_of_row(const conf_decoder *d, size_t row)
{
    const conf_place *p = &d->rows.place[row];
    return p->pos + (p->decode ? conf_prompt_length(d, p->sample) : 0);
}

/* The tokens of a sample, with the forced ones. */
static size_t count_tokens(const conf_decoder *d, size_t sample)
{
    return conf_prompt_length(d, sample) + d->n_decode;
}

/* How many tokens the shifted rows take, once recomputed and once with what is kept; 0 if there are none. */
static size_t count_cost(const conf_decoder *d)
{
    size_t n_rows = 0, n_kept = 0;
    for (size_t i = 0; i < d->rows.n_rows; i++) n_rows += token_of_row(d, i) >= d->caches.limit;
    for (size_t b = 0; b < d->n_samples; b++) {
        const size_t n = count_tokens(d, b);
        n_kept += n > d->caches.limit ? n - d->caches.limit + 1 : 0;
    }
    return n_rows ? (n_rows + n_kept) * d->caches.limit : 0;
}

/* Whether the reference agrees with the case as it was recorded. */
static bool check_reference(shifter *s, const char *path)
{
    const conf_decoder *d = &s->c->decoder;
    conf_items items = {0};
    char why[CONF_TEXT_MAX] = "";
    bool ok = conf_items_divide(s->c->path, d, &items, &s->err) == ASSAY_OK;
    if (ok && items.n_tensors) {
        ok = false;
        (void)assay_fail(&s->err, ASSAY_EUNSUPPORTED,
                         "the prompts have images or other inputs, and a shift may drop a part of one");
    }
    for (size_t b = 0; ok && b < d->n_samples; b++) {
        const conf_sequence sequence = {.sample = b, .n_more = d->n_decode};
        conf_reference reference;
        s->tokens[b] = conf_sequence_tokens(d, &sequence, &(size_t){0});
        ok = s->tokens[b] && conf_reference_run(s->c, &items, path, &sequence, 0, &reference, why);
        if (s->tokens[b]) conf_reference_free(&reference);
        if (!ok) (void)assay_fail(&s->err, ASSAY_EUNSUPPORTED, "%.500s", why);
    }
    conf_items_free(&items);
    return ok;
}

static void close_shifter(shifter *s)
{
    for (size_t b = 0; s->tokens && b < s->c->decoder.n_samples; b++) free(s->tokens[b]);
    free(s->tokens);
    free(s->left);
    free(s->rows);
    if (s->model) s->engine->model_free(s->model);
}

/* False, with s->err set, if the reference cannot be used. close_shifter must be called in any case. */
static bool open_shifter(shifter *s, const conf_case *c, const char *path)
{
    const conf_decoder *d = &c->decoder;
    *s = (shifter){.c = c};
    s->tokens = calloc(d->n_samples, sizeof *s->tokens);
    s->left = calloc(d->caches.limit, sizeof *s->left);
    s->rows = calloc(d->rows.n_rows * d->rows.n_cols + 1, sizeof *s->rows);
    if (!s->tokens || !s->left || !s->rows) {
        (void)assay_fail(&s->err, ASSAY_ENOMEM, "out of memory for %zu rows", d->rows.n_rows);
        return false;
    }
    const assay_model_options options = {.size = sizeof options, .allow_unknown = c->allow_unknown};
    return check_reference(s, path) && conf_engine_open(path, &s->engine, &s->err) == ASSAY_OK &&
           s->engine->model_open(c->model, &options, &s->model, &s->err) == ASSAY_OK;
}

/* The last row of a prefill of the n tokens that are left. */
static assay_status evaluate_left(shifter *s, size_t n, double *row)
{
    const conf_sample_step step = {.tokens = s->left, .n_tokens = n, .logits = row, .n_last = 1};
    return conf_step_alone(s->engine, s->model, (conf_cache_limit){0}, &step, NULL, &s->err);
}

/* Fills in s->rows. */
static bool compute_rows(shifter *s, size_t n_dropped)
{
    const conf_decoder *d = &s->c->decoder;
    const conf_rows *rows = &d->rows;
    bool ok = true;
    memcpy(s->rows, rows->truth, rows->n_rows * rows->n_cols * sizeof *s->rows);
    for (size_t i = 0; ok && i < rows->n_rows; i++) {
        const size_t at = token_of_row(d, i);
        if (at < d->caches.limit) continue;
        const size_t n =
            conf_shift_tokens(s->tokens[rows->place[i].sample], at, d->caches, n_dropped, s->left);
        ok = evaluate_left(s, n, s->rows + i * rows->n_cols) == ASSAY_OK;
    }
    return ok;
}

/* The rows of one sample among s->rows. */
static bool compute_kept_sample(shifter *s, size_t b, size_t n_dropped)
{
    const conf_decoder *d = &s->c->decoder;
    const size_t n = count_tokens(d, b), n_cols = d->rows.n_cols;
    const conf_shift_engine e = {s->engine, s->model, n_cols};
    if (n <= d->caches.limit) return true;
    double *logits = calloc(n * n_cols, sizeof *logits);
    bool ok = logits &&
              conf_shift_kept_logits(&e, d->caches, n_dropped, s->tokens[b], n, logits, &s->err) == ASSAY_OK;
    for (size_t i = 0; ok && i < d->rows.n_rows; i++) {
        const size_t at = token_of_row(d, i);
        if (d->rows.place[i].sample != b || at < d->caches.limit) continue;
        memcpy(s->rows + i * n_cols, logits + at * n_cols, n_cols * sizeof *logits);
    }
    free(logits);
    return ok;
}

/* Fills in s->rows with those of a shift that keeps what the cache holds. */
static bool compute_kept_rows(shifter *s, size_t n_dropped)
{
    const conf_decoder *d = &s->c->decoder;
    bool ok = true;
    memcpy(s->rows, d->rows.truth, d->rows.n_rows * d->rows.n_cols * sizeof *s->rows);
    for (size_t b = 0; ok && b < d->n_samples; b++) ok = compute_kept_sample(s, b, n_dropped);
    return ok;
}

/* Moves a recorded run by as much as the truth. */
static void move_run(double *run, const double *from, const double *to, size_t n)
{
    for (size_t i = 0; run && i < n; i++) run[i] += to[i] - from[i];
}

bool conf_shift_truth(conf_case *c, const char *reference, size_t n_dropped, conf_verdict *v)
{
    conf_decoder *d = &c->decoder;
    const conf_cache_limit caches = d->caches;
    const size_t n = d->rows.n_rows * d->rows.n_cols;
    if (!caches.limit || !d->has_truth) return true;
    shifter s = {.c = c};
    bool ok = false;
    if (n_dropped > caches.limit - caches.sink_tokens)
        (void)assay_fail(&s.err, ASSAY_EUNSUPPORTED,
                         "the caches hold %zu tokens beside attention sink tokens",
                         caches.limit - caches.sink_tokens);
    else if (d->n_greedy)
        (void)assay_fail(&s.err, ASSAY_EUNSUPPORTED,
                         "its greedy tokens were recorded with caches that slide");
    else if (!reference)
        (void)assay_fail(&s.err, ASSAY_EUNSUPPORTED, "%s was not found", CONF_ENGINE_REFERENCE);
    else ok = open_shifter(&s, c, reference) && compute_rows(&s, n_dropped);
    if (ok) {
        for (size_t i = 0; i < d->rows.n_runs; i++) move_run(d->rows.runs[i].rows, d->rows.truth, s.rows, n);
        memcpy(d->rows.truth, s.rows, n * sizeof *s.rows);
        conf_verdict_note(v, "judged by a context shift, recomputed by " CONF_ENGINE_REFERENCE);
    } else {
        conf_verdict_set(v, CONF_SKIPPED, "no truth of a context shift by %zu: %.500s", n_dropped,
                         s.err.text);
    }
    close_shifter(&s);
    return ok;
}

/* Whether the logits of the engine are those of s->rows. */
static bool agrees(const shifter *s, const conf_replay *r, const conf_bounds *bounds)
{
    const conf_rows *rows = &r->c->decoder.rows;
    return conf_rows_judge(s->rows, r->rows, r->wanted, rows->n_rows, rows->n_cols, bounds).rule ==
           CONF_RULE_NONE;
}

conf_shift conf_shift_find(const conf_replay *r, const conf_bounds *bounds, const char *reference)
{
    const conf_decoder *d = &r->c->decoder;
    const size_t most = d->caches.limit - d->caches.sink_tokens, cost = count_cost(d);
    conf_shift found = {0};
    size_t spent = cost;
    if (!d->caches.limit || cost == 0 || cost > COST_MAX) return found;
    shifter s;
    bool ok = open_shifter(&s, r->c, reference);
    const bool keeps = ok && conf_shift_kept_supports(r->c->model, r->c->allow_unknown);
    for (size_t n = 1; ok && !found.n_dropped && n <= most && spent <= COST_MAX; n++, spent += cost) {
        ok = compute_rows(&s, n);
        if (ok && agrees(&s, r, bounds)) found = (conf_shift){n, false};
        else if (ok && keeps && compute_kept_rows(&s, n) && agrees(&s, r, bounds))
            found = (conf_shift){n, true};
    }
    close_shifter(&s);
    return found;
}
