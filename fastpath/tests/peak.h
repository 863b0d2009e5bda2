/* Peak speed of a processor, for scripts/bench-kernels.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_TESTS_PEAK_H
#define FASTPATH_TESTS_PEAK_H

#include <stddef.h>

/* Multiplies and adds in registers n times; how many operations of float that were (a multiply-add is two).
 */
typedef double peak_fma_fn(size_t n);
/* Sums x: [n], n a multiple of 128, aligned to 64 bytes. */
typedef float peak_read_fn(const float *x, size_t n);

peak_fma_fn peak_fma__scalar, peak_fma__avx2, peak_fma__avx512;
peak_read_fn peak_read__scalar, peak_read__avx2, peak_read__avx512;

#endif
