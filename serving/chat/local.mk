# The prompt of a chat: template, special tokens, placeholders of images and sounds.
# SPDX-License-Identifier: Apache-2.0
serving_libserving_la_SOURCES += \
	serving/chat/chat.c serving/chat/chat.h \
	serving/chat/files.c serving/chat/files.h \
	serving/chat/frame.c serving/chat/frame.h \
	serving/chat/images.c serving/chat/images.h \
	serving/chat/media_file.c serving/chat/media_file.h \
	serving/chat/placeholder.c serving/chat/placeholder.h \
	serving/chat/sounds.c serving/chat/sounds.h \
	serving/chat/source.c serving/chat/source.h \
	serving/chat/special.c serving/chat/special.h

SERVING_CHAT_TESTS = serving/chat/tests/check_chat serving/chat/tests/check_frame serving/chat/tests/check_sounds
check_PROGRAMS += $(SERVING_CHAT_TESTS)
TESTS += $(SERVING_CHAT_TESTS)
serving_chat_tests_check_chat_CFLAGS = $(TEST_CFLAGS)
serving_chat_tests_check_chat_LDADD = $(SERVING_TEST_LIBS)
serving_chat_tests_check_frame_CFLAGS = $(TEST_CFLAGS)
serving_chat_tests_check_frame_LDADD = $(SERVING_TEST_LIBS)
serving_chat_tests_check_sounds_SOURCES = serving/chat/tests/check_sounds.c base/tests/recorded.c base/tests/recorded.h
serving_chat_tests_check_sounds_CFLAGS = $(TEST_CFLAGS)
serving_chat_tests_check_sounds_LDADD = $(SERVING_TEST_LIBS)
