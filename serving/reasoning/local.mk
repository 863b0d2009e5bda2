# SPDX-License-Identifier: Apache-2.0
serving_libserving_la_SOURCES += \
	serving/reasoning/channel.c \
	serving/reasoning/harmony.c \
	serving/reasoning/reasoning.c serving/reasoning/reasoning.h \
	serving/reasoning/rules.h \
	serving/reasoning/think.c

SERVING_REASONING_TESTS = \
	serving/reasoning/tests/check_modes \
	serving/reasoning/tests/check_reasoning
check_PROGRAMS += $(SERVING_REASONING_TESTS)
TESTS += $(SERVING_REASONING_TESTS)
READS = \
	serving/tests/pieces.c serving/tests/pieces.h \
	serving/reasoning/tests/reads.c serving/reasoning/tests/reads.h
serving_reasoning_tests_check_modes_SOURCES = serving/reasoning/tests/check_modes.c $(READS)
serving_reasoning_tests_check_modes_CFLAGS = $(TEST_CFLAGS)
serving_reasoning_tests_check_modes_LDADD = $(SERVING_TEST_LIBS)
serving_reasoning_tests_check_reasoning_SOURCES = serving/reasoning/tests/check_reasoning.c $(READS)
serving_reasoning_tests_check_reasoning_CFLAGS = $(TEST_CFLAGS)
serving_reasoning_tests_check_reasoning_LDADD = $(SERVING_TEST_LIBS)
