# SPDX-License-Identifier: Apache-2.0
conformance_libconformance_la_SOURCES += \
	conformance/replay/arrange.c conformance/replay/arrange.h \
	conformance/replay/dump.c conformance/replay/dump.h \
	conformance/replay/last.c conformance/replay/last.h \
	conformance/replay/replay.c conformance/replay/replay.h \
	conformance/replay/rope.c conformance/replay/rope.h \
	conformance/replay/session.c conformance/replay/session.h \
	conformance/replay/state.h \
	conformance/replay/trace.c conformance/replay/trace.h

CONFORMANCE_REPLAY_TESTS = \
	conformance/replay/tests/check_arrange \
	conformance/replay/tests/check_dump \
	conformance/replay/tests/check_perturb
check_PROGRAMS += $(CONFORMANCE_REPLAY_TESTS)
TESTS += $(CONFORMANCE_REPLAY_TESTS)
conformance_replay_tests_check_arrange_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_replay_tests_check_arrange_LDADD = conformance/tests/libsupport.la
conformance_replay_tests_check_dump_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_replay_tests_check_dump_LDADD = conformance/tests/libsupport.la
conformance_replay_tests_check_perturb_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_replay_tests_check_perturb_LDADD = conformance/tests/libsupport.la
