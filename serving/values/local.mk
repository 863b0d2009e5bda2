# SPDX-License-Identifier: Apache-2.0
serving_libserving_la_SOURCES += \
	serving/values/arguments.c serving/values/arguments.h \
	serving/values/gemma_object.c serving/values/gemma_object.h \
	serving/values/json_value.c serving/values/json_value.h \
	serving/values/python_literal.c serving/values/python_literal.h \
	serving/values/python_string.c serving/values/python_string.h \
	serving/values/value.c serving/values/value.h

SERVING_VALUES_TESTS = \
	serving/values/tests/check_python_literal
check_PROGRAMS += $(SERVING_VALUES_TESTS)
TESTS += $(SERVING_VALUES_TESTS)
serving_values_tests_check_python_literal_SOURCES = serving/values/tests/check_python_literal.c $(DENY)
serving_values_tests_check_python_literal_LDFLAGS = $(AM_LDFLAGS) $(DENY_LINK)
serving_values_tests_check_python_literal_CFLAGS = $(TEST_CFLAGS)
serving_values_tests_check_python_literal_LDADD = $(SERVING_TEST_LIBS)
