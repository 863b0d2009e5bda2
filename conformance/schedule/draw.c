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

static size_t below(drawing *d, size_t n)
{
    return conf_draw_below(&d->state, n);
}

static void add(drawing *d, conf_op op, size_t thread, size_t model, size_t session)
{
    part *p = d->part;
    assert(p->n < PART_STEPS);
    p->steps[p->n++] = (conf_step){.op = op, .thread = thread, .model = model, .session = session};
}

static size_t open_model(drawing *d, size_t thread)
{
    add(d, CONF_OP_OPEN, thread, d->n_models, 0);
    return d->n_models++;
}

static void close_model(drawing *d, size_t thread, size_t model)
{
    add(d, CONF_OP_CLOSE, thread, model, 0);
}

/* Opens a session of n samples drawn with replacement, or of all samples in order if the case requires
 * it. */
static size_t open_session(drawing *d, size_t thread, size_t model, size_t n)
{
    assert(d->n_sessions < CONF_SCHEDULE_SESSIONS_MAX);
    conf_schedule_session *s = &d->to->sessions[d->n_sessions];
    s->n_samples = d->of->whole ? d->of->n_samples : n;
    for (size_t k = 0; k < s->n_samples; k++) s->samples[k] = d->of->whole ? k : below(d, d->of->n_samples);
    add(d, CONF_OP_SESSION, thread, model, d->n_sessions);
    return d->n_sessions++;
}

/* Adds a step of an open session. */
static void on(drawing *d, conf_op op, size_t thread, size_t session)
{
    add(d, op, thread, 0, session);
}

static conf_op any_prefill(drawing *d)
{
    return below(d, 2) ? CONF_OP_PREFILL : CONF_OP_PREFILL_LAST;
}

static size_t few(drawing *d)
{
    return 1 + below(d, 2);
}

/* Opening, prefill, decode and free on different threads. */
static void draw_handover(drawing *d)
{
    size_t at = below(d, N_THREADS), model = open_model(d, at), session = open_session(d, at, model, few(d));
    on(d, CONF_OP_PREFILL, at + 1, session);
    on(d, CONF_OP_DECODE, at + 2, session);
    on(d, CONF_OP_DECODE, at + 3, session); /* with two threads, not the thread of the previous step */
    on(d, CONF_OP_FREE, at + 3, session);
    close_model(d, at + 1, model);
}

/* One session that a pool of threads uses, another thread at every step; one step is a second
 * prefill. */
static void draw_pool(drawing *d)
{
    size_t at = below(d, N_THREADS), model = open_model(d, at), session = open_session(d, at, model, few(d));
    size_t again = below(d, POOL_STEPS);
    on(d, CONF_OP_PREFILL, at + 1, session);
    for (size_t k = 0; k < POOL_STEPS; k++)
        on(d, k && k == again ? CONF_OP_PREFILL_LAST : CONF_OP_DECODE, at + 2 + k, session);
    on(d, CONF_OP_FREE, at + POOL_STEPS + 2, session);
    close_model(d, at, model);
}

/* Concurrent sessions on many threads, with shared weights. */
static void draw_crowd(drawing *d)
{
    size_t at = below(d, N_THREADS), model = open_model(d, at), sessions[N_SESSIONS];
    for (size_t k = 0; k < N_SESSIONS; k++) sessions[k] = open_session(d, at + k, model, 1);
    for (size_t k = 0; k < N_SESSIONS; k++) on(d, any_prefill(d), at + k, sessions[k]);
    for (size_t k = 0; k < N_SESSIONS; k++) on(d, CONF_OP_DECODE, at + k, sessions[k]);
    for (size_t k = 0; k < N_SESSIONS; k++) on(d, CONF_OP_FREE, at + k, sessions[k]);
    close_model(d, at, model);
}

/* A batch whose rows were written by different threads, in a session opened by yet another. */
static void draw_makers(drawing *d)
{
    size_t at = below(d, N_THREADS), model = open_model(d, at);
    size_t session = open_session(d, at + 1, model, 2 + below(d, 2));
    for (size_t k = 0; k < d->to->sessions[session].n_samples; k++) {
        on(d, CONF_OP_ROW, at + 2 + k, session);
        d->part->steps[d->part->n - 1].row = k;
    }
    on(d, CONF_OP_PREFILL, at + 1, session);
    on(d, CONF_OP_DECODE, at, session);
    on(d, CONF_OP_FREE, at + 1, session);
    close_model(d, at, model);
}

