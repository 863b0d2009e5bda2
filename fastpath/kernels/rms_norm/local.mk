# SPDX-License-Identifier: Apache-2.0
fastpath_libkernels_a_SOURCES += \
	fastpath/kernels/rms_norm/rms_norm.c \
	fastpath/kernels/rms_norm/rms_norm.h \
	fastpath/kernels/rms_norm/rms_norm__scalar.c
FP_OVER_VECTORS += \
	fastpath/kernels/rms_norm/rms_norm__vec.h
FP_NEON += \
	fastpath/kernels/rms_norm/rms_norm__neon.c
FP_AVX2 += \
	fastpath/kernels/rms_norm/rms_norm__avx2.c
FP_AVX512 += \
	fastpath/kernels/rms_norm/rms_norm__avx512.c
