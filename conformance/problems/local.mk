# Rows of a table, without headers of their own: annotate.c sarif.c summary.c
# SPDX-License-Identifier: Apache-2.0
conformance_libconformance_a_SOURCES += \
	conformance/problems/annotate.c conformance/problems/formats.h \
	conformance/problems/markdown.c conformance/problems/markdown.h \
	conformance/problems/problems.c conformance/problems/problems.h \
	conformance/problems/sarif.c \
	conformance/problems/summary.c

check_PROGRAMS += conformance/problems/tests/check_formats
TESTS += conformance/problems/tests/check_formats
conformance_problems_tests_check_formats_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_problems_tests_check_formats_LDADD = $(CONFORMANCE_TEST_LIBS)
