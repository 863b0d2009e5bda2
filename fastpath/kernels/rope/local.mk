# SPDX-License-Identifier: Apache-2.0
fastpath_libkernels_a_SOURCES += \
	fastpath/kernels/rope/rope.c \
	fastpath/kernels/rope/rope.h \
	fastpath/kernels/rope/rope__scalar.c
FP_OVER_VECTORS += \
	fastpath/kernels/rope/rope__vec.h
FP_NEON += \
	fastpath/kernels/rope/rope__neon.c
FP_AVX2 += \
	fastpath/kernels/rope/rope__avx2.c
FP_AVX512 += \
	fastpath/kernels/rope/rope__avx512.c
