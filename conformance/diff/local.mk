# SPDX-License-Identifier: Apache-2.0
conformance_libconformance_a_SOURCES += \
	conformance/diff/diff.c conformance/diff/diff.h \
	conformance/diff/html.c conformance/diff/html.h \
	conformance/diff/logits.c conformance/diff/logits.h \
	conformance/diff/members.c conformance/diff/members.h \
	conformance/diff/pair.c conformance/diff/pair.h \
	conformance/diff/profile.c conformance/diff/profile.h \
	conformance/diff/slab.c conformance/diff/slab.h \
	conformance/diff/state.h \
	conformance/diff/tensors.c conformance/diff/tensors.h \
	conformance/diff/tokens.c conformance/diff/tokens.h \
	conformance/diff/traces.c conformance/diff/traces.h

CONFORMANCE_DIFF_TESTS = \
	conformance/diff/tests/check_diff \
	conformance/diff/tests/check_files \
	conformance/diff/tests/check_memory \
	conformance/diff/tests/check_names \
	conformance/diff/tests/check_packs \
	conformance/diff/tests/check_parts \
	conformance/diff/tests/check_profile \
	conformance/diff/tests/check_tokens \
	conformance/diff/tests/check_types
check_PROGRAMS += $(CONFORMANCE_DIFF_TESTS)
TESTS += $(CONFORMANCE_DIFF_TESTS)
conformance_diff_tests_check_diff_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_diff_tests_check_diff_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_diff_tests_check_files_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_diff_tests_check_files_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_diff_tests_check_memory_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_diff_tests_check_memory_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_diff_tests_check_names_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_diff_tests_check_names_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_diff_tests_check_packs_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_diff_tests_check_packs_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_diff_tests_check_parts_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_diff_tests_check_parts_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_diff_tests_check_profile_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_diff_tests_check_profile_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_diff_tests_check_tokens_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_diff_tests_check_tokens_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_diff_tests_check_types_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_diff_tests_check_types_LDADD = $(CONFORMANCE_TEST_LIBS)
