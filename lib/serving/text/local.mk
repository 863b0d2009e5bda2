# SPDX-License-Identifier: Apache-2.0
lib_serving_libserving_a_SOURCES += \
	lib/serving/text/escape.c lib/serving/text/escape.h \
	lib/serving/text/span.c lib/serving/text/span.h \
	lib/serving/text/special.c lib/serving/text/special.h \
	lib/serving/text/text.c lib/serving/text/text.h

SERVING_TEXT_TESTS = \
	lib/serving/text/tests/check_span \
	lib/serving/text/tests/check_special \
	lib/serving/text/tests/check_text
check_PROGRAMS += $(SERVING_TEXT_TESTS)
TESTS += $(SERVING_TEXT_TESTS)
lib_serving_text_tests_check_span_CFLAGS = $(TEST_CFLAGS)
lib_serving_text_tests_check_span_LDADD = $(SERVING_TEST_LIBS)
lib_serving_text_tests_check_special_CFLAGS = $(TEST_CFLAGS)
lib_serving_text_tests_check_special_LDADD = $(SERVING_TEST_LIBS)
lib_serving_text_tests_check_text_CFLAGS = $(TEST_CFLAGS)
lib_serving_text_tests_check_text_LDADD = $(SERVING_TEST_LIBS)
