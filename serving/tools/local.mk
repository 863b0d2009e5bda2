# SPDX-License-Identifier: Apache-2.0
serving_libserving_la_SOURCES += \
	serving/tools/bracket.c serving/tools/bracket.h \
	serving/tools/format.h \
	serving/tools/formats.c serving/tools/formats.h \
	serving/tools/function.c serving/tools/function.h \
	serving/tools/invoke.c serving/tools/invoke.h \
	serving/tools/list.c serving/tools/list.h \
	serving/tools/machine.c serving/tools/machine.h \
	serving/tools/object.c serving/tools/object.h \
	serving/tools/output.c serving/tools/output.h \
	serving/tools/repeated.c serving/tools/repeated.h \
	serving/tools/request.c serving/tools/request.h \
	serving/tools/state.h \
	serving/tools/thoughts.c serving/tools/thoughts.h \
	serving/tools/tools.c serving/tools/tools.h \
	serving/tools/types.c serving/tools/types.h \
	serving/tools/xml_functions.c serving/tools/xml_functions.h \
	serving/tools/xml_tag.c serving/tools/xml_tag.h

SERVING_TOOLS_TESTS = \
	serving/tools/tests/check_auto \
	serving/tools/tests/check_formats \
	serving/tools/tests/check_linear \
	serving/tools/tests/check_lists \
	serving/tools/tests/check_sections \
	serving/tools/tests/check_sequences \
	serving/tools/tests/check_tools \
	serving/tools/tests/check_types \
	serving/tools/tests/check_variants \
	serving/tools/tests/check_xml
check_PROGRAMS += $(SERVING_TOOLS_TESTS)
TESTS += $(SERVING_TOOLS_TESTS)
TOOL_READS = \
	serving/tests/pieces.c serving/tests/pieces.h \
	serving/tools/tests/tool_reads.c serving/tools/tests/tool_reads.h
serving_tools_tests_check_auto_SOURCES = serving/tools/tests/check_auto.c $(TOOL_READS)
serving_tools_tests_check_auto_CFLAGS = $(TEST_CFLAGS)
serving_tools_tests_check_auto_LDADD = $(SERVING_TEST_LIBS)
serving_tools_tests_check_formats_SOURCES = serving/tools/tests/check_formats.c $(TOOL_READS)
serving_tools_tests_check_formats_CFLAGS = $(TEST_CFLAGS)
serving_tools_tests_check_formats_LDADD = $(SERVING_TEST_LIBS)
serving_tools_tests_check_linear_CFLAGS = $(TEST_CFLAGS)
serving_tools_tests_check_linear_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=memchr,--wrap=memcmp,--wrap=memmove,--wrap=serve_text_space,--wrap=serve_span_word
serving_tools_tests_check_linear_LDADD = $(SERVING_TEST_LIBS)
serving_tools_tests_check_lists_SOURCES = serving/tools/tests/check_lists.c $(TOOL_READS)
serving_tools_tests_check_lists_CFLAGS = $(TEST_CFLAGS)
serving_tools_tests_check_lists_LDADD = $(SERVING_TEST_LIBS)
serving_tools_tests_check_sections_SOURCES = serving/tools/tests/check_sections.c $(TOOL_READS)
serving_tools_tests_check_sections_CFLAGS = $(TEST_CFLAGS)
serving_tools_tests_check_sections_LDADD = $(SERVING_TEST_LIBS)
serving_tools_tests_check_sequences_SOURCES = serving/tools/tests/check_sequences.c $(TOOL_READS)
serving_tools_tests_check_sequences_CFLAGS = $(TEST_CFLAGS)
serving_tools_tests_check_sequences_LDADD = $(SERVING_TEST_LIBS)
serving_tools_tests_check_tools_SOURCES = serving/tools/tests/check_tools.c $(TOOL_READS)
serving_tools_tests_check_tools_CFLAGS = $(TEST_CFLAGS)
serving_tools_tests_check_tools_LDADD = $(SERVING_TEST_LIBS)
serving_tools_tests_check_types_CFLAGS = $(TEST_CFLAGS)
serving_tools_tests_check_types_LDADD = $(SERVING_TEST_LIBS)
serving_tools_tests_check_variants_SOURCES = serving/tools/tests/check_variants.c $(TOOL_READS)
serving_tools_tests_check_variants_CFLAGS = $(TEST_CFLAGS)
serving_tools_tests_check_variants_LDADD = $(SERVING_TEST_LIBS)
serving_tools_tests_check_xml_SOURCES = serving/tools/tests/check_xml.c $(TOOL_READS)
serving_tools_tests_check_xml_CFLAGS = $(TEST_CFLAGS)
serving_tools_tests_check_xml_LDADD = $(SERVING_TEST_LIBS)
