/* SPDX-License-Identifier: Apache-2.0 */
#include "base/dtype.h"

#include <assert.h>
#include <math.h>
#include <string.h>

typedef struct dtype_row {
    const char *name;
    size_t size;
} dtype_row;

static const dtype_row DTYPES[] = {
    [ASSAY_DTYPE_NONE] = {"NONE", 0}, [ASSAY_F64] = {"F64", 8},         [ASSAY_F32] = {"F32", 4},
    [ASSAY_F16] = {"F16", 2},         [ASSAY_BF16] = {"BF16", 2},       [ASSAY_I64] = {"I64", 8},
    [ASSAY_I32] = {"I32", 4},         [ASSAY_I16] = {"I16", 2},         [ASSAY_I8] = {"I8", 1},
    [ASSAY_U64] = {"U64", 8},         [ASSAY_U32] = {"U32", 4},         [ASSAY_U16] = {"U16", 2},
    [ASSAY_U8] = {"U8", 1},           [ASSAY_BOOL] = {"BOOL", 1},       [ASSAY_F8_E4M3] = {"F8_E4M3", 1},
    [ASSAY_F8_E5M2] = {"F8_E5M2", 1}, [ASSAY_F8_E8M0] = {"F8_E8M0", 1},
};

#define N_DTYPES (sizeof DTYPES / sizeof DTYPES[0])

size_t dtype_size(assay_dtype dtype)
{
    assert((size_t)dtype < N_DTYPES);
    return DTYPES[dtype].size;
}

const char *dtype_name(assay_dtype dtype)
{
    assert((size_t)dtype < N_DTYPES);
    return DTYPES[dtype].name;
}

assay_dtype dtype_from_name(const char *name, size_t n)
{
    for (size_t i = ASSAY_DTYPE_NONE + 1; i < N_DTYPES; i++)
        if (strlen(DTYPES[i].name) == n && memcmp(DTYPES[i].name, name, n) == 0) return (assay_dtype)i;
    return ASSAY_DTYPE_NONE;
}

bool dtype_is_float(assay_dtype dtype)
{
    return dtype == ASSAY_F64 || dtype == ASSAY_F32 || dtype == ASSAY_F16 || dtype == ASSAY_BF16;
}

static float float_from_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

float dtype_f16_to_f32(uint16_t bits)
{
    const uint32_t sign = (uint32_t)(bits & 0x8000U) << 16;
    const uint32_t exponent = (bits >> 10) & 0x1fU;
    const uint32_t fraction = bits & 0x3ffU;

    if (exponent == 0x1fU) return float_from_bits(sign | 0x7f800000U | fraction << 13);
    if (exponent != 0) return float_from_bits(sign | (exponent + 127U - 15U) << 23 | fraction << 13);

    /* A subnormal of binary16 is a normal float: the product is exact even where subnormal floats are
     * flushed. */
    const float magnitude = (float)fraction * 0x1p-24F;
    return sign ? -magnitude : magnitude;
}

float dtype_bf16_to_f32(uint16_t bits)
{
    return float_from_bits((uint32_t)bits << 16);
}

static uint16_t load_u16(const unsigned char *src, size_t i)
{
    uint16_t value;
    memcpy(&value, src + i * sizeof value, sizeof value);
    return value;
}

static double load_f64(const unsigned char *src, size_t i)
{
    double value;
    memcpy(&value, src + i * sizeof value, sizeof value);
    return value;
}

static float load_f32(const unsigned char *src, size_t i)
{
    float value;
    memcpy(&value, src + i * sizeof value, sizeof value);
    return value;
}

/* Numbers that are converted at once: loops of a constant length are vectorised at -O2. A reference engine
 * converts all weights of a model in each step. */
#define LANES 8
#define AHEAD 4096 /* bytes: a processor that prefetches by itself stops at the end of each page of 4 KiB */

static void widen_bf16(double *dst, const unsigned char *src, size_t n)
{
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        uint16_t stored[LANES];
        uint32_t bits[LANES];
        float values[LANES];
        __builtin_prefetch(src + i * sizeof *stored + AHEAD);
        memcpy(stored, src + i * sizeof *stored, sizeof stored);
        for (size_t k = 0; k < LANES; k++) bits[k] = (uint32_t)stored[k] << 16;
        memcpy(values, bits, sizeof values);
        for (size_t k = 0; k < LANES; k++) dst[i + k] = (double)values[k];
    }
    for (; i < n; i++) dst[i] = (double)dtype_bf16_to_f32(load_u16(src, i));
}

static void widen_f32(double *dst, const unsigned char *src, size_t n)
{
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        float values[LANES];
        __builtin_prefetch(src + i * sizeof *values + AHEAD);
        memcpy(values, src + i * sizeof *values, sizeof values);
        for (size_t k = 0; k < LANES; k++) dst[i + k] = (double)values[k];
    }
    for (; i < n; i++) dst[i] = (double)load_f32(src, i);
}

