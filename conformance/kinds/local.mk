# SPDX-License-Identifier: Apache-2.0
conformance_libconformance_a_SOURCES += \
	conformance/kinds/kinds.c conformance/kinds/kinds.h \
	conformance/kinds/numeric.c conformance/kinds/numeric.h \
	conformance/kinds/read.c conformance/kinds/read.h \
	conformance/kinds/textual.c conformance/kinds/textual.h

CONFORMANCE_KINDS_TESTS = \
	conformance/kinds/tests/check_case \
	conformance/kinds/tests/check_header \
	conformance/kinds/tests/check_memory \
	conformance/kinds/tests/check_model \
	conformance/kinds/tests/check_packed \
	conformance/kinds/tests/check_rows \
	conformance/kinds/tests/check_traces \
	conformance/kinds/tests/check_vectors
check_PROGRAMS += $(CONFORMANCE_KINDS_TESTS)
TESTS += $(CONFORMANCE_KINDS_TESTS)
conformance_kinds_tests_check_case_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_kinds_tests_check_case_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_kinds_tests_check_header_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_kinds_tests_check_header_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_kinds_tests_check_memory_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_kinds_tests_check_memory_LDFLAGS = $(AM_LDFLAGS) $(DENY_LINK)
conformance_kinds_tests_check_memory_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_kinds_tests_check_model_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_kinds_tests_check_model_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_kinds_tests_check_packed_CFLAGS = $(CONFORMANCE_TEST_CFLAGS) $(DEFLATE_CFLAGS)
conformance_kinds_tests_check_packed_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_kinds_tests_check_rows_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_kinds_tests_check_rows_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_kinds_tests_check_traces_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_kinds_tests_check_traces_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_kinds_tests_check_vectors_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_kinds_tests_check_vectors_LDADD = $(CONFORMANCE_TEST_LIBS)
