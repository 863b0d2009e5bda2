# SPDX-License-Identifier: Apache-2.0
# Rows of a table, without headers of their own: fields/rows_*.c groups/*.c
conformance_libconformance_a_SOURCES += \
	conformance/probe/answer/answer.c conformance/probe/answer/answer.h \
	conformance/probe/answer/body.c conformance/probe/answer/body.h \
	conformance/probe/answer/form.h \
	conformance/probe/answer/logprob.c conformance/probe/answer/logprob.h \
	conformance/probe/checks/alignment.c conformance/probe/checks/alignment.h \
	conformance/probe/groups/batching.c \
	conformance/probe/checks/caching.c conformance/probe/checks/caching.h \
	conformance/probe/checks/characters.c conformance/probe/checks/characters.h \
	conformance/probe/groups/groups.h \
	conformance/probe/groups/discover.c \
	conformance/probe/checks/evidence.c conformance/probe/checks/evidence.h \
	conformance/probe/checks/expect.c conformance/probe/checks/expect.h \
	conformance/probe/checks/follow.c conformance/probe/checks/follow.h \
	conformance/probe/checks/grade.c conformance/probe/checks/grade.h \
	conformance/probe/groups/numerics.c \
	conformance/probe/checks/observe.c conformance/probe/checks/observe.h \
	conformance/probe/checks/offer.c conformance/probe/checks/offer.h \
	conformance/probe/checks/outcome.c conformance/probe/checks/outcome.h \
	conformance/probe/checks/phase.c conformance/probe/checks/phase.h \
	conformance/probe/checks/pictures.c conformance/probe/checks/pictures.h \
	conformance/probe/checks/prompts.c conformance/probe/checks/prompts.h \
	conformance/probe/groups/protocol.c \
	conformance/probe/checks/refusals.c conformance/probe/checks/refusals.h \
	conformance/probe/checks/sampled.c conformance/probe/checks/sampled.h \
	conformance/probe/checks/scenario.c conformance/probe/checks/scenario.h \
	conformance/probe/checks/comparison.c conformance/probe/checks/comparison.h \
	conformance/probe/checks/error_body.c conformance/probe/checks/error_body.h \
	conformance/probe/checks/trait.c conformance/probe/checks/trait.h \
	conformance/probe/checks/spaces.c conformance/probe/checks/spaces.h \
	conformance/probe/checks/events.c conformance/probe/checks/events.h \
	conformance/probe/checks/tally.c conformance/probe/checks/tally.h \
	conformance/probe/checks/twins.c conformance/probe/checks/twins.h \
	conformance/probe/groups/text.c \
	conformance/probe/effects/effect.c conformance/probe/effects/effect.h \
	conformance/probe/effects/effects.c conformance/probe/effects/effects.h \
	conformance/probe/effects/contents.c conformance/probe/effects/contents.h \
	conformance/probe/effects/sampling.c conformance/probe/effects/sampling.h \
	conformance/probe/fields/field.c conformance/probe/fields/field.h \
	conformance/probe/fields/list.c conformance/probe/fields/list.h \
	conformance/probe/fields/members.c conformance/probe/fields/members.h \
	conformance/probe/fields/notes.c conformance/probe/fields/notes.h \
	conformance/probe/fields/rows.h \
	conformance/probe/fields/rows_chat.c conformance/probe/fields/rows_completions.c \
	conformance/probe/fields/rows_messages.c conformance/probe/fields/rows_responses.c \
	conformance/probe/fields/rules.c conformance/probe/fields/rules.h \
	conformance/probe/print.c conformance/probe/print.h \
	conformance/probe/probe.c conformance/probe/probe.h \
	conformance/probe/reduce.c conformance/probe/reduce.h \
	conformance/probe/run/ask.c conformance/probe/run/ask.h \
	conformance/probe/run/convert.c conformance/probe/run/convert.h \
	conformance/probe/run/excerpt.c conformance/probe/run/excerpt.h \
	conformance/probe/run/finding.c conformance/probe/run/finding.h \
	conformance/probe/run/mark.c conformance/probe/run/mark.h \
	conformance/probe/run/proof.c conformance/probe/run/proof.h \
	conformance/probe/run/repro.c conformance/probe/run/repro.h \
	conformance/probe/run/run.c conformance/probe/run/run.h \
	conformance/probe/truth/chat.c conformance/probe/truth/chat.h \
	conformance/probe/truth/fit.c conformance/probe/truth/fit.h \
	conformance/probe/truth/judge.c conformance/probe/truth/judge.h \
	conformance/probe/truth/pictures.c conformance/probe/truth/pictures.h \
	conformance/probe/truth/spelling.c conformance/probe/truth/spelling.h \
	conformance/probe/truth/truth.c conformance/probe/truth/truth.h \
	conformance/probe/truth/vocab.c conformance/probe/truth/vocab.h \
	conformance/probe/wire/archive.c conformance/probe/wire/archive.h \
	conformance/probe/wire/directory.c conformance/probe/wire/directory.h \
	conformance/probe/wire/exchange.c conformance/probe/wire/exchange.h \
	conformance/probe/wire/http.c conformance/probe/wire/http.h \
	conformance/probe/wire/record.c conformance/probe/wire/record.h \
	conformance/probe/wire/store.c conformance/probe/wire/store.h \
	conformance/probe/wire/wire.c conformance/probe/wire/wire.h

TESTS += conformance/probe/tests/relay.test
EXTRA_DIST += conformance/probe/tests/relay.test \
	conformance/probe/tests/relay.py conformance/probe/tests/relay_calls.py conformance/probe/tests/relay_check.py \
	conformance/probe/tests/relay_events.py conformance/probe/tests/relay_named.py conformance/probe/tests/relay_part.py \
	conformance/probe/tests/relay_rounds.py conformance/probe/tests/relay_rows.py

CONFORMANCE_PROBE_TESTS = \
	conformance/probe/tests/check_fields \
	conformance/probe/tests/check_answer \
	conformance/probe/tests/check_fit \
	conformance/probe/tests/check_excerpt \
	conformance/probe/tests/check_exchanges \
	conformance/probe/tests/check_http \
	conformance/probe/tests/check_judge \
	conformance/probe/tests/check_reduce \
	conformance/probe/tests/check_store
check_PROGRAMS += $(CONFORMANCE_PROBE_TESTS)
TESTS += $(CONFORMANCE_PROBE_TESTS) conformance/probe/tests/odd.test
EXTRA_DIST += conformance/probe/tests/exchanges conformance/probe/tests/odd conformance/probe/tests/odd.test
conformance_probe_tests_check_answer_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_probe_tests_check_answer_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_probe_tests_check_excerpt_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_probe_tests_check_excerpt_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_probe_tests_check_exchanges_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_probe_tests_check_exchanges_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_probe_tests_check_fields_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_probe_tests_check_fields_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_probe_tests_check_http_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_probe_tests_check_http_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_probe_tests_check_fit_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_probe_tests_check_fit_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_probe_tests_check_judge_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_probe_tests_check_judge_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_probe_tests_check_reduce_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_probe_tests_check_reduce_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_probe_tests_check_store_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_probe_tests_check_store_LDADD = $(CONFORMANCE_TEST_LIBS)
# The oracle, and probes of it.
conformance_probe_tests_check_probe_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_probe_tests_check_probe_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_probe_tests_check_saved_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_probe_tests_check_saved_LDADD = $(CONFORMANCE_TEST_LIBS)
