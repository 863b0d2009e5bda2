# SPDX-License-Identifier: Apache-2.0
fastpath_libkernels_a_SOURCES += \
	fastpath/kernels/stored/form.c fastpath/kernels/stored/form.h \
	fastpath/kernels/stored/input_type.c fastpath/kernels/stored/input_type.h \
	fastpath/kernels/stored/repack.c fastpath/kernels/stored/repack.h \
	fastpath/kernels/stored/stored.c fastpath/kernels/stored/stored.h
