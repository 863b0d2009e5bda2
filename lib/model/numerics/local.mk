# SPDX-License-Identifier: Apache-2.0
lib_model_libmodel_a_SOURCES += \
	lib/model/numerics/affine.c lib/model/numerics/affine.h \
	lib/model/numerics/field.c lib/model/numerics/field.h \
	lib/model/numerics/layouts.c lib/model/numerics/layouts.h \
	lib/model/numerics/rope.c lib/model/numerics/rope.h \
	lib/model/numerics/stored.c lib/model/numerics/stored.h

MODEL_NUMERICS_TESTS = \
	lib/model/numerics/tests/check_affine \
	lib/model/numerics/tests/check_rope
check_PROGRAMS += $(MODEL_NUMERICS_TESTS)
TESTS += $(MODEL_NUMERICS_TESTS)
lib_model_numerics_tests_check_affine_CFLAGS = $(TEST_CFLAGS)
lib_model_numerics_tests_check_affine_LDADD = $(TEST_LIBS)
lib_model_numerics_tests_check_rope_CFLAGS = $(TEST_CFLAGS)
lib_model_numerics_tests_check_rope_LDADD = $(TEST_LIBS)
EXTRA_DIST += lib/model/numerics/tests/vectors
