# The prompt of a chat: template, special tokens, placeholders of images and sounds.
# SPDX-License-Identifier: Apache-2.0
lib_serving_libserving_a_SOURCES += \
	lib/serving/chat/chat.c lib/serving/chat/chat.h \
	lib/serving/chat/files.c lib/serving/chat/files.h \
	lib/serving/chat/frame.c lib/serving/chat/frame.h \
	lib/serving/chat/images.c lib/serving/chat/images.h \
	lib/serving/chat/media_file.c lib/serving/chat/media_file.h \
	lib/serving/chat/placeholder.c lib/serving/chat/placeholder.h \
	lib/serving/chat/audio.c lib/serving/chat/audio.h \
	lib/serving/chat/source.c lib/serving/chat/source.h \
	lib/serving/chat/special.c lib/serving/chat/special.h

SERVING_CHAT_TESTS = lib/serving/chat/tests/check_chat lib/serving/chat/tests/check_frame lib/serving/chat/tests/check_audio
check_PROGRAMS += $(SERVING_CHAT_TESTS)
TESTS += $(SERVING_CHAT_TESTS)
lib_serving_chat_tests_check_chat_CFLAGS = $(TEST_CFLAGS)
lib_serving_chat_tests_check_chat_LDADD = $(SERVING_TEST_LIBS)
lib_serving_chat_tests_check_frame_CFLAGS = $(TEST_CFLAGS)
lib_serving_chat_tests_check_frame_LDADD = $(SERVING_TEST_LIBS)
lib_serving_chat_tests_check_audio_CFLAGS = $(TEST_CFLAGS)
lib_serving_chat_tests_check_audio_LDADD = $(SERVING_TEST_LIBS)
