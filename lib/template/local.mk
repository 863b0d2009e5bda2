# Chat templates, linked into each of our engines with serving.
# SPDX-License-Identifier: Apache-2.0
noinst_LIBRARIES += lib/template/libtemplate.a
LIB_TEMPLATE = lib/template/libtemplate.a $(GMP_LIBS) $(LIB_BASE)
lib_template_libtemplate_a_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS) $(UTF8PROC_CFLAGS) $(GMP_CFLAGS)
lib_template_libtemplate_a_SOURCES = \
	lib/template/node.h \
	lib/template/eval.c lib/template/eval.h \
	lib/template/filters/filter_row.h \
	lib/template/hidden.c lib/template/hidden.h \
	lib/template/implicit.c lib/template/implicit.h \
	lib/template/inspect.c lib/template/inspect.h \
	lib/template/lexer.c lib/template/lexer.h \
	lib/template/macro.c lib/template/macro.h \
	lib/template/output.c lib/template/output.h \
	lib/template/parse.c lib/template/parse.h \
	lib/template/parse_arguments.c lib/template/parse_arguments.h \
	lib/template/parse_expression.c lib/template/parse_expression.h \
	lib/template/parser.c lib/template/parser.h \
	lib/template/run.c lib/template/run.h \
	lib/template/template.c lib/template/template.h \
	lib/template/walk.c lib/template/walk.h \
	lib/template/filters/filters.c lib/template/filters/filters.h \
	lib/template/filters/is.c lib/template/filters/is.h \
	lib/template/filters/markup.c lib/template/filters/markup.h \
	lib/template/filters/order.c lib/template/filters/order.h \
	lib/template/filters/round.c lib/template/filters/round.h \
	lib/template/filters/scalar.c lib/template/filters/scalar.h \
	lib/template/filters/sequence.c lib/template/filters/sequence.h \
	lib/template/filters/wrap.c lib/template/filters/wrap.h \
	lib/template/values/arguments.c lib/template/values/arguments.h \
	lib/template/values/braces.c lib/template/values/braces.h \
	lib/template/values/casing.c lib/template/values/casing.h \
	lib/template/values/dict.c lib/template/values/dict.h \
	lib/template/values/field.c lib/template/values/field.h \
	lib/template/values/globals.c lib/template/values/globals.h \
	lib/template/values/integer.c lib/template/values/integer.h \
	lib/template/values/item.c lib/template/values/item.h \
	lib/template/values/json.c lib/template/values/json.h \
	lib/template/values/limbs.c lib/template/values/limbs.h \
	lib/template/values/literal.c lib/template/values/literal.h \
	lib/template/values/loop.c lib/template/values/loop.h \
	lib/template/values/methods.c lib/template/values/methods.h \
	lib/template/values/method_row.h \
	lib/template/values/methods_text.c lib/template/values/methods_text.h \
	lib/template/values/operate.c lib/template/values/operate.h \
	lib/template/values/percent.c lib/template/values/percent.h \
	lib/template/values/search.c lib/template/values/search.h \
	lib/template/values/split.c lib/template/values/split.h \
	lib/template/values/state.c lib/template/values/state.h \
	lib/template/values/strftime.c lib/template/values/strftime.h \
	lib/template/values/strings.c lib/template/values/strings.h \
	lib/template/values/text.c lib/template/values/text.h \
	lib/template/values/unicode.c lib/template/values/unicode.h \
	lib/template/values/unicode_table.c lib/template/values/unicode_table.h \
	lib/template/values/value.c lib/template/values/value.h

TEMPLATE_TESTS = \
	lib/template/tests/check_inspect \
	lib/template/tests/check_template \
	lib/template/tests/check_template_refused
check_PROGRAMS += $(TEMPLATE_TESTS)
TESTS += $(TEMPLATE_TESTS)
TEMPLATE_TEST_LIBS = $(LIB_TEMPLATE) $(TEST_LIBS)
lib_template_tests_check_inspect_CFLAGS = $(TEST_CFLAGS)
lib_template_tests_check_inspect_LDADD = $(TEMPLATE_TEST_LIBS)
lib_template_tests_check_template_SOURCES = lib/template/tests/check_template.c lib/template/tests/rendering.c lib/template/tests/rendering.h
lib_template_tests_check_template_CFLAGS = $(TEST_CFLAGS)
lib_template_tests_check_template_LDADD = $(TEMPLATE_TEST_LIBS)
lib_template_tests_check_template_refused_SOURCES = \
	lib/template/tests/check_template_refused.c lib/template/tests/rendering.c lib/template/tests/rendering.h
lib_template_tests_check_template_refused_CFLAGS = $(TEST_CFLAGS)
lib_template_tests_check_template_refused_LDADD = $(TEMPLATE_TEST_LIBS)
