# SPDX-License-Identifier: Apache-2.0
conformance_libconformance_a_SOURCES += \
	conformance/case/case.h \
	conformance/case/decoder.c conformance/case/decoder.h \
	conformance/case/find.c conformance/case/find.h \
	conformance/case/header.c conformance/case/header.h \
	conformance/case/items.c conformance/case/items.h \
	conformance/case/members.c conformance/case/members.h \
	conformance/case/model_name.c conformance/case/model_name.h \
	conformance/case/observation.c conformance/case/observation.h \
	conformance/case/positions.c conformance/case/positions.h \
	conformance/case/prompt.c conformance/case/prompt.h \
	conformance/case/rope.c conformance/case/rope.h \
	conformance/case/root.c conformance/case/root.h \
	conformance/case/row_list.c conformance/case/row_list.h \
	conformance/case/rows.c conformance/case/rows.h \
	conformance/case/run_noise.c conformance/case/run_noise.h \
	conformance/case/shard.c conformance/case/shard.h \
	conformance/case/spans.c conformance/case/spans.h \
	conformance/case/traces.c conformance/case/traces.h \
	conformance/case/vectors.c conformance/case/vectors.h

CONFORMANCE_CASE_TESTS = \
	conformance/case/tests/check_arrays \
	conformance/case/tests/check_find \
	conformance/case/tests/check_items \
	conformance/case/tests/check_root \
	conformance/case/tests/check_run_noise \
	conformance/case/tests/check_shard \
	conformance/case/tests/check_spans
check_PROGRAMS += $(CONFORMANCE_CASE_TESTS)
TESTS += $(CONFORMANCE_CASE_TESTS)
conformance_case_tests_check_arrays_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_case_tests_check_arrays_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_case_tests_check_find_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_case_tests_check_find_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_case_tests_check_items_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_case_tests_check_items_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_case_tests_check_root_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_case_tests_check_root_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_case_tests_check_run_noise_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_case_tests_check_run_noise_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_case_tests_check_shard_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_case_tests_check_shard_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_case_tests_check_spans_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_case_tests_check_spans_LDADD = $(CONFORMANCE_TEST_LIBS)
