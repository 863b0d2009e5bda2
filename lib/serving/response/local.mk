# SPDX-License-Identifier: Apache-2.0
lib_serving_libserving_a_SOURCES += \
	lib/serving/response/body.c lib/serving/response/body.h \
	lib/serving/response/chat.c \
	lib/serving/response/completions.c \
	lib/serving/response/form.h \
	lib/serving/response/logprobs.c lib/serving/response/logprobs.h \
	lib/serving/response/messages.c \
	lib/serving/response/reports.c lib/serving/response/reports.h \
	lib/serving/response/request.c lib/serving/response/request.h \
	lib/serving/response/response.c lib/serving/response/response.h \
	lib/serving/response/responses.c \
	lib/serving/response/runs.c lib/serving/response/runs.h

SERVING_RESPONSE_TESTS = \
	lib/serving/response/tests/check_bodies \
	lib/serving/response/tests/check_memory \
	lib/serving/response/tests/check_reports \
	lib/serving/response/tests/check_request \
	lib/serving/response/tests/check_response
check_PROGRAMS += $(SERVING_RESPONSE_TESTS)
TESTS += $(SERVING_RESPONSE_TESTS)
lib_serving_response_tests_check_bodies_CFLAGS = $(TEST_CFLAGS)
lib_serving_response_tests_check_bodies_LDADD = $(SERVING_TEST_LIBS)
lib_serving_response_tests_check_memory_CFLAGS = $(TEST_CFLAGS)
lib_serving_response_tests_check_memory_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
lib_serving_response_tests_check_memory_LDADD = $(SERVING_TEST_LIBS)
lib_serving_response_tests_check_reports_CFLAGS = $(TEST_CFLAGS)
lib_serving_response_tests_check_reports_LDADD = $(SERVING_TEST_LIBS)
lib_serving_response_tests_check_request_CFLAGS = $(TEST_CFLAGS)
lib_serving_response_tests_check_request_LDADD = $(SERVING_TEST_LIBS)
lib_serving_response_tests_check_response_CFLAGS = $(TEST_CFLAGS)
lib_serving_response_tests_check_response_LDADD = $(SERVING_TEST_LIBS)

check_PROGRAMS += lib/serving/response/tests/write_responses
lib_serving_response_tests_write_responses_CFLAGS = $(TEST_CFLAGS)
lib_serving_response_tests_write_responses_LDADD = $(SERVING_TEST_LIBS)
