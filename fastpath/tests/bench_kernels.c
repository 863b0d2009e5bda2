/* Matrix products and attention compared with the machine's limits, measured in the same run; for
 * scripts/bench-kernels.
 *
 * One thread: work is done in slices of a millisecond or so, each timed, and the rate is that of the
 * slice at the fastest tenth, so that other users of a shared machine have little effect. All threads:
 * the best of some passes, from the first thread's start to the last one's end.
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

#include "fastpath/kernels/attention/attention.h"
#include "fastpath/kernels/matmul/matmul.h"
#include "fastpath/tests/peak.h"

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

/* Processes slice number `slice`. */
typedef void slice_fn(void *context, size_t slice, size_t thread);

typedef struct task {
    slice_fn *run;
    void *context;
    size_t n_slices, n_threads;
    double work; /* work of one slice, in units of the rate */
} task;

typedef struct limits {
    double fma[FP_N_ISAS][2], read[2]; /* one thread, all */
} limits;

typedef struct product {
    assay_product_fn *run;
    assay_product of;
    assay_matrix w;
    float *y; /* of each thread */
    size_t n_slices;
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

/* Seconds of one run_pass on all threads; the caller is the first of them. */
static double run_pass(const task *t)
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
    double start = now(), best = run_pass(t);
    for (size_t i = 1; i < PASSES && now() - start < SECONDS; i++) {
        double seconds = run_pass(t);
        if (seconds < best) best = seconds;
    }
    return t->work * (double)t->n_slices / best;
}

static void measure_rates(double out[2], const task *t)
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
        measure_rates(l->fma[p.isa],
                      &(task){run_fma, &p, MAX_SLICES, n_threads, p.fma(1) * FMA_TURNS * 1e-9});
        print_limit(what, "GFLOP/s", l->fma[p.isa]);
        if (best) continue;
        best = fp_isa_name(p.isa);
        reading r = {p.read, memory};
        measure_rates(l->read, &(task){run_read, &r, MEMORY / SLICE_BYTES, n_threads, SLICE_BYTES * 1e-9});
    }
    print_limit("read", "GB/s", l->read);
}

static void run_product(void *context, size_t slice, size_t thread)
{
    const product *p = context;
    assay_product part = p->of;
    part.w = &p->w;
    part.n_panels = fp_matrix_panels(&p->w) / p->n_slices;
    part.first_panel = slice % p->n_slices * part.n_panels;
    part.y = p->y + thread * N_ROWS * N_OUT;
    part.ld_y = part.n_rows == 1 ? p->w.n_out : N_OUT;
    p->run(&part);
}

/* A product to be measured: the type of x, and how the weights are stored. */
typedef struct subject {
    const char *name;
    assay_dtype x, weights;
    size_t bits;
} subject;

static const subject SUBJECTS[] = {
    {"f32 f32", ASSAY_F32, ASSAY_F32, 0},      {"f32 f16", ASSAY_F32, ASSAY_F16, 0},
    {"f32 bf16", ASSAY_F32, ASSAY_BF16, 0},    {"f32 8 bits", ASSAY_F32, ASSAY_U32, 8},
    {"f32 4 bits", ASSAY_F32, ASSAY_U32, 4},   {"bf16 bf16", ASSAY_BF16, ASSAY_BF16, 0},
    {"bf16 8 bits", ASSAY_BF16, ASSAY_U32, 8}, {"bf16 4 bits", ASSAY_BF16, ASSAY_U32, 4},
    {"i8 8 bits", ASSAY_I8, ASSAY_U32, 8},     {"i8 4 bits", ASSAY_I8, ASSAY_U32, 4},
    {"i8 3 bits", ASSAY_I8, ASSAY_U32, 3},
};

static void print_rates(const char *what, const char *name, fp_isa isa, const double rate[2],
                        const double limit[2], const char *unit)
{
    printf("%-8s %-16s %-10s %9.1f %9.1f %-8s %5.0f %% %5.0f %%\n", what, name, fp_isa_name(isa), rate[0],
           rate[1], unit, 100 * rate[0] / limit[0], 100 * rate[1] / limit[1]);
}

