# SPDX-License-Identifier: Apache-2.0
lib_dialogue_libdialogue_a_SOURCES += \
	lib/dialogue/tools/bracket.c lib/dialogue/tools/bracket.h \
	lib/dialogue/tools/format.h \
	lib/dialogue/tools/formats.c lib/dialogue/tools/formats.h \
	lib/dialogue/tools/function.c lib/dialogue/tools/function.h \
	lib/dialogue/tools/invoke.c lib/dialogue/tools/invoke.h \
	lib/dialogue/tools/list.c lib/dialogue/tools/list.h \
	lib/dialogue/tools/machine.c lib/dialogue/tools/machine.h \
	lib/dialogue/tools/object.c lib/dialogue/tools/object.h \
	lib/dialogue/tools/output.c lib/dialogue/tools/output.h \
	lib/dialogue/tools/repeated.c lib/dialogue/tools/repeated.h \
	lib/dialogue/tools/request.c lib/dialogue/tools/request.h \
	lib/dialogue/tools/state.h \
	lib/dialogue/tools/thoughts.c lib/dialogue/tools/thoughts.h \
	lib/dialogue/tools/tools.c lib/dialogue/tools/tools.h \
	lib/dialogue/tools/types.c lib/dialogue/tools/types.h \
	lib/dialogue/tools/xml_functions.c lib/dialogue/tools/xml_functions.h \
	lib/dialogue/tools/xml_tag.c lib/dialogue/tools/xml_tag.h

SERVING_TOOLS_TESTS = \
	lib/dialogue/tools/tests/check_auto \
	lib/dialogue/tools/tests/check_formats \
	lib/dialogue/tools/tests/check_linear \
	lib/dialogue/tools/tests/check_lists \
	lib/dialogue/tools/tests/check_sections \
	lib/dialogue/tools/tests/check_sequences \
	lib/dialogue/tools/tests/check_tools \
	lib/dialogue/tools/tests/check_types \
	lib/dialogue/tools/tests/check_variants \
	lib/dialogue/tools/tests/check_xml
check_PROGRAMS += $(SERVING_TOOLS_TESTS)
TESTS += $(SERVING_TOOLS_TESTS)
lib_dialogue_tools_tests_check_auto_CFLAGS = $(TEST_CFLAGS)
lib_dialogue_tools_tests_check_auto_LDADD = $(DIALOGUE_TEST_LIBS)
lib_dialogue_tools_tests_check_formats_CFLAGS = $(TEST_CFLAGS)
lib_dialogue_tools_tests_check_formats_LDADD = $(DIALOGUE_TEST_LIBS)
lib_dialogue_tools_tests_check_linear_CFLAGS = $(TEST_CFLAGS)
lib_dialogue_tools_tests_check_linear_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=memchr,--wrap=memcmp,--wrap=memmove,--wrap=serve_text_space,--wrap=serve_span_word
lib_dialogue_tools_tests_check_linear_LDADD = $(DIALOGUE_TEST_LIBS)
lib_dialogue_tools_tests_check_lists_CFLAGS = $(TEST_CFLAGS)
lib_dialogue_tools_tests_check_lists_LDADD = $(DIALOGUE_TEST_LIBS)
lib_dialogue_tools_tests_check_sections_CFLAGS = $(TEST_CFLAGS)
lib_dialogue_tools_tests_check_sections_LDADD = $(DIALOGUE_TEST_LIBS)
lib_dialogue_tools_tests_check_sequences_CFLAGS = $(TEST_CFLAGS)
lib_dialogue_tools_tests_check_sequences_LDADD = $(DIALOGUE_TEST_LIBS)
lib_dialogue_tools_tests_check_tools_CFLAGS = $(TEST_CFLAGS)
lib_dialogue_tools_tests_check_tools_LDADD = $(DIALOGUE_TEST_LIBS)
lib_dialogue_tools_tests_check_types_CFLAGS = $(TEST_CFLAGS)
lib_dialogue_tools_tests_check_types_LDADD = $(DIALOGUE_TEST_LIBS)
lib_dialogue_tools_tests_check_variants_CFLAGS = $(TEST_CFLAGS)
lib_dialogue_tools_tests_check_variants_LDADD = $(DIALOGUE_TEST_LIBS)
lib_dialogue_tools_tests_check_xml_CFLAGS = $(TEST_CFLAGS)
lib_dialogue_tools_tests_check_xml_LDADD = $(DIALOGUE_TEST_LIBS)
