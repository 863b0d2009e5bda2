# A server over any engine: HTTP in, HTTP out.
# SPDX-License-Identifier: Apache-2.0
noinst_LIBRARIES += lib/server/libserver.a
LIB_SERVER = lib/server/libserver.a $(MICROHTTPD_LIBS) $(LIB_REQUEST)
lib_server_libserver_a_SOURCES = \
	lib/server/answers.c lib/server/answers.h \
	lib/server/intake.c lib/server/intake.h \
	lib/server/server.c lib/server/server.h
lib_server_libserver_a_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS) $(MICROHTTPD_CFLAGS)
include lib/server/job/local.mk
include lib/server/request/local.mk
include lib/server/evaluate/local.mk
include lib/server/http/local.mk

SERVER_TESTS = \
	lib/server/tests/check_choices \
	lib/server/tests/check_clients \
	lib/server/tests/check_exchange \
	lib/server/tests/check_http \
	lib/server/tests/check_parts \
	lib/server/tests/check_resting \
	lib/server/tests/check_scheduler
SERVER_TAP = lib/server/tests/attacks.test lib/server/tests/serve.test
check_PROGRAMS += $(SERVER_TESTS)
TESTS += $(SERVER_TESTS) $(SERVER_TAP)
EXTRA_DIST += $(SERVER_TAP) lib/server/tests/serve.py
check_LIBRARIES += lib/server/tests/libtests.a
lib_server_tests_libtests_a_SOURCES = \
	lib/server/request/tests/served.c lib/server/request/tests/served.h \
	lib/server/tests/asking.c lib/server/tests/asking.h \
	lib/server/tests/talking.c lib/server/tests/talking.h \
	lib/server/tests/toy.c lib/server/tests/toy.h
lib_server_tests_libtests_a_CFLAGS = $(TEST_CFLAGS)
SERVER_TEST_LIBS = lib/server/tests/libtests.a $(LIB_SERVER) $(TEST_LIBS)
lib_server_tests_check_choices_CFLAGS = $(TEST_CFLAGS)
lib_server_tests_check_choices_LDADD = $(SERVER_TEST_LIBS)
lib_server_tests_check_clients_CFLAGS = $(TEST_CFLAGS)
lib_server_tests_check_clients_LDADD = $(SERVER_TEST_LIBS)
lib_server_tests_check_exchange_CFLAGS = $(TEST_CFLAGS)
lib_server_tests_check_exchange_LDADD = $(SERVER_TEST_LIBS)
lib_server_tests_check_http_CFLAGS = $(TEST_CFLAGS)
lib_server_tests_check_http_LDADD = $(SERVER_TEST_LIBS)
lib_server_tests_check_parts_CFLAGS = $(TEST_CFLAGS)
lib_server_tests_check_parts_LDADD = $(SERVER_TEST_LIBS)
lib_server_tests_check_resting_CFLAGS = $(TEST_CFLAGS)
lib_server_tests_check_resting_LDADD = $(SERVER_TEST_LIBS)
lib_server_tests_check_scheduler_CFLAGS = $(TEST_CFLAGS)
lib_server_tests_check_scheduler_LDADD = $(SERVER_TEST_LIBS)
