# SPDX-License-Identifier: Apache-2.0
conformance_libconformance_a_SOURCES += \
	conformance/expected/expected.c conformance/expected/expected.h \
	conformance/expected/read.c conformance/expected/read.h

CONFORMANCE_EXPECTED_TESTS = conformance/expected/tests/check_expected
check_PROGRAMS += $(CONFORMANCE_EXPECTED_TESTS)
TESTS += $(CONFORMANCE_EXPECTED_TESTS)
conformance_expected_tests_check_expected_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_expected_tests_check_expected_LDADD = $(CONFORMANCE_TEST_LIBS)
