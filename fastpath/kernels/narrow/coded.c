/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/kernels/narrow/coded.h"

#include <math.h>
#include <string.h>

#include "base/dtype.h"

enum { BLOCK = 32, SUPER_BLOCK = 256 };

void fp_coded_round(float *y, const float *x, size_t n, assay_dtype dtype)
{
    for (size_t i = 0; i < n; i++) {
        const double wide = (double)x[i];
        uint16_t narrow;
        dtype_from_f64(&narrow, &wide, dtype, 1);
        dtype_to_f32(y + i, &narrow, dtype, 1);
    }
}

/* Blocks of 32; scales are rounded to float16 after the codes. */
static void convert_q8_0(int8_t *codes, float *scale, int32_t *sum, float *excess, const float *x, size_t n,
                         fp_narrow_i8_fn *narrow)
{
    narrow(codes, scale, sum, x, n, BLOCK);
    fp_coded_round(scale, scale, n / BLOCK, ASSAY_F16);
    memset(excess, 0, n / BLOCK * sizeof *excess);
}

/* The stored sum is rounded from the scale in float32. */
static void convert_q8_1(int8_t *codes, float *scale, int32_t *sum, float *excess, const float *x, size_t n,
                         fp_narrow_i8_fn *narrow)
{
    narrow(codes, scale, sum, x, n, BLOCK);
    for (size_t b = 0; b < n / BLOCK; b++) excess[b] = scale[b] * (float)sum[b];
    fp_coded_round(excess, excess, n / BLOCK, ASSAY_F16);
    fp_coded_round(scale, scale, n / BLOCK, ASSAY_F16);
    for (size_t b = 0; b < n / BLOCK; b++) excess[b] -= scale[b] * (float)sum[b];
}

/* The number with the largest magnitude, the first of equals; NaN if there is one. */
static float find_top(const float *x, size_t n)
{
    float top = 0;
    for (size_t i = 0; i < n; i++) {
        if (isnan(x[i])) return NAN;
        if (fabsf(x[i]) > fabsf(top)) top = x[i];
    }
    return top;
}

static int8_t code_of(float x)
{
    const float whole = rintf(x); /* half to even */
    return (int8_t)(whole > 127 ? 127 : whole < -128 ? -128 : whole);
}

static void convert_q8_k(int8_t *codes, float *scale, int32_t *sum, float *excess, const float *x, size_t n,
                         fp_narrow_i8_fn *narrow)
{
    (void)narrow;
    for (size_t b = 0; b < n / SUPER_BLOCK; b++, codes += SUPER_BLOCK, x += SUPER_BLOCK) {
        const float top = find_top(x, SUPER_BLOCK), factor = top != 0 ? -127 / top : 0;
        const bool is_coded = isfinite(top) && isfinite(factor);
        scale[b] = !isfinite(top) ? NAN : top != 0 ? 1 / factor : 0;
        excess[b] = 0;
        sum[b] = 0;
        for (size_t i = 0; i < SUPER_BLOCK; i++) {
            codes[i] = is_coded ? code_of(x[i] * factor) : 0;
            sum[b] += codes[i];
        }
    }
}

static void convert_token(int8_t *codes, float *scale, int32_t *sum, float *excess, const float *x, size_t n,
                          fp_narrow_i8_fn *narrow)
{
    const float top = fabsf(find_top(x, n));
    (void)narrow;
    *scale = isfinite(top) ? top / 127.5F : NAN;
    *excess = 0;
    *sum = 0;
    for (size_t i = 0; i < n; i++) {
        codes[i] = *scale > 0 ? code_of(x[i] / *scale) : 0;
        *sum += codes[i];
    }
}

const fp_coded *fp_coded_find(const char *name)
{
    static const fp_coded TYPES[] = {
        {.name = "q8_0", .block = BLOCK, .convert = convert_q8_0},
        {.name = "q8_1", .block = BLOCK, .has_sum = true, .convert = convert_q8_1},
        {.name = "q8_K", .block = SUPER_BLOCK, .convert = convert_q8_k},
        {.name = "int8-token", .has_lowest = true, .convert = convert_token},
        {.name = "f16", .rounded = ASSAY_F16},
        {.name = "bf16", .rounded = ASSAY_BF16},
    };
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++)
        if (strcmp(TYPES[i].name, name) == 0) return &TYPES[i];
    return NULL;
}
