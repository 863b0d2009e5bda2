/* SPDX-License-Identifier: Apache-2.0 */
#include "model/inputs/positions.h"

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The position of a text token that begins a step after n tokens. */
static int64_t next_position(const plan *p, const media_list *list, const int32_t *position, size_t n)
{
    if (!position || n == 0) return (int64_t)n;
    const int32_t *last = position + (n - 1) * ROPE_AXES_MAX;
    int64_t largest = larger(last[0], larger(last[1], last[2]));
    for (size_t i = 0; p->positions == PLAN_POSITIONS_GRID && i < list->n; i++) {
        const media_place *at = &list->place[i];
        const size_t run = media_run(at, p), end = at->first + run;
        if (run == media_tokens(at->medium) && end <= n)
            largest = larger(largest, position[(end - 1) * ROPE_AXES_MAX]);
    }
    return largest + 1;
}

static void put_position(int32_t *out, int64_t t, int64_t h, int64_t w)
{
    const int64_t axes[ROPE_AXES_MAX] = {t, h, w};
    for (size_t a = 0; a < ROPE_AXES_MAX; a++) out[a] = axes[a] < INT32_MAX ? (int32_t)axes[a] : INT32_MAX;
}

/* A run of placeholder tokens, from its position `start` on. */
typedef struct grid_run {
    size_t n_tokens, n_rows, n_columns; /* of the run; of the merged grid */
    int64_t start;
} grid_run;

static grid_run begin_run(const plan *p, const media_place *place)
{
    const size_t side = p->tower.merge * p->tower.pooling.side, *grid = media_grid(place->medium);
    return (grid_run){.n_tokens = media_run(place, p), .n_rows = grid[1] / side, .n_columns = grid[2] / side};
}

void positions_fill(const plan *p, const media_list *list, const int32_t *tokens, const int32_t *before,
                    size_t from, size_t n, int32_t *position)
{
    media_walk walk = media_walk_from(list, p, tokens, from);
    int64_t next = next_position(p, list, before, from);
    grid_run run = {0};
    for (size_t i = 0; i < n; i++) {
        int32_t *out = position + i * ROPE_AXES_MAX;
        size_t place, row;
        if (p->positions != PLAN_POSITIONS_GRID || !media_walk_token(&walk, &place, &row)) {
            put_position(out, next, next, next);
            next++;
            continue;
        }
        const media_place *at = &list->place[place];
        size_t taken = row % media_run(at, p); /* tokens of the run before this one */
        if (taken == 0 || i == 0) {
            run = begin_run(p, at);
            run.start = next;
            /* A run that began in an earlier step: its first token is at row 0 of the grid. */
            if (taken != 0)
                run.start = before ? before[(from - taken) * ROPE_AXES_MAX + 1] : (int64_t)(from - taken);
        }
        const size_t n_frame = run.n_rows * run.n_columns, in_frame = taken % n_frame;
        put_position(out, run.start + media_time(at->medium, taken / n_frame),
                     run.start + (int64_t)(in_frame / run.n_columns),
                     run.start + (int64_t)(in_frame % run.n_columns));
        if (taken + 1 == run.n_tokens) next = run.start + larger((int64_t)run.n_rows, (int64_t)run.n_columns);
    }
}

int32_t positions_delta(const plan *p, const media_list *list, const int32_t *position, size_t n)
{
    return (int32_t)(next_position(p, list, position, n) - (int64_t)n);
}
