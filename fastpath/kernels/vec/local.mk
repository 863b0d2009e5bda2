# SPDX-License-Identifier: Apache-2.0
fastpath_libkernels_a_SOURCES += \
	fastpath/kernels/vec/rows.h
FP_OVER_VECTORS += \
	fastpath/kernels/vec/unroll.h \
	fastpath/kernels/vec/vec_math.h
FP_NEON += \
	fastpath/kernels/vec/vec__neon.h
FP_AVX2 += \
	fastpath/kernels/vec/vec__avx2.h
FP_AVX512 += \
	fastpath/kernels/vec/vec__avx512.h
