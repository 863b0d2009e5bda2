/* Programs drawn from a seed: one shape for each way in which servers use threads, and one of random
 * steps.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/schedule/draw.h"

#include <assert.h>

enum { N_SESSIONS = 16, POOL_STEPS = 5, N_COPIES = 4, LOOPS = 3, ROUNDS = 6, RANDOM_STEPS = 16 };

/* Opening, prompts, tokens, changes of the samples, and free, each on another thread. */
static void draw_handover(drawing *d)
{
    size_t at = drawing_below(d, DRAWING_THREADS), model = drawing_open(d, at),
           session = drawing_session(d, at, model, drawing_few(d));
    drawing_prompts(d, at + 1, session);
    drawing_tokens(d, at + 2, session);
    drawing_change(d, at + 2, session);
    drawing_tokens(d, at + 3, session); /* with two threads, not the thread of the previous step */
    drawing_change(d, at + 4, session);
    drawing_prompts(d, at + 5, session);
    drawing_free(d, at + 3, session);
    drawing_close(d, at + 1, model);
}

/* One session that a pool of threads uses, another thread at every step; after one step its samples
 * change. */
static void draw_pool(drawing *d)
{
    size_t at = drawing_below(d, DRAWING_THREADS), model = drawing_open(d, at),
           session = drawing_session(d, at, model, drawing_few(d));
    size_t changed = drawing_below(d, POOL_STEPS);
    drawing_prompts(d, at + 1, session);
    for (size_t k = 0; k < POOL_STEPS; k++) {
        if (k == changed) drawing_change(d, at + k, session);
        if (k == changed) drawing_prompts(d, at + 2 + k, session);
        else drawing_tokens(d, at + 2 + k, session);
    }
    drawing_free(d, at + POOL_STEPS + 2, session);
    drawing_close(d, at, model);
}

/* Concurrent sessions on many threads, with shared weights. */
static void draw_crowd(drawing *d)
{
    size_t at = drawing_below(d, DRAWING_THREADS), model = drawing_open(d, at), sessions[N_SESSIONS];
    for (size_t k = 0; k < N_SESSIONS; k++) sessions[k] = drawing_session(d, at + k, model, k % 4 ? 1 : 2);
    for (size_t k = 0; k < N_SESSIONS; k++) drawing_prompts(d, at + k, sessions[k]);
    for (size_t k = 0; k < N_SESSIONS; k++) {
        if (drawing_below(d, 2)) drawing_change(d, at + k, sessions[k]);
        drawing_tokens(d, at + k, sessions[k]);
    }
    for (size_t k = 0; k < N_SESSIONS; k++) drawing_free(d, at + k, sessions[k]);
    drawing_close(d, at, model);
}

/* A batch whose rows were written by different threads, in a session opened by yet another. */
static void draw_makers(drawing *d)
{
    size_t at = drawing_below(d, DRAWING_THREADS), model = drawing_open(d, at);
    size_t n = 2 + drawing_below(d, 2), session = drawing_session(d, at + 1, model, n);
    for (size_t k = 0; k < n; k++) drawing_row(d, at + 2 + k, session, k);
    drawing_prompts(d, at + 1, session);
    drawing_change(d, at + 2, session);
    drawing_tokens(d, at, session);
    drawing_free(d, at + 1, session);
    drawing_close(d, at, model);
}

/* Two sessions, each changed and freed by the thread that opened the other. */
static void draw_strangers(drawing *d)
{
    size_t at = drawing_below(d, DRAWING_THREADS), model = drawing_open(d, at);
    size_t a = drawing_session(d, at, model, 1), b = drawing_session(d, at + 1, model, 2);
    drawing_prompts(d, at, a);
    drawing_prompts(d, at + 1, b);
    drawing_change(d, at + 1, a);
    drawing_change(d, at, b);
    drawing_tokens(d, at, a);
    drawing_tokens(d, at + 1, b);
    drawing_free(d, at + 1, a);
    drawing_free(d, at, b);
    drawing_close(d, at + 1, model);
}

/* One thread opens and closes models in a loop while another runs a session. */
static void draw_reopen(drawing *d)
{
    size_t at = drawing_below(d, DRAWING_THREADS), model = drawing_open(d, at),
           session = drawing_session(d, at, model, drawing_few(d));
    drawing_prompts(d, at, session);
    for (size_t k = 0; k < LOOPS; k++) {
        size_t other = drawing_open(d, at + 1), passing = drawing_session(d, at + 1, other, 1);
        drawing_prompts(d, at + 1, passing);
        drawing_change(d, at, session);
        drawing_tokens(d, at, session);
        drawing_free(d, at + 1, passing);
        drawing_close(d, at + 1, other);
    }
    drawing_free(d, at, session);
    drawing_close(d, at, model);
}

/* The model is loaded on a worker thread, and several threads wait for it. */
static void draw_worker(drawing *d)
{
    size_t at = drawing_below(d, DRAWING_THREADS), model = drawing_load(d, at);
    drawing_wait(d, at + 1, model);
    drawing_wait(d, at + 2, model);
    size_t session = drawing_session(d, at + 1, model, drawing_few(d));
    drawing_prompts(d, at + 2, session);
    drawing_change(d, at, session);
    drawing_tokens(d, at, session);
    drawing_free(d, at + 1, session);
    drawing_close(d, at + 3, model);
}

