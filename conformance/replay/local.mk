# SPDX-License-Identifier: Apache-2.0
conformance_libconformance_a_SOURCES += \
	conformance/replay/arrange.c conformance/replay/arrange.h \
	conformance/replay/decoys.c conformance/replay/decoys.h \
	conformance/replay/dump.c conformance/replay/dump.h \
	conformance/replay/follow.c conformance/replay/follow.h \
	conformance/replay/greedy.c conformance/replay/greedy.h \
	conformance/replay/h5_writer.c conformance/replay/h5_writer.h \
	conformance/replay/manner.c conformance/replay/manner.h \
	conformance/replay/positions.c conformance/replay/positions.h \
	conformance/replay/refusals.c conformance/replay/refusals.h \
	conformance/replay/replay.c conformance/replay/replay.h \
	conformance/replay/rope.c conformance/replay/rope.h \
	conformance/replay/rounds.c conformance/replay/rounds.h \
	conformance/replay/session.c conformance/replay/session.h \
	conformance/replay/state.h \
	conformance/replay/stopper.c conformance/replay/stopper.h \
	conformance/replay/trace.c conformance/replay/trace.h \
	conformance/replay/watch.c conformance/replay/watch.h

CONFORMANCE_REPLAY_TESTS = \
	conformance/replay/tests/check_arrange \
	conformance/replay/tests/check_dump \
	conformance/replay/tests/check_moves \
	conformance/replay/tests/check_perturb \
	conformance/replay/tests/check_watch
check_PROGRAMS += $(CONFORMANCE_REPLAY_TESTS)
TESTS += $(CONFORMANCE_REPLAY_TESTS)
conformance_replay_tests_check_arrange_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_replay_tests_check_arrange_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_replay_tests_check_dump_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_replay_tests_check_dump_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_replay_tests_check_moves_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_replay_tests_check_moves_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_replay_tests_check_perturb_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_replay_tests_check_perturb_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_replay_tests_check_watch_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_replay_tests_check_watch_LDADD = $(CONFORMANCE_TEST_LIBS)
