# SPDX-License-Identifier: Apache-2.0
lib_serving_libserving_a_SOURCES += \
	lib/serving/grammar/blocks.c lib/serving/grammar/blocks.h \
	lib/serving/grammar/breach.c lib/serving/grammar/breach.h \
	lib/serving/grammar/chat.c \
	lib/serving/grammar/checks.c lib/serving/grammar/checks.h \
	lib/serving/grammar/chunks.c lib/serving/grammar/chunks.h \
	lib/serving/grammar/completions.c \
	lib/serving/grammar/grades.c lib/serving/grammar/grades.h \
	lib/serving/grammar/grammar.c lib/serving/grammar/grammar.h \
	lib/serving/grammar/items.c lib/serving/grammar/items.h \
	lib/serving/grammar/logprobs.c lib/serving/grammar/logprobs.h \
	lib/serving/grammar/messages.c \
	lib/serving/grammar/options.h \
	lib/serving/grammar/responses.c \
	lib/serving/grammar/rules.h \
	lib/serving/grammar/sse.c lib/serving/grammar/sse.h

SERVING_GRAMMAR_TESTS = \
	lib/serving/grammar/tests/check_changes \
	lib/serving/grammar/tests/check_grammar \
	lib/serving/grammar/tests/check_sse
check_PROGRAMS += $(SERVING_GRAMMAR_TESTS)
TESTS += $(SERVING_GRAMMAR_TESTS)
lib_serving_grammar_tests_check_changes_CFLAGS = $(TEST_CFLAGS)
lib_serving_grammar_tests_check_changes_LDADD = $(SERVING_TEST_LIBS)
lib_serving_grammar_tests_check_grammar_CFLAGS = $(TEST_CFLAGS)
lib_serving_grammar_tests_check_grammar_LDADD = $(SERVING_TEST_LIBS)
lib_serving_grammar_tests_check_sse_CFLAGS = $(TEST_CFLAGS)
lib_serving_grammar_tests_check_sse_LDADD = $(SERVING_TEST_LIBS)
EXTRA_DIST += lib/serving/grammar/tests/streams

# For scripts/check-clients.
check_PROGRAMS += lib/serving/grammar/tests/write_breaches
lib_serving_grammar_tests_write_breaches_CFLAGS = $(TEST_CFLAGS)
lib_serving_grammar_tests_write_breaches_LDADD = $(SERVING_TEST_LIBS)
