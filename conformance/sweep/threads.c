/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/sweep/threads.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

enum { MAX_THREADS = 4, CUTS = 4, LEAST_ROUNDS = 3 };
#define PATIENCE 0.01 /* seconds that a thread continues while others wait for a processor */

/* State shared by the threads of one run. */
typedef struct crew {
    const sweep_work *work;
    size_t n_threads;
    double until; /* on the monotonic clock */
    atomic_int start;
    atomic_size_t n_done; /* threads that have computed LEAST_ROUNDS rounds */
    atomic_bool failed;   /* set by the first thread that fails, which then sets the members below */
    const sweep_output *output;
    size_t at;
    uint32_t found, expected;
} crew;

enum { WAIT, GO, GIVE_UP }; /* values of crew.start */

typedef struct worker {
    crew *of;
    size_t index;
    pthread_t thread;
} worker;

static double seconds_now(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static bool is_nan(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return isnan(x);
}

/* Compares words from … end - 1 of an output; the first thread that finds a difference records it. */
static bool compare_output(crew *c, const sweep_output *o, size_t from, size_t end)
{
    const uint32_t *found = o->found, *expected = o->expected;
    if (memcmp(found + from, expected + from, (end - from) * sizeof *found) == 0) return true;
    for (size_t i = from; i < end; i++) {
        const uint32_t bits = found[i];
        if (bits == expected[i] || (is_nan(bits) && is_nan(expected[i]))) continue;
        if (atomic_exchange(&c->failed, true)) return false;
        c->output = o;
        c->at = i;
        c->found = bits;
        c->expected = expected[i];
        return false;
    }
    return true;
}

static bool compare_part(crew *c, const sweep_part *part)
{
    for (size_t i = 0; i < c->work->n_outputs; i++) {
        const sweep_output *o = &c->work->outputs[i];
        const size_t from = o->first + part->column * o->width;
        size_t end = from + part->n_columns * o->width;
        if (end > o->end) end = o->end;
        for (size_t r = part->row; r < part->row + part->n_rows; r++)
            if (!compare_output(c, o, r * o->ld + from, r * o->ld + end)) return false;
    }
    return true;
}

static size_t n_cuts(size_t n)
{
    return n < CUTS ? n : CUTS;
}

/* One round: cuts rows and columns into at most CUTS pieces each, and assigns them to threads
 * diagonally, so that threads differ in rows and in columns. */
static bool compute_share(crew *c, size_t index)
{
    const sweep_work *work = c->work;
    const size_t n_rows = n_cuts(work->n_rows), n_columns = n_cuts(work->n_columns);
    for (size_t i = 0; i < n_rows * n_columns; i++) {
        const size_t r = (i / n_columns + index) % n_rows, k = i % n_columns;
        if ((r + k) % c->n_threads != index) continue;
        const size_t row = r * work->n_rows / n_rows, column = k * work->n_columns / n_columns;
        const sweep_part part = {row, (r + 1) * work->n_rows / n_rows - row, column,
                                 (k + 1) * work->n_columns / n_columns - column};
        work->compute(work->context, &part);
        if (!compare_part(c, &part)) return false;
    }
    return true;
}

/* Whether a thread continues after n_rounds rounds: until the time is over and then, on a busy
 * machine, at most PATIENCE longer until all threads have computed LEAST_ROUNDS, so that calls
 * overlap. */
static bool continues(crew *c, size_t n_rounds)
{
    if (n_rounds == LEAST_ROUNDS) (void)atomic_fetch_add(&c->n_done, 1);
    if (n_rounds < LEAST_ROUNDS) return true;
    const double now = seconds_now();
    return now < c->until || (atomic_load(&c->n_done) < c->n_threads && now < c->until + PATIENCE);
}

/* Spins until all threads are ready: calls that take microseconds must begin together to overlap. */
static void *run_worker(void *context)
{
    const worker *w = context;
    crew *c = w->of;
    int start;
    while ((start = atomic_load(&c->start)) == WAIT) (void)sched_yield();
    if (start == GIVE_UP) return NULL;
    for (size_t n_rounds = 0; continues(c, n_rounds); n_rounds++)
        if (atomic_load(&c->failed) || !compute_share(c, w->index)) return NULL;
    return NULL;
}

/* Runs the threads; the caller is one of them. False if a thread cannot be created. */
static bool run_crew(crew *c, double seconds)
{
    worker workers[MAX_THREADS];
    size_t n = 1;
    workers[0] = (worker){.of = c};
    for (; n < c->n_threads; n++) {
        workers[n] = (worker){.of = c, .index = n};
        if (pthread_create(&workers[n].thread, NULL, run_worker, &workers[n]) != 0) break;
    }
    const bool complete = n == c->n_threads;
    c->until = seconds_now() + seconds;
    atomic_store(&c->start, complete ? GO : GIVE_UP);
    (void)run_worker(&workers[0]);
    for (size_t i = 1; i < n; i++) (void)pthread_join(workers[i].thread, NULL);
    return complete;
}

/* Compares the whole output, including words that no thread may write. */
static void compare_all(crew *c)
{
    for (size_t i = 0; i < c->work->n_outputs; i++) {
        const sweep_output *o = &c->work->outputs[i];
        (void)compare_output(c, o, 0, (c->work->n_rows - 1) * o->ld + o->end);
    }
}

void sweep_judge_threads(sweep *s, const sweep_work *work)
{
    if (!s->on_threads || n_cuts(work->n_rows) * n_cuts(work->n_columns) < 2) return;
    for (size_t n_threads = 2; n_threads <= MAX_THREADS && !s->fault[0]; n_threads *= 2) {
        crew c = {.work = work, .n_threads = n_threads};
        if (!run_crew(&c, s->thread_seconds)) {
            sweep_fail(s, "the sweep cannot start %zu threads", n_threads);
            return;
        }
        if (!atomic_load(&c.failed)) compare_all(&c);
        if (atomic_load(&c.failed))
            sweep_fail(s,
                       "%s[%zu]: bits %08x, but %08x from one thread: %zu threads at once on disjoint parts",
                       c.output->name, c.at, c.found, c.expected, n_threads);
    }
}
