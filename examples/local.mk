# A kernel library to start from: installed next to the fixtures, and built by its own Makefile against the installed headers, as in
# examples/tests/kernels.test.
# SPDX-License-Identifier: Apache-2.0
exampleskernelsdir = $(pkgdatadir)/examples/kernels
dist_exampleskernels_DATA = \
	examples/kernels/Makefile \
	examples/kernels/README.md \
	examples/kernels/example.c \
	examples/kernels/example.h \
	examples/kernels/matmul_bf16.c \
	examples/kernels/rms_norm.c
TESTS += examples/tests/kernels.test
EXTRA_DIST += examples/tests/kernels.test
