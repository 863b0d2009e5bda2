/* Programs drawn from a seed: one shape for each way in which servers use threads, and one of random
 * steps.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/schedule/draw.h"

#include <assert.h>

#include "conformance/support/draw.h"

enum { N_THREADS = 16, PART_STEPS = 160, N_SESSIONS = 16, POOL_STEPS = 5, LOOPS = 3, RANDOM_STEPS = 16 };

/* A part of the program, with models and sessions of its own. */
typedef struct part {
    conf_step steps[PART_STEPS];
    size_t n, n_taken; /* n_taken: steps that mix has moved to the program */
} part;

typedef struct drawing {
    const conf_schedule_draws *of;
    uint64_t state;
    conf_schedule *to;
    size_t n_models, n_sessions;
    part *part;
} drawing;

static size_t draw_below(drawing *d, size_t n)
{
    return conf_draw_below(&d->state, n);
}

static void add_step(drawing *d, conf_op op, size_t thread, size_t model, size_t session)
{
    part *p = d->part;
    assert(p->n < PART_STEPS);
    p->steps[p->n++] = (conf_step){.op = op, .thread = thread, .model = model, .session = session};
}

static size_t open_model(drawing *d, size_t thread)
{
    add_step(d, CONF_OP_OPEN, thread, d->n_models, 0);
    return d->n_models++;
}

static void close_model(drawing *d, size_t thread, size_t model)
{
    add_step(d, CONF_OP_CLOSE, thread, model, 0);
}

/* Opens a session of n samples drawn with replacement, or of all samples in order if the case requires
 * it. */
static size_t open_session(drawing *d, size_t thread, size_t model, size_t n)
{
    assert(d->n_sessions < CONF_SCHEDULE_SESSIONS_MAX);
    conf_schedule_session *s = &d->to->sessions[d->n_sessions];
    s->n_samples = n;
    for (size_t k = 0; k < s->n_samples; k++) s->samples[k] = draw_below(d, d->of->n_samples);
    add_step(d, CONF_OP_SESSION, thread, model, d->n_sessions);
    return d->n_sessions++;
}

/* Adds a step of an open session. */
static void add_session_step(drawing *d, conf_op op, size_t thread, size_t session)
{
    add_step(d, op, thread, 0, session);
}

static conf_op any_prefill(drawing *d)
{
    return draw_below(d, 2) ? CONF_OP_PREFILL : CONF_OP_PREFILL_LAST;
}

static size_t draw_few(drawing *d)
{
    return 1 + draw_below(d, 2);
}

/* Opening, prefill, decode and free on different threads. */
static void draw_handover(drawing *d)
{
    size_t at = draw_below(d, N_THREADS), model = open_model(d, at),
           session = open_session(d, at, model, draw_few(d));
    add_session_step(d, CONF_OP_PREFILL, at + 1, session);
    add_session_step(d, CONF_OP_DECODE, at + 2, session);
    add_session_step(d, CONF_OP_DECODE, at + 3,
                     session); /* with two threads, not the thread of the previous step */
    add_session_step(d, CONF_OP_FREE, at + 3, session);
    close_model(d, at + 1, model);
}

/* One session that a pool of threads uses, another thread at every step; one step is a second
 * prefill. */
static void draw_pool(drawing *d)
{
    size_t at = draw_below(d, N_THREADS), model = open_model(d, at),
           session = open_session(d, at, model, draw_few(d));
    size_t again = draw_below(d, POOL_STEPS);
    add_session_step(d, CONF_OP_PREFILL, at + 1, session);
    for (size_t k = 0; k < POOL_STEPS; k++)
        add_session_step(d, k && k == again ? CONF_OP_PREFILL_LAST : CONF_OP_DECODE, at + 2 + k, session);
    add_session_step(d, CONF_OP_FREE, at + POOL_STEPS + 2, session);
    close_model(d, at, model);
}

/* Concurrent sessions on many threads, with shared weights. */
static void draw_crowd(drawing *d)
{
    size_t at = draw_below(d, N_THREADS), model = open_model(d, at), sessions[N_SESSIONS];
    for (size_t k = 0; k < N_SESSIONS; k++) sessions[k] = open_session(d, at + k, model, 1);
    for (size_t k = 0; k < N_SESSIONS; k++) add_session_step(d, any_prefill(d), at + k, sessions[k]);
    for (size_t k = 0; k < N_SESSIONS; k++) add_session_step(d, CONF_OP_DECODE, at + k, sessions[k]);
    for (size_t k = 0; k < N_SESSIONS; k++) add_session_step(d, CONF_OP_FREE, at + k, sessions[k]);
    close_model(d, at, model);
}

/* A batch whose rows were written by different threads, in a session opened by yet another. */
static void draw_makers(drawing *d)
{
    size_t at = draw_below(d, N_THREADS), model = open_model(d, at);
    size_t session = open_session(d, at + 1, model, 2 + draw_below(d, 2));
    for (size_t k = 0; k < d->to->sessions[session].n_samples; k++) {
        add_session_step(d, CONF_OP_ROW, at + 2 + k, session);
        d->part->steps[d->part->n - 1].row = k;
    }
    add_session_step(d, CONF_OP_PREFILL, at + 1, session);
    add_session_step(d, CONF_OP_DECODE, at, session);
    add_session_step(d, CONF_OP_FREE, at + 1, session);
    close_model(d, at, model);
}

