# SPDX-License-Identifier: Apache-2.0
conformance_libconformance_a_SOURCES += \
	conformance/process/contain.c conformance/process/contain.h \
	conformance/process/interrupt.c conformance/process/interrupt.h \
	conformance/process/isolate.c conformance/process/isolate.h \
	conformance/process/jobs.c conformance/process/jobs.h \
	conformance/process/relay.c conformance/process/relay.h

conformance_process_tests_check_contain_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_process_tests_check_contain_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_process_tests_check_jobs_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_process_tests_check_jobs_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_process_tests_check_interrupt_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_process_tests_check_interrupt_LDADD = $(CONFORMANCE_TEST_LIBS)
