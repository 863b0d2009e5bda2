# Chat templates, linked into each of our engines with serving.
# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += template/libtemplate.la
template_libtemplate_la_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS) $(UTF8PROC_CFLAGS)
template_libtemplate_la_LIBADD = -lm
template_libtemplate_la_SOURCES = \
	template/eval.c template/eval.h \
	template/hidden.c template/hidden.h \
	template/inspect.c template/inspect.h \
	template/lexer.c template/lexer.h \
	template/node.h \
	template/parse.c template/parse.h \
	template/parse_arguments.c template/parse_arguments.h \
	template/parse_expression.c template/parse_expression.h \
	template/parser.c template/parser.h \
	template/run.c template/run.h \
	template/template.c template/template.h \
	template/walk.c template/walk.h \
	template/values/arguments.c template/values/arguments.h \
	template/values/field.c template/values/field.h \
	template/values/filter_row.h \
	template/values/filters.c template/values/filters.h \
	template/values/filters_markup.c template/values/filters_markup.h \
	template/values/filters_order.c template/values/filters_order.h \
	template/values/filters_scalar.c template/values/filters_scalar.h \
	template/values/filters_sequence.c template/values/filters_sequence.h \
	template/values/format.c template/values/format.h \
	template/values/globals.c template/values/globals.h \
	template/values/is.c template/values/is.h \
	template/values/json.c template/values/json.h \
	template/values/literal.c template/values/literal.h \
	template/values/loop.c template/values/loop.h \
	template/values/methods.c template/values/methods.h \
	template/values/operate.c template/values/operate.h \
	template/values/split.c template/values/split.h \
	template/values/state.c template/values/state.h \
	template/values/strings.c template/values/strings.h \
	template/values/text.c template/values/text.h \
	template/values/value.c template/values/value.h \
	template/values/wrap.c template/values/wrap.h

TEMPLATE_TESTS = \
	template/tests/check_inspect \
	template/tests/check_template \
	template/tests/check_template_refused
check_PROGRAMS += $(TEMPLATE_TESTS)
TESTS += $(TEMPLATE_TESTS)
TEMPLATE_TEST_LIBS = template/libtemplate.la $(TEST_LIBS)
template_tests_check_inspect_CFLAGS = $(TEST_CFLAGS)
template_tests_check_inspect_LDADD = $(TEMPLATE_TEST_LIBS)
template_tests_check_template_SOURCES = template/tests/check_template.c template/tests/rendering.c template/tests/rendering.h
template_tests_check_template_CFLAGS = $(TEST_CFLAGS)
template_tests_check_template_LDADD = $(TEMPLATE_TEST_LIBS)
template_tests_check_template_refused_SOURCES = \
	template/tests/check_template_refused.c template/tests/rendering.c template/tests/rendering.h
template_tests_check_template_refused_CFLAGS = $(TEST_CFLAGS)
template_tests_check_template_refused_LDADD = $(TEMPLATE_TEST_LIBS)
