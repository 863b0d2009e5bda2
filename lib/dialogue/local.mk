# Behaviour on text, linked into each of our engines.
# SPDX-License-Identifier: Apache-2.0
noinst_LIBRARIES += lib/dialogue/libdialogue.a
LIB_DIALOGUE = lib/dialogue/libdialogue.a $(LIB_IMAGE) $(LIB_AUDIO) $(LIB_TEMPLATE) $(LIB_MODEL)
lib_dialogue_libdialogue_a_SOURCES = \
	lib/dialogue/completion.c lib/dialogue/completion.h \
	lib/dialogue/encoders.c lib/dialogue/encoders.h \
	lib/dialogue/image_size.c lib/dialogue/image_size.h \
	lib/dialogue/markers.c lib/dialogue/markers.h \
	lib/dialogue/parsers.c lib/dialogue/parsers.h \
	lib/dialogue/reply.c lib/dialogue/reply.h \
	lib/dialogue/sampler.c lib/dialogue/sampler.h \
	lib/dialogue/audio_size.c lib/dialogue/audio_size.h \
	lib/dialogue/table.c lib/dialogue/table.h \
	lib/dialogue/tokenizing.c lib/dialogue/tokenizing.h

# Multiply-adds are not contracted, so that sampling is bit-identical on every machine.
lib_dialogue_libdialogue_a_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS) -ffp-contract=off
include lib/dialogue/chat/local.mk
include lib/dialogue/text/local.mk
include lib/dialogue/values/local.mk
include lib/dialogue/reasoning/local.mk
include lib/dialogue/grammar/local.mk
include lib/dialogue/response/local.mk
include lib/dialogue/tools/local.mk
include lib/dialogue/tools/formats/local.mk

SERVING_TESTS = \
	lib/dialogue/tests/check_completion \
	lib/dialogue/tests/check_encoders \
	lib/dialogue/tests/check_image_size \
	lib/dialogue/tests/check_markers \
	lib/dialogue/tests/check_options \
	lib/dialogue/tests/check_reply \
	lib/dialogue/tests/check_reply_memory \
	lib/dialogue/tests/check_sampler \
	lib/dialogue/tests/check_audio_size \
	lib/dialogue/tests/check_tokenizing
EXTRA_DIST += lib/dialogue/tests/vectors
check_PROGRAMS += $(SERVING_TESTS)
TESTS += $(SERVING_TESTS)
check_LIBRARIES += lib/dialogue/tests/libtests.a
lib_dialogue_tests_libtests_a_SOURCES = \
	lib/dialogue/grammar/tests/stream.c lib/dialogue/grammar/tests/stream.h \
	lib/dialogue/grammar/tests/stream_edits.c lib/dialogue/grammar/tests/stream_edits.h \
	lib/dialogue/reasoning/tests/reads.c lib/dialogue/reasoning/tests/reads.h \
	lib/dialogue/response/tests/angles.c lib/dialogue/response/tests/angles.h \
	lib/dialogue/tests/pieces.c lib/dialogue/tests/pieces.h \
	lib/dialogue/tools/tests/tool_reads.c lib/dialogue/tools/tests/tool_reads.h
lib_dialogue_tests_libtests_a_CFLAGS = $(TEST_CFLAGS)
DIALOGUE_TEST_LIBS = lib/dialogue/tests/libtests.a $(LIB_DIALOGUE) $(TEST_LIBS)
lib_dialogue_tests_check_completion_CFLAGS = $(TEST_CFLAGS)
lib_dialogue_tests_check_completion_LDADD = $(DIALOGUE_TEST_LIBS)
lib_dialogue_tests_check_encoders_CFLAGS = $(TEST_CFLAGS)
lib_dialogue_tests_check_encoders_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=tokenizer_encoder_open,--wrap=tokenizer_encoder_free
lib_dialogue_tests_check_encoders_LDADD = $(DIALOGUE_TEST_LIBS)
lib_dialogue_tests_check_image_size_CFLAGS = $(TEST_CFLAGS)
lib_dialogue_tests_check_image_size_LDADD = $(DIALOGUE_TEST_LIBS)
lib_dialogue_tests_check_markers_CFLAGS = $(TEST_CFLAGS)
lib_dialogue_tests_check_markers_LDADD = $(DIALOGUE_TEST_LIBS)
lib_dialogue_tests_check_options_CFLAGS = $(TEST_CFLAGS)
lib_dialogue_tests_check_options_LDADD = $(DIALOGUE_TEST_LIBS)
lib_dialogue_tests_check_reply_CFLAGS = $(TEST_CFLAGS)
lib_dialogue_tests_check_reply_LDADD = $(DIALOGUE_TEST_LIBS)
lib_dialogue_tests_check_reply_memory_CFLAGS = $(TEST_CFLAGS)
lib_dialogue_tests_check_reply_memory_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
lib_dialogue_tests_check_reply_memory_LDADD = $(DIALOGUE_TEST_LIBS)
lib_dialogue_tests_check_sampler_CFLAGS = $(TEST_CFLAGS) $(JSONC_CFLAGS)
lib_dialogue_tests_check_sampler_LDADD = $(DIALOGUE_TEST_LIBS)
lib_dialogue_tests_check_audio_size_CFLAGS = $(TEST_CFLAGS)
lib_dialogue_tests_check_audio_size_LDADD = $(DIALOGUE_TEST_LIBS)
lib_dialogue_tests_check_tokenizing_CFLAGS = $(TEST_CFLAGS)
lib_dialogue_tests_check_tokenizing_LDADD = $(DIALOGUE_TEST_LIBS)
