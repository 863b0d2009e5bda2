# From the body of a request to what the scheduler needs.
# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += server/request/librequest.la
server_request_librequest_la_SOURCES = \
	server/request/chat.c server/request/chat.h \
	server/request/context.c server/request/context.h \
	server/request/conversation.c server/request/conversation.h \
	server/request/gate.c server/request/gate.h \
	server/request/images.c server/request/images.h \
	server/request/media.c server/request/media.h \
	server/request/members.c server/request/members.h \
	server/request/messages.c server/request/messages.h \
	server/request/prompt.c server/request/prompt.h \
	server/request/read.c server/request/read.h \
	server/request/reading.c server/request/reading.h \
	server/request/refusal.c server/request/refusal.h \
	server/request/request.c server/request/request.h \
	server/request/responses.c server/request/responses.h \
	server/request/sounds.c server/request/sounds.h \
	server/request/values.c server/request/values.h
server_request_librequest_la_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)

SERVER_REQUEST_TESTS = \
	server/request/tests/check_conversation \
	server/request/tests/check_images \
	server/request/tests/check_members \
	server/request/tests/check_request \
	server/request/tests/check_sounds
check_PROGRAMS += $(SERVER_REQUEST_TESTS)
TESTS += $(SERVER_REQUEST_TESTS)
EXTRA_DIST += server/request/tests/model
SERVER_REQUEST_SUPPORT = server/request/tests/served.c server/request/tests/served.h
SERVER_REQUEST_TEST_LIBS = server/request/librequest.la $(SERVING_TEST_LIBS)
server_request_tests_check_conversation_SOURCES = server/request/tests/check_conversation.c $(SERVER_REQUEST_SUPPORT)
server_request_tests_check_conversation_CFLAGS = $(TEST_CFLAGS) $(JSONC_CFLAGS)
server_request_tests_check_conversation_LDADD = $(SERVER_REQUEST_TEST_LIBS)
server_request_tests_check_images_SOURCES = server/request/tests/check_images.c $(SERVER_REQUEST_SUPPORT)
server_request_tests_check_images_CFLAGS = $(TEST_CFLAGS) $(JSONC_CFLAGS)
server_request_tests_check_images_LDADD = $(SERVER_REQUEST_TEST_LIBS)
server_request_tests_check_members_SOURCES = server/request/tests/check_members.c $(SERVER_REQUEST_SUPPORT)
server_request_tests_check_members_CFLAGS = $(TEST_CFLAGS) $(JSONC_CFLAGS)
server_request_tests_check_members_LDADD = $(SERVER_REQUEST_TEST_LIBS)
server_request_tests_check_sounds_SOURCES = server/request/tests/check_sounds.c $(SERVER_REQUEST_SUPPORT)
server_request_tests_check_sounds_CFLAGS = $(TEST_CFLAGS) $(JSONC_CFLAGS)
server_request_tests_check_sounds_LDADD = $(SERVER_REQUEST_TEST_LIBS)
server_request_tests_check_request_SOURCES = server/request/tests/check_request.c $(SERVER_REQUEST_SUPPORT)
server_request_tests_check_request_CFLAGS = $(TEST_CFLAGS) $(JSONC_CFLAGS)
server_request_tests_check_request_LDADD = $(SERVER_REQUEST_TEST_LIBS)
