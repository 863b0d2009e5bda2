/* Vectors of sixteen floats, by the names that vec_math.h and the kernels written over vectors use. Included
 * by files that have the flags of AVX-512, and by those alone.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_VEC_H
#define FASTPATH_KERNELS_VEC_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

enum { VEC = 16 };

typedef __m512 vec;
typedef struct vec_pair { /* the same numbers in double: first half, second half */
    __m512d low, high;
} vec_pair;

static inline vec vec_of(float x)
{
    return _mm512_set1_ps(x);
}

/* 0, 1, 2, … */
static inline vec vec_indices(void)
{
    return _mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

static inline __mmask16 vec_mask(size_t n)
{
    return (__mmask16)(n < VEC ? (1U << n) - 1 : 0xFFFFU);
}

/* Loads the first min(n, VEC) elements; the others are 0, and their memory is not accessed. */
static inline vec vec_load(const float *x, size_t n)
{
    return n < VEC ? _mm512_maskz_loadu_ps(vec_mask(n), x) : _mm512_loadu_ps(x);
}

static inline void vec_store(float *y, vec x, size_t n)
{
    if (n < VEC) _mm512_mask_storeu_ps(y, vec_mask(n), x);
    else _mm512_storeu_ps(y, x);
}

static inline vec vec_add(vec a, vec b)
{
    return _mm512_add_ps(a, b);
}

static inline vec vec_sub(vec a, vec b)
{
    return _mm512_sub_ps(a, b);
}

static inline vec vec_mul(vec a, vec b)
{
    return _mm512_mul_ps(a, b);
}

static inline vec vec_div(vec a, vec b)
{
    return _mm512_div_ps(a, b);
}

/* a b + c, rounded once. */
static inline vec vec_fma(vec a, vec b, vec c)
{
    return _mm512_fmadd_ps(a, b, c);
}

/* The larger one; b if either is NaN. */
static inline vec vec_max(vec a, vec b)
{
    return _mm512_max_ps(a, b);
}

static inline vec vec_min(vec a, vec b)
{
    return _mm512_min_ps(a, b);
}

/* The largest element; any if one is NaN. */
static inline float vec_largest(vec x)
{
    return _mm512_reduce_max_ps(x);
}

/* Sum of all elements, always in the same order. */
static inline float vec_sum(vec x)
{
    return _mm512_reduce_add_ps(x);
}

static inline vec vec_abs(vec x)
{
    return _mm512_abs_ps(x);
}

static inline vec vec_copy_sign(vec size, vec sign)
{
    const __m512 bit = _mm512_set1_ps(-0.0F);
    return _mm512_or_ps(_mm512_andnot_ps(bit, size), _mm512_and_ps(bit, sign));
}

/* To the nearest integer. */
static inline vec vec_round(vec x)
{
    return _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

/* a < b ? yes : no, per lane. */
static inline vec vec_if_less(vec a, vec b, vec yes, vec no)
{
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, b, _CMP_LT_OQ), no, yes);
}

/* x 2^n; n: integers from -250 to 250. */
static inline vec vec_scale(vec x, vec n)
{
    return _mm512_scalef_ps(x, n);
}

static inline vec_pair vec_widen(vec x)
{
    return (vec_pair){_mm512_cvtps_pd(_mm512_castps512_ps256(x)),
                      _mm512_cvtps_pd(_mm512_extractf32x8_ps(x, 1))};
}

static inline vec vec_narrow(vec_pair x)
{
    return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(x.low)), _mm512_cvtpd_ps(x.high), 1);
}

static inline vec_pair vec_pair_of(double x)
{
    return (vec_pair){_mm512_set1_pd(x), _mm512_set1_pd(x)};
}

static inline vec_pair vec_pair_mul(vec_pair a, vec_pair b)
{
    return (vec_pair){_mm512_mul_pd(a.low, b.low), _mm512_mul_pd(a.high, b.high)};
}

/* a b + c. */
static inline vec_pair vec_pair_fma(vec_pair a, vec_pair b, vec_pair c)
{
    return (vec_pair){_mm512_fmadd_pd(a.low, b.low, c.low), _mm512_fmadd_pd(a.high, b.high, c.high)};
}

/* a b - c. */
static inline vec_pair vec_pair_fms(vec_pair a, vec_pair b, vec_pair c)
{
    return (vec_pair){_mm512_fmsub_pd(a.low, b.low, c.low), _mm512_fmsub_pd(a.high, b.high, c.high)};
}

static inline void vec_pair_store(double y[VEC], vec_pair x)
{
    _mm512_storeu_pd(y, x.low);
    _mm512_storeu_pd(y + VEC / 2, x.high);
}

/* Splits a, b into the even elements of both, and the odd ones; the other function reverses it. */
static inline void vec_split(vec a, vec b, vec *even, vec *odd)
{
    const __m512i first = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    *even = _mm512_permutex2var_ps(a, first, b);
    *odd = _mm512_permutex2var_ps(a, _mm512_add_epi32(first, _mm512_set1_epi32(1)), b);
}

static inline void vec_merge(vec even, vec odd, vec *a, vec *b)
{
    const __m512i first = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    *a = _mm512_permutex2var_ps(even, first, odd);
    *b = _mm512_permutex2var_ps(even, _mm512_add_epi32(first, _mm512_set1_epi32(8)), odd);
}

