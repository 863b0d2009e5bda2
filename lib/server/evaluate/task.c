/* SPDX-License-Identifier: Apache-2.0 */
#include "server/evaluate/task.h"

#include <stdlib.h>

#include "base/error.h"
#include "server/evaluate/answer.h"
#include "server/job/clock.h"

assay_status server_task_open(server_job *job, server_task **out, assay_error *err)
{
    const server_request *r = job->request;
    server_task *t = calloc(1, sizeof *t);
    if (t) {
        t->prefixes = calloc(r->n_prompts, sizeof *t->prefixes);
        t->begun = calloc(r->n_prompts, sizeof *t->begun);
    }
    if (!t || !t->prefixes || !t->begun) {
        if (t) {
            free(t->prefixes);
            free(t->begun);
        }
        free(t);
        return assay_fail(err, ASSAY_ENOMEM, "a request: out of memory");
    }
    t->job = job;
    t->n_choices = r->n_prompts * r->n;
    *out = t;
    return ASSAY_OK;
}

void server_task_free(const server_worker *w, server_task *t)
{
    if (!t) return;
    for (size_t i = 0; i < t->job->request->n_prompts; i++) server_prefix_free(&t->prefixes[i], w->seats);
    free(t->prefixes);
    free(t->begun);
    server_job_free(t->job);
    free(t);
}

/* The end of an answer, counted before the client learns of it. */
static void observe_end(const server_worker *w, const server_task *t)
{
    server_metrics_observe(w->metrics, SERVER_TIME_REQUEST, server_clock() - t->job->received);
}

void server_task_fail(const server_worker *w, server_task *t, int status, const char *text)
{
    if (t->over) return;
    t->over = true;
    observe_end(w, t);
    server_answer_fail(t->job, status, text);
    server_metrics_add(w->metrics, SERVER_COUNT_FAILED, 1);
}

/* Memory may be there later; everything else is the fault of the engine or of this program. */
static void fail_with(const server_worker *w, server_task *t, const assay_error *err)
{
    server_task_fail(w, t, err->status == ASSAY_ENOMEM ? 503 : 500, err->text);
}

static bool can_copy(const server_worker *w)
{
    const assay_engine *e = w->model->engine;
    return e->join && e->leave && e->fork;
}

bool server_task_can_start(const server_worker *w, const server_task *t)
{
    double stalled;
    if (t->over || t->n_started == t->n_choices) return false;
    if (server_exchange_is_slow(t->job->exchange, &stalled)) return false;
    const size_t prompt = t->n_started / t->job->request->n;
    return !t->begun[prompt] || !t->prefixes[prompt].pending || !can_copy(w);
}

/* The most tokens that the sample of a choice has: the last generated one is never evaluated. */
static size_t most_tokens(const server_task *t, const server_prefix *prefix)
{
    const size_t n = t->job->request->max_tokens, n_prompt = prefix->prompt->n_tokens;
    return n < SIZE_MAX - n_prompt ? n_prompt + n : 0;
}

static assay_status open_run(const server_worker *w, server_task *t, server_run *run, assay_error *err)
{
    const size_t choice = t->n_started++, prompt = choice / t->job->request->n;
    server_prefix *prefix = &t->prefixes[prompt];
    assay_status rc = ASSAY_OK;
    if (!t->begun[prompt]) rc = server_prefix_open(w->model, t->job->request, prompt, prefix, err);
    if (rc != ASSAY_OK) return rc;
    if (!t->begun[prompt]) prefix->pending = true;
    t->begun[prompt] = true;
    run->prefix = prefix;
    rc = server_sample_open(w->model, t->job, choice, &run->sample, err);
    if (rc != ASSAY_OK) return rc;
    if (!prefix->parked.session) return server_seats_take(w->seats, most_tokens(t, prefix), &run->seat, err);
    run->n_done = prefix->prompt->n_tokens;
    rc = server_seats_copy(w->seats, &prefix->parked, &run->seat, err);
    return rc;
}

bool server_task_start(const server_worker *w, server_task *t, server_run *out)
{
    server_run run = {.task = t};
    assay_error err = {0};
    const assay_status rc = open_run(w, t, &run, &err);
    if (rc != ASSAY_OK) {
        fail_with(w, t, &err);
        server_run_close(w, &run);
        return false;
    }
    if (run.n_done > 0) {
        server_run_take(w, &run, run.prefix->logits);
        const bool last = t->n_started % t->job->request->n == 0;
        if (last) server_seats_give_up(w->seats, &run.prefix->parked);
    }
    *out = run;
    return true;
}

/* The first token of a choice. */
static void observe_first(const server_worker *w, const server_run *run)
{
    if (server_sample_count(run->sample) == 1)
        server_metrics_observe(w->metrics, SERVER_TIME_FIRST_TOKEN,
                               server_clock() - run->task->job->received);
}

void server_run_take(const server_worker *w, server_run *run, const void *logits)
{
    server_task *t = run->task;
    const server_prompt_report report = server_prefix_report(run->prefix);
    const size_t n_before = server_sample_count(run->sample);
    assay_error err = {0};
    bool finished = false;
    if (server_sample_take(run->sample, logits, &report, w->logprobs, &run->token, &finished, &err) !=
        ASSAY_OK) {
        fail_with(w, t, &err);
        return;
    }
    observe_first(w, run);
    server_metrics_add(w->metrics, SERVER_COUNT_COMPLETION_TOKENS,
                       (int64_t)(server_sample_count(run->sample) - n_before));
    if (!finished) return;
    server_run_close(w, run);
    if (++t->n_finished < t->n_choices) return;
    t->over = true;
    observe_end(w, t);
    server_answer_end(t->job);
}

void server_run_close(const server_worker *w, server_run *run)
{
    server_seats_give_up(w->seats, &run->seat);
    server_sample_free(run->sample);
    run->sample = NULL;
}

void server_run_restart(const server_worker *w, server_run *run)
{
    assay_error err = {0};
    server_seats_give_up(w->seats, &run->seat);
    run->n_done = 0;
    run->whole = true;
    if (server_seats_take(w->seats, most_tokens(run->task, run->prefix), &run->seat, &err) != ASSAY_OK)
        fail_with(w, run->task, &err);
}

void server_run_rest(const server_worker *w, server_run *run)
{
    server_seats_give_up(w->seats, &run->seat);
    server_seats_give_up(w->seats, &run->prefix->parked);
    run->n_done = 0;
}

bool server_run_resume(const server_worker *w, server_run *run)
{
    assay_error err = {0};
    if (server_seats_take(w->seats, most_tokens(run->task, run->prefix), &run->seat, &err) == ASSAY_OK)
        return true;
    fail_with(w, run->task, &err);
    return false;
}

bool server_run_in_prompt(const server_run *run)
{
    return run->n_done < run->prefix->prompt->n_tokens;
}

bool server_run_is_behind(const server_run *run)
{
    const size_t n = server_sample_count(run->sample);
    return server_run_in_prompt(run) || (n > 0 && run->n_done < run->prefix->prompt->n_tokens + n - 1);
}
