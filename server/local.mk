# A server over any engine: HTTP in, HTTP out.
# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += server/libserver.la
server_libserver_la_SOURCES = \
	server/answers.c server/answers.h \
	server/intake.c server/intake.h \
	server/server.c server/server.h
server_libserver_la_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS) $(MICROHTTPD_CFLAGS)
include server/job/local.mk
include server/request/local.mk
include server/evaluate/local.mk
include server/http/local.mk

SERVER_TESTS = \
	server/tests/check_choices \
	server/tests/check_clients \
	server/tests/check_exchange \
	server/tests/check_http \
	server/tests/check_parts \
	server/tests/check_resting \
	server/tests/check_scheduler
SERVER_TAP = server/tests/attacks.test server/tests/serve.test
check_PROGRAMS += $(SERVER_TESTS)
TESTS += $(SERVER_TESTS) $(SERVER_TAP)
EXTRA_DIST += $(SERVER_TAP) server/tests/serve.py
SERVER_TEST_LIBS = server/libserver.la server/request/librequest.la serving/libserving.la model/libmodel.la $(TEST_LIBS) $(MICROHTTPD_LIBS)
SERVER_TALKING = server/tests/talking.c server/tests/talking.h
SERVER_ASKING = server/tests/asking.c server/tests/asking.h server/tests/toy.c server/tests/toy.h
server_tests_check_choices_SOURCES = server/tests/check_choices.c $(SERVER_ASKING)
server_tests_check_choices_CFLAGS = $(TEST_CFLAGS)
server_tests_check_choices_LDADD = $(SERVER_TEST_LIBS)
server_tests_check_clients_SOURCES = server/tests/check_clients.c $(SERVER_TALKING)
server_tests_check_clients_CFLAGS = $(TEST_CFLAGS)
server_tests_check_clients_LDADD = $(SERVER_TEST_LIBS)
server_tests_check_exchange_CFLAGS = $(TEST_CFLAGS)
server_tests_check_exchange_LDADD = $(SERVER_TEST_LIBS)
server_tests_check_http_SOURCES = server/tests/check_http.c $(SERVER_TALKING)
server_tests_check_http_CFLAGS = $(TEST_CFLAGS)
server_tests_check_http_LDADD = $(SERVER_TEST_LIBS)
server_tests_check_parts_SOURCES = server/tests/check_parts.c $(SERVER_ASKING)
server_tests_check_parts_CFLAGS = $(TEST_CFLAGS)
server_tests_check_parts_LDADD = $(SERVER_TEST_LIBS)
server_tests_check_resting_SOURCES = server/tests/check_resting.c $(SERVER_ASKING)
server_tests_check_resting_CFLAGS = $(TEST_CFLAGS)
server_tests_check_resting_LDADD = $(SERVER_TEST_LIBS)
server_tests_check_scheduler_SOURCES = server/tests/check_scheduler.c $(SERVER_ASKING)
server_tests_check_scheduler_CFLAGS = $(TEST_CFLAGS)
server_tests_check_scheduler_LDADD = $(SERVER_TEST_LIBS)
