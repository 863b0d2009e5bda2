# SPDX-License-Identifier: Apache-2.0
fastpath_libkernels_a_SOURCES += \
	fastpath/kernels/attention/attention.c \
	fastpath/kernels/attention/attention.h \
	fastpath/kernels/attention/attention__scalar.c
FP_OVER_VECTORS += \
	fastpath/kernels/attention/attention__vec.h
FP_NEON += \
	fastpath/kernels/attention/attention__neon.c
FP_AVX2 += \
	fastpath/kernels/attention/attention__avx2.c
FP_AVX512 += \
	fastpath/kernels/attention/attention__avx512.c
FP_AVX512BF16 += \
	fastpath/kernels/attention/attention__avx512bf16.c \
	fastpath/kernels/attention/scores__avx512bf16.h \
	fastpath/kernels/attention/shares__avx512bf16.h
