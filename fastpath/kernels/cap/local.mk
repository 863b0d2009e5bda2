# SPDX-License-Identifier: Apache-2.0
fastpath_libkernels_a_SOURCES += \
	fastpath/kernels/cap/cap.c \
	fastpath/kernels/cap/cap.h \
	fastpath/kernels/cap/cap__scalar.c
FP_OVER_VECTORS += \
	fastpath/kernels/cap/cap__vec.h
FP_NEON += \
	fastpath/kernels/cap/cap__neon.c
FP_AVX2 += \
	fastpath/kernels/cap/cap__avx2.c
FP_AVX512 += \
	fastpath/kernels/cap/cap__avx512.c
