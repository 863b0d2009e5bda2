# From the body of a request to what the scheduler needs.
# SPDX-License-Identifier: Apache-2.0
noinst_LIBRARIES += lib/server/request/librequest.a
LIB_REQUEST = lib/server/request/librequest.a $(LIB_DIALOGUE)
lib_server_request_librequest_a_SOURCES = \
	lib/server/request/chat.c lib/server/request/chat.h \
	lib/server/request/context.c lib/server/request/context.h \
	lib/server/request/conversation.c lib/server/request/conversation.h \
	lib/server/request/gate.c lib/server/request/gate.h \
	lib/server/request/images.c lib/server/request/images.h \
	lib/server/request/media.c lib/server/request/media.h \
	lib/server/request/members.c lib/server/request/members.h \
	lib/server/request/messages.c lib/server/request/messages.h \
	lib/server/request/prompt.c lib/server/request/prompt.h \
	lib/server/request/read.c lib/server/request/read.h \
	lib/server/request/reading.c lib/server/request/reading.h \
	lib/server/request/refusal.c lib/server/request/refusal.h \
	lib/server/request/request.c lib/server/request/request.h \
	lib/server/request/responses.c lib/server/request/responses.h \
	lib/server/request/audio.c lib/server/request/audio.h \
	lib/server/request/values.c lib/server/request/values.h
lib_server_request_librequest_a_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)

SERVER_REQUEST_TESTS = \
	lib/server/request/tests/check_conversation \
	lib/server/request/tests/check_images \
	lib/server/request/tests/check_members \
	lib/server/request/tests/check_request \
	lib/server/request/tests/check_audio
check_PROGRAMS += $(SERVER_REQUEST_TESTS)
TESTS += $(SERVER_REQUEST_TESTS)
EXTRA_DIST += lib/server/request/tests/model
SERVER_REQUEST_TEST_LIBS = lib/server/tests/libtests.a $(LIB_REQUEST) $(TEST_LIBS)
lib_server_request_tests_check_conversation_CFLAGS = $(TEST_CFLAGS) $(JSONC_CFLAGS)
lib_server_request_tests_check_conversation_LDADD = $(SERVER_REQUEST_TEST_LIBS)
lib_server_request_tests_check_images_CFLAGS = $(TEST_CFLAGS) $(JSONC_CFLAGS)
lib_server_request_tests_check_images_LDADD = $(SERVER_REQUEST_TEST_LIBS)
lib_server_request_tests_check_members_CFLAGS = $(TEST_CFLAGS) $(JSONC_CFLAGS)
lib_server_request_tests_check_members_LDADD = $(SERVER_REQUEST_TEST_LIBS)
lib_server_request_tests_check_audio_CFLAGS = $(TEST_CFLAGS) $(JSONC_CFLAGS)
lib_server_request_tests_check_audio_LDADD = $(SERVER_REQUEST_TEST_LIBS)
lib_server_request_tests_check_request_CFLAGS = $(TEST_CFLAGS) $(JSONC_CFLAGS)
lib_server_request_tests_check_request_LDADD = $(SERVER_REQUEST_TEST_LIBS)
