/* SPDX-License-Identifier: Apache-2.0 */
#include "model/inputs/positions.h"

#include "model/plan/mask.h"

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* A run of placeholder tokens, from its position `start` on. */
typedef struct grid_run {
    size_t n_tokens, n_rows, n_columns; /* of the run; of the merged grid */
    int64_t start;
} grid_run;

/* The run of a placeholder token, which is row `row` of the features of a medium; the start is not set.
 * *taken: the number of the run's tokens before this one. */
static grid_run run_of(const plan *p, const medium_place *place, size_t row, size_t *taken)
{
    const size_t side = plan_tower_block(&p->vision), *grid = medium_grid(place->medium);
    const size_t n = medium_run(place, p);
    *taken = row % n;
    return (grid_run){.n_tokens = n, .n_rows = grid[1] / side, .n_columns = grid[2] / side};
}

/* The position after a run. */
static int64_t end_of(const grid_run *run)
{
    return run->start + larger((int64_t)run->n_rows, (int64_t)run->n_columns);
}

/* The position of a token on an axis. */
static int64_t position_of(const int32_t *position, size_t t, size_t axis)
{
    return position ? position[t * ROPE_AXES_MAX + axis] : (int64_t)t;
}

/* Over all axes. */
static int64_t largest_position(const int32_t *position, size_t t)
{
    int64_t largest = 0;
    for (size_t a = 0; a < ROPE_AXES_MAX; a++) largest = larger(largest, position_of(position, t, a));
    return largest;
}

/* Whether the last frame of a run lies beyond the position after it. */
static bool is_tall(const medium *m, const grid_run *run)
{
    const size_t n_frames = run->n_tokens / (run->n_rows * run->n_columns);
    return medium_time(m, n_frames - 1) >= end_of(run) - run->start;
}

/* The position of a text token after n tokens. */
static int64_t next_position(const plan *p, const media_list *list, const int32_t *tokens,
                             const int32_t *position, size_t n)
{
    size_t place, row, taken;
    if (n == 0) return 0;
    if (p->positions == PLAN_POSITIONS_BLOCK && list->n > 0)
        return largest_position(position, n - 1) + (plan_is_block_token(p, tokens[n - 1]) ? 0 : 1);
    media_walk walk = media_walk_from(list, p, tokens, n - 1);
    if (p->positions == PLAN_POSITIONS_GRID && !p->vision.spans_time &&
        media_walk_token(&walk, &place, &row) && list->place[place].kind != ASSAY_ITEM_AUDIO) {
        grid_run run = run_of(p, &list->place[place], row, &taken);
        run.start = position_of(position, n - 1 - taken, 1); /* its first token is at row 0 of the grid */
        if (is_tall(list->place[place].medium, &run)) return end_of(&run);
    }
    return 1 + largest_position(position, n - 1);
}

/* Of ropes with three axes, the last is not read: it is that of t. */
static void put_position(int32_t *out, int64_t t, int64_t h, int64_t w)
{
    const int64_t axes[ROPE_AXES_MAX] = {t, h, w, t};
    for (size_t a = 0; a < ROPE_AXES_MAX; a++) out[a] = axes[a] < INT32_MAX ? (int32_t)axes[a] : INT32_MAX;
}

/* Of a token that is row `row` of the features of image `number`, at the position `next`. */
static void put_image_position(int32_t *out, const plan *p, const media_list *list, size_t number, size_t row,
                               int64_t next)
{
    const medium *m = list->place[number].medium;
    const plan_merger_extra extra = plan_merger_extra_rows(&p->vision.merger);
    const size_t n_columns = medium_grid(m)[2] / plan_tower_block(&p->vision) + extra.row_end;
    put_position(out, next, next, next);
    if (row < extra.begin || row >= medium_tokens(m) - extra.begin) return;
    out[1] = (int32_t)((row - extra.begin) % n_columns);
    out[2] = (int32_t)((row - extra.begin) / n_columns);
    out[3] = (int32_t)number;
}

