# SPDX-License-Identifier: Apache-2.0
conformance_libconformance_a_SOURCES += \
	conformance/support/array.c conformance/support/array.h \
	conformance/support/checksums.c conformance/support/checksums.h \
	conformance/support/delta.c conformance/support/delta.h \
	conformance/support/digest.c conformance/support/digest.h \
	conformance/support/clock.h \
	conformance/support/context.h \
	conformance/support/directories.c conformance/support/directories.h \
	conformance/support/draw.h \
	conformance/support/fields.c conformance/support/fields.h \
	conformance/support/guard.c conformance/support/guard.h \
	conformance/support/json_add.c conformance/support/json_add.h \
	conformance/support/json_at.c conformance/support/json_at.h \
	conformance/support/json_strict.c conformance/support/json_strict.h \
	conformance/support/machine.c conformance/support/machine.h \
	conformance/support/memory.c conformance/support/memory.h \
	conformance/support/orphans.c conformance/support/orphans.h \
	conformance/support/parallel.c conformance/support/parallel.h \
	conformance/support/progress.c conformance/support/progress.h \
	conformance/support/strings.c conformance/support/strings.h \
	conformance/support/text.c conformance/support/text.h \
	conformance/support/text_file.c conformance/support/text_file.h \
	conformance/support/xml.c conformance/support/xml.h

CONFORMANCE_SUPPORT_TESTS = \
	conformance/support/tests/check_delta \
	conformance/support/tests/check_fields \
	conformance/support/tests/check_guard \
	conformance/support/tests/check_machine \
	conformance/support/tests/check_parallel \
	conformance/support/tests/check_text
check_PROGRAMS += $(CONFORMANCE_SUPPORT_TESTS)
TESTS += $(CONFORMANCE_SUPPORT_TESTS)
conformance_support_tests_check_delta_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_support_tests_check_delta_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_support_tests_check_guard_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_support_tests_check_guard_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_support_tests_check_machine_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_support_tests_check_machine_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_support_tests_check_parallel_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_support_tests_check_parallel_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_support_tests_check_text_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_support_tests_check_text_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_support_tests_check_fields_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_support_tests_check_fields_LDADD = $(CONFORMANCE_TEST_LIBS)
