# SPDX-License-Identifier: Apache-2.0
lib_serving_libserving_a_SOURCES += \
	lib/serving/values/arguments.c lib/serving/values/arguments.h \
	lib/serving/values/gemma_object.c lib/serving/values/gemma_object.h \
	lib/serving/values/json_value.c lib/serving/values/json_value.h \
	lib/serving/values/python_literal.c lib/serving/values/python_literal.h \
	lib/serving/values/python_string.c lib/serving/values/python_string.h \
	lib/serving/values/value.c lib/serving/values/value.h

SERVING_VALUES_TESTS = \
	lib/serving/values/tests/check_python_literal
check_PROGRAMS += $(SERVING_VALUES_TESTS)
TESTS += $(SERVING_VALUES_TESTS)
lib_serving_values_tests_check_python_literal_LDFLAGS = $(AM_LDFLAGS) $(DENY_LINK)
lib_serving_values_tests_check_python_literal_CFLAGS = $(TEST_CFLAGS)
lib_serving_values_tests_check_python_literal_LDADD = $(SERVING_TEST_LIBS)
