# SPDX-License-Identifier: Apache-2.0
conformance_libconformance_a_SOURCES += \
	conformance/evaluate/assignment.h \
	conformance/evaluate/checkpoint.c conformance/evaluate/checkpoint.h \
	conformance/evaluate/cost.c conformance/evaluate/cost.h \
	conformance/evaluate/deadline.c conformance/evaluate/deadline.h \
	conformance/evaluate/evaluate.c conformance/evaluate/evaluate.h \
	conformance/evaluate/fail.c conformance/evaluate/fail.h \
	conformance/evaluate/failing.c conformance/evaluate/failing.h \
	conformance/evaluate/judgeable.c conformance/evaluate/judgeable.h \
	conformance/evaluate/load.c conformance/evaluate/load.h \
	conformance/evaluate/logits.c conformance/evaluate/logits.h \
	conformance/evaluate/manners.c conformance/evaluate/manners.h \
	conformance/evaluate/positions.c conformance/evaluate/positions.h \
	conformance/evaluate/profile.c conformance/evaluate/profile.h \
	conformance/evaluate/reference.c conformance/evaluate/reference.h \
	conformance/evaluate/rope.c conformance/evaluate/rope.h \
	conformance/evaluate/sequence.c conformance/evaluate/sequence.h \
	conformance/evaluate/shift.c conformance/evaluate/shift.h \
	conformance/evaluate/shift_kept.c conformance/evaluate/shift_kept.h \
	conformance/evaluate/shift_tokens.c conformance/evaluate/shift_tokens.h \
	conformance/evaluate/tensor_file.c conformance/evaluate/tensor_file.h \
	conformance/evaluate/tensors.c conformance/evaluate/tensors.h \
	conformance/evaluate/tokens.c conformance/evaluate/tokens.h \
	conformance/evaluate/vectors.c conformance/evaluate/vectors.h

CONFORMANCE_EVALUATE_TESTS = \
	conformance/evaluate/tests/check_checkpoint \
	conformance/evaluate/tests/check_cost \
	conformance/evaluate/tests/check_deadline \
	conformance/evaluate/tests/check_divisible \
	conformance/evaluate/tests/check_evaluate \
	conformance/evaluate/tests/check_manner \
	conformance/evaluate/tests/check_manner_images \
	conformance/evaluate/tests/check_positions \
	conformance/evaluate/tests/check_profile \
	conformance/evaluate/tests/check_rope \
	conformance/evaluate/tests/check_shift
check_PROGRAMS += $(CONFORMANCE_EVALUATE_TESTS)
TESTS += $(CONFORMANCE_EVALUATE_TESTS)
conformance_evaluate_tests_check_checkpoint_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_evaluate_tests_check_checkpoint_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_evaluate_tests_check_cost_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_evaluate_tests_check_cost_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_evaluate_tests_check_deadline_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_evaluate_tests_check_deadline_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_evaluate_tests_check_divisible_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_evaluate_tests_check_divisible_LDFLAGS = $(AM_LDFLAGS) $(DENY_LINK)
conformance_evaluate_tests_check_divisible_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_evaluate_tests_check_evaluate_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_evaluate_tests_check_evaluate_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_evaluate_tests_check_manner_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_evaluate_tests_check_manner_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_evaluate_tests_check_manner_images_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_evaluate_tests_check_manner_images_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_evaluate_tests_check_positions_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_evaluate_tests_check_positions_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_evaluate_tests_check_profile_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_evaluate_tests_check_profile_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_evaluate_tests_check_rope_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_evaluate_tests_check_rope_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_evaluate_tests_check_shift_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_evaluate_tests_check_shift_LDADD = $(CONFORMANCE_TEST_LIBS)
