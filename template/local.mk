# Chat templates, linked into each of our engines with serving.
# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += template/libtemplate.la
template_libtemplate_la_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS) $(UTF8PROC_CFLAGS) $(GMP_CFLAGS)
template_libtemplate_la_LIBADD = $(GMP_LIBS) -lm
template_libtemplate_la_SOURCES = \
	template/node.h \
	template/eval.c template/eval.h \
	template/filters/filter_row.h \
	template/hidden.c template/hidden.h \
	template/implicit.c template/implicit.h \
	template/inspect.c template/inspect.h \
	template/lexer.c template/lexer.h \
	template/macro.c template/macro.h \
	template/output.c template/output.h \
	template/parse.c template/parse.h \
	template/parse_arguments.c template/parse_arguments.h \
	template/parse_expression.c template/parse_expression.h \
	template/parser.c template/parser.h \
	template/run.c template/run.h \
	template/template.c template/template.h \
	template/walk.c template/walk.h \
	template/filters/filters.c template/filters/filters.h \
	template/filters/is.c template/filters/is.h \
	template/filters/markup.c template/filters/markup.h \
	template/filters/order.c template/filters/order.h \
	template/filters/round.c template/filters/round.h \
	template/filters/scalar.c template/filters/scalar.h \
	template/filters/sequence.c template/filters/sequence.h \
	template/filters/wrap.c template/filters/wrap.h \
	template/values/arguments.c template/values/arguments.h \
	template/values/braces.c template/values/braces.h \
	template/values/casing.c template/values/casing.h \
	template/values/dict.c template/values/dict.h \
	template/values/field.c template/values/field.h \
	template/values/globals.c template/values/globals.h \
	template/values/integer.c template/values/integer.h \
	template/values/item.c template/values/item.h \
	template/values/json.c template/values/json.h \
	template/values/limbs.c template/values/limbs.h \
	template/values/literal.c template/values/literal.h \
	template/values/loop.c template/values/loop.h \
	template/values/methods.c template/values/methods.h \
	template/values/method_row.h \
	template/values/methods_text.c template/values/methods_text.h \
	template/values/operate.c template/values/operate.h \
	template/values/percent.c template/values/percent.h \
	template/values/search.c template/values/search.h \
	template/values/split.c template/values/split.h \
	template/values/state.c template/values/state.h \
	template/values/strftime.c template/values/strftime.h \
	template/values/strings.c template/values/strings.h \
	template/values/text.c template/values/text.h \
	template/values/unicode.c template/values/unicode.h \
	template/values/unicode_table.c template/values/unicode_table.h \
	template/values/value.c template/values/value.h

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
