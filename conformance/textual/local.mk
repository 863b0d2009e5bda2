# SPDX-License-Identifier: Apache-2.0
conformance_libconformance_a_SOURCES += \
	conformance/textual/answer.c conformance/textual/answer.h \
	conformance/textual/dialogue.c conformance/textual/dialogue.h \
	conformance/textual/eos.c conformance/textual/eos.h \
	conformance/textual/events_read.c conformance/textual/events_read.h \
	conformance/textual/events_replay.c conformance/textual/events_replay.h \
	conformance/textual/message.c conformance/textual/message.h \
	conformance/textual/preprocess.c conformance/textual/preprocess.h \
	conformance/textual/preprocess_audio.c conformance/textual/preprocess_audio.h \
	conformance/textual/rendering.c conformance/textual/rendering.h \
	conformance/textual/reply.c conformance/textual/reply.h \
	conformance/textual/textual.h \
	conformance/textual/threads.h \
	conformance/textual/threads_order.c conformance/textual/threads_order.h \
	conformance/textual/threads_outcome.c conformance/textual/threads_outcome.h \
	conformance/textual/threads_read.c conformance/textual/threads_read.h \
	conformance/textual/threads_replay.c conformance/textual/threads_replay.h \
	conformance/textual/tokenizing.c conformance/textual/tokenizing.h

CONFORMANCE_TEXTUAL_TESTS = \
	conformance/textual/tests/check_dialogue \
	conformance/textual/tests/check_events \
	conformance/textual/tests/check_message \
	conformance/textual/tests/check_preprocess \
	conformance/textual/tests/check_reasoning_cuts \
	conformance/textual/tests/check_textual \
	conformance/textual/tests/check_threads \
	conformance/textual/tests/check_tokenizing \
	conformance/textual/tests/check_tools_cuts
check_PROGRAMS += $(CONFORMANCE_TEXTUAL_TESTS)
TESTS += $(CONFORMANCE_TEXTUAL_TESTS)
conformance_textual_tests_check_dialogue_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_textual_tests_check_dialogue_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_textual_tests_check_events_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_textual_tests_check_events_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_textual_tests_check_message_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_textual_tests_check_message_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=buffer_append_text,--wrap=json_object_new_string_len
conformance_textual_tests_check_message_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_textual_tests_check_preprocess_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_textual_tests_check_preprocess_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_textual_tests_check_reasoning_cuts_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_textual_tests_check_reasoning_cuts_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_textual_tests_check_textual_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_textual_tests_check_textual_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_textual_tests_check_threads_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_textual_tests_check_threads_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_textual_tests_check_tokenizing_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_textual_tests_check_tokenizing_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_textual_tests_check_tools_cuts_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_textual_tests_check_tools_cuts_LDADD = $(CONFORMANCE_TEST_LIBS)
