# SPDX-License-Identifier: Apache-2.0
# Rows of a table, without headers of their own: chat.c completions.c messages.c responses.c
lib_dialogue_libdialogue_a_SOURCES += \
	lib/dialogue/grammar/blocks.c lib/dialogue/grammar/blocks.h \
	lib/dialogue/grammar/breach.c lib/dialogue/grammar/breach.h \
	lib/dialogue/grammar/chat.c \
	lib/dialogue/grammar/checks.c lib/dialogue/grammar/checks.h \
	lib/dialogue/grammar/chunks.c lib/dialogue/grammar/chunks.h \
	lib/dialogue/grammar/completions.c \
	lib/dialogue/grammar/grades.c lib/dialogue/grammar/grades.h \
	lib/dialogue/grammar/grammar.c lib/dialogue/grammar/grammar.h \
	lib/dialogue/grammar/items.c lib/dialogue/grammar/items.h \
	lib/dialogue/grammar/logprobs.c lib/dialogue/grammar/logprobs.h \
	lib/dialogue/grammar/messages.c \
	lib/dialogue/grammar/options.h \
	lib/dialogue/grammar/responses.c \
	lib/dialogue/grammar/rules.h \
	lib/dialogue/grammar/sse.c lib/dialogue/grammar/sse.h

SERVING_GRAMMAR_TESTS = \
	lib/dialogue/grammar/tests/check_changes \
	lib/dialogue/grammar/tests/check_grammar \
	lib/dialogue/grammar/tests/check_sse
check_PROGRAMS += $(SERVING_GRAMMAR_TESTS)
TESTS += $(SERVING_GRAMMAR_TESTS)
lib_dialogue_grammar_tests_check_changes_CFLAGS = $(TEST_CFLAGS)
lib_dialogue_grammar_tests_check_changes_LDADD = $(DIALOGUE_TEST_LIBS)
lib_dialogue_grammar_tests_check_grammar_CFLAGS = $(TEST_CFLAGS)
lib_dialogue_grammar_tests_check_grammar_LDADD = $(DIALOGUE_TEST_LIBS)
lib_dialogue_grammar_tests_check_sse_CFLAGS = $(TEST_CFLAGS)
lib_dialogue_grammar_tests_check_sse_LDADD = $(DIALOGUE_TEST_LIBS)
EXTRA_DIST += lib/dialogue/grammar/tests/streams

# For scripts/check-clients.
check_PROGRAMS += lib/dialogue/grammar/tests/write_breaches
lib_dialogue_grammar_tests_write_breaches_CFLAGS = $(TEST_CFLAGS)
lib_dialogue_grammar_tests_write_breaches_LDADD = $(DIALOGUE_TEST_LIBS)
