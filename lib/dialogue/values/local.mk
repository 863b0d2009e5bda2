# SPDX-License-Identifier: Apache-2.0
lib_dialogue_libdialogue_a_SOURCES += \
	lib/dialogue/values/arguments.c lib/dialogue/values/arguments.h \
	lib/dialogue/values/gemma_object.c lib/dialogue/values/gemma_object.h \
	lib/dialogue/values/json_value.c lib/dialogue/values/json_value.h \
	lib/dialogue/values/python_literal.c lib/dialogue/values/python_literal.h \
	lib/dialogue/values/python_string.c lib/dialogue/values/python_string.h \
	lib/dialogue/values/value.c lib/dialogue/values/value.h

SERVING_VALUES_TESTS = \
	lib/dialogue/values/tests/check_python_literal
check_PROGRAMS += $(SERVING_VALUES_TESTS)
TESTS += $(SERVING_VALUES_TESTS)
lib_dialogue_values_tests_check_python_literal_LDFLAGS = $(AM_LDFLAGS) $(DENY_LINK)
lib_dialogue_values_tests_check_python_literal_CFLAGS = $(TEST_CFLAGS)
lib_dialogue_values_tests_check_python_literal_LDADD = $(DIALOGUE_TEST_LIBS)
