# SPDX-License-Identifier: Apache-2.0
serving_libserving_la_SOURCES += \
	serving/response/body.c serving/response/body.h \
	serving/response/chat.c \
	serving/response/completions.c \
	serving/response/form.h \
	serving/response/logprobs.c serving/response/logprobs.h \
	serving/response/messages.c \
	serving/response/reports.c serving/response/reports.h \
	serving/response/request.c serving/response/request.h \
	serving/response/response.c serving/response/response.h \
	serving/response/responses.c \
	serving/response/runs.c serving/response/runs.h

SERVING_RESPONSE_TESTS = \
	serving/response/tests/check_bodies \
	serving/response/tests/check_memory \
	serving/response/tests/check_reports \
	serving/response/tests/check_request \
	serving/response/tests/check_response
check_PROGRAMS += $(SERVING_RESPONSE_TESTS)
TESTS += $(SERVING_RESPONSE_TESTS)
ANGLES = serving/response/tests/angles.c serving/response/tests/angles.h
serving_response_tests_check_bodies_SOURCES = serving/response/tests/check_bodies.c $(ANGLES)
serving_response_tests_check_bodies_CFLAGS = $(TEST_CFLAGS)
serving_response_tests_check_bodies_LDADD = $(SERVING_TEST_LIBS)
serving_response_tests_check_memory_SOURCES = serving/response/tests/check_memory.c $(ANGLES)
serving_response_tests_check_memory_CFLAGS = $(TEST_CFLAGS)
serving_response_tests_check_memory_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
serving_response_tests_check_memory_LDADD = $(SERVING_TEST_LIBS)
serving_response_tests_check_reports_SOURCES = serving/response/tests/check_reports.c $(ANGLES)
serving_response_tests_check_reports_CFLAGS = $(TEST_CFLAGS)
serving_response_tests_check_reports_LDADD = $(SERVING_TEST_LIBS)
serving_response_tests_check_request_SOURCES = serving/response/tests/check_request.c $(ANGLES)
serving_response_tests_check_request_CFLAGS = $(TEST_CFLAGS)
serving_response_tests_check_request_LDADD = $(SERVING_TEST_LIBS)
serving_response_tests_check_response_SOURCES = serving/response/tests/check_response.c $(ANGLES)
serving_response_tests_check_response_CFLAGS = $(TEST_CFLAGS)
serving_response_tests_check_response_LDADD = $(SERVING_TEST_LIBS)

check_PROGRAMS += serving/response/tests/write_responses
serving_response_tests_write_responses_SOURCES = serving/response/tests/write_responses.c $(ANGLES)
serving_response_tests_write_responses_CFLAGS = $(TEST_CFLAGS)
serving_response_tests_write_responses_LDADD = $(SERVING_TEST_LIBS)
