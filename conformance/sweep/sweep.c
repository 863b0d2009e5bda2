/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/sweep/sweep.h"

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ARRAY_BYTES = SWEEP_ARRAY_MAX, GUARD_BYTES = 256, GUARD = 0xA5 };

/* Readable bytes between an array and its wall, a multiple of 64: scripts/check-emulated sets them for
 * an emulator that reads lanes which a masked load leaves out. */
#ifndef SWEEP_SLACK
#define SWEEP_SLACK 0
#endif

static size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

bool sweep_open(sweep *s, const char *op, const assay_kernels *kernels, uint64_t seed)
{
    *s = (sweep){
        .op = op, .kernels = kernels, .seed = seed, .numbers = "", .thread_seconds = SWEEP_THREAD_SECONDS};
    for (size_t i = 0; i < SWEEP_ARRAYS; i++) {
        size_t page = page_bytes();
        void *memory = mmap(NULL, ARRAY_BYTES + page, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) return false;
        s->arrays[i].wall = (unsigned char *)memory + ARRAY_BYTES;
        if (mprotect(s->arrays[i].wall, page, PROT_NONE) != 0) return false;
    }
    return true;
}

void sweep_close(sweep *s)
{
    for (size_t i = 0; i < SWEEP_ARRAYS; i++)
        if (s->arrays[i].wall) (void)munmap(s->arrays[i].wall - ARRAY_BYTES, ARRAY_BYTES + page_bytes());
    memset(s->arrays, 0, sizeof s->arrays);
}

/* SplitMix64 (Steele, Lea & Flood 2014). */
uint64_t sweep_bits(sweep *s)
{
    uint64_t z = s->state += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
}

size_t sweep_between(sweep *s, size_t lowest, size_t highest)
{
    return lowest + (size_t)(sweep_bits(s) % (highest - lowest + 1));
}

size_t sweep_between_log(sweep *s, size_t lowest, size_t highest)
{
    const double share = (double)(sweep_bits(s) >> 11) / 0x1p53,
                 ratio = (double)(highest + 1) / (double)lowest;
    const size_t drawn = (size_t)((double)lowest * exp(share * log(ratio)));
    return drawn < lowest ? lowest : drawn > highest ? highest : drawn;
}

static void name_case(const sweep *s, char *out, size_t n)
{
    int at = snprintf(out, n, "%s %" PRIu64 " %s", s->op, s->seed, s->numbers);
    for (size_t i = 0; i < s->n_dims && at > 0 && (size_t)at < n; i++)
        at += snprintf(out + at, n - (size_t)at, " %zu", s->shape[i]);
}

const char *sweep_numbers_name(sweep_numbers numbers)
{
    static const char *const names[SWEEP_N_NUMBERS] = {"integers", "random", "special", "zeros", "large"};
    return names[numbers];
}

/* Makes all arrays writable, and releases them. */
static void free_arrays(sweep *s)
{
    for (size_t i = 0; i < s->n_arrays; i++) {
        sweep_array *a = &s->arrays[i];
        if (a->locked) (void)mprotect(a->wall - ARRAY_BYTES, ARRAY_BYTES, PROT_READ | PROT_WRITE);
        a->locked = false;
    }
    s->n_arrays = 0;
}

bool sweep_begin(sweep *s, const size_t *shape, size_t n_dims, sweep_numbers numbers)
{
    if (s->fault[0] && isinf(s->worst)) return false;
    s->state = s->seed;
    for (size_t i = 0; i < n_dims; i++) {
        s->shape[i] = shape[i];
        if (shape[i] > s->largest[i]) s->largest[i] = shape[i];
        s->state = sweep_bits(s) ^ shape[i];
    }
    s->state = sweep_bits(s) ^ (uint64_t)numbers;
    s->numbers = sweep_numbers_name(numbers);
    s->subject = NULL;
    s->n_dims = n_dims;
    s->n_cases++;
    s->on_threads = sweep_bits(s) % SWEEP_THREADS_EVERY == 0 || s->always_threads;
    free_arrays(s);
    name_case(s, s->case_at, sizeof s->case_at);
    return true;
}

