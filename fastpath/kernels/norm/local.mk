# SPDX-License-Identifier: Apache-2.0
fastpath_libkernels_la_SOURCES += \
	fastpath/kernels/norm/norm.c \
	fastpath/kernels/norm/norm.h \
	fastpath/kernels/norm/norm__scalar.c
FP_OVER_VECTORS += \
	fastpath/kernels/norm/norm__vec.h
FP_NEON += \
	fastpath/kernels/norm/norm__neon.c
FP_AVX2 += \
	fastpath/kernels/norm/norm__avx2.c
FP_AVX512 += \
	fastpath/kernels/norm/norm__avx512.c
