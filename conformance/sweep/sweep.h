/* The sweep: runs the kernels of a table on shapes and numbers made from a seed, and compares the
 * results with float64. This header is what the files of all operations share: numbers, guarded
 * arrays, the judge.
 *
 * The sweep checks the contract of assay/kernel.h only. It knows layouts only through the functions of
 * the table that it is given, and no engine.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SWEEP_SWEEP_H
#define CONFORMANCE_SWEEP_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <assay/kernel.h>

/* A blocked sum of n products may be off by SWEEP_TAU * (u · Σ|a||b| + ulp/2); correct kernels stay
 * far below. */
#define SWEEP_TAU 16.0

/* Runs on several threads take about a fifth of the time of a whole sweep with these values. */
#define SWEEP_THREAD_SECONDS 0.0005
enum { SWEEP_THREADS_EVERY = 24 };

enum { SWEEP_CASE_MAX = 256 };
enum { SWEEP_ARRAYS = 40, SWEEP_ARRAY_MAX = 32 << 20, SWEEP_DIMS = 8 };

/* Distribution of the numbers of a case. */
typedef enum sweep_numbers {
    SWEEP_INTEGERS, /* -3 … 3: every sum is exact in float32, so results are compared for equality */
    SWEEP_RANDOM,   /* uniform in -1 … 1, one in 16 scaled by 2^-6 … 2^6 */
    SWEEP_SPECIAL,  /* random, one in 97 a NaN or an infinity */
    SWEEP_ZEROS,    /* half zeros of either sign, one in 8 not finite: 0 times NaN or infinity is NaN */
    SWEEP_LARGE, /* activations in -60,000 … 60,000, whose sums exceed the largest float16, and scores whose
                    exponentials are infinite or 0 in float32 */
    SWEEP_N_NUMBERS
} sweep_numbers;

/* Memory of SWEEP_ARRAY_MAX bytes that ends at an inaccessible page (the wall). */
typedef struct sweep_array {
    const char *name;    /* argument name in the contract; NULL: memory of the sweep itself */
    unsigned char *wall; /* first byte of the inaccessible page */
    unsigned char *data; /* start of the array; NULL before sweep_alloc */
    size_t n_bytes, n_behind;
    bool locked; /* read-only */
} sweep_array;

/* State of the sweep of one operation of a table. */
typedef struct sweep {
    const char *op;
    const assay_kernels *kernels;
    uint64_t seed;       /* of the whole sweep; the seed and its shape reproduce a case */
    uint64_t state;      /* of the generator of the numbers */
    const char *numbers; /* name of the distribution */
    const char *subject; /* what the current case is about, said before a fault; or NULL */
    size_t shape[SWEEP_DIMS];
    size_t largest[SWEEP_DIMS]; /* the largest value of each dimension in all cases */
    size_t n_dims, n_cases, n_arrays;
    bool on_threads;       /* whether the current case also runs on several threads at once */
    bool always_threads;   /* run every case on threads, not one in SWEEP_THREADS_EVERY */
    double thread_seconds; /* duration of the runs for each number of threads */
    sweep_array arrays[SWEEP_ARRAYS];
    double worst;                  /* largest error / bound of all cases; infinite if it has no bound */
    char worst_at[SWEEP_CASE_MAX]; /* case of `worst` */
    char case_at[SWEEP_CASE_MAX];  /* the current case: OP SEED NUMBERS DIM… */
    char fault[256];               /* first fault; "" if none */
    char fault_at[SWEEP_CASE_MAX]; /* case of `fault` */
} sweep;

/* Maps the arrays; false if out of memory. On average every SWEEP_THREADS_EVERY-th case also runs on
 * several threads for SWEEP_THREAD_SECONDS; the caller may change that in *s. Call sweep_close
 * afterwards, on failure too; it keeps the results in *s. */
bool sweep_open(sweep *s, const char *op, const assay_kernels *kernels, uint64_t seed);
void sweep_close(sweep *s);

/* Begins a case: releases all arrays, and restarts the generator from the seed and the shape alone. False,
 * and no case has begun, if a fault is noted and the largest error is infinite: the report would have the
 * same fault and the same error after further cases. */
bool sweep_begin(sweep *s, const size_t *shape, size_t n_dims, sweep_numbers numbers);
/* Ends a case: checks that every guard is intact. */
void sweep_end(sweep *s);

/* Takes an array of n_bytes that ends at the wall, so that a read past its end crashes. It has the
 * alignment of one element only, so that rows are unaligned. name: see sweep_array. NULL, with a fault
 * noted, beyond the capacity. */
void *sweep_alloc(sweep *s, const char *name, size_t n_bytes);
/* As sweep_alloc, filled with a copy of from[n_bytes]. */
void *sweep_alloc_copy(sweep *s, const char *name, const void *from, size_t n_bytes);
/* As sweep_alloc, at an even or an odd address, as in a mapped file: the wall is 0 or 1 bytes after the
 * end. */
void *sweep_alloc_stored(sweep *s, const char *name, size_t n_bytes);
/* As sweep_alloc, between guards that sweep_end checks, and filled with NaN: for outputs. */
void *sweep_alloc_guarded(sweep *s, const char *name, size_t n_bytes);
/* As sweep_alloc, aligned to align bytes, a power of two; the wall is less than align bytes after the
 * end. */
void *sweep_alloc_aligned(sweep *s, const char *name, size_t n_bytes, size_t align);

/* Makes all arguments taken so far read-only, except guarded ones, until the next case begins. */
void sweep_lock_inputs(sweep *s);
/* For a handler of SIGSEGV: notes as the fault which array the address belongs to and what was done to
 * it; does nothing for other addresses. */
void sweep_note_access(sweep *s, const void *address);

uint64_t sweep_bits(sweep *s);
/* A number in lowest … highest, both inclusive. */
size_t sweep_between(sweep *s, size_t lowest, size_t highest);
/* The same, with its logarithm distributed evenly. 1 <= lowest. */
size_t sweep_between_log(sweep *s, size_t lowest, size_t highest);
void sweep_fill(sweep *s, float *x, size_t n, sweep_numbers numbers);
/* A random one of NaN, +infinity, -infinity. */
float sweep_special(sweep *s);
/* 0 or -0, at random. */
float sweep_zero(sweep *s);
/* Fills x with as many zeros as SWEEP_ZEROS has, and random numbers otherwise. */
void sweep_fill_sparse(sweep *s, float *x, size_t n);

/* Whether y is within SWEEP_TAU * (u · magnitude + ulp / 2) of truth or, if truth is not finite, equal
 * to it: NaN, or infinite with the same sign. at: index of the element. If not, notes the fault unless
 * there is one already. */
bool sweep_judge(sweep *s, float y, double truth, double magnitude, size_t at);
/* Whether y equals truth; zeros of either sign are equal, and so are all NaNs. */
bool sweep_judge_exact(sweep *s, float y, double truth, size_t at);
/* Whether y has the bits of expected; all NaNs are equal. */
bool sweep_judge_same(sweep *s, float y, float expected, size_t at);
/* The distribution for the next case: each in turn, shifted by one after each round, so that
 * properties of shapes that repeat with the number of distributions meet each of them. */
sweep_numbers sweep_turn(const sweep *s);
/* "integers", "random", "special", "zeros", "large". */
const char *sweep_numbers_name(sweep_numbers numbers);
/* Notes a fault of the current case, printf-like, unless a fault is already noted. It has no bound, so that
 * the largest error is infinite. */
void sweep_fail(sweep *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