static void be_worst(sweep *s, double times)
{
    if (!(times > s->worst)) return;
    s->worst = times;
    memcpy(s->worst_at, s->case_at, sizeof s->worst_at);
}

static void note_fault(sweep *s, const char *format, va_list list)
{
    if (s->fault[0]) return;
    const int n = s->subject ? snprintf(s->fault, sizeof s->fault, "%.60s: ", s->subject) : 0;
    (void)vsnprintf(s->fault + n, sizeof s->fault - (size_t)n, format, list);
    memcpy(s->fault_at, s->case_at, sizeof s->fault_at);
}

/* Notes a fault whose error is `times` its bound. */
static void __attribute__((format(printf, 3, 4))) fail_by(sweep *s, double times, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    be_worst(s, times);
    note_fault(s, format, list);
    va_end(list);
}

void sweep_fail(sweep *s, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    be_worst(s, INFINITY);
    note_fault(s, format, list);
    va_end(list);
}

static sweep_array *place_array(sweep *s, const char *name, size_t n_bytes, size_t n_behind)
{
    static sweep_array none;
    if (s->n_arrays == SWEEP_ARRAYS || n_bytes + n_behind + GUARD_BYTES > ARRAY_BYTES) {
        sweep_fail(s, "the sweep has no memory for an array of %zu bytes", n_bytes);
        return &none;
    }
    sweep_array *a = &s->arrays[s->n_arrays++];
    a->name = name;
    a->data = a->wall - SWEEP_SLACK - n_behind - n_bytes;
    a->n_bytes = n_bytes;
    a->n_behind = 0;
    return a;
}

void *sweep_alloc(sweep *s, const char *name, size_t n_bytes)
{
    return place_array(s, name, n_bytes, 0)->data;
}

void *sweep_alloc_copy(sweep *s, const char *name, const void *from, size_t n_bytes)
{
    void *copy = sweep_alloc(s, name, n_bytes);
    return copy ? memcpy(copy, from, n_bytes) : NULL;
}

void *sweep_alloc_stored(sweep *s, const char *name, size_t n_bytes)
{
    return place_array(s, name, n_bytes, sweep_between(s, 0, 1))->data;
}

void *sweep_alloc_aligned(sweep *s, const char *name, size_t n_bytes, size_t align)
{
    return place_array(s, name, n_bytes, (align - n_bytes % align) % align)->data;
}

void *sweep_alloc_guarded(sweep *s, const char *name, size_t n_bytes)
{
    sweep_array *a = place_array(s, name, n_bytes, GUARD_BYTES);
    if (!a->data) return NULL;
    memset(a->data - GUARD_BYTES, GUARD, GUARD_BYTES + n_bytes + GUARD_BYTES);
    memset(a->data, 0xFF, n_bytes); /* NaN in float, bf16 and f16 alike */
    a->n_behind = GUARD_BYTES;
    return a->data;
}

void sweep_lock_inputs(sweep *s)
{
    for (size_t i = 0; i < s->n_arrays; i++) {
        sweep_array *a = &s->arrays[i];
        if (!a->name || a->n_behind || a->locked) continue;
        a->locked = mprotect(a->wall - ARRAY_BYTES, ARRAY_BYTES, PROT_READ) == 0;
        if (!a->locked) sweep_fail(s, "the sweep cannot make memory read-only: %s", strerror(errno));
    }
}

void sweep_note_access(sweep *s, const void *address)
{
    const unsigned char *at = address;
    for (size_t i = 0; i < s->n_arrays; i++) {
        const sweep_array *a = &s->arrays[i];
        const char *name = a->name ? a->name : "memory of the sweep";
        if (at >= a->wall && at < a->wall + page_bytes())
            sweep_fail(s, "%s read or wrote past the end of %s", s->op, name);
        else if (a->locked && at >= a->data && at < a->wall)
            sweep_fail(s, "%s wrote to an input: %s, byte %zu of %zu", s->op, name, (size_t)(at - a->data),
                       a->n_bytes);
        else if (a->locked && at >= a->wall - ARRAY_BYTES && at < a->wall)
            sweep_fail(s, "%s wrote %zu bytes before an input: %s", s->op, (size_t)(a->data - at), name);
    }
}

