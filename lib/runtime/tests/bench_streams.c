/* Compares the lookup of a thread's default stream with a thread-local read and with one number under a
 * lock: each called through a pointer into a module, by one thread and by several concurrently.
 *
 *     bench_streams ENGINE.so YARDSTICK.so
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <assay/stream.h>

enum { CALLS = 2000000, ROUNDS = 15, THREADS = 2 };

typedef int32_t yardstick_fn(void);

/* One of the things that are measured. */
typedef struct measured {
    const char *name;
    const assay_streams *streams; /* NULL: the yardstick */
    yardstick_fn *yardstick;
} measured;

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Seconds for CALLS calls. */
static double measure(const measured *m)
{
    const assay_device cpu = {ASSAY_CPU, 0};
    assay_stream s = {.index = 0};
    volatile int64_t sum = 0;
    if (m->streams && m->streams->default_stream(cpu, &s, NULL) != ASSAY_OK) return 0;
    const double start = now();
    for (int i = 0; i < CALLS; i++) {
        if (m->streams) (void)m->streams->default_stream(cpu, &s, NULL);
        sum += m->streams ? s.index : m->yardstick();
    }
    return now() - start;
}

/* One thread's best time. */
typedef struct runner {
    pthread_t thread;
    const measured *of;
    double best;
} runner;

static void *run(void *context)
{
    runner *r = context;
    r->best = measure(r->of);
    return NULL;
}

/* Nanoseconds per call of the slowest of n concurrent threads, best of all rounds. */
static double best_of(const measured *m, size_t n)
{
    double best = 0;
    for (int round = 0; round < ROUNDS; round++) {
        runner runners[THREADS] = {0};
        double slowest = 0;
        for (size_t i = 0; i < n; i++) {
            runners[i].of = m;
            if (pthread_create(&runners[i].thread, NULL, run, &runners[i]) != 0) exit(99);
        }
        for (size_t i = 0; i < n; i++) {
            (void)pthread_join(runners[i].thread, NULL);
            if (runners[i].best > slowest) slowest = runners[i].best;
        }
        if (round == 0 || slowest < best) best = slowest;
    }
    return best / CALLS * 1e9;
}

/* A function of a module; POSIX lets its address be read as that of an object. */
static void load(const char *path, const char *symbol, void *fn)
{
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *found = module ? dlsym(module, symbol) : NULL;
    if (!found) {
        (void)fprintf(stderr, "bench_streams: %s: %s\n", path, dlerror());
        exit(99);
    }
    memcpy(fn, &found, sizeof found);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        (void)fputs("usage: bench_streams ENGINE.so YARDSTICK.so\n", stderr);
        return 2;
    }
    assay_streams_fn *streams;
    yardstick_fn *plain_read, *locked_read;
    load(argv[1], ASSAY_STREAMS_SYMBOL, &streams);
    load(argv[2], "yardstick_thread_local", &plain_read);
    load(argv[2], "yardstick_locked", &locked_read);
    const measured all[] = {
        {"thread-local read", NULL, plain_read},
        {"default stream", streams(), NULL},
        {"read under a lock", NULL, locked_read},
    };
    (void)printf("%-20s %12s %12s\n", "nanoseconds of a call", "1 thread", "2 threads");
    double plain[2] = {0};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const double alone = best_of(&all[i], 1), together = best_of(&all[i], THREADS);
        if (i == 0) plain[0] = alone, plain[1] = together;
        (void)printf("%-21s %6.2f %4.1fx %6.2f %4.1fx\n", all[i].name, alone, alone / plain[0], together,
                     together / plain[1]);
    }
    return 0;
}
