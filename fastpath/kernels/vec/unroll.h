/* Loops that must be unrolled for their arrays to live in registers.
 *
 * Under a sanitizer they stay loops: every access is checked there, and one compilation of the unrolled ones
 * would take minutes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_VEC_UNROLL_H
#define FASTPATH_KERNELS_VEC_UNROLL_H

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define FP_LOOPS_STAY
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define FP_LOOPS_STAY
#endif

#ifdef FP_LOOPS_STAY
#define FP_UNROLL(n)
#else
#define FP_PRAGMA(text) _Pragma(#text)
#define FP_UNROLL(n)    FP_PRAGMA(GCC unroll n)
#endif

#endif
