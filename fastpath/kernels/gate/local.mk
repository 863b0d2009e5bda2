# SPDX-License-Identifier: Apache-2.0
fastpath_libkernels_a_SOURCES += \
	fastpath/kernels/gate/gate.c \
	fastpath/kernels/gate/gate.h \
	fastpath/kernels/gate/gate__scalar.c
FP_OVER_VECTORS += \
	fastpath/kernels/gate/gate__vec.h
FP_NEON += \
	fastpath/kernels/gate/gate__neon.c
FP_AVX2 += \
	fastpath/kernels/gate/gate__avx2.c
FP_AVX512 += \
	fastpath/kernels/gate/gate__avx512.c
