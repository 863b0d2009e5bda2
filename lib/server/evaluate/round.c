/* SPDX-License-Identifier: Apache-2.0 */
#include "server/evaluate/round.h"

#include <stdlib.h>

#include "base/error.h"
#include "server/evaluate/batch.h"
#include "server/evaluate/chunk.h"

#define ROWS_BYTES ((size_t)64 << 20) /* of logits of a prompt in one step, but at least one row */

void server_round_free(server_round *r)
{
    free(r->turns);
    free(r->run_of);
    free(r->logits);
    *r = (server_round){0};
}

static size_t row_bytes(const server_worker *w)
{
    return w->model->vocab * (w->model->engine->logits_dtype == ASSAY_F64 ? sizeof(double) : sizeof(float));
}

static bool rests(const server_run *run)
{
    double stalled;
    return run->task->over || server_exchange_is_slow(run->task->job->exchange, &stalled);
}

/* Whether logprobs of tokens after those of this chunk are wanted and not known. */
static bool wants_rows(const server_run *run, size_t n)
{
    const server_prefix *p = run->prefix;
    const size_t end = run->n_done + n;
    return p->wants && p->n_known <= (end < p->prompt->n_tokens ? end : end - 1);
}

/* The number of generated tokens in this step, after a rest: where the ropes depend on the length they are
 * evaluated as they were at first, one by one. */
static size_t again_length(const server_worker *w, const server_run *run, size_t budget)
{
    const size_t n = run->prefix->prompt->n_tokens + server_sample_count(run->sample) - 1;
    if (budget > 0 && (run->whole || n > w->model->n_divisible)) return 1;
    return n - run->n_done < budget ? n - run->n_done : budget;
}

/* The number of tokens that the sample lacks and that come in this step; 0: none. */
static size_t length_of(const server_worker *w, const server_run *run, size_t budget, bool is_first,
                        bool others_wait)
{
    const server_prompt *p = run->prefix->prompt;
    size_t most = budget;
    if (budget == 0) return 0;
    if (!server_run_in_prompt(run)) return again_length(w, run, budget);
    if (others_wait && p->n_tokens - run->n_done > budget) most = (budget + 1) / 2;
    if (run->prefix->wants) {
        const size_t rows = ROWS_BYTES / row_bytes(w);
        if (most > rows) most = rows > 0 ? rows : 1;
    }
    const bool whole =
        run->whole || p->n_tokens > w->model->n_divisible || (p->n_items > 0 && w->model->images_whole);
    return server_chunk_length(p, run->n_done, most, whole, is_first);
}

static void add_prompt(server_round *r, server_run *run, size_t index, size_t n)
{
    const server_prompt *p = run->prefix->prompt;
    server_turn *t = &r->turns[r->n_turns];
    size_t first = 0;
    const size_t n_items = server_chunk_items(p, run->n_done, n, &first);
    *t = (server_turn){.seat = run->seat,
                       .tokens = p->tokens + run->n_done,
                       .n_tokens = n,
                       .items = n_items ? p->items + first : NULL,
                       .n_items = n_items};
    if (server_sample_count(run->sample) > 0) t->n_last = 0; /* evaluated again, after a rest */
    else if (wants_rows(run, n)) t->n_last = n;
    else t->n_last = run->n_done + n == p->n_tokens;
    r->run_of[r->n_turns++] = index;
}

static void add_again(server_round *r, const server_run *run, size_t index, size_t n)
{
    const int32_t *tokens = server_sample_tokens(run->sample);
    r->turns[r->n_turns] = (server_turn){
        .seat = run->seat, .tokens = tokens + (run->n_done - run->prefix->prompt->n_tokens), .n_tokens = n};
    r->run_of[r->n_turns++] = index;
}

static void add_token(server_round *r, server_run *run, size_t index)
{
    r->turns[r->n_turns] =
        (server_turn){.seat = run->seat, .tokens = &run->token, .n_tokens = 1, .n_last = 1};
    r->run_of[r->n_turns++] = index;
}

/* Lists the turns of this round. */
static void list_turns(server_round *r, const server_worker *w, server_run *runs, size_t n)
{
    size_t n_prompts = 0, budget = SERVER_CHUNK;
    bool is_first = true;
    r->n_turns = 0;
    for (size_t i = 0; i < n; i++) {
        if (rests(&runs[i])) continue;
        if (server_run_is_behind(&runs[i])) n_prompts++;
        else add_token(r, &runs[i], i);
    }
    for (size_t i = 0; i < n && n_prompts > 0; i++) {
        if (!server_run_is_behind(&runs[i]) || rests(&runs[i])) continue;
        n_prompts--;
        const size_t length = length_of(w, &runs[i], budget, is_first, n_prompts > 0);
        if (length == 0) continue;
        if (server_run_in_prompt(&runs[i])) add_prompt(r, &runs[i], i, length);
        else add_again(r, &runs[i], i, length);
        budget -= length < budget ? length : budget;
        is_first = false;
    }
}

