# Chat templates, linked into each of our engines with serving.
# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += template/libtemplate.la
template_libtemplate_la_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS) $(UTF8PROC_CFLAGS)
template_libtemplate_la_LIBADD = -lm
template_libtemplate_la_SOURCES = \
	template/arguments.c template/arguments.h \
	template/eval.c template/eval.h \
	template/filters.c template/filters.h \
	template/filters_sequence.c template/filters_sequence.h \
	template/format.c template/format.h \
	template/globals.c template/globals.h \
	template/hidden.c template/hidden.h \
	template/is.c template/is.h \
	template/json.c template/json.h \
	template/lexer.c template/lexer.h \
	template/literal.c template/literal.h \
	template/loop.c template/loop.h \
	template/methods.c template/methods.h \
	template/node.h \
	template/operate.c template/operate.h \
	template/parse.c template/parse.h \
	template/parse_expression.c template/parse_expression.h \
	template/parser.c template/parser.h \
	template/run.c template/run.h \
	template/split.c template/split.h \
	template/state.c template/state.h \
	template/strings.c template/strings.h \
	template/template.c template/template.h \
	template/text.c template/text.h \
	template/value.c template/value.h

TEMPLATE_TESTS = \
	template/tests/check_template \
	template/tests/check_template_refused
check_PROGRAMS += $(TEMPLATE_TESTS)
TESTS += $(TEMPLATE_TESTS)
TEMPLATE_TEST_LIBS = template/libtemplate.la $(TEST_LIBS)
template_tests_check_template_SOURCES = template/tests/check_template.c template/tests/rendering.c template/tests/rendering.h
template_tests_check_template_CFLAGS = $(TEST_CFLAGS)
template_tests_check_template_LDADD = $(TEMPLATE_TEST_LIBS)
template_tests_check_template_refused_SOURCES = \
	template/tests/check_template_refused.c template/tests/rendering.c template/tests/rendering.h
template_tests_check_template_refused_CFLAGS = $(TEST_CFLAGS)
template_tests_check_template_refused_LDADD = $(TEMPLATE_TEST_LIBS)
