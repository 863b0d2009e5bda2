# SPDX-License-Identifier: Apache-2.0
conformance_libconformance_la_SOURCES += \
	conformance/case/case.c conformance/case/case.h \
	conformance/case/decoder.c \
	conformance/case/find.c conformance/case/find.h \
	conformance/case/members.c \
	conformance/case/parts.h \
	conformance/case/rope.c \
	conformance/case/rows.c \
	conformance/case/vectors.c conformance/case/vectors.h

CONFORMANCE_CASE_TESTS = \
	conformance/case/tests/check_arrays \
	conformance/case/tests/check_case \
	conformance/case/tests/check_find \
	conformance/case/tests/check_header \
	conformance/case/tests/check_memory \
	conformance/case/tests/check_model \
	conformance/case/tests/check_vectors
check_PROGRAMS += $(CONFORMANCE_CASE_TESTS)
TESTS += $(CONFORMANCE_CASE_TESTS)
conformance_case_tests_check_arrays_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_case_tests_check_arrays_LDADD = conformance/tests/libsupport.la
conformance_case_tests_check_case_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_case_tests_check_case_LDADD = conformance/tests/libsupport.la
conformance_case_tests_check_find_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_case_tests_check_find_LDADD = conformance/tests/libsupport.la
conformance_case_tests_check_header_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_case_tests_check_header_LDADD = conformance/tests/libsupport.la
conformance_case_tests_check_memory_SOURCES = conformance/case/tests/check_memory.c $(DENY)
conformance_case_tests_check_memory_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_case_tests_check_memory_LDFLAGS = $(AM_LDFLAGS) $(DENY_LINK)
conformance_case_tests_check_memory_LDADD = conformance/tests/libsupport.la
conformance_case_tests_check_model_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_case_tests_check_model_LDADD = conformance/tests/libsupport.la
conformance_case_tests_check_vectors_CFLAGS = $(CONFORMANCE_TEST_CFLAGS) $(DEFLATE_CFLAGS)
conformance_case_tests_check_vectors_LDADD = conformance/tests/libsupport.la $(DEFLATE_LIBS) $(JSONC_LIBS)
