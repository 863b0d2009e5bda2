# SPDX-License-Identifier: Apache-2.0
conformance_libconformance_a_SOURCES += \
	conformance/report/attempts.c conformance/report/attempts.h \
	conformance/report/bar.c conformance/report/bar.h \
	conformance/report/checks.c conformance/report/checks.h \
	conformance/report/failures.c conformance/report/failures.h \
	conformance/report/files.c conformance/report/files.h \
	conformance/report/html.c conformance/report/html.h \
	conformance/report/html_origin.c conformance/report/html_origin.h \
	conformance/report/html_pictures.c conformance/report/html_pictures.h \
	conformance/report/json.c conformance/report/json.h \
	conformance/report/junit.c conformance/report/junit.h \
	conformance/report/left_out.c conformance/report/left_out.h \
	conformance/report/machines.c conformance/report/machines.h \
	conformance/report/merge.c conformance/report/merge.h \
	conformance/report/output.c conformance/report/output.h \
	conformance/report/paged.c conformance/report/paged.h \
	conformance/report/problems.c conformance/report/problems.h \
	conformance/report/profile_json.c conformance/report/profile_json.h \
	conformance/report/profile_pictures.c conformance/report/profile_pictures.h \
	conformance/report/profiles.c conformance/report/profiles.h \
	conformance/report/read.c conformance/report/read.h \
	conformance/report/read_result.c conformance/report/read_result.h \
	conformance/report/report.c conformance/report/report.h \
	conformance/report/results.c conformance/report/results.h \
	conformance/report/table.c conformance/report/table.h \
	conformance/report/warn.c conformance/report/warn.h

CONFORMANCE_REPORT_TESTS = \
	conformance/report/tests/check_bar \
	conformance/report/tests/check_checks \
	conformance/report/tests/check_html \
	conformance/report/tests/check_merge \
	conformance/report/tests/check_output \
	conformance/report/tests/check_read \
	conformance/report/tests/check_report
check_PROGRAMS += $(CONFORMANCE_REPORT_TESTS)
TESTS += $(CONFORMANCE_REPORT_TESTS)
conformance_report_tests_check_bar_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_report_tests_check_bar_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_report_tests_check_checks_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_report_tests_check_checks_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_report_tests_check_html_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_report_tests_check_html_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_report_tests_check_merge_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_report_tests_check_merge_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_report_tests_check_output_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_report_tests_check_output_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_report_tests_check_read_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_report_tests_check_read_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_report_tests_check_report_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_report_tests_check_report_LDADD = $(CONFORMANCE_TEST_LIBS)
