# SPDX-License-Identifier: Apache-2.0
fastpath_libkernels_a_SOURCES += \
	fastpath/kernels/isa/isa.c \
	fastpath/kernels/isa/isa.h
