# SPDX-License-Identifier: Apache-2.0
conformance_libconformance_a_SOURCES += \
	conformance/judge/compute.c conformance/judge/compute.h \
	conformance/judge/distance.c conformance/judge/distance.h \
	conformance/judge/fit.c conformance/judge/fit.h \
	conformance/judge/logits.c conformance/judge/logits.h \
	conformance/judge/noise.c conformance/judge/noise.h \
	conformance/judge/severity.c conformance/judge/severity.h \
	conformance/judge/tensor.c conformance/judge/tensor.h \
	conformance/judge/token.c conformance/judge/token.h \
	conformance/judge/verdict.c conformance/judge/verdict.h

CONFORMANCE_JUDGE_TESTS = \
	conformance/judge/tests/check_logits \
	conformance/judge/tests/check_fit \
	conformance/judge/tests/check_distance \
	conformance/judge/tests/check_severity \
	conformance/judge/tests/check_noise \
	conformance/judge/tests/check_truth \
	conformance/judge/tests/check_token \
	conformance/judge/tests/check_verdict
check_PROGRAMS += $(CONFORMANCE_JUDGE_TESTS)
TESTS += $(CONFORMANCE_JUDGE_TESTS)
conformance_judge_tests_check_logits_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_judge_tests_check_logits_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_judge_tests_check_fit_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_judge_tests_check_fit_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_judge_tests_check_noise_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_judge_tests_check_noise_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_judge_tests_check_severity_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_judge_tests_check_severity_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_judge_tests_check_truth_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_judge_tests_check_truth_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_judge_tests_check_token_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_judge_tests_check_token_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_judge_tests_check_distance_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_judge_tests_check_distance_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_judge_tests_check_verdict_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_judge_tests_check_verdict_LDADD = $(CONFORMANCE_TEST_LIBS)
