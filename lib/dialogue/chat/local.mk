# The prompt of a chat: template, special tokens, placeholders of images and audio.
# SPDX-License-Identifier: Apache-2.0
lib_dialogue_libdialogue_a_SOURCES += \
	lib/dialogue/chat/chat.c lib/dialogue/chat/chat.h \
	lib/dialogue/chat/files.c lib/dialogue/chat/files.h \
	lib/dialogue/chat/frame.c lib/dialogue/chat/frame.h \
	lib/dialogue/chat/images.c lib/dialogue/chat/images.h \
	lib/dialogue/chat/media_file.c lib/dialogue/chat/media_file.h \
	lib/dialogue/chat/placeholder.c lib/dialogue/chat/placeholder.h \
	lib/dialogue/chat/audio.c lib/dialogue/chat/audio.h \
	lib/dialogue/chat/source.c lib/dialogue/chat/source.h \
	lib/dialogue/chat/special.c lib/dialogue/chat/special.h

DIALOGUE_CHAT_TESTS = lib/dialogue/chat/tests/check_chat lib/dialogue/chat/tests/check_frame lib/dialogue/chat/tests/check_audio
check_PROGRAMS += $(DIALOGUE_CHAT_TESTS)
TESTS += $(DIALOGUE_CHAT_TESTS)
lib_dialogue_chat_tests_check_chat_CFLAGS = $(TEST_CFLAGS)
lib_dialogue_chat_tests_check_chat_LDADD = $(DIALOGUE_TEST_LIBS)
lib_dialogue_chat_tests_check_frame_CFLAGS = $(TEST_CFLAGS)
lib_dialogue_chat_tests_check_frame_LDADD = $(DIALOGUE_TEST_LIBS)
lib_dialogue_chat_tests_check_audio_CFLAGS = $(TEST_CFLAGS)
lib_dialogue_chat_tests_check_audio_LDADD = $(DIALOGUE_TEST_LIBS)
