/* The sweep: the kernels of a table, on shapes and numbers made from a seed, held against float64. This
 * header is what the operations share: numbers, guarded arrays, the judge.
 *
 * What it judges is assay/kernel.h's contract alone: it knows of no layout but through the table that it is
 * given, and no engine.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SWEEP_SWEEP_H
#define CONFORMANCE_SWEEP_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <assay/kernel.h>

/* A blocked sum of n products may be off by so many of (u · Σ|a||b| + ulp/2); sound kernels stay far below.
 */
#define SWEEP_TAU 16.0

/* Of the time of a whole sweep, threads take about a fifth. */
#define SWEEP_THREAD_SECONDS 0.0005
enum { SWEEP_THREADS_EVERY = 24 };

enum { SWEEP_CASE_MAX = 256 };
enum { SWEEP_ARRAYS = 40, SWEEP_ARRAY_MAX = 16 << 20, SWEEP_DIMS = 8 };

/* Numbers that a case draws from. */
typedef enum sweep_numbers {
    SWEEP_INTEGERS, /* -3 … 3: every sum is exact in float32, so equality is equality */
    SWEEP_RANDOM,   /* of either sign, most near 1, some 2^±6 from it */
    SWEEP_SPECIAL,  /* random, and here and there a NaN or an infinity */
    SWEEP_ZEROS, /* half of them zeros of either sign, one in 8 NaN or infinite, the others random: a product
                  * of zero and one that is not finite is NaN */
    SWEEP_N_NUMBERS
} sweep_numbers;

/* Memory of SWEEP_ARRAY_MAX bytes that ends at a page nobody may touch. */
typedef struct sweep_array {
    const char *name;    /* of the argument, as the contract calls it; NULL: memory of the sweep's own */
    unsigned char *wall; /* the first byte behind */
    unsigned char *data; /* what the case sees; NULL before sweep_take */
    size_t n_bytes, n_behind;
    bool locked; /* read-only */
} sweep_array;

/* One operation of a table while it is swept. */
typedef struct sweep {
    const char *op;
    const assay_kernels *kernels;
    uint64_t seed;       /* of the whole sweep; a case is reproduced by it and its shape */
    uint64_t state;      /* of the numbers */
    const char *numbers; /* name of what the case draws from */
    size_t shape[SWEEP_DIMS];
    size_t n_dims, n_cases, n_arrays;
    bool on_threads;       /* whether the case under way is also run on several threads at once */
    bool always_threads;   /* not only one case in SWEEP_THREADS_EVERY is */
    double thread_seconds; /* for how long, for each number of threads */
    sweep_array arrays[SWEEP_ARRAYS];
    double worst;                  /* in multiples of the bound, over all cases; infinite: of no bound */
    char worst_at[SWEEP_CASE_MAX]; /* its case */
    char case_at[SWEEP_CASE_MAX];  /* the case under way: OP SEED NUMBERS DIM… */
    char fault[256];               /* what went wrong first; "" while nothing did */
    char fault_at[SWEEP_CASE_MAX]; /* in which case */
} sweep;

/* Maps the arrays; false where memory is short. Every SWEEP_THREADS_EVERY-th case, on average, is run on
 * several threads for SWEEP_THREAD_SECONDS; the caller may change that in *s. Ends with sweep_close, after
 * success or not, which leaves what was found. */
bool sweep_open(sweep *s, const char *op, const assay_kernels *kernels, uint64_t seed);
void sweep_close(sweep *s);

/* Begins a case: all arrays are free again, the numbers start from the seed and the shape alone. */
void sweep_begin(sweep *s, const size_t *shape, size_t n_dims, sweep_numbers numbers);
/* Ends it: every guard must be whole. */
void sweep_end(sweep *s);

/* n_bytes against the wall: a read past the end dies. Aligned to what a single element needs, no more, so
 * that rows lie anywhere. name: see sweep_array. */
void *sweep_take(sweep *s, const char *name, size_t n_bytes);
/* The same, with a copy of from[n_bytes] in it. */
void *sweep_take_copy(sweep *s, const char *name, const void *from, size_t n_bytes);
/* The same at an even or an odd address, as a file's bytes lie: the wall is 0 or 1 bytes behind it. */
void *sweep_take_stored(sweep *s, const char *name, size_t n_bytes);
/* The same, between guards that sweep_end looks at, and filled with NaN: for outputs. */
void *sweep_take_guarded(sweep *s, const char *name, size_t n_bytes);
/* On a boundary of align bytes, a power of two; the wall is less than align bytes behind it. */
void *sweep_take_aligned(sweep *s, const char *name, size_t n_bytes, size_t align);

/* Makes all arguments read-only that are there, except guarded ones, until the next case begins. */
void sweep_lock_inputs(sweep *s);
/* For a handler of SIGSEGV: notes as the fault which array the address belongs to, and what was done to it;
 * nothing where it belongs to none. */
void sweep_note_access(sweep *s, const void *address);

uint64_t sweep_bits(sweep *s);
/* lowest … highest. */
size_t sweep_between(sweep *s, size_t lowest, size_t highest);
void sweep_fill(sweep *s, float *x, size_t n, sweep_numbers numbers);
/* NaN, or infinite. */
float sweep_special(sweep *s);
/* 0, or -0. */
float sweep_zero(sweep *s);
/* As many zeros as SWEEP_ZEROS has, and random numbers. */
void sweep_fill_sparse(sweep *s, float *x, size_t n);

/* y is right if it is within tau times (u · magnitude + half an ulp) of truth; where truth is no number, y
 * must be the same: NaN, or infinite with the same sign. at: the element. False when it is not, and the first
 * time that is noted as the fault. */
bool sweep_judge(sweep *s, float y, double truth, double magnitude, size_t at);
/* The same number, any zero and any NaN being as good as another. */
bool sweep_judge_exact(sweep *s, float y, double truth, size_t at);
/* The same bits, any NaN being as good as another. */
bool sweep_judge_same(sweep *s, float y, float expected, size_t at);
/* Each kind of numbers in turn, case by case; shifted by one after each round, so that what shapes repeat
 * every second or fourth case meets every kind. */
sweep_numbers sweep_turn(const sweep *s);
/* "integers", "random", "special", "zeros". */
const char *sweep_numbers_name(sweep_numbers numbers);
/* Notes a fault of the case under way, printf-like, unless there is one. */
void sweep_fail(sweep *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
