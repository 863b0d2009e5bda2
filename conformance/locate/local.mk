# SPDX-License-Identifier: Apache-2.0
conformance_libconformance_a_SOURCES += \
	conformance/locate/steps.c conformance/locate/steps.h \
	conformance/locate/trace.c conformance/locate/trace.h \
	conformance/locate/drive.c conformance/locate/drive.h \
	conformance/locate/html.c conformance/locate/html.h \
	conformance/locate/locate.c conformance/locate/locate.h \
	conformance/locate/location.h \
	conformance/locate/print.c conformance/locate/print.h \
	conformance/locate/recorded.c conformance/locate/recorded.h \
	conformance/locate/replay.c conformance/locate/replay.h \
	conformance/locate/walk.c conformance/locate/walk.h \
	conformance/locate/walker.h

CONFORMANCE_LOCATE_TESTS = \
	conformance/locate/tests/check_locate \
	conformance/locate/tests/check_memory \
	conformance/locate/tests/check_progress \
	conformance/locate/tests/check_ref \
	conformance/locate/tests/check_traced
check_PROGRAMS += $(CONFORMANCE_LOCATE_TESTS)
TESTS += $(CONFORMANCE_LOCATE_TESTS)
conformance_locate_tests_check_locate_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_locate_tests_check_locate_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_locate_tests_check_memory_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_locate_tests_check_memory_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_locate_tests_check_progress_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_locate_tests_check_progress_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_locate_tests_check_ref_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_locate_tests_check_ref_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_locate_tests_check_traced_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_locate_tests_check_traced_LDADD = $(CONFORMANCE_TEST_LIBS)
