# SPDX-License-Identifier: Apache-2.0
conformance_libconformance_a_SOURCES += \
	conformance/compare/baseline.c conformance/compare/baseline.h \
	conformance/compare/change.c conformance/compare/change.h \
	conformance/compare/compare.c conformance/compare/compare.h \
	conformance/compare/comparison.c conformance/compare/comparison.h \
	conformance/compare/document.c conformance/compare/document.h \
	conformance/compare/html.c conformance/compare/html.h \
	conformance/compare/pairs.c conformance/compare/pairs.h \
	conformance/compare/print.c conformance/compare/print.h \
	conformance/compare/remarks.c conformance/compare/remarks.h

CONFORMANCE_COMPARE_TESTS = \
	conformance/compare/tests/check_change \
	conformance/compare/tests/check_compare
check_PROGRAMS += $(CONFORMANCE_COMPARE_TESTS)
TESTS += $(CONFORMANCE_COMPARE_TESTS)
conformance_compare_tests_check_change_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_compare_tests_check_change_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_compare_tests_check_compare_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_compare_tests_check_compare_LDADD = $(CONFORMANCE_TEST_LIBS)
