/* SPDX-License-Identifier: Apache-2.0 */
#include "server/evaluate/runs.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

assay_status server_runs_open(size_t capacity, server_runs *out, assay_error *err)
{
    *out = (server_runs){.active = calloc(capacity, sizeof *out->active),
                         .resting = calloc(capacity, sizeof *out->resting),
                         .capacity = capacity};
    if (out->active && out->resting) return ASSAY_OK;
    server_runs_free(out);
    return assay_fail(err, ASSAY_ENOMEM, "the scheduler: out of memory");
}

void server_runs_free(server_runs *r)
{
    free(r->active);
    free(r->resting);
    *r = (server_runs){0};
}

static void remove_run(server_run *runs, size_t *n, size_t i)
{
    --*n;
    memmove(&runs[i], &runs[i + 1], (*n - i) * sizeof *runs);
}

/* seated: a run without a seat has finished; resting ones have none. */
static void remove_over(server_run *runs, size_t *n, const server_worker *w, bool seated)
{
    for (size_t i = 0; i < *n;) {
        if (!runs[i].task->over && (!seated || runs[i].seat.session)) {
            i++;
            continue;
        }
        server_run_close(w, &runs[i]);
        remove_run(runs, n, i);
    }
}

void server_runs_remove_finished(server_runs *r, const server_worker *w)
{
    remove_over(r->active, &r->n_active, w, true);
    remove_over(r->resting, &r->n_resting, w, false);
}

static bool is_slow(const server_run *run)
{
    double stalled;
    return server_exchange_is_slow(run->task->job->exchange, &stalled);
}

bool server_runs_make_space(server_runs *r, const server_worker *w)
{
    if (r->n_active < r->capacity) return true;
    size_t i = 0;
    while (i < r->n_active && !is_slow(&r->active[i])) i++;
    if (i == r->n_active) return false;
    if (r->n_resting == r->capacity) {
        server_exchange_abandon(r->resting[0].task->job->exchange); /* noticed before the next round */
        return false;
    }
    server_run_rest(w, &r->active[i]);
    r->resting[r->n_resting++] = r->active[i];
    remove_run(r->active, &r->n_active, i);
    return true;
}

void server_runs_resume(server_runs *r, const server_worker *w)
{
    for (size_t i = 0; i < r->n_resting;) {
        server_run *run = &r->resting[i];
        const bool waits = run->task->over || server_exchange_waiting(run->task->job->exchange) > 0;
        if (waits || !server_runs_make_space(r, w)) {
            i++;
            continue;
        }
        /* make_space appends to the resting runs, and moves none of them. */
        if (!server_run_resume(w, run)) {
            i++; /* its task is over */
            continue;
        }
        r->active[r->n_active++] = *run;
        remove_run(r->resting, &r->n_resting, i);
    }
}
