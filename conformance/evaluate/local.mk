# SPDX-License-Identifier: Apache-2.0
conformance_libconformance_la_SOURCES += \
	conformance/evaluate/checkpoint.c conformance/evaluate/checkpoint.h \
	conformance/evaluate/evaluate.c conformance/evaluate/evaluate.h \
	conformance/evaluate/parts.h \
	conformance/evaluate/tensors.c \
	conformance/evaluate/tokens.c \
	conformance/evaluate/vectors.c conformance/evaluate/vectors.h

CONFORMANCE_EVALUATE_TESTS = \
	conformance/evaluate/tests/check_checkpoint \
	conformance/evaluate/tests/check_evaluate
check_PROGRAMS += $(CONFORMANCE_EVALUATE_TESTS)
TESTS += $(CONFORMANCE_EVALUATE_TESTS)
conformance_evaluate_tests_check_checkpoint_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_evaluate_tests_check_checkpoint_LDADD = conformance/tests/libsupport.la
conformance_evaluate_tests_check_evaluate_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_evaluate_tests_check_evaluate_LDADD = conformance/tests/libsupport.la
