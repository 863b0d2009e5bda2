/* Vectors of four floats of Advanced SIMD, by the names that vec_math.h and the kernels written over vectors
 * use. Every AArch64 has them, so there are no flags.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_VEC_H
#define FASTPATH_KERNELS_VEC_H

#include <arm_neon.h>
#include <stddef.h>
#include <stdint.h>

enum { VEC = 4 };

typedef float32x4_t vec;
typedef struct vec_pair { /* the same numbers in double: first half, second half */
    float64x2_t low, high;
} vec_pair;

static inline vec vec_of(float x)
{
    return vdupq_n_f32(x);
}

/* 0, 1, 2, … */
static inline vec vec_indices(void)
{
    static const float indices[VEC] = {0, 1, 2, 3};
    return vld1q_f32(indices);
}

/* Loads the first min(n, VEC) elements; the others are 0, and their memory is not accessed. */
static inline vec vec_load(const float *x, size_t n)
{
    vec few = vdupq_n_f32(0);
    if (n >= VEC) return vld1q_f32(x);
    if (n == 3) few = vld1q_lane_f32(x + 2, few, 2);
    if (n >= 2) return vcombine_f32(vld1_f32(x), vget_high_f32(few));
    return n ? vld1q_lane_f32(x, few, 0) : few;
}

static inline void vec_store(float *y, vec x, size_t n)
{
    if (n >= VEC) {
        vst1q_f32(y, x);
        return;
    }
    if (n >= 2) vst1_f32(y, vget_low_f32(x));
    if (n == 3) vst1q_lane_f32(y + 2, x, 2);
    if (n == 1) vst1q_lane_f32(y, x, 0);
}

static inline vec vec_add(vec a, vec b)
{
    return vaddq_f32(a, b);
}

static inline vec vec_sub(vec a, vec b)
{
    return vsubq_f32(a, b);
}

static inline vec vec_mul(vec a, vec b)
{
    return vmulq_f32(a, b);
}

static inline vec vec_div(vec a, vec b)
{
    return vdivq_f32(a, b);
}

/* a b + c, rounded once. */
static inline vec vec_fma(vec a, vec b, vec c)
{
    return vfmaq_f32(c, a, b);
}

/* The larger one; b if either is NaN, since FMAX propagates a NaN of either operand. */
static inline vec vec_max(vec a, vec b)
{
    return vbslq_f32(vcgtq_f32(a, b), a, b);
}

static inline vec vec_min(vec a, vec b)
{
    return vbslq_f32(vcltq_f32(a, b), a, b);
}

/* The largest element; any if one is NaN. */
static inline float vec_largest(vec x)
{
    return vmaxvq_f32(x);
}

/* Sum of all elements, always in the same order. */
static inline float vec_sum(vec x)
{
    const float32x2_t y = vadd_f32(vget_low_f32(x), vget_high_f32(x));
    return vget_lane_f32(y, 0) + vget_lane_f32(y, 1);
}

static inline vec vec_abs(vec x)
{
    return vabsq_f32(x);
}

static inline vec vec_copy_sign(vec size, vec sign)
{
    return vbslq_f32(vdupq_n_u32(0x80000000U), sign, size);
}

/* To the nearest integer. */
static inline vec vec_round(vec x)
{
    return vrndnq_f32(x);
}

/* a < b ? yes : no, per lane. */
static inline vec vec_if_less(vec a, vec b, vec yes, vec no)
{
    return vbslq_f32(vcltq_f32(a, b), yes, no);
}

/* x 2^n; n: integers from -250 to 250. */
static inline vec vec_scale(vec x, vec n)
{
    /* In two steps, since 2^n itself may overflow. */
    const int32x4_t all = vcvtq_s32_f32(n), half = vshrq_n_s32(all, 1), rest = vsubq_s32(all, half),
                    bias = vdupq_n_s32(127);
    const vec first = vreinterpretq_f32_s32(vshlq_n_s32(vaddq_s32(half, bias), 23)),
              second = vreinterpretq_f32_s32(vshlq_n_s32(vaddq_s32(rest, bias), 23));
    return vmulq_f32(vmulq_f32(x, first), second);
}

