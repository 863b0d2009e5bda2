# SPDX-License-Identifier: Apache-2.0
lib_dialogue_libdialogue_a_SOURCES += \
	lib/dialogue/text/span.c lib/dialogue/text/span.h \
	lib/dialogue/text/special.c lib/dialogue/text/special.h \
	lib/dialogue/text/text.c lib/dialogue/text/text.h

SERVING_TEXT_TESTS = \
	lib/dialogue/text/tests/check_span \
	lib/dialogue/text/tests/check_special \
	lib/dialogue/text/tests/check_text
check_PROGRAMS += $(SERVING_TEXT_TESTS)
TESTS += $(SERVING_TEXT_TESTS)
lib_dialogue_text_tests_check_span_CFLAGS = $(TEST_CFLAGS)
lib_dialogue_text_tests_check_span_LDADD = $(DIALOGUE_TEST_LIBS)
lib_dialogue_text_tests_check_special_CFLAGS = $(TEST_CFLAGS)
lib_dialogue_text_tests_check_special_LDADD = $(DIALOGUE_TEST_LIBS)
lib_dialogue_text_tests_check_text_CFLAGS = $(TEST_CFLAGS)
lib_dialogue_text_tests_check_text_LDADD = $(DIALOGUE_TEST_LIBS)