void sweep_end(sweep *s)
{
    for (size_t i = 0; i < s->n_arrays; i++) {
        const sweep_array *a = &s->arrays[i];
        for (size_t j = 0; j < a->n_behind; j++) {
            if (a->data[a->n_bytes + j] != GUARD)
                sweep_fail(s, "array %zu: written %zu bytes past its end", i, j);
            if (a->data[-1 - (ptrdiff_t)j] != GUARD)
                sweep_fail(s, "array %zu: written %zu bytes before", i, j + 1);
        }
    }
}

float sweep_special(sweep *s)
{
    static const float specials[] = {NAN, INFINITY, -INFINITY};
    return specials[sweep_between(s, 0, 2)];
}

float sweep_zero(sweep *s)
{
    return sweep_bits(s) % 2 ? 0.0F : -0.0F;
}

static float draw_number(sweep *s, sweep_numbers numbers)
{
    uint64_t bits = sweep_bits(s);
    if (numbers == SWEEP_INTEGERS) return (float)(bits % 7) - 3;
    if (numbers == SWEEP_SPECIAL && bits % 97 == 0) return sweep_special(s);
    if (numbers == SWEEP_ZEROS && bits / 16 % 2) return sweep_zero(s);
    if (numbers == SWEEP_ZEROS && bits / 16 % 8 == 0) return sweep_special(s);
    float x = (float)((double)(bits >> 40) / 0x1p23 - 1);
    if (numbers == SWEEP_LARGE) return 60000 * x;
    return bits % 16 ? x : ldexpf(x, (int)(bits / 16 % 13) - 6);
}

void sweep_fill(sweep *s, float *x, size_t n, sweep_numbers numbers)
{
    for (size_t i = 0; i < n; i++) x[i] = draw_number(s, numbers);
}

void sweep_fill_sparse(sweep *s, float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) x[i] = sweep_bits(s) % 2 ? sweep_zero(s) : draw_number(s, SWEEP_RANDOM);
}

/* Distance from |y| to the next float above. */
static double ulp(double y)
{
    double size = fabs(y);
    if (size < (double)FLT_MIN) return 0x1p-149;
    int exponent;
    (void)frexp(size, &exponent);
    return ldexp(1, exponent - FLT_MANT_DIG);
}

bool sweep_judge(sweep *s, float y, double truth, double magnitude, size_t at)
{
    if (isnan(truth) ? isnan(y) : isinf(truth) ? (double)y == truth : isfinite(y)) {
        if (!isfinite(truth)) return true;
        double times = fabs((double)y - truth) / (SWEEP_TAU * (0x1p-24 * magnitude + ulp(truth) / 2));
        if (times <= 1) {
            be_worst(s, times);
            return true;
        }
        fail_by(s, times, "element %zu: %a, expected %a: %.3g times its bound", at, (double)y, truth, times);
        return false;
    }
    sweep_fail(s, "element %zu: %g, expected %g", at, (double)y, truth);
    return false;
}

bool sweep_judge_exact(sweep *s, float y, double truth, size_t at)
{
    if ((double)y >= truth && (double)y <= truth) return true;
    if (isnan(y) && isnan(truth)) return true;
    sweep_fail(s, "element %zu: %a, expected %a exactly", at, (double)y, truth);
    return false;
}

bool sweep_judge_same(sweep *s, float y, float expected, size_t at)
{
    if (memcmp(&y, &expected, sizeof y) == 0 || (isnan(y) && isnan(expected))) return true;
    sweep_fail(s, "element %zu: %a, but %a when computed again", at, (double)y, (double)expected);
    return false;
}

sweep_numbers sweep_turn(const sweep *s)
{
    return (sweep_numbers)((s->n_cases + s->n_cases / SWEEP_N_NUMBERS) % SWEEP_N_NUMBERS);
}