static inline vec_pair vec_widen(vec x)
{
    return (vec_pair){vcvt_f64_f32(vget_low_f32(x)), vcvt_high_f64_f32(x)};
}

static inline vec vec_narrow(vec_pair x)
{
    return vcvt_high_f32_f64(vcvt_f32_f64(x.low), x.high);
}

static inline vec_pair vec_pair_of(double x)
{
    return (vec_pair){vdupq_n_f64(x), vdupq_n_f64(x)};
}

static inline vec_pair vec_pair_mul(vec_pair a, vec_pair b)
{
    return (vec_pair){vmulq_f64(a.low, b.low), vmulq_f64(a.high, b.high)};
}

/* a b + c. */
static inline vec_pair vec_pair_fma(vec_pair a, vec_pair b, vec_pair c)
{
    return (vec_pair){vfmaq_f64(c.low, a.low, b.low), vfmaq_f64(c.high, a.high, b.high)};
}

/* a b - c. */
static inline vec_pair vec_pair_fms(vec_pair a, vec_pair b, vec_pair c)
{
    return vec_pair_fma(a, b, (vec_pair){vnegq_f64(c.low), vnegq_f64(c.high)});
}

static inline void vec_pair_store(double y[VEC], vec_pair x)
{
    vst1q_f64(y, x.low);
    vst1q_f64(y + VEC / 2, x.high);
}

/* Splits a, b into the even elements of both, and the odd ones; the other function reverses it. */
static inline void vec_split(vec a, vec b, vec *even, vec *odd)
{
    *even = vuzp1q_f32(a, b);
    *odd = vuzp2q_f32(a, b);
}

static inline void vec_merge(vec even, vec odd, vec *a, vec *b)
{
    *a = vzip1q_f32(even, odd);
    *b = vzip2q_f32(even, odd);
}

/* Four lanes of 32 bits. */
typedef uint32x4_t vec_bits;

static inline vec_bits vec_bits_of(uint32_t x)
{
    return vdupq_n_u32(x);
}

/* Loads VEC lanes from an aligned address. */
static inline vec_bits vec_bits_load(const void *from)
{
    return vld1q_u32(from);
}

/* Loads from an unaligned address. */
static inline vec_bits vec_bits_loadu(const void *from)
{
    return vreinterpretq_u32_u8(vld1q_u8(from));
}

static inline void vec_bits_store(void *to, vec_bits x)
{
    vst1q_u32(to, x);
}

static inline vec_bits vec_bits_and(vec_bits a, vec_bits b)
{
    return vandq_u32(a, b);
}

static inline vec_bits vec_bits_or(vec_bits a, vec_bits b)
{
    return vorrq_u32(a, b);
}

static inline vec_bits vec_bits_left(vec_bits x, unsigned n)
{
    return vshlq_u32(x, vdupq_n_s32((int)n));
}

static inline vec_bits vec_bits_right(vec_bits x, unsigned n)
{
    return vshlq_u32(x, vdupq_n_s32(-(int)n));
}

/* The same for signed lanes. */
static inline vec_bits vec_bits_right_signed(vec_bits x, unsigned n)
{
    return vreinterpretq_u32_s32(vshlq_s32(vreinterpretq_s32_u32(x), vdupq_n_s32(-(int)n)));
}

static inline vec_bits vec_bits_sub(vec_bits a, vec_bits b)
{
    return vsubq_u32(a, b);
}

/* Subtracts bytewise. */
static inline vec_bits vec_bytes_sub(vec_bits a, vec_bits b)
{
    return vreinterpretq_u32_u8(vsubq_u8(vreinterpretq_u8_u32(a), vreinterpretq_u8_u32(b)));
}

