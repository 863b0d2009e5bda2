# SPDX-License-Identifier: Apache-2.0
model_libmodel_la_SOURCES += \
	model/numerics/affine.c model/numerics/affine.h \
	model/numerics/rope.c model/numerics/rope.h

MODEL_NUMERICS_TESTS = \
	model/numerics/tests/check_affine \
	model/numerics/tests/check_rope
check_PROGRAMS += $(MODEL_NUMERICS_TESTS)
TESTS += $(MODEL_NUMERICS_TESTS)
model_numerics_tests_check_affine_CFLAGS = $(TEST_CFLAGS)
model_numerics_tests_check_affine_LDADD = $(TEST_LIBS)
model_numerics_tests_check_rope_CFLAGS = $(TEST_CFLAGS)
model_numerics_tests_check_rope_LDADD = $(TEST_LIBS)
EXTRA_DIST += model/numerics/tests/vectors
