# SPDX-License-Identifier: Apache-2.0
lib_serving_libserving_a_SOURCES += \
	lib/serving/reasoning/channel.c \
	lib/serving/reasoning/harmony.c \
	lib/serving/reasoning/reasoning.c lib/serving/reasoning/reasoning.h \
	lib/serving/reasoning/rules.h \
	lib/serving/reasoning/think.c

SERVING_REASONING_TESTS = \
	lib/serving/reasoning/tests/check_modes \
	lib/serving/reasoning/tests/check_reasoning
check_PROGRAMS += $(SERVING_REASONING_TESTS)
TESTS += $(SERVING_REASONING_TESTS)
lib_serving_reasoning_tests_check_modes_CFLAGS = $(TEST_CFLAGS)
lib_serving_reasoning_tests_check_modes_LDADD = $(SERVING_TEST_LIBS)
lib_serving_reasoning_tests_check_reasoning_CFLAGS = $(TEST_CFLAGS)
lib_serving_reasoning_tests_check_reasoning_LDADD = $(SERVING_TEST_LIBS)
