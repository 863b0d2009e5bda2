# SPDX-License-Identifier: Apache-2.0
lib_serving_libserving_a_SOURCES += \
	lib/serving/tools/bracket.c lib/serving/tools/bracket.h \
	lib/serving/tools/format.h \
	lib/serving/tools/formats.c lib/serving/tools/formats.h \
	lib/serving/tools/function.c lib/serving/tools/function.h \
	lib/serving/tools/invoke.c lib/serving/tools/invoke.h \
	lib/serving/tools/list.c lib/serving/tools/list.h \
	lib/serving/tools/machine.c lib/serving/tools/machine.h \
	lib/serving/tools/object.c lib/serving/tools/object.h \
	lib/serving/tools/output.c lib/serving/tools/output.h \
	lib/serving/tools/repeated.c lib/serving/tools/repeated.h \
	lib/serving/tools/request.c lib/serving/tools/request.h \
	lib/serving/tools/state.h \
	lib/serving/tools/thoughts.c lib/serving/tools/thoughts.h \
	lib/serving/tools/tools.c lib/serving/tools/tools.h \
	lib/serving/tools/types.c lib/serving/tools/types.h \
	lib/serving/tools/xml_functions.c lib/serving/tools/xml_functions.h \
	lib/serving/tools/xml_tag.c lib/serving/tools/xml_tag.h

SERVING_TOOLS_TESTS = \
	lib/serving/tools/tests/check_auto \
	lib/serving/tools/tests/check_formats \
	lib/serving/tools/tests/check_linear \
	lib/serving/tools/tests/check_lists \
	lib/serving/tools/tests/check_sections \
	lib/serving/tools/tests/check_sequences \
	lib/serving/tools/tests/check_tools \
	lib/serving/tools/tests/check_types \
	lib/serving/tools/tests/check_variants \
	lib/serving/tools/tests/check_xml
check_PROGRAMS += $(SERVING_TOOLS_TESTS)
TESTS += $(SERVING_TOOLS_TESTS)
lib_serving_tools_tests_check_auto_CFLAGS = $(TEST_CFLAGS)
lib_serving_tools_tests_check_auto_LDADD = $(SERVING_TEST_LIBS)
lib_serving_tools_tests_check_formats_CFLAGS = $(TEST_CFLAGS)
lib_serving_tools_tests_check_formats_LDADD = $(SERVING_TEST_LIBS)
lib_serving_tools_tests_check_linear_CFLAGS = $(TEST_CFLAGS)
lib_serving_tools_tests_check_linear_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=memchr,--wrap=memcmp,--wrap=memmove,--wrap=serve_text_space,--wrap=serve_span_word
lib_serving_tools_tests_check_linear_LDADD = $(SERVING_TEST_LIBS)
lib_serving_tools_tests_check_lists_CFLAGS = $(TEST_CFLAGS)
lib_serving_tools_tests_check_lists_LDADD = $(SERVING_TEST_LIBS)
lib_serving_tools_tests_check_sections_CFLAGS = $(TEST_CFLAGS)
lib_serving_tools_tests_check_sections_LDADD = $(SERVING_TEST_LIBS)
lib_serving_tools_tests_check_sequences_CFLAGS = $(TEST_CFLAGS)
lib_serving_tools_tests_check_sequences_LDADD = $(SERVING_TEST_LIBS)
lib_serving_tools_tests_check_tools_CFLAGS = $(TEST_CFLAGS)
lib_serving_tools_tests_check_tools_LDADD = $(SERVING_TEST_LIBS)
lib_serving_tools_tests_check_types_CFLAGS = $(TEST_CFLAGS)
lib_serving_tools_tests_check_types_LDADD = $(SERVING_TEST_LIBS)
lib_serving_tools_tests_check_variants_CFLAGS = $(TEST_CFLAGS)
lib_serving_tools_tests_check_variants_LDADD = $(SERVING_TEST_LIBS)
lib_serving_tools_tests_check_xml_CFLAGS = $(TEST_CFLAGS)
lib_serving_tools_tests_check_xml_LDADD = $(SERVING_TEST_LIBS)
