/* Rows of activations in the types that narrower products take. They are no plug-in point: what they make is
 * exactly defined, so that every kernel is given the same.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_NARROW_NARROW_H
#define FASTPATH_KERNELS_NARROW_NARROW_H

#include <stdint.h>

#include "fastpath/kernels/isa/isa.h"

/* y = x in bfloat16, rounded to nearest, ties to even; NaN stays NaN. x, y: [n], not overlapping. */
typedef void fp_narrow_bf16_fn(uint16_t *y, const float *x, size_t n);

/* A group whose largest magnitude is below this is quantised to 0: 127 divided by it could overflow. */
#define FP_NARROW_LEAST 0x1p-100F

/* Quantises one row, a group at a time: scale = max|x| / 127, code = x (127 / max|x|) rounded to
 * nearest, ties to even, each step in float. A group of zeros, or below FP_NARROW_LEAST, has scale 0
 * and codes 0. A group with NaN or infinity has scale NaN and codes 0. codes: [n]; scale, sum (of a
 * group's codes): [n / group]; x: [n], n a multiple of group, group of 16. */
typedef void fp_narrow_i8_fn(int8_t *codes, float *scale, int32_t *sum, const float *x, size_t n,
                             size_t group);

typedef struct fp_narrow_variant {
    fp_isa isa;
    fp_narrow_bf16_fn *bf16;
    fp_narrow_i8_fn *i8;
} fp_narrow_variant;

/* The variants of this build, best first; the last one is scalar. */
extern const fp_narrow_variant FP_NARROW[];
extern const size_t FP_N_NARROW;

/* The best variant that runs on isa. */
const fp_narrow_variant *fp_narrow_pick(fp_isa isa);

fp_narrow_bf16_fn fp_narrow_bf16__scalar, fp_narrow_bf16__neon, fp_narrow_bf16__avx2, fp_narrow_bf16__avx512;
fp_narrow_i8_fn fp_narrow_i8__scalar, fp_narrow_i8__neon, fp_narrow_i8__avx2, fp_narrow_i8__avx512;

#endif
