# SPDX-License-Identifier: Apache-2.0
# Rows of a table, without headers of their own: channel.c harmony.c think.c
lib_dialogue_libdialogue_a_SOURCES += \
	lib/dialogue/reasoning/channel.c \
	lib/dialogue/reasoning/harmony.c \
	lib/dialogue/reasoning/reasoning.c lib/dialogue/reasoning/reasoning.h \
	lib/dialogue/reasoning/rules.h \
	lib/dialogue/reasoning/think.c

SERVING_REASONING_TESTS = \
	lib/dialogue/reasoning/tests/check_modes \
	lib/dialogue/reasoning/tests/check_reasoning
check_PROGRAMS += $(SERVING_REASONING_TESTS)
TESTS += $(SERVING_REASONING_TESTS)
lib_dialogue_reasoning_tests_check_modes_CFLAGS = $(TEST_CFLAGS)
lib_dialogue_reasoning_tests_check_modes_LDADD = $(DIALOGUE_TEST_LIBS)
lib_dialogue_reasoning_tests_check_reasoning_CFLAGS = $(TEST_CFLAGS)
lib_dialogue_reasoning_tests_check_reasoning_LDADD = $(DIALOGUE_TEST_LIBS)