static bool reserve_turns(server_round *r, size_t n)
{
    if (n <= r->capacity) return true;
    server_turn *turns = realloc(r->turns, n * sizeof *turns);
    if (turns) r->turns = turns;
    size_t *run_of = realloc(r->run_of, n * sizeof *run_of);
    if (run_of) r->run_of = run_of;
    if (!turns || !run_of) return false;
    r->capacity = n;
    return true;
}

/* Gives each turn its rows of logits. */
static bool reserve_logits(server_round *r, size_t row)
{
    size_t n_rows = 0;
    for (size_t i = 0; i < r->n_turns; i++) n_rows += r->turns[i].n_last;
    if (n_rows * row > r->logit_bytes) {
        free(r->logits);
        r->logits = malloc(n_rows * row);
        r->logit_bytes = r->logits ? n_rows * row : 0;
    }
    if (n_rows > 0 && !r->logits) return false;
    size_t at = 0;
    for (size_t i = 0; i < r->n_turns; i++) {
        r->turns[i].logits = r->turns[i].n_last ? (char *)r->logits + at * row : NULL;
        at += r->turns[i].n_last;
    }
    return true;
}

/* The engine may refuse to divide a prompt; the whole one is then tried. */
static void fail_turn(const server_worker *w, const server_turn *t, server_run *run)
{
    const bool divided = server_run_in_prompt(run) ? t->n_tokens < run->prefix->prompt->n_tokens
                                                   : server_run_is_behind(run) && t->n_tokens > 1;
    if (t->status == ASSAY_EUNSUPPORTED && divided && !run->whole) server_run_restart(w, run);
    else server_task_fail(w, run->task, t->status == ASSAY_ENOMEM ? 503 : 500, t->error.text);
}

/* Keeps a copy of the evaluated prompt if another choice needs it. */
static void park_prompt(const server_worker *w, const server_run *run, const void *logits)
{
    const server_task *t = run->task;
    const size_t prompt = (size_t)(run->prefix - t->prefixes);
    run->prefix->pending = false;
    if (t->n_started < (prompt + 1) * t->job->request->n)
        server_prefix_park(run->prefix, w->seats, &run->seat, logits, w->model);
}

static void take_prompt(const server_worker *w, const server_turn *t, server_run *run)
{
    const size_t n_done = run->n_done, row = row_bytes(w);
    const char *last = t->n_last ? (const char *)t->logits + (t->n_last - 1) * row : NULL;
    assay_error err = {0};
    run->n_done += t->n_tokens;
    server_metrics_add(w->metrics, SERVER_COUNT_PROMPT_TOKENS, (int64_t)t->n_tokens);
    if (t->n_last == t->n_tokens && run->prefix->wants &&
        server_prefix_take(run->prefix, w->logprobs, n_done, t->n_tokens, t->logits, w->model, &err) !=
            ASSAY_OK) {
        server_task_fail(w, run->task, err.status == ASSAY_ENOMEM ? 503 : 500, err.text);
        return;
    }
    if (server_run_in_prompt(run) || server_sample_count(run->sample) > 0) return;
    park_prompt(w, run, last);
    server_run_take(w, run, last);
}

static void take_token(const server_worker *w, const server_turn *t, server_run *run)
{
    run->n_done++;
    server_run_take(w, run, t->logits);
}

bool server_round_run(server_round *r, const server_worker *w, server_run *runs, size_t n)
{
    if (!reserve_turns(r, n)) return false;
    list_turns(r, w, runs, n);
    if (r->n_turns == 0) return false;
    if (!reserve_logits(r, row_bytes(w))) {
        for (size_t i = 0; i < r->n_turns; i++)
            server_task_fail(w, runs[r->run_of[i]].task, 503, "logits: out of memory");
        return true;
    }
    server_batch_run(w->model, w->metrics, r->turns, r->n_turns);
    for (size_t i = 0; i < r->n_turns; i++) {
        server_run *run = &runs[r->run_of[i]];
        if (run->task->over) continue;
        if (r->turns[i].status != ASSAY_OK) fail_turn(w, &r->turns[i], run);
        else if (server_run_is_behind(run)) take_prompt(w, &r->turns[i], run);
        else take_token(w, &r->turns[i], run);
    }
    return true;
}
