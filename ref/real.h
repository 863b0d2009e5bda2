/* The one number type of the reference engine: float or double, chosen when it is compiled. Arrays and matrix
 * products are in this type; within an operation everything else is computed in double and rounded once, so
 * that the float engine adds as little noise of its own as it can.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REF_REAL_H
#define REF_REAL_H

#ifdef __FAST_MATH__
#error "the reference engine must not be compiled with -ffast-math"
#endif

#include <cblas.h>
#include <math.h>

#include "model/dtype.h"

#ifdef REF_DOUBLE
typedef double ref_real;
#define REF_NAME  "ref64"
#define REF_DTYPE ASSAY_F64
#else
typedef float ref_real;
#define REF_NAME  "ref32"
#define REF_DTYPE ASSAY_F32
#endif

/* y = alpha a b^T (or a b, where b_rows_are_inputs): a [m, k], b [n, k] (or [k, n]), y [m, n], with leading
 * dimensions. One BLAS call; sizes fit an int, as the loader has checked every dimension. */
static inline void ref_gemm(ref_real *y, size_t ld_y, const ref_real *a, size_t ld_a, const ref_real *b,
                            size_t ld_b, bool b_rows_are_inputs, size_t m, size_t n, size_t k, ref_real alpha)
{
    CBLAS_TRANSPOSE op = b_rows_are_inputs ? CblasNoTrans : CblasTrans;
    blasint M = (blasint)m, N = (blasint)n, K = (blasint)k;
    blasint A = (blasint)ld_a, B = (blasint)ld_b, Y = (blasint)ld_y;
#ifdef REF_DOUBLE
    cblas_dgemm(CblasRowMajor, CblasNoTrans, op, M, N, K, alpha, a, A, b, B, 0, y, Y);
#else
    cblas_sgemm(CblasRowMajor, CblasNoTrans, op, M, N, K, alpha, a, A, b, B, 0, y, Y);
#endif
}

static inline void ref_convert(ref_real *dst, const void *src, assay_dtype dtype, size_t n)
{
#ifdef REF_DOUBLE
    dtype_to_f64(dst, src, dtype, n);
#else
    dtype_to_f32(dst, src, dtype, n);
#endif
}

#endif
