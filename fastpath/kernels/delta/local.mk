# SPDX-License-Identifier: Apache-2.0
fastpath_libkernels_a_SOURCES += \
	fastpath/kernels/delta/delta.c \
	fastpath/kernels/delta/delta.h \
	fastpath/kernels/delta/delta__scalar.c
FP_OVER_VECTORS += \
	fastpath/kernels/delta/delta__vec.h
FP_NEON += \
	fastpath/kernels/delta/delta__neon.c
FP_AVX2 += \
	fastpath/kernels/delta/delta__avx2.c
FP_AVX512 += \
	fastpath/kernels/delta/delta__avx512.c
