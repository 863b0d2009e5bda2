# SPDX-License-Identifier: Apache-2.0
conformance_libconformance_a_SOURCES += \
	conformance/exec/engine.c conformance/exec/engine.h \
	conformance/exec/frame.c conformance/exec/frame.h \
	conformance/exec/link.c conformance/exec/link.h \
	conformance/exec/object.c conformance/exec/object.h \
	conformance/exec/pool.c conformance/exec/pool.h \
	conformance/exec/process.c conformance/exec/process.h \
	conformance/exec/step.c conformance/exec/step.h

check_PROGRAMS += conformance/exec/tests/served
conformance_exec_tests_served_SOURCES = \
	conformance/exec/tests/fault.c conformance/exec/tests/fault.h \
	conformance/exec/tests/served.c conformance/exec/tests/served.h \
	conformance/exec/tests/served_step.c
conformance_exec_tests_served_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
conformance_exec_tests_served_LDADD = $(LIB_CONFORMANCE)
conformance_exec_tests_served_LDFLAGS = $(AM_LDFLAGS) -rdynamic

CONFORMANCE_EXEC_TESTS = \
	conformance/exec/tests/check_apart \
	conformance/exec/tests/check_frame
CONFORMANCE_EXEC_TAP = conformance/exec/tests/exec.test
check_PROGRAMS += $(CONFORMANCE_EXEC_TESTS)
TESTS += $(CONFORMANCE_EXEC_TESTS) $(CONFORMANCE_EXEC_TAP)
EXTRA_DIST += $(CONFORMANCE_EXEC_TAP)
conformance_exec_tests_check_apart_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_exec_tests_check_apart_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_exec_tests_check_frame_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_exec_tests_check_frame_LDADD = $(CONFORMANCE_TEST_LIBS)
