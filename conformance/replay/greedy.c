/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/replay/greedy.h"

#include <stdlib.h>
#include <string.h>

#include "conformance/judge/token.h"
#include "conformance/replay/follow.h"
#include "conformance/replay/rounds.h"
#include "conformance/replay/session.h"
#include "model/checkpoint/stop.h"

/* State of a generation. */
typedef struct generation {
    conf_replay *r;
    conf_watch *watch;
    size_t *sample;          /* [S]: the sample of each row in the session */
    conf_sample_step *steps; /* [S] */
    size_t *row;             /* [S]: the row of each step of one token */
    size_t n_steps;
} generation;

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

bool conf_greedy_read_stops(conf_replay *r)
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

/* Samples leave and join again, so that their slots are used a second time; without these functions they are
 * rewound. *refused: the engine lacks all of these functions, or refuses one with ASSAY_EUNSUPPORTED. False,
 * with the verdict set, if a call failed. */
static bool empty_samples(const generation *g, bool *refused)
{
    const assay_engine *e = g->r->engine;
    assay_session *session = conf_watch_session(g->watch);
    const size_t n = g->r->batch.n_rows;
    const bool leaves = e->join && e->leave;
    *refused = !leaves && !e->rewind;
    if (*refused) return true;
    assay_error err = {0};
    assay_status rc = ASSAY_OK;
    g->r->verdict->stage = leaves ? CONF_STAGE_LEAVE : CONF_STAGE_REWIND;
    for (size_t i = 0; rc == ASSAY_OK && i < n; i++)
        rc = leaves ? e->leave(session, g->sample[i], &err) : e->rewind(session, g->sample[i], 0, &err);
    if (rc == ASSAY_OK && leaves) g->r->verdict->stage = CONF_STAGE_JOIN;
    for (size_t i = 0; rc == ASSAY_OK && leaves && i < n; i++) rc = e->join(session, &g->sample[i], &err);
    *refused = rc == ASSAY_EUNSUPPORTED;
    if (*refused) conf_verdict_note(g->r->verdict, "samples are not emptied: %.200s", err.text);
    return rc == ASSAY_OK || *refused ? true : conf_replay_refused(g->r, rc, &err);
}

/* How many rows of a prompt are wanted: from the first recorded one on. */
static size_t rows_wanted(const conf_replay *r, const conf_batch_row *row)
{
    size_t at = 0;
    while (at + 1 < row->n_tokens && conf_rounds_row(r, row, at) == SIZE_MAX) at++;
    return row->n_tokens - at;
}

static double *step_logits(const conf_replay *r, size_t sample, size_t step)
{
    return r->greedy + (sample * (r->c->decoder.n_greedy + 1) + step) * r->vocab;
}

static bool evaluate_prompts(generation *g)
{
    conf_replay *r = g->r;
    g->n_steps = r->batch.n_rows;
    conf_follow_begin(r->follow);
    for (size_t i = 0; i < g->n_steps; i++) {
        const conf_batch_row *row = &r->batch.rows[i];
        g->steps[i] = conf_replay_prompt(r, i, g->sample[i], rows_wanted(r, row));
        if (row->judged) conf_follow_step(r->follow, row->sample, true, 0, &g->steps[i]);
    }
    r->verdict->stage = CONF_STAGE_GENERATE;
    if (!conf_watch_step(g->watch, g->steps, g->n_steps, r->batch.n_tokens)) return false;
    for (size_t i = 0; i < g->n_steps; i++) {
        const conf_batch_row *row = &r->batch.rows[i];
        const conf_sample_step *step = &g->steps[i];
        for (size_t k = 0; r->again && k < step->n_last; k++) {
            const size_t at = conf_rounds_row(r, row, row->n_tokens - step->n_last + k);
            if (at != SIZE_MAX) conf_replay_row(r, r->again + at * r->vocab, step->logits, k);
        }
        if (row->judged) conf_replay_row(r, step_logits(r, row->sample, 0), step->logits, step->n_last - 1);
    }
    return true;
}

/* Forces the expected tokens of step k - 1, for the samples that have a step k. *any: whether one has. */
static bool evaluate_step(generation *g, size_t k, bool *any)
{
    conf_replay *r = g->r;
    const conf_decoder *d = &r->c->decoder;
    g->n_steps = 0;
    conf_follow_begin(r->follow);
    for (size_t i = 0; i < r->batch.n_rows; i++) {
        const conf_batch_row *row = &r->batch.rows[i];
        size_t n_golden;
        if (!row->judged || k >= conf_greedy_steps(r, row->sample, &n_golden)) continue;
        g->row[g->n_steps] = i;
        g->steps[g->n_steps] =
            (conf_sample_step){.sample = g->sample[i],
                               .tokens = (const int32_t *)d->greedy.data + row->sample * d->n_greedy + k - 1,
                               .n_tokens = 1,
                               .n_last = 1};
        conf_follow_step(r->follow, row->sample, true, row->n_tokens + k - 1, &g->steps[g->n_steps++]);
    }
    *any = g->n_steps > 0;
    if (!*any) return true;
    if (!conf_watch_step(g->watch, g->steps, g->n_steps, 0)) return false;
    for (size_t i = 0; i < g->n_steps; i++)
        conf_replay_row(r, step_logits(r, r->batch.rows[g->row[i]].sample, k), g->steps[i].logits, 0);
    return true;
}

/* Leaves g->watch a session whose samples have no tokens. */
static bool prepare_session(generation *g)
{
    bool refused = true;
    for (size_t i = 0; i < g->r->batch.n_rows; i++) g->sample[i] = i;
    if (g->watch && !empty_samples(g, &refused)) return false;
    if (!refused) return true;
    conf_watch_free(g->watch);
    for (size_t i = 0; i < g->r->batch.n_rows; i++) g->sample[i] = i;
    g->watch = conf_watch_open(g->r, g->r->batch.n_rows);
    return g->watch != NULL;
}

bool conf_greedy_replay(conf_replay *r, conf_watch *used)
{
    const size_t n = r->batch.n_rows;
    generation g = {.r = r,
                    .watch = used,
                    .sample = calloc(n, sizeof *g.sample),
                    .steps = calloc(n, sizeof *g.steps),
                    .row = calloc(n, sizeof *g.row)};
    bool ok = g.sample && g.steps && g.row ? true : conf_replay_no_memory(r), any = true;
    if (ok) ok = prepare_session(&g);
    if (ok) ok = evaluate_prompts(&g);
    for (size_t k = 1; ok && any; k++) ok = evaluate_step(&g, k, &any);
    conf_watch_free(g.watch);
    free(g.sample);
    free(g.steps);
    free(g.row);
    return ok;
}