/* Numbers `index` of a table of floats. */
static inline vec vec_look_up(const float *table, vec_bits index)
{
    const float lanes[VEC] = {table[vgetq_lane_u32(index, 0)], table[vgetq_lane_u32(index, 1)],
                              table[vgetq_lane_u32(index, 2)], table[vgetq_lane_u32(index, 3)]};
    return vld1q_f32(lanes);
}

/* Numbers of a table of 16 at an aligned address; only the lowest 4 bits of an index count. */
static inline vec vec_look_up_16(const float *table, vec_bits index)
{
    return vec_look_up(table, vandq_u32(index, vdupq_n_u32(15)));
}

static inline vec vec_from_bits(vec_bits x)
{
    return vreinterpretq_f32_u32(x);
}

/* Signed lanes as floats. */
static inline vec vec_from_ints(vec_bits x)
{
    return vcvtq_f32_s32(vreinterpretq_s32_u32(x));
}

static inline vec vec_load_f16(const uint16_t *x)
{
    return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(x)));
}

/* Loads the first min(n, VEC) elements from an unaligned address; the others are 0, and their memory is
 * not accessed. */
static inline vec vec_loadu_bf16(const uint16_t *x, size_t n)
{
    uint16_t few[VEC] = {0};
    for (size_t i = 0; n < VEC && i < n; i++) few[i] = x[i];
    return vec_from_bits(vshll_n_u16(vld1_u16(n < VEC ? few : x), 16));
}

/* sum + a · b in each lane, a of four unsigned, b of four signed bytes. A product of two has 16 bits; SDOT
 * and USDOT are not on every processor. */
static inline vec_bits vec_bytes_dot(vec_bits sum, vec_bits a, vec_bits b)
{
    const int16x8_t codes = vreinterpretq_s16_u32(b);
    const int16x8_t even = vreinterpretq_s16_u16(vandq_u16(vreinterpretq_u16_u32(a), vdupq_n_u16(0xFF))),
                    odd = vreinterpretq_s16_u16(vshrq_n_u16(vreinterpretq_u16_u32(a), 8));
    int32x4_t all = vreinterpretq_s32_u32(sum);
    all = vpadalq_s16(all, vmulq_s16(even, vshrq_n_s16(vshlq_n_s16(codes, 8), 8)));
    all = vpadalq_s16(all, vmulq_s16(odd, vshrq_n_s16(codes, 8)));
    return vreinterpretq_u32_s32(all);
}

/* Rounds to nearest, ties to even; x must fit an int32_t. */
static inline vec_bits vec_to_ints(vec x)
{
    return vreinterpretq_u32_s32(vcvtnq_s32_f32(x));
}

static inline vec_bits vec_bits_add(vec_bits a, vec_bits b)
{
    return vaddq_u32(a, b);
}

/* Stores to an unaligned address. */
static inline void vec_bits_storeu(void *to, vec_bits x)
{
    vst1q_u8(to, vreinterpretq_u8_u32(x));
}

/* Stores lanes of -128 … 127, one byte each. */
static inline void vec_store_i8(int8_t *y, vec_bits x)
{
    const uint16x4_t words = vmovn_u32(x);
    const uint32_t bytes = vget_lane_u32(vreinterpret_u32_u8(vmovn_u16(vcombine_u16(words, words))), 0);
    __builtin_memcpy(y, &bytes, sizeof bytes);
}

/* Stores as bfloat16, rounded to nearest, ties to even; NaN stays NaN. */
static inline void vec_store_bf16(uint16_t *y, vec x)
{
    const uint32x4_t bits = vreinterpretq_u32_f32(x), even = vandq_u32(vshrq_n_u32(bits, 16), vdupq_n_u32(1));
    uint32x4_t near = vaddq_u32(bits, vaddq_u32(even, vdupq_n_u32(0x7FFF)));
    near = vbslq_u32(vceqq_f32(x, x), near, vorrq_u32(bits, vdupq_n_u32(0x400000)));
    vst1_u16(y, vshrn_n_u32(near, 16));
}

#endif
