# What a user starts from; built against what is installed, by its own Makefile. examples/tests/kernels.test does so.
# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += \
	examples/kernels/Makefile \
	examples/kernels/README.md \
	examples/kernels/example.c \
	examples/kernels/example.h \
	examples/kernels/matmul_bf16.c \
	examples/kernels/norm.c
TESTS += examples/tests/kernels.test
EXTRA_DIST += examples/tests/kernels.test
