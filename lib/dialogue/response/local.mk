# SPDX-License-Identifier: Apache-2.0
# Rows of a table, without headers of their own: chat.c completions.c messages.c responses.c
lib_dialogue_libdialogue_a_SOURCES += \
	lib/dialogue/response/body.c lib/dialogue/response/body.h \
	lib/dialogue/response/chat.c \
	lib/dialogue/response/completions.c \
	lib/dialogue/response/form.h \
	lib/dialogue/response/logprobs.c lib/dialogue/response/logprobs.h \
	lib/dialogue/response/messages.c \
	lib/dialogue/response/reports.c lib/dialogue/response/reports.h \
	lib/dialogue/response/request.c lib/dialogue/response/request.h \
	lib/dialogue/response/response.c lib/dialogue/response/response.h \
	lib/dialogue/response/responses.c \
	lib/dialogue/response/runs.c lib/dialogue/response/runs.h

SERVING_RESPONSE_TESTS = \
	lib/dialogue/response/tests/check_bodies \
	lib/dialogue/response/tests/check_members \
	lib/dialogue/response/tests/check_memory \
	lib/dialogue/response/tests/check_reports \
	lib/dialogue/response/tests/check_request \
	lib/dialogue/response/tests/check_response
check_PROGRAMS += $(SERVING_RESPONSE_TESTS)
TESTS += $(SERVING_RESPONSE_TESTS)
lib_dialogue_response_tests_check_bodies_CFLAGS = $(TEST_CFLAGS)
lib_dialogue_response_tests_check_bodies_LDADD = $(DIALOGUE_TEST_LIBS)
lib_dialogue_response_tests_check_members_CFLAGS = $(TEST_CFLAGS)
lib_dialogue_response_tests_check_members_LDADD = $(DIALOGUE_TEST_LIBS)
lib_dialogue_response_tests_check_memory_CFLAGS = $(TEST_CFLAGS)
lib_dialogue_response_tests_check_memory_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
lib_dialogue_response_tests_check_memory_LDADD = $(DIALOGUE_TEST_LIBS)
lib_dialogue_response_tests_check_reports_CFLAGS = $(TEST_CFLAGS)
lib_dialogue_response_tests_check_reports_LDADD = $(DIALOGUE_TEST_LIBS)
lib_dialogue_response_tests_check_request_CFLAGS = $(TEST_CFLAGS)
lib_dialogue_response_tests_check_request_LDADD = $(DIALOGUE_TEST_LIBS)
lib_dialogue_response_tests_check_response_CFLAGS = $(TEST_CFLAGS)
lib_dialogue_response_tests_check_response_LDADD = $(DIALOGUE_TEST_LIBS)

check_PROGRAMS += lib/dialogue/response/tests/write_responses
lib_dialogue_response_tests_write_responses_CFLAGS = $(TEST_CFLAGS)
lib_dialogue_response_tests_write_responses_LDADD = $(DIALOGUE_TEST_LIBS)