static const assay_matmul *kernel_of(const fp_matmul_variant *v, const subject *u)
{
    return u->bits                   ? &v->affine
           : u->weights == ASSAY_F32 ? &v->f32
           : u->weights == ASSAY_F16 ? &v->f16
                                     : &v->bf16;
}

/* x is used as rows of any type, and as scales and sums; the values do not matter. */
static void measure_product(const fp_matmul_variant *v, const subject *u, const limits *l, void *memory,
                            float *x, float *y)
{
    enum { GROUP = 64 };
    double rate[2];
    const assay_weight shape = {.n_out = N_OUT,
                                .n_in = N_IN,
                                .dtype = u->weights,
                                .bits = u->bits,
                                .group = u->bits ? GROUP : 0,
                                .scale_dtype = ASSAY_BF16,
                                .bias_dtype = ASSAY_BF16};
    const assay_matmul *k = kernel_of(v, u);
    product p = {.run = u->x == ASSAY_F32    ? k->f32
                        : u->x == ASSAY_BF16 ? k->bf16
                                             : k->i8,
                 .w = {N_OUT, N_IN, u->weights, u->bits, shape.group, ASSAY_BF16, ASSAY_BF16, k->panel,
                       k->panel_bytes(&shape), memory},
                 .y = y};
    p.of =
        (assay_product){.x = x, .ld_x = N_IN, .n_rows = N_ROWS, .x_scale = x, .x_sum = (int32_t *)(void *)x};
    p.n_slices = fp_matrix_panels(&p.w) / PANELS_AT_ONCE;
    const size_t turns = v->isa == FP_ISA_SCALAR ? 1 : MAX_SLICES / p.n_slices;
    measure_rates(rate, &(task){run_product, &p, p.n_slices * turns, n_threads,
                                2e-9 * N_ROWS * N_IN * PANELS_AT_ONCE * (double)k->panel});
    print_rates("prefill", u->name, v->isa, rate, l->fma[v->isa < FP_ISA_AVX512 ? v->isa : FP_ISA_AVX512],
                "GFLOP/s");

    p.of.n_rows = 1;
    p.n_slices = MEMORY / SLICE_BYTES;
    const size_t panels_each = SLICE_BYTES / p.w.panel_bytes;
    p.w.n_out = p.n_slices * panels_each * k->panel;
    measure_rates(rate, &(task){run_product, &p, p.n_slices, n_threads,
                                1e-9 * (double)(panels_each * p.w.panel_bytes)});
    print_rates("1 row", u->name, v->isa, rate, l->read, "GB/s");
}

/* Attention of a model with 16 heads of 128, two for each key/value head: a run of CHUNK rows at a time, as
 * the engine does, or one row. */
enum { HEADS = 16, GROUP = 2, HEAD_DIM = 128, CHUNK = 32, PASS = 256, MAX_CONTEXT = 2048 };

typedef struct attention {
    assay_attention_fn *run;
    const char *memory;
    size_t head_bytes; /* of the keys of a head in a page, and of its values */
    size_t context;
    const float *q; /* [PASS, HEADS, HEAD_DIM] */
    float *out;     /* of each thread, likewise */
} attention;

/* Computes n rows, the last of which attends to keys 0 … end - 1, of a key/value head with pages of its
 * own. */
static void attend_rows(const attention *a, size_t head, size_t n, size_t end, float *out)
{
    const void *k[MAX_CONTEXT / 64], *v[MAX_CONTEXT / 64];
    size_t first[CHUNK] = {0}, last[CHUNK];
    const size_t at = (end - n) % PASS * HEADS * HEAD_DIM + head % (HEADS / GROUP) * GROUP * HEAD_DIM;
    for (size_t r = 0; r < n; r++) last[r] = end - n + r;
    for (size_t i = 0; i < a->context / ASSAY_PAGE; i++) {
        k[i] = a->memory + (head * (a->context / ASSAY_PAGE) + i) * 2 * a->head_bytes;
        v[i] = (const char *)k[i] + a->head_bytes;
    }
    a->run(&(assay_attention_call){.out = out + at,
                                   .q = a->q + at,
                                   .ld_out = HEADS * HEAD_DIM,
                                   .ld_q = HEADS * HEAD_DIM,
                                   .n_rows = n,
                                   .n_heads = GROUP,
                                   .head_dim = HEAD_DIM,
                                   .k = k,
                                   .v = v,
                                   .first = first,
                                   .last = last,
                                   .scale = 0.1F});
}

