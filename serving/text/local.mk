# SPDX-License-Identifier: Apache-2.0
serving_libserving_la_SOURCES += \
	serving/text/escape.c serving/text/escape.h \
	serving/text/span.c serving/text/span.h \
	serving/text/special.c serving/text/special.h \
	serving/text/text.c serving/text/text.h

SERVING_TEXT_TESTS = \
	serving/text/tests/check_span \
	serving/text/tests/check_special \
	serving/text/tests/check_text
check_PROGRAMS += $(SERVING_TEXT_TESTS)
TESTS += $(SERVING_TEXT_TESTS)
serving_text_tests_check_span_CFLAGS = $(TEST_CFLAGS)
serving_text_tests_check_span_LDADD = $(SERVING_TEST_LIBS)
serving_text_tests_check_special_CFLAGS = $(TEST_CFLAGS)
serving_text_tests_check_special_LDADD = $(SERVING_TEST_LIBS)
serving_text_tests_check_text_CFLAGS = $(TEST_CFLAGS)
serving_text_tests_check_text_LDADD = $(SERVING_TEST_LIBS)
