# SPDX-License-Identifier: Apache-2.0
serving_libserving_la_SOURCES += \
	serving/grammar/blocks.c serving/grammar/blocks.h \
	serving/grammar/breach.c serving/grammar/breach.h \
	serving/grammar/chat.c \
	serving/grammar/checks.c serving/grammar/checks.h \
	serving/grammar/chunks.c serving/grammar/chunks.h \
	serving/grammar/completions.c \
	serving/grammar/grades.c serving/grammar/grades.h \
	serving/grammar/grammar.c serving/grammar/grammar.h \
	serving/grammar/items.c serving/grammar/items.h \
	serving/grammar/logprobs.c serving/grammar/logprobs.h \
	serving/grammar/messages.c \
	serving/grammar/options.h \
	serving/grammar/responses.c \
	serving/grammar/rules.h \
	serving/grammar/sse.c serving/grammar/sse.h

SERVING_GRAMMAR_TESTS = \
	serving/grammar/tests/check_changes \
	serving/grammar/tests/check_grammar \
	serving/grammar/tests/check_sse
check_PROGRAMS += $(SERVING_GRAMMAR_TESTS)
TESTS += $(SERVING_GRAMMAR_TESTS)
serving_grammar_tests_check_changes_SOURCES = \
	serving/grammar/tests/check_changes.c \
	serving/grammar/tests/stream.c serving/grammar/tests/stream.h \
	serving/grammar/tests/stream_edits.h
serving_grammar_tests_check_changes_CFLAGS = $(TEST_CFLAGS)
serving_grammar_tests_check_changes_LDADD = $(SERVING_TEST_LIBS)
serving_grammar_tests_check_grammar_SOURCES = \
	serving/grammar/tests/check_grammar.c \
	serving/grammar/tests/stream.c serving/grammar/tests/stream.h \
	serving/grammar/tests/stream_edits.c serving/grammar/tests/stream_edits.h
serving_grammar_tests_check_grammar_CFLAGS = $(TEST_CFLAGS)
serving_grammar_tests_check_grammar_LDADD = $(SERVING_TEST_LIBS)
serving_grammar_tests_check_sse_CFLAGS = $(TEST_CFLAGS)
serving_grammar_tests_check_sse_LDADD = $(SERVING_TEST_LIBS)
EXTRA_DIST += serving/grammar/tests/streams

# For scripts/check-clients.
check_PROGRAMS += serving/grammar/tests/write_breaches
serving_grammar_tests_write_breaches_SOURCES = \
	serving/grammar/tests/write_breaches.c \
	serving/grammar/tests/stream.c serving/grammar/tests/stream.h \
	serving/grammar/tests/stream_edits.c serving/grammar/tests/stream_edits.h
serving_grammar_tests_write_breaches_CFLAGS = $(TEST_CFLAGS)
serving_grammar_tests_write_breaches_LDADD = $(SERVING_TEST_LIBS)