/* Two runs, as far from the start of the prompt as from its end, so that all slices are alike. */
static void run_prefill(void *context, size_t slice, size_t thread)
{
    const attention *a = context;
    const size_t n = a->context / CHUNK, chunk = slice % (n / 2), head = slice / (n / 2) % (HEADS / GROUP);
    float *out = a->out + thread * N_ROWS * N_OUT;
    attend_rows(a, head, CHUNK, (chunk + 1) * CHUNK, out);
    attend_rows(a, head, CHUNK, (n - chunk) * CHUNK, out);
}

static void run_decode(void *context, size_t slice, size_t thread)
{
    const attention *a = context;
    attend_rows(a, slice, 1, a->context, a->out + thread * N_ROWS * N_OUT);
}

/* name: "f32", or "bf16…" of pages of bfloat16. */
static void measure_attention(const fp_attention_variant *v, const char *name, assay_attention_fn *run,
                              const limits *l, const void *memory, const float *q, float *out)
{
    static const size_t CONTEXTS[] = {512, 2048};
    char what[32];
    double rate[2];
    attention a = {.run = run, .memory = memory, .q = q, .out = out};
    a.head_bytes = HEAD_DIM * ASSAY_PAGE * (name[0] == 'b' ? sizeof(uint16_t) : sizeof(float));
    if (!run) return;
    for (size_t i = 0; i < 2; i++) {
        (void)snprintf(what, sizeof what, "%s %zu", name, a.context = CONTEXTS[i]);
        const double pairs = (double)CHUNK * GROUP * (double)(a.context + 1);
        measure_rates(rate, &(task){run_prefill, &a, v->isa == FP_ISA_SCALAR ? 4 : MAX_SLICES, n_threads,
                                    1e-9 * pairs * 4 * HEAD_DIM});
        print_rates("prefill", what, v->isa, rate, l->fma[v->isa < FP_ISA_AVX512 ? v->isa : FP_ISA_AVX512],
                    "GFLOP/s");
    }
    a.context = 1024;
    const size_t bytes = 2 * a.head_bytes * a.context / ASSAY_PAGE;
    measure_rates(rate, &(task){run_decode, &a, MAX_SLICES, n_threads, 1e-9 * (double)bytes});
    (void)snprintf(what, sizeof what, "%s %zu", name, a.context);
    print_rates("1 row", what, v->isa, rate, l->read, "GB/s");
}

static void *allocate(size_t n)
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
    enum { N_SUBJECTS = sizeof SUBJECTS / sizeof *SUBJECTS };
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    n_threads = n < 1 ? 1 : n > MAX_THREADS ? MAX_THREADS : (size_t)n;
    void *memory = allocate(MEMORY);
    float *x = allocate(sizeof(float) * N_ROWS * N_IN),
          *y = allocate(sizeof(float) * N_ROWS * N_OUT * n_threads);
    limits l = {0};
    (void)setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    measure_limits(&l, memory);
    printf("\n%-36s %9s %9s %8s %7s %7s\n", "product", "1 thread", "all", "", "of it", "of it");
    for (size_t i = 0; i < FP_N_MATMUL; i++)
        for (size_t u = 0; u < N_SUBJECTS && fp_isa_runs_here(FP_MATMUL[i].isa); u++)
            measure_product(&FP_MATMUL[i], &SUBJECTS[u], &l, memory, x, y);
    printf("\n%-36s %9s %9s %8s %7s %7s\n", "attention", "1 thread", "all", "", "of it", "of it");
    for (size_t i = 0; i < FP_N_ATTENTION; i++) {
        const fp_attention_variant *v = &FP_ATTENTION[i];
        if (!fp_isa_runs_here(v->isa)) continue;
        measure_attention(v, "f32", v->f32, &l, memory, x, y);
        measure_attention(v, "bf16", v->bf16, &l, memory, x, y);
        measure_attention(v, "bf16 shares", v->bf16_shares, &l, memory, x, y);
    }
    return 0;
}