/* Two sessions, each freed by the thread that opened the other. */
static void draw_strangers(drawing *d)
{
    size_t at = draw_below(d, N_THREADS), model = open_model(d, at);
    size_t a = open_session(d, at, model, 1), b = open_session(d, at + 1, model, 1);
    add_session_step(d, any_prefill(d), at, a);
    add_session_step(d, any_prefill(d), at + 1, b);
    add_session_step(d, CONF_OP_FREE, at + 1, a);
    add_session_step(d, CONF_OP_FREE, at, b);
    close_model(d, at + 1, model);
}

/* One thread opens and closes models in a loop while another runs a session. */
static void draw_reopen(drawing *d)
{
    size_t at = draw_below(d, N_THREADS), model = open_model(d, at),
           session = open_session(d, at, model, draw_few(d));
    add_session_step(d, CONF_OP_PREFILL, at, session);
    for (size_t k = 0; k < LOOPS; k++) {
        size_t other = open_model(d, at + 1), passing = open_session(d, at + 1, other, 1);
        add_session_step(d, CONF_OP_PREFILL_LAST, at + 1, passing);
        add_session_step(d, CONF_OP_DECODE, at, session);
        add_session_step(d, CONF_OP_FREE, at + 1, passing);
        close_model(d, at + 1, other);
    }
    add_session_step(d, CONF_OP_FREE, at, session);
    close_model(d, at, model);
}

/* The model is loaded on a worker thread, and several threads wait for it. */
static void draw_worker(drawing *d)
{
    size_t at = draw_below(d, N_THREADS), model = d->n_models++;
    add_step(d, CONF_OP_LOAD, at, model, 0);
    add_step(d, CONF_OP_WAIT, at + 1, model, 0);
    add_step(d, CONF_OP_WAIT, at + 2, model, 0);
    size_t session = open_session(d, at + 1, model, draw_few(d));
    add_session_step(d, CONF_OP_PREFILL, at + 2, session);
    add_session_step(d, CONF_OP_DECODE, at, session);
    add_session_step(d, CONF_OP_FREE, at + 1, session);
    close_model(d, at + 3, model);
}

/* Adds a random step of a session, on a random thread. */
static void draw_any_step(drawing *d, size_t session, bool *prefilled)
{
    size_t at = draw_below(d, N_THREADS);
    bool decodes = *prefilled && draw_below(d, 4);
    add_session_step(d, decodes ? CONF_OP_DECODE : any_prefill(d), at, session);
    *prefilled = true;
}

static void draw_random(drawing *d)
{
    enum { LIVE = 3 };
    size_t models[2] = {open_model(d, draw_below(d, N_THREADS)), open_model(d, draw_below(d, N_THREADS))};
    size_t sessions[LIVE];
    bool prefilled[LIVE] = {false};
    for (size_t k = 0; k < LIVE; k++)
        sessions[k] = open_session(d, draw_below(d, N_THREADS), models[draw_below(d, 2)], draw_few(d));
    for (size_t i = 0; i < RANDOM_STEPS; i++) {
        size_t k = draw_below(d, LIVE);
        if (draw_below(d, 8)) {
            draw_any_step(d, sessions[k], &prefilled[k]);
            continue;
        }
        add_session_step(d, CONF_OP_FREE, draw_below(d, N_THREADS), sessions[k]);
        sessions[k] = open_session(d, draw_below(d, N_THREADS), models[draw_below(d, 2)], draw_few(d));
        prefilled[k] = false;
    }
    for (size_t k = 0; k < LIVE; k++)
        add_session_step(d, CONF_OP_FREE, draw_below(d, N_THREADS), sessions[k]);
    for (size_t k = 0; k < 2; k++) close_model(d, draw_below(d, N_THREADS), models[k]);
}

typedef void shape_fn(drawing *d);
static shape_fn *const shapes[] = {draw_handover,  draw_pool,   draw_crowd,  draw_makers,
                                   draw_strangers, draw_reopen, draw_worker, draw_random};
#define N_SHAPES (sizeof shapes / sizeof *shapes)

const char *const conf_shape_names[N_SHAPES + 1] = {"handover",  "pool",   "crowd",  "makers",
                                                    "strangers", "reopen", "worker", "random"};

/* Interleaves the parts at random; the steps of each part keep their order. */
static void interleave_parts(drawing *d, part *parts, size_t n_parts)
{
    size_t n_left = 0;
    for (size_t k = 0; k < n_parts; k++) n_left += parts[k].n;
    for (; n_left; n_left--) {
        size_t pick = draw_below(d, n_left), k = 0;
        while (pick >= parts[k].n - parts[k].n_taken) pick -= parts[k].n - parts[k].n_taken, k++;
        assert(d->to->n_steps < CONF_SCHEDULE_STEPS_MAX);
        d->to->steps[d->to->n_steps++] = parts[k].steps[parts[k].n_taken++];
    }
}

void conf_schedule_draw(const conf_schedule_draws *draws, conf_schedule *out)
{
    drawing d = {.of = draws, .state = draws->seed, .to = out};
    part parts[N_SHAPES];
    size_t n_parts = 0;
    *out = (conf_schedule){.n_workers = (size_t)1 << draw_below(&d, 3)};
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
