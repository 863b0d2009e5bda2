# Behaviour on text, linked into every engine of ours.
# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += serving/libserving.la
serving_libserving_la_SOURCES = \
	serving/breach.c serving/breach.h \
	serving/bytes.c serving/bytes.h \
	serving/grammar.c serving/grammar.h serving/grammar_parts.h \
	serving/grammar_chat.c \
	serving/grammar_items.c serving/grammar_items.h \
	serving/grammar_messages.c \
	serving/grammar_parts.c \
	serving/grammar_responses.c \
	serving/reasoning.c serving/reasoning.h serving/reasoning_rules.h \
	serving/reasoning_channel.c \
	serving/reasoning_harmony.c \
	serving/reasoning_think.c \
	serving/response.c serving/response.h serving/response_form.h \
	serving/response_chat.c \
	serving/response_messages.c \
	serving/response_request.c serving/response_request.h \
	serving/response_responses.c \
	serving/sampler.c serving/sampler.h \
	serving/sse.c serving/sse.h \
	serving/table.c \
	serving/text.c serving/text.h \
	serving/tokenizing.c serving/tokenizing.h
# No product is contracted with a sum: a sampler gives the same bits on every machine.
serving_libserving_la_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS) -ffp-contract=off

SERVING_TESTS = \
	serving/tests/check_grammar \
	serving/tests/check_reasoning \
	serving/tests/check_reasoning_modes \
	serving/tests/check_response \
	serving/tests/check_response_request \
	serving/tests/check_sampler \
	serving/tests/check_sse \
	serving/tests/check_text
EXTRA_DIST += serving/tests/streams serving/tests/vectors
check_PROGRAMS += $(SERVING_TESTS)
TESTS += $(SERVING_TESTS)
SERVING_TEST_LIBS = serving/libserving.la $(TEST_LIBS)
ANGLES = serving/tests/angles.c serving/tests/angles.h
serving_tests_check_response_SOURCES = serving/tests/check_response.c $(ANGLES)
serving_tests_check_response_CFLAGS = $(TEST_CFLAGS)
serving_tests_check_response_LDADD = $(SERVING_TEST_LIBS)
serving_tests_check_response_request_SOURCES = serving/tests/check_response_request.c $(ANGLES)
serving_tests_check_response_request_CFLAGS = $(TEST_CFLAGS)
serving_tests_check_response_request_LDADD = $(SERVING_TEST_LIBS)
READS = \
	serving/tests/pieces.c serving/tests/pieces.h \
	serving/tests/reads.c serving/tests/reads.h
serving_tests_check_grammar_SOURCES = \
	serving/tests/check_grammar.c \
	serving/tests/stream.c serving/tests/stream.h \
	serving/tests/stream_edits.c
serving_tests_check_grammar_CFLAGS = $(TEST_CFLAGS)
serving_tests_check_grammar_LDADD = $(SERVING_TEST_LIBS)
serving_tests_check_reasoning_SOURCES = serving/tests/check_reasoning.c $(READS)
serving_tests_check_reasoning_CFLAGS = $(TEST_CFLAGS)
serving_tests_check_reasoning_LDADD = $(SERVING_TEST_LIBS)
serving_tests_check_reasoning_modes_SOURCES = serving/tests/check_reasoning_modes.c $(READS)
serving_tests_check_reasoning_modes_CFLAGS = $(TEST_CFLAGS)
serving_tests_check_reasoning_modes_LDADD = $(SERVING_TEST_LIBS)
serving_tests_check_sampler_CFLAGS = $(TEST_CFLAGS) $(JSONC_CFLAGS)
serving_tests_check_sampler_LDADD = $(SERVING_TEST_LIBS)
serving_tests_check_sse_CFLAGS = $(TEST_CFLAGS)
serving_tests_check_sse_LDADD = $(SERVING_TEST_LIBS)
serving_tests_check_text_CFLAGS = $(TEST_CFLAGS)
serving_tests_check_text_LDADD = $(SERVING_TEST_LIBS)