static void fill_of_images(const plan *p, const media_list *list, const int32_t *tokens,
                           const int32_t *before, size_t from, size_t n, int32_t *position)
{
    media_walk walk = media_walk_from(list, p, tokens, from);
    int64_t next = next_position(p, list, tokens, before, from);
    for (size_t i = 0; i < n; i++, next++, position += ROPE_AXES_MAX) {
        size_t place, row;
        if (media_walk_token(&walk, &place, &row)) put_image_position(position, p, list, place, row, next);
        else put_position(position, next, next, next);
    }
}

/* Those of PLAN_POSITIONS_BLOCK. tokens: [n]; next: the position of the first. */
static void fill_blocks(const plan *p, const int32_t *tokens, int64_t next, size_t n, int32_t *position)
{
    for (size_t i = 0; i < n; i++) {
        put_position(position + i * ROPE_AXES_MAX, next, next, next);
        if (!plan_is_block_token(p, tokens[i])) next++;
    }
}

/* Positions while they are filled in: of tokens `from` … from + n - 1. next: of the next text token. */
typedef struct filling {
    const plan *plan;
    const int32_t *before;
    size_t from;
    int32_t *position;
    int64_t next;
} filling;

/* The position of token t, which comes before the one that is filled in: of axes that start with a medium. */
static int64_t filled(const filling *f, size_t t)
{
    return t < f->from ? position_of(f->before, t, 1) : f->position[(t - f->from) * ROPE_AXES_MAX + 1];
}

/* Of token t, row `row` of an image or video. */
static void fill_grid_token(filling *f, const medium_place *at, size_t row, size_t t)
{
    size_t taken;
    int32_t *out = f->position + (t - f->from) * ROPE_AXES_MAX;
    grid_run run = run_of(f->plan, at, row, &taken);
    const bool is_whole = run.n_tokens == medium_tokens(at->medium); /* other tokens may be in it */
    run.start = taken == 0 ? f->next : filled(f, is_whole ? at->first : t - taken);
    const size_t n_frame = run.n_rows * run.n_columns, in_frame = taken % n_frame;
    put_position(out, run.start + medium_time(at->medium, taken / n_frame),
                 run.start + (int64_t)(in_frame / run.n_columns),
                 run.start + (int64_t)(in_frame % run.n_columns));
    if (f->plan->vision.spans_time) f->next = 1 + largest_position(out, 0);
    else if (taken + 1 == run.n_tokens) f->next = end_of(&run);
}

void positions_fill(const plan *p, const media_list *list, const int32_t *tokens, const int32_t *before,
                    size_t from, size_t n, int32_t *position)
{
    if (p->positions == PLAN_POSITIONS_IMAGES) {
        fill_of_images(p, list, tokens, before, from, n, position);
        return;
    }
    if (p->positions == PLAN_POSITIONS_BLOCK && list->n > 0) {
        fill_blocks(p, tokens + from, next_position(p, list, tokens, before, from), n, position);
        return;
    }
    media_walk walk = media_walk_from(list, p, tokens, from);
    filling f = {p, before, from, position, next_position(p, list, tokens, before, from)};
    for (size_t t = from; t < from + n; t++) {
        size_t place, row;
        const bool has_place = p->positions == PLAN_POSITIONS_GRID && media_walk_token(&walk, &place, &row);
        if (has_place && list->place[place].kind != ASSAY_ITEM_AUDIO) {
            fill_grid_token(&f, &list->place[place], row, t);
            continue;
        }
        if (has_place && list->place[place].start != list->place[place].first)
            f.next = filled(&f, list->place[place].start) + (int64_t)row;
        put_position(position + (t - from) * ROPE_AXES_MAX, f.next, f.next, f.next);
        f.next++;
    }
}

size_t positions_next(const plan *p, const media_list *list, const int32_t *tokens, const int32_t *position,
                      size_t n)
{
    return (size_t)next_position(p, list, tokens, position, n);
}

int32_t positions_delta(const int32_t *position, size_t n)
{
    int64_t largest = 0;
    for (size_t i = 0; i < n * ROPE_AXES_MAX; i++) largest = larger(largest, position[i]);
    return (int32_t)(largest + 1 - (int64_t)n);
}