/* Sixteen lanes of 32 bits. */
typedef __m512i vec_bits;

static inline vec_bits vec_bits_of(uint32_t x)
{
    return _mm512_set1_epi32((int)x);
}

/* Loads VEC lanes from an aligned address. */
static inline vec_bits vec_bits_load(const void *from)
{
    return _mm512_load_si512(from);
}

/* Loads from an unaligned address. */
static inline vec_bits vec_bits_loadu(const void *from)
{
    return _mm512_loadu_si512(from);
}

static inline void vec_bits_store(void *to, vec_bits x)
{
    _mm512_store_si512(to, x);
}

static inline vec_bits vec_bits_and(vec_bits a, vec_bits b)
{
    return _mm512_and_si512(a, b);
}

static inline vec_bits vec_bits_or(vec_bits a, vec_bits b)
{
    return _mm512_or_si512(a, b);
}

static inline vec_bits vec_bits_left(vec_bits x, unsigned n)
{
    return _mm512_sllv_epi32(x, _mm512_set1_epi32((int)n));
}

static inline vec_bits vec_bits_right(vec_bits x, unsigned n)
{
    return _mm512_srlv_epi32(x, _mm512_set1_epi32((int)n));
}

/* The same for signed lanes. */
static inline vec_bits vec_bits_right_signed(vec_bits x, unsigned n)
{
    return _mm512_srav_epi32(x, _mm512_set1_epi32((int)n));
}

static inline vec_bits vec_bits_sub(vec_bits a, vec_bits b)
{
    return _mm512_sub_epi32(a, b);
}

/* Subtracts bytewise. */
static inline vec_bits vec_bytes_sub(vec_bits a, vec_bits b)
{
    return _mm512_sub_epi8(a, b);
}

/* Numbers `index` of a table of floats. */
static inline vec vec_look_up(const float *table, vec_bits index)
{
    return _mm512_i32gather_ps(index, table, sizeof *table);
}

/* Numbers of a table of 16 at an aligned address; only the lowest 4 bits of an index count. */
static inline vec vec_look_up_16(const float *table, vec_bits index)
{
    return _mm512_permutexvar_ps(index, _mm512_load_ps(table));
}

static inline vec vec_from_bits(vec_bits x)
{
    return _mm512_castsi512_ps(x);
}

/* Signed lanes as floats. */
static inline vec vec_from_ints(vec_bits x)
{
    return _mm512_cvtepi32_ps(x);
}

static inline vec vec_load_f16(const uint16_t *x)
{
    return _mm512_cvtph_ps(_mm256_load_si256((const __m256i *)x));
}

/* Loads the first min(n, VEC) elements from an unaligned address; the others are 0, and their memory is
 * not accessed. */
static inline vec vec_loadu_bf16(const uint16_t *x, size_t n)
{
    const __m256i half = n < VEC ? _mm256_maskz_loadu_epi16(vec_mask(n), x)
                                 : _mm256_loadu_si256((const __m256i *)(const void *)x);
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(half), 16));
}

/* sum + a · b in each lane, a of four unsigned, b of four signed bytes. */
static inline vec_bits vec_bytes_dot(vec_bits sum, vec_bits a, vec_bits b)
{
#ifdef __AVX512VNNI__
    __asm__("vpdpbusd %2, %1, %0"
            : "+v"(sum)
            : "v"(a), "v"(b)); /* GCC 12 copies what the intrinsic adds to */
    return sum;
#else
    const __m512i low = _mm512_set1_epi16(0xFF);
    __m512i even = _mm512_madd_epi16(_mm512_and_si512(a, low), _mm512_srai_epi16(_mm512_slli_epi16(b, 8), 8));
    __m512i odd = _mm512_madd_epi16(_mm512_srli_epi16(a, 8), _mm512_srai_epi16(b, 8));
    return _mm512_add_epi32(sum, _mm512_add_epi32(even, odd));
#endif
}

/* Rounds to nearest, ties to even; x must fit an int32_t. */
static inline vec_bits vec_to_ints(vec x)
{
    return _mm512_cvtps_epi32(x);
}

static inline vec_bits vec_bits_add(vec_bits a, vec_bits b)
{
    return _mm512_add_epi32(a, b);
}

/* Stores to an unaligned address. */
static inline void vec_bits_storeu(void *to, vec_bits x)
{
    _mm512_storeu_si512(to, x);
}

/* Stores lanes of -128 … 127, one byte each. */
static inline void vec_store_i8(int8_t *y, vec_bits x)
{
    _mm_storeu_si128((__m128i *)(void *)y, _mm512_cvtepi32_epi8(x));
}

/* Stores as bfloat16, rounded to nearest, ties to even; NaN stays NaN. */
static inline void vec_store_bf16(uint16_t *y, vec x)
{
    const __m512i bits = _mm512_castps_si512(x);
    __m512i even = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    __m512i near = _mm512_add_epi32(bits, _mm512_add_epi32(even, _mm512_set1_epi32(0x7FFF)));
    near =
        _mm512_mask_or_epi32(near, _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q), bits, _mm512_set1_epi32(0x400000));
    _mm256_storeu_si256((__m256i *)(void *)y, _mm512_cvtepi32_epi16(_mm512_srli_epi32(near, 16)));
}

#endif
