# SPDX-License-Identifier: Apache-2.0
fastpath_libkernels_a_SOURCES += \
	fastpath/kernels/matmul/matmul.c \
	fastpath/kernels/matmul/matmul.h \
	fastpath/kernels/matmul/matmul__scalar.c \
	fastpath/kernels/matmul/panels.c \
	fastpath/kernels/matmul/panels.h
FP_OVER_VECTORS += \
	fastpath/kernels/matmul/codes__vec.h \
	fastpath/kernels/matmul/groups__vec.h \
	fastpath/kernels/matmul/matmul__vec.h
FP_NEON += \
	fastpath/kernels/matmul/matmul__neon.c
FP_AVX2 += \
	fastpath/kernels/matmul/matmul__avx2.c
FP_AVX512 += \
	fastpath/kernels/matmul/matmul__avx512.c
FP_AVX512BF16 += \
	fastpath/kernels/matmul/matmul__avx512bf16.c \
	fastpath/kernels/matmul/matmul_affine__avx512bf16.c \
	fastpath/kernels/matmul/pair_groups__avx512.h \
	fastpath/kernels/matmul/pairs__avx512bf16.h
FP_AMX += \
	fastpath/kernels/matmul/amx_tile.h \
	fastpath/kernels/matmul/matmul__amx.c \
	fastpath/kernels/matmul/pair_groups__avx512.h
