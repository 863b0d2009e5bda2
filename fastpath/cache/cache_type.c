/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/cache/cache_type.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/dtype.h"

enum { BLOCK = 32 };

static float from_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static float largest(const float *x, size_t n)
{
    float top = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(top) && !(fabsf(x[i]) <= top)) top = fabsf(x[i]); /* propagates NaN */
    return top;
}

static void put_half(void *to, float x, assay_dtype dtype)
{
    const double wide = (double)x;
    dtype_from_f64(to, &wide, dtype, 1);
}

static float take_half(const void *from)
{
    uint16_t bits;
    memcpy(&bits, from, sizeof bits);
    return dtype_f16_to_f32(bits);
}

/* ---- Plain halves ---- */

static size_t bytes_half(size_t n)
{
    return n * sizeof(uint16_t);
}

static void put_f16(void *to, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) put_half((char *)to + i * sizeof(uint16_t), x[i], ASSAY_F16);
}

static void take_f16(float *x, size_t stride, const void *from, size_t n)
{
    for (size_t i = 0; i < n; i++) x[i * stride] = take_half((const char *)from + i * sizeof(uint16_t));
}

static void put_bf16(void *to, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) put_half((char *)to + i * sizeof(uint16_t), x[i], ASSAY_BF16);
}

static void take_bf16(float *x, size_t stride, const void *from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint16_t bits;
        memcpy(&bits, (const char *)from + i * sizeof bits, sizeof bits);
        x[i * stride] = dtype_bf16_to_f32(bits);
    }
}

/* ---- Floats of 8 bits ---- */

/* A format by the bits of its fraction, the bias of its exponent, and its largest finite code; codes above
 * are NaN (and infinity). */
typedef struct byte_float {
    int fraction, bias;
    uint8_t most;
} byte_float;

static const byte_float E4M3 = {3, 7, 0x7e}, E5M2 = {2, 15, 0x7b};

/* Codes of a fraction are those of a float whose exponent is shifted. */
static float widen_byte(uint8_t code, const byte_float *f)
{
    const uint32_t size = code & 0x7fU;
    const float x = size > f->most ? NAN : ldexpf(from_bits(size << (23 - f->fraction)), 127 - f->bias);
    return code & 0x80 ? -x : x;
}

/* Half to even. */
static uint8_t narrow_byte(float x, const byte_float *f)
{
    const uint8_t sign = signbit(x) ? 0x80 : 0;
    const float size = fminf(fabsf(x), widen_byte(f->most, f));
    int exponent;
    if (isnan(x)) return sign | 0x7f;
    (void)frexpf(size, &exponent);
    if (size == 0 || exponent < 2 - f->bias) exponent = 2 - f->bias; /* subnormal */
    const int whole = (int)rintf(ldexpf(size, f->fraction - exponent + 1));
    return (uint8_t)(sign | (whole + ((exponent + f->bias - 2) << f->fraction)));
}

static size_t bytes_byte(size_t n)
{
    return n;
}

static void put_e4m3(void *to, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) ((uint8_t *)to)[i] = narrow_byte(x[i], &E4M3);
}

static void take_e4m3(float *x, size_t stride, const void *from, size_t n)
{
    for (size_t i = 0; i < n; i++) x[i * stride] = widen_byte(((const uint8_t *)from)[i], &E4M3);
}

static void put_e5m2(void *to, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) ((uint8_t *)to)[i] = narrow_byte(x[i], &E5M2);
}

static void take_e5m2(float *x, size_t stride, const void *from, size_t n)
{
    for (size_t i = 0; i < n; i++) x[i * stride] = widen_byte(((const uint8_t *)from)[i], &E5M2);
}

/* ---- Codes with scales ---- */

/* Codes of largest / 127, half to even; not finite: 0, so that the scale decides. */
static void put_codes(int8_t *to, const float *x, size_t n, float scale)
{
    for (size_t i = 0; i < n; i++) to[i] = scale > 0 && isfinite(scale) ? (int8_t)rintf(x[i] / scale) : 0;
}

static size_t bytes_int8(size_t n)
{
    return sizeof(float) + n;
}

static void put_int8(void *to, const float *x, size_t n)
{
    const float scale = largest(x, n) / 127;
    memcpy(to, &scale, sizeof scale);
    put_codes((int8_t *)to + sizeof scale, x, n, scale);
}

