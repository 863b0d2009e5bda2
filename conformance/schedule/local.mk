# SPDX-License-Identifier: Apache-2.0
conformance_libconformance_a_SOURCES += \
	conformance/schedule/calls.c conformance/schedule/calls.h \
	conformance/schedule/check.c conformance/schedule/check.h \
	conformance/schedule/draw.c conformance/schedule/draw.h \
	conformance/schedule/drawing.c conformance/schedule/drawing.h \
	conformance/schedule/execute.c conformance/schedule/execute.h \
	conformance/schedule/html.c conformance/schedule/html.h \
	conformance/schedule/json.c conformance/schedule/json.h \
	conformance/schedule/json_write.c conformance/schedule/json_write.h \
	conformance/schedule/record.h \
	conformance/schedule/reduce.c conformance/schedule/reduce.h \
	conformance/schedule/report.c conformance/schedule/report.h \
	conformance/schedule/rewrite.c conformance/schedule/rewrite.h \
	conformance/schedule/run.c conformance/schedule/run.h \
	conformance/schedule/samples.c conformance/schedule/samples.h \
	conformance/schedule/schedule.c conformance/schedule/schedule.h \
	conformance/schedule/timeline.c conformance/schedule/timeline.h \
	conformance/schedule/trial.c conformance/schedule/trial.h

CONFORMANCE_SCHEDULE_TESTS = \
	conformance/schedule/tests/check_draw \
	conformance/schedule/tests/check_files \
	conformance/schedule/tests/check_options \
	conformance/schedule/tests/check_refusals \
	conformance/schedule/tests/check_samples \
	conformance/schedule/tests/check_schedule \
	conformance/schedule/tests/check_timeline
check_PROGRAMS += $(CONFORMANCE_SCHEDULE_TESTS)
TESTS += $(CONFORMANCE_SCHEDULE_TESTS)
conformance_schedule_tests_check_draw_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_schedule_tests_check_draw_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_schedule_tests_check_files_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_schedule_tests_check_files_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_schedule_tests_check_options_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_schedule_tests_check_options_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_schedule_tests_check_refusals_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_schedule_tests_check_refusals_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_schedule_tests_check_run_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_schedule_tests_check_run_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_schedule_tests_check_samples_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_schedule_tests_check_samples_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_schedule_tests_check_timeline_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_schedule_tests_check_timeline_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_schedule_tests_check_schedule_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_schedule_tests_check_schedule_LDADD = $(CONFORMANCE_TEST_LIBS)
