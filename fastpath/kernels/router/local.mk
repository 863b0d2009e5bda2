# SPDX-License-Identifier: Apache-2.0
fastpath_libkernels_a_SOURCES += \
	fastpath/kernels/router/router.c \
	fastpath/kernels/router/router.h \
	fastpath/kernels/router/router__scalar.c
