/* Matrix products beside what the machine can do at most, measured in the same run; for
 * scripts/bench-kernels.
 *
 * One thread: work is done in slices of a millisecond or so, each timed, and the rate is that of the slice at
 * the fastest tenth, so that neighbours on a shared machine count for little. All threads: the best of some
 * passes, from the first thread's start to the last one's end.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <config.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "fastpath/kernels/matmul.h"
#include "fastpath/tests/peak.h"
#include "model/dtype.h"

enum {
    MAX_THREADS = 64,
    MAX_SLICES = 256,
    PASSES = 20,
    SECONDS = 2, /* of passes, at most, but for the first */
    N_ROWS = 512,
    N_IN = 1024,
    N_OUT = 3072,
    PANELS_AT_ONCE = 8,
    SLICE_BYTES = 1 << 20, /* of memory read */
    MEMORY = 256 << 20     /* far larger than a cache */
};

/* Does the slice-th part of something. */
typedef void slice_fn(void *context, size_t slice, size_t thread);

typedef struct task {
    slice_fn *run;
    void *context;
    size_t n_slices, n_threads;
    double work; /* of one slice, in what the rate is to be counted in */
} task;

typedef struct limits {
    double fma[FP_N_ISAS][2], read[2]; /* one thread, all */
} limits;

typedef struct product {
    fp_matmul_fn *kernel;
    fp_matrix w;
    float *x, *y; /* y: of each thread */
    size_t n_rows, n_slices;
} product;

static volatile float sink;
static size_t n_threads;

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double rate_of_one(const task *t)
{
    double seconds[MAX_SLICES] = {0};
    for (size_t i = 0; i < t->n_slices; i++) {
        double start = now();
        t->run(t->context, i, 0);
        seconds[i] = now() - start;
    }
    qsort(seconds, t->n_slices, sizeof *seconds, by_size);
    return t->work / seconds[t->n_slices / 10];
}

typedef struct worker {
    const task *task;
    size_t number;
} worker;

static void *work(void *context)
{
    const worker *w = context;
    for (size_t i = w->number; i < w->task->n_slices; i += n_threads)
        w->task->run(w->task->context, i, w->number);
    return NULL;
}

/* Seconds of one pass on all threads; the caller is the first of them. */
static double pass(const task *t)
{
    pthread_t threads[MAX_THREADS];
    worker workers[MAX_THREADS] = {{0}};
    double start = now();
    for (size_t i = 0; i < n_threads; i++) {
        workers[i] = (worker){t, i};
        if (i && pthread_create(&threads[i], NULL, work, &workers[i]) != 0) exit(99);
    }
    (void)work(&workers[0]);
    for (size_t i = 1; i < n_threads; i++) (void)pthread_join(threads[i], NULL);
    return now() - start;
}

static double rate_of_all(const task *t)
{
    double start = now(), best = pass(t);
    for (size_t i = 1; i < PASSES && now() - start < SECONDS; i++) {
        double seconds = pass(t);
        if (seconds < best) best = seconds;
    }
    return t->work * (double)t->n_slices / best;
}

static void measure(double out[2], const task *t)
{
    out[0] = rate_of_one(t);
    out[1] = rate_of_all(t);
}

typedef struct peak {
    fp_isa isa;
    peak_fma_fn *fma;
    peak_read_fn *read;
} peak;

static const peak peaks[] = {
#ifdef FP_HAVE_AVX512
    {FP_ISA_AVX512, peak_fma__avx512, peak_read__avx512},
#endif
#ifdef FP_HAVE_AVX2
    {FP_ISA_AVX2, peak_fma__avx2, peak_read__avx2},
#endif
    {FP_ISA_SCALAR, peak_fma__scalar, peak_read__scalar},
};

enum { N_PEAKS = sizeof peaks / sizeof *peaks, FMA_TURNS = 20000 };

static void run_fma(void *context, size_t slice, size_t thread)
{
    (void)slice;
    (void)thread;
    sink = (float)((const peak *)context)->fma(FMA_TURNS);
}

typedef struct reading {
    peak_read_fn *read;
    const float *memory;
} reading;

static void run_read(void *context, size_t slice, size_t thread)
{
    const reading *r = context;
    (void)thread;
    sink = r->read(r->memory + slice * (SLICE_BYTES / sizeof(float)), SLICE_BYTES / sizeof(float));
}