static void take_int8(float *x, size_t stride, const void *from, size_t n)
{
    float scale;
    memcpy(&scale, from, sizeof scale);
    for (size_t i = 0; i < n; i++) x[i * stride] = scale * ((const int8_t *)from)[sizeof scale + i];
}

static size_t bytes_q8_0(size_t n)
{
    return n / BLOCK * (sizeof(uint16_t) + BLOCK);
}

static void put_q8_0(void *to, const float *x, size_t n)
{
    char *block = to;
    for (size_t k = 0; k < n; k += BLOCK, block += bytes_q8_0(BLOCK)) {
        const float scale = largest(x + k, BLOCK) / 127;
        put_half(block, scale, ASSAY_F16);
        put_codes((int8_t *)block + sizeof(uint16_t), x + k, BLOCK, scale);
    }
}

static void take_q8_0(float *x, size_t stride, const void *from, size_t n)
{
    const char *block = from;
    for (size_t k = 0; k < n; k += BLOCK, block += bytes_q8_0(BLOCK)) {
        const float scale = take_half(block);
        for (size_t i = 0; i < BLOCK; i++)
            x[(k + i) * stride] = scale * ((const int8_t *)block)[sizeof(uint16_t) + i];
    }
}

static size_t bytes_q4_0(size_t n)
{
    return n / BLOCK * (sizeof(uint16_t) + BLOCK / 2);
}

/* The number of the largest magnitude becomes -8. Elements i and i + 16 share a byte. */
static void put_q4_0(void *to, const float *x, size_t n)
{
    char *block = to;
    for (size_t k = 0; k < n; k += BLOCK, block += bytes_q4_0(BLOCK)) {
        const float size = largest(x + k, BLOCK);
        uint8_t codes[BLOCK];
        size_t top = 0;
        while (top + 1 < BLOCK && fabsf(x[k + top]) < size) top++;
        const float scale = isnan(size) ? size : x[k + top] / -8;
        put_half(block, scale, ASSAY_F16);
        for (size_t i = 0; i < BLOCK; i++) {
            const float code = scale != 0 && isfinite(scale) ? floorf(x[k + i] / scale + 8.5F) : 8;
            codes[i] = (uint8_t)(code > 15 ? 15 : code);
        }
        for (size_t i = 0; i < BLOCK / 2; i++)
            block[sizeof(uint16_t) + i] = (char)(codes[i] | codes[i + BLOCK / 2] << 4);
    }
}

static void take_q4_0(float *x, size_t stride, const void *from, size_t n)
{
    const uint8_t *block = from;
    for (size_t k = 0; k < n; k += BLOCK, block += bytes_q4_0(BLOCK)) {
        const float scale = take_half(block);
        for (size_t i = 0; i < BLOCK; i++) {
            const int byte = block[sizeof(uint16_t) + i % (BLOCK / 2)];
            x[(k + i) * stride] = scale * (float)((i < BLOCK / 2 ? byte & 15 : byte >> 4) - 8);
        }
    }
}

/* X(name, block, bytes, put, take): a row a type. */
#define TYPES(X)                                                                                             \
    X("f16", 1, bytes_half, put_f16, take_f16)                                                               \
    X("bf16", 1, bytes_half, put_bf16, take_bf16)                                                            \
    X("fp8_e4m3", 1, bytes_byte, put_e4m3, take_e4m3)                                                        \
    X("fp8_e5m2", 1, bytes_byte, put_e5m2, take_e5m2)                                                        \
    X("int8", 1, bytes_int8, put_int8, take_int8)                                                            \
    X("q8_0", BLOCK, bytes_q8_0, put_q8_0, take_q8_0)                                                        \
    X("q4_0", BLOCK, bytes_q4_0, put_q4_0, take_q4_0)
#define ROW(...)        {__VA_ARGS__},
#define NAME(name, ...) name,

const char *const FP_CACHE_TYPES[] = {TYPES(NAME) NULL};

const fp_cache_type *fp_cache_type_find(const char *name)
{
    static const fp_cache_type rows[] = {TYPES(ROW)};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, name) == 0) return &rows[i];
    return NULL;
}
