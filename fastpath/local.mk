# The stateful engine. kernels/ holds one convenience library per instruction set, with its flags only there.
# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += fastpath/libkernels.la
fastpath_libkernels_la_SOURCES = \
	fastpath/kernels/attention.c fastpath/kernels/attention.h fastpath/kernels/attention__scalar.c \
	fastpath/kernels/cap.c fastpath/kernels/cap.h fastpath/kernels/cap__scalar.c \
	fastpath/kernels/gate.c fastpath/kernels/gate.h fastpath/kernels/gate__scalar.c \
	fastpath/kernels/isa.c fastpath/kernels/isa.h \
	fastpath/kernels/kernels.c fastpath/kernels/kernels.h \
	fastpath/kernels/matmul.c fastpath/kernels/matmul.h fastpath/kernels/matmul__scalar.c \
	fastpath/kernels/norm.c fastpath/kernels/norm.h fastpath/kernels/norm__scalar.c \
	fastpath/kernels/rope.c fastpath/kernels/rope.h fastpath/kernels/rope__scalar.c \
	fastpath/kernels/router.c fastpath/kernels/router.h fastpath/kernels/router__scalar.c
fastpath_libkernels_la_LIBADD = model/libmodel.la