/* Two sessions, each freed by the thread that opened the other. */
static void draw_strangers(drawing *d)
{
    size_t at = below(d, N_THREADS), model = open_model(d, at);
    size_t a = open_session(d, at, model, 1), b = open_session(d, at + 1, model, 1);
    on(d, any_prefill(d), at, a);
    on(d, any_prefill(d), at + 1, b);
    on(d, CONF_OP_FREE, at + 1, a);
    on(d, CONF_OP_FREE, at, b);
    close_model(d, at + 1, model);
}

/* One thread opens and closes models in a loop while another runs a session. */
static void draw_reopen(drawing *d)
{
    size_t at = below(d, N_THREADS), model = open_model(d, at), session = open_session(d, at, model, few(d));
    on(d, CONF_OP_PREFILL, at, session);
    for (size_t k = 0; k < LOOPS; k++) {
        size_t other = open_model(d, at + 1), passing = open_session(d, at + 1, other, 1);
        on(d, CONF_OP_PREFILL_LAST, at + 1, passing);
        on(d, CONF_OP_DECODE, at, session);
        on(d, CONF_OP_FREE, at + 1, passing);
        close_model(d, at + 1, other);
    }
    on(d, CONF_OP_FREE, at, session);
    close_model(d, at, model);
}

/* The model is loaded on a worker thread, and several threads wait for it. */
static void draw_worker(drawing *d)
{
    size_t at = below(d, N_THREADS), model = d->n_models++;
    add(d, CONF_OP_LOAD, at, model, 0);
    add(d, CONF_OP_WAIT, at + 1, model, 0);
    add(d, CONF_OP_WAIT, at + 2, model, 0);
    size_t session = open_session(d, at + 1, model, few(d));
    on(d, CONF_OP_PREFILL, at + 2, session);
    on(d, CONF_OP_DECODE, at, session);
    on(d, CONF_OP_FREE, at + 1, session);
    close_model(d, at + 3, model);
}

/* Adds a random step of a session, on a random thread. */
static void draw_any_step(drawing *d, size_t session, bool *prefilled)
{
    size_t at = below(d, N_THREADS);
    bool decodes = *prefilled && below(d, 4);
    on(d, decodes ? CONF_OP_DECODE : any_prefill(d), at, session);
    *prefilled = true;
}

static void draw_random(drawing *d)
{
    enum { LIVE = 3 };
    size_t models[2] = {open_model(d, below(d, N_THREADS)), open_model(d, below(d, N_THREADS))};
    size_t sessions[LIVE];
    bool prefilled[LIVE] = {false};
    for (size_t k = 0; k < LIVE; k++)
        sessions[k] = open_session(d, below(d, N_THREADS), models[below(d, 2)], few(d));
    for (size_t i = 0; i < RANDOM_STEPS; i++) {
        size_t k = below(d, LIVE);
        if (below(d, 8)) {
            draw_any_step(d, sessions[k], &prefilled[k]);
            continue;
        }
        on(d, CONF_OP_FREE, below(d, N_THREADS), sessions[k]);
        sessions[k] = open_session(d, below(d, N_THREADS), models[below(d, 2)], few(d));
        prefilled[k] = false;
    }
    for (size_t k = 0; k < LIVE; k++) on(d, CONF_OP_FREE, below(d, N_THREADS), sessions[k]);
    for (size_t k = 0; k < 2; k++) close_model(d, below(d, N_THREADS), models[k]);
}

typedef void shape_fn(drawing *d);
static shape_fn *const shapes[] = {draw_handover,  draw_pool,   draw_crowd,  draw_makers,
                                   draw_strangers, draw_reopen, draw_worker, draw_random};
#define N_SHAPES (sizeof shapes / sizeof *shapes)

const char *const conf_shape_names[N_SHAPES + 1] = {"handover",  "pool",   "crowd",  "makers",
                                                    "strangers", "reopen", "worker", "random"};

/* Interleaves the parts at random; the steps of each part keep their order. */
static void mix(drawing *d, part *parts, size_t n_parts)
{
    size_t n_left = 0;
    for (size_t k = 0; k < n_parts; k++) n_left += parts[k].n;
    for (; n_left; n_left--) {
        size_t pick = below(d, n_left), k = 0;
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
    *out = (conf_schedule){.n_workers = (size_t)1 << below(&d, 3)};
    for (size_t k = 0; k < N_SHAPES; k++) {
        if (draws->shape != SIZE_MAX && draws->shape != k) continue;
        d.part = &parts[n_parts++];
        d.part->n = d.part->n_taken = 0;
        shapes[k](&d);
    }
    mix(&d, parts, n_parts);
}

void conf_schedule_fold(conf_schedule *s, size_t n)
{
    for (size_t i = 0; i < s->n_steps; i++) s->steps[i].thread %= n;
}
