# The prompt of a chat: template, special tokens, placeholders of images.
# SPDX-License-Identifier: Apache-2.0
serving_libserving_la_SOURCES += \
	serving/chat/chat.c serving/chat/chat.h \
	serving/chat/files.c serving/chat/files.h \
	serving/chat/frame.c serving/chat/frame.h \
	serving/chat/images.c serving/chat/images.h \
	serving/chat/placeholder.c serving/chat/placeholder.h \
	serving/chat/source.c serving/chat/source.h \
	serving/chat/special.c serving/chat/special.h

check_PROGRAMS += serving/chat/tests/check_chat serving/chat/tests/check_frame
TESTS += serving/chat/tests/check_chat serving/chat/tests/check_frame
serving_chat_tests_check_chat_CFLAGS = $(TEST_CFLAGS)
serving_chat_tests_check_chat_LDADD = $(SERVING_TEST_LIBS)
serving_chat_tests_check_frame_CFLAGS = $(TEST_CFLAGS)
serving_chat_tests_check_frame_LDADD = $(SERVING_TEST_LIBS)
