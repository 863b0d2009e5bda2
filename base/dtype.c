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
    [ASSAY_DTYPE_NONE] = {"NONE", 0}, [ASSAY_F64] = {"F64", 8},   [ASSAY_F32] = {"F32", 4},
    [ASSAY_F16] = {"F16", 2},         [ASSAY_BF16] = {"BF16", 2}, [ASSAY_I64] = {"I64", 8},
    [ASSAY_I32] = {"I32", 4},         [ASSAY_I16] = {"I16", 2},   [ASSAY_I8] = {"I8", 1},
    [ASSAY_U64] = {"U64", 8},         [ASSAY_U32] = {"U32", 4},   [ASSAY_U16] = {"U16", 2},
    [ASSAY_U8] = {"U8", 1},           [ASSAY_BOOL] = {"BOOL", 1},
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

void dtype_to_f32(float *dst, const void *src, assay_dtype dtype, size_t n)
{
    assert(dtype_is_float(dtype));
    const unsigned char *bytes = src;
    if (dtype == ASSAY_F64)
        for (size_t i = 0; i < n; i++) dst[i] = (float)load_f64(bytes, i);
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

/* Rounds x to at most `bits` significant bits, the last one at least 2^least. */
static double round_to(double x, int bits, int least)
{
    int exponent;
    (void)frexp(x, &exponent);
    int place = exponent - bits > least ? exponent - bits : least;
    return ldexp(nearbyint(ldexp(x, -place)), place);
}

static uint16_t f64_to_bf16(double x)
{
    float rounded = (float)(isfinite(x) ? round_to(x, 8, -133) : x);
    uint32_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    return (uint16_t)(bits >> 16 | (isnan(x) ? 0x40 : 0));
}

static uint16_t f64_to_f16(double x)
{
    unsigned sign = signbit(x) ? 0x8000 : 0;
    if (isnan(x)) return (uint16_t)(sign | 0x7e00);
    double a = isinf(x) ? x : fabs(round_to(x, 11, -24));
    if (isinf(x) || a > 65504) return (uint16_t)(sign | 0x7c00);
    if (a < ldexp(1, -14)) return (uint16_t)(sign | (unsigned)ldexp(a, 24));
    int exponent;
    double fraction = frexp(a, &exponent); /* in [1/2, 1) */
    return (uint16_t)(sign | (unsigned)(exponent + 14) << 10 | ((unsigned)ldexp(fraction, 11) - 1024));
}

void dtype_from_f64(void *dst, const double *src, assay_dtype dtype, size_t n)
{
    size_t bytes = dtype_size(dtype);
    for (size_t i = 0; i < n; i++) {
        float single = dtype == ASSAY_F32 ? (float)src[i] : 0;
        uint16_t half = 0;
        if (dtype == ASSAY_F16) half = f64_to_f16(src[i]);
        if (dtype == ASSAY_BF16) half = f64_to_bf16(src[i]);
        const void *from = dtype == ASSAY_F64   ? (const void *)&src[i]
                           : dtype == ASSAY_F32 ? (const void *)&single
                                                : (const void *)&half;
        memcpy((char *)dst + i * bytes, from, bytes);
    }
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