static void print_limit(const char *what, const char *unit, const double rate[2])
{
    printf("%-24s %9.1f %9.1f %s\n", what, rate[0], rate[1], unit);
}

static void measure_limits(limits *l, const float *memory)
{
    const char *best = NULL;
    printf("%-24s %9s %9s\n", "limits", "1 thread", "all");
    for (size_t i = 0; i < N_PEAKS; i++) {
        peak p = peaks[i];
        if (!fp_isa_runs_here(p.isa)) continue;
        char what[32];
        (void)snprintf(what, sizeof what, "multiply-add, %s", fp_isa_name(p.isa));
        measure(l->fma[p.isa], &(task){run_fma, &p, MAX_SLICES, n_threads, p.fma(1) * FMA_TURNS * 1e-9});
        print_limit(what, "GFLOP/s", l->fma[p.isa]);
        if (best) continue;
        best = fp_isa_name(p.isa);
        reading r = {p.read, memory};
        measure(l->read, &(task){run_read, &r, MEMORY / SLICE_BYTES, n_threads, SLICE_BYTES * 1e-9});
    }
    print_limit("read", "GB/s", l->read);
}

static void run_product(void *context, size_t slice, size_t thread)
{
    const product *p = context;
    size_t n_panels = fp_matrix_panels(&p->w) / p->n_slices, at = slice % p->n_slices * n_panels;
    p->kernel(p->y + thread * N_ROWS * N_OUT, p->n_rows == 1 ? p->w.n_out : N_OUT, p->x, N_IN, p->n_rows,
              &p->w, at, n_panels);
}

static void print_rates(const char *what, fp_isa isa, assay_dtype dtype, const double rate[2],
                        const double limit[2], const char *unit)
{
    printf("%-8s %-6s %-7s %9.1f %9.1f %-8s %5.0f %% %5.0f %%\n", what, dtype_name(dtype), fp_isa_name(isa),
           rate[0], rate[1], unit, 100 * rate[0] / limit[0], 100 * rate[1] / limit[1]);
}

static void measure_product(const fp_matmul_variant *v, assay_dtype dtype, const limits *l, void *memory,
                            float *x, float *y)
{
    double rate[2];
    product p = {.w = {N_OUT, N_IN, dtype, memory}, .x = x, .y = y, .n_rows = N_ROWS};
    p.kernel = fp_matmul_for(v, &p.w);
    p.n_slices = fp_matrix_panels(&p.w) / PANELS_AT_ONCE;
    size_t turns = v->isa == FP_ISA_SCALAR ? 1 : MAX_SLICES / p.n_slices;
    measure(rate, &(task){run_product, &p, p.n_slices * turns, n_threads,
                          2e-9 * N_ROWS * N_IN * PANELS_AT_ONCE * (double)FP_PANEL});
    print_rates("prefill", v->isa, dtype, rate, l->fma[v->isa], "GFLOP/s");

    p.n_rows = 1;
    p.w.n_out = MEMORY / N_IN / dtype_size(dtype);
    p.n_slices = MEMORY / SLICE_BYTES;
    measure(rate, &(task){run_product, &p, p.n_slices, n_threads, SLICE_BYTES * 1e-9});
    print_rates("1 row", v->isa, dtype, rate, l->read, "GB/s");
}

static void *take(size_t n)
{
    void *memory = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        (void)fprintf(stderr, "bench_kernels: out of memory\n");
        exit(99);
    }
    (void)madvise(memory, n, MADV_HUGEPAGE);
    memset(memory, 0, n);
    return memory;
}

int main(void)
{
    static const assay_dtype dtypes[] = {ASSAY_F32, ASSAY_F16, ASSAY_BF16};
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    n_threads = n < 1 ? 1 : n > MAX_THREADS ? MAX_THREADS : (size_t)n;
    void *memory = take(MEMORY);
    float *x = take(sizeof(float) * N_ROWS * N_IN), *y = take(sizeof(float) * N_ROWS * N_OUT * n_threads);
    limits l = {0};
    (void)setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    measure_limits(&l, memory);
    printf("\n%-23s %9s %9s %8s %7s %7s\n", "product", "1 thread", "all", "", "of it", "of it");
    for (size_t i = 0; i < FP_N_MATMUL; i++)
        for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes && fp_isa_runs_here(FP_MATMUL[i].isa); d++)
            measure_product(&FP_MATMUL[i], dtypes[d], &l, memory, x, y);
    return 0;
}
