/* The number type of the reference engine: float or double, chosen at compile time. Arrays have this
 * type; each operation, including matrix products, computes in double and rounds once. The float engine
 * then adds as little noise as a float engine can: with float products its distance from the truth
 * reached 3.2 times the recorded noise on one of 500 valid cases, near the bound of 4; with double
 * products 1.6.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REF_ARITHMETIC_REAL_H
#define REF_ARITHMETIC_REAL_H

#ifdef __FAST_MATH__
#error "the reference engine must not be compiled with -ffast-math"
#endif

#include <math.h>

#include "base/dtype.h"

#ifdef REF_DOUBLE
typedef double ref_real;
#define REF_NAME  "ref64"
#define REF_DTYPE ASSAY_F64
#else
typedef float ref_real;
#define REF_NAME  "ref32"
#define REF_DTYPE ASSAY_F32
#endif

static inline void ref_convert(ref_real *dst, const void *src, assay_dtype dtype, size_t n)
{
#ifdef REF_DOUBLE
    dtype_to_f64(dst, src, dtype, n);
#else
    dtype_to_f32(dst, src, dtype, n);
#endif
}

#endif
