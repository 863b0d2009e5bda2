# SPDX-License-Identifier: Apache-2.0
fastpath_libkernels_a_SOURCES += \
	fastpath/kernels/narrow/coded.c \
	fastpath/kernels/narrow/coded.h \
	fastpath/kernels/narrow/narrow.c \
	fastpath/kernels/narrow/narrow.h \
	fastpath/kernels/narrow/narrow__scalar.c
FP_OVER_VECTORS += \
	fastpath/kernels/narrow/narrow__vec.h
FP_NEON += \
	fastpath/kernels/narrow/narrow__neon.c
FP_AVX2 += \
	fastpath/kernels/narrow/narrow__avx2.c
FP_AVX512 += \
	fastpath/kernels/narrow/narrow__avx512.c