/* Continuous batching: each round one sample changes, and all others go on, on another thread. */
static void draw_batching(drawing *d)
{
    size_t at = drawing_below(d, DRAWING_THREADS), model = drawing_open(d, at),
           session = drawing_session(d, at, model, drawing_few(d));
    for (size_t k = 0; k < ROUNDS; k++) {
        drawing_chunk(d, at + k, session);
        drawing_change(d, at + k + 1, session);
        drawing_tokens(d, at + k + 1, session);
    }
    drawing_prompts(d, at, session);
    drawing_free(d, at, session);
    drawing_close(d, at, model);
}

/* A prompt that several sessions share: each copies it and goes on, on a thread of its own, while the first
 * session goes on as well, or is freed. */
static void draw_prefix(drawing *d)
{
    size_t at = drawing_below(d, DRAWING_THREADS), model = drawing_open(d, at), copies[N_COPIES];
    size_t session = drawing_session(d, at, model, drawing_few(d));
    const bool is_freed = drawing_below(d, 2);
    for (size_t k = 0; k < N_COPIES; k++) copies[k] = drawing_session(d, at + k, model, k % 2);
    if (drawing_below(d, 2)) drawing_chunk(d, at, session);
    else drawing_prompts(d, at, session);
    for (size_t k = 0; k < N_COPIES; k++) drawing_fork(d, at + k, session, copies[k]);
    if (is_freed) drawing_free(d, at, session);
    else drawing_prompts(d, at, session);
    for (size_t k = 0; k < N_COPIES; k++) drawing_prompts(d, at + k, copies[k]);
    for (size_t k = 0; k < N_COPIES; k++) drawing_change(d, at + k, copies[k]);
    for (size_t k = 0; k < N_COPIES; k++) drawing_tokens(d, at + k, copies[k]);
    if (!is_freed) drawing_free(d, at + 1, session);
    for (size_t k = 0; k < N_COPIES; k++) drawing_free(d, at + k, copies[k]);
    drawing_close(d, at, model);
}

enum { LIVE = 3 };

/* Adds a random step of one of the sessions, of models [LIVE], on a random thread. */
static void draw_any_step(drawing *d, const size_t *sessions, const size_t *models)
{
    const size_t at = drawing_below(d, DRAWING_THREADS), k = drawing_below(d, LIVE);
    const size_t other = drawing_below(d, LIVE);
    switch (drawing_below(d, 6)) {
    case 0: drawing_prompts(d, at, sessions[k]); return;
    case 1:
    case 2: drawing_tokens(d, at, sessions[k]); return;
    case 3:
        if (models[k] == models[other]) drawing_fork(d, at, sessions[other], sessions[k]);
        else drawing_join(d, at, sessions[k]);
        return;
    default: drawing_change(d, at, sessions[k]); return;
    }
}

static void draw_random(drawing *d)
{
    size_t opened[2], sessions[LIVE], models[LIVE];
    for (size_t k = 0; k < 2; k++) opened[k] = drawing_open(d, drawing_below(d, DRAWING_THREADS));
    for (size_t i = 0; i < LIVE + RANDOM_STEPS; i++) {
        size_t k = i < LIVE ? i : drawing_below(d, LIVE);
        if (i >= LIVE && drawing_below(d, 8)) {
            draw_any_step(d, sessions, models);
            continue;
        }
        if (i >= LIVE) drawing_free(d, drawing_below(d, DRAWING_THREADS), sessions[k]);
        models[k] = opened[drawing_below(d, 2)];
        sessions[k] = drawing_session(d, drawing_below(d, DRAWING_THREADS), models[k], drawing_few(d));
    }
    for (size_t k = 0; k < LIVE; k++) drawing_free(d, drawing_below(d, DRAWING_THREADS), sessions[k]);
    for (size_t k = 0; k < 2; k++) drawing_close(d, drawing_below(d, DRAWING_THREADS), opened[k]);
}

typedef void shape_fn(drawing *d);
static shape_fn *const shapes[] = {draw_handover, draw_pool,   draw_crowd,    draw_makers, draw_strangers,
                                   draw_reopen,   draw_worker, draw_batching, draw_prefix, draw_random};
#define N_SHAPES (sizeof shapes / sizeof *shapes)

const char *const conf_shape_names[N_SHAPES + 1] = {"handover", "pool",   "crowd",    "makers", "strangers",
                                                    "reopen",   "worker", "batching", "prefix", "random"};

/* Interleaves the parts at random; the steps of each part keep their order. */
static void interleave_parts(drawing *d, drawing_part *parts, size_t n_parts)
{
    size_t n_left = 0;
    for (size_t k = 0; k < n_parts; k++) n_left += parts[k].n;
    for (; n_left; n_left--) {
        size_t pick = drawing_below(d, n_left), k = 0;
        while (pick >= parts[k].n - parts[k].n_taken) pick -= parts[k].n - parts[k].n_taken, k++;
        assert(d->to->n_steps < CONF_SCHEDULE_STEPS_MAX);
        d->to->steps[d->to->n_steps++] = parts[k].steps[parts[k].n_taken++];
    }
}

void conf_schedule_draw(const conf_schedule_draws *draws, conf_schedule *out)
{
    drawing d = {.of = draws, .state = draws->seed, .to = out};
    drawing_part parts[N_SHAPES];
    size_t n_parts = 0;
    *out = (conf_schedule){.n_workers = (size_t)1 << drawing_below(&d, 3)};
    for (size_t k = 0; k < N_SHAPES; k++) {
        if (draws->shape != SIZE_MAX && draws->shape != k) continue;
        d.part = &parts[n_parts++];
        d.part->n = d.part->n_taken = 0;
        shapes[k](&d);
    }
    interleave_parts(&d, parts, n_parts);
}

void conf_schedule_fold(conf_schedule *s, size_t n)
{
    for (size_t i = 0; i < s->n_steps; i++) s->steps[i].thread %= n;
}