static void round_f64(float *dst, const unsigned char *src, size_t n)
{
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        double values[LANES];
        memcpy(values, src + i * sizeof *values, sizeof values);
        for (size_t k = 0; k < LANES; k++) dst[i + k] = (float)values[k];
    }
    for (; i < n; i++) dst[i] = (float)load_f64(src, i);
}

void dtype_to_f32(float *dst, const void *src, assay_dtype dtype, size_t n)
{
    assert(dtype_is_float(dtype));
    const unsigned char *bytes = src;
    if (dtype == ASSAY_F64) round_f64(dst, bytes, n);
    else if (dtype == ASSAY_F16)
        for (size_t i = 0; i < n; i++) dst[i] = dtype_f16_to_f32(load_u16(bytes, i));
    else if (dtype == ASSAY_BF16)
        for (size_t i = 0; i < n; i++) dst[i] = dtype_bf16_to_f32(load_u16(bytes, i));
    else if (n > 0) memcpy(dst, src, n * sizeof *dst);
}

void dtype_to_f64(double *dst, const void *src, assay_dtype dtype, size_t n)
{
    assert(dtype_is_float(dtype));
    const unsigned char *bytes = src;
    if (dtype == ASSAY_F32) widen_f32(dst, bytes, n);
    else if (dtype == ASSAY_F16)
        for (size_t i = 0; i < n; i++) dst[i] = (double)dtype_f16_to_f32(load_u16(bytes, i));
    else if (dtype == ASSAY_BF16) widen_bf16(dst, bytes, n);
    else if (n > 0) memcpy(dst, src, n * sizeof *dst);
}

/* A type of 16 bits: sign, exponent, fraction. */
typedef struct half {
    unsigned fraction, bias; /* fraction: its bits */
    double least;            /* smallest normal number, 2^(1 - bias) */
} half;

static const half F16 = {10, 15, 0x1p-14}, BF16 = {7, 127, 0x1p-126};

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Rounds to nearest, ties to even. x is not NaN. */
static uint16_t narrow(double x, const half *to)
{
    const double magnitude = fabs(x);
    const unsigned sign = signbit(x) ? 0x8000 : 0, infinity = (2 * to->bias + 1) << to->fraction;
    /* A multiple of the smallest subnormal number: `unit` is so large that a sum has no bits below it. */
    const double unit = to->least * (double)(1ULL << (52 - to->fraction));
    if (magnitude < to->least)
        return (uint16_t)(sign | (unsigned)(bits_of(magnitude + unit) - bits_of(unit)));
    const uint64_t bits = bits_of(magnitude), half_unit = 1ULL << (51 - to->fraction);
    const uint64_t rounded =
                       (bits + half_unit - 1 + (bits >> (52 - to->fraction) & 1)) >> (52 - to->fraction),
                   pattern = rounded - ((uint64_t)(1023 - to->bias) << to->fraction);
    return (uint16_t)(sign | (pattern < infinity ? (unsigned)pattern : infinity));
}

static uint16_t f64_to_bf16(double x)
{
    if (!isnan(x)) return narrow(x, &BF16);
    const float single = (float)x;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    return (uint16_t)(bits >> 16 | 0x40);
}

static uint16_t f64_to_f16(double x)
{
    if (!isnan(x)) return narrow(x, &F16);
    return signbit(x) ? 0xfe00 : 0x7e00;
}

void dtype_from_f64(void *dst, const double *src, assay_dtype dtype, size_t n)
{
    char *to = dst;
    for (size_t i = 0; dtype == ASSAY_F32 && i < n; i++) {
        const float single = (float)src[i];
        memcpy(to + i * sizeof single, &single, sizeof single);
    }
    for (size_t i = 0; dtype_size(dtype) == sizeof(uint16_t) && i < n; i++) {
        const uint16_t stored = dtype == ASSAY_F16 ? f64_to_f16(src[i]) : f64_to_bf16(src[i]);
        memcpy(to + i * sizeof stored, &stored, sizeof stored);
    }
    if (dtype == ASSAY_F64 && n > 0) memcpy(dst, src, n * sizeof *src);
}

size_t dtype_elements(const assay_tensor *t)
{
    size_t n = 1;
    for (size_t i = 0; i < t->rank; i++) n *= t->shape[i];
    return n;
}

int64_t dtype_integer(const assay_tensor *t, size_t i)
{
    assert(t->dtype == ASSAY_I32 || t->dtype == ASSAY_I64);
    if (t->dtype == ASSAY_I64) {
        int64_t wide;
        memcpy(&wide, (const char *)t->data + i * sizeof wide, sizeof wide);
        return wide;
    }
    int32_t narrow;
    memcpy(&narrow, (const char *)t->data + i * sizeof narrow, sizeof narrow);
    return narrow;
}
