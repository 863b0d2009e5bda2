# Behaviour on text, linked into each of our engines.
# SPDX-License-Identifier: Apache-2.0
noinst_LIBRARIES += lib/serving/libserving.a
LIB_SERVING = lib/serving/libserving.a $(LIB_IMAGE) $(LIB_AUDIO) $(LIB_TEMPLATE) $(LIB_MODEL)
lib_serving_libserving_a_SOURCES = \
	lib/serving/completion.c lib/serving/completion.h \
	lib/serving/encoders.c lib/serving/encoders.h \
	lib/serving/image_size.c lib/serving/image_size.h \
	lib/serving/markers.c lib/serving/markers.h \
	lib/serving/parsers.c lib/serving/parsers.h \
	lib/serving/reply.c lib/serving/reply.h \
	lib/serving/sampler.c lib/serving/sampler.h \
	lib/serving/audio_size.c lib/serving/audio_size.h \
	lib/serving/table.c lib/serving/table.h \
	lib/serving/tokenizing.c lib/serving/tokenizing.h

# Multiply-adds are not contracted, so that sampling is bit-identical on every machine.
lib_serving_libserving_a_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS) -ffp-contract=off
include lib/serving/chat/local.mk
include lib/serving/text/local.mk
include lib/serving/values/local.mk
include lib/serving/reasoning/local.mk
include lib/serving/grammar/local.mk
include lib/serving/response/local.mk
include lib/serving/tools/local.mk
include lib/serving/tools/formats/local.mk

SERVING_TESTS = \
	lib/serving/tests/check_completion \
	lib/serving/tests/check_encoders \
	lib/serving/tests/check_image_size \
	lib/serving/tests/check_markers \
	lib/serving/tests/check_options \
	lib/serving/tests/check_reply \
	lib/serving/tests/check_reply_memory \
	lib/serving/tests/check_sampler \
	lib/serving/tests/check_audio_size \
	lib/serving/tests/check_tokenizing
EXTRA_DIST += lib/serving/tests/vectors
check_PROGRAMS += $(SERVING_TESTS)
TESTS += $(SERVING_TESTS)
check_LIBRARIES += lib/serving/tests/libtests.a
lib_serving_tests_libtests_a_SOURCES = \
	lib/serving/grammar/tests/stream.c lib/serving/grammar/tests/stream.h \
	lib/serving/grammar/tests/stream_edits.c lib/serving/grammar/tests/stream_edits.h \
	lib/serving/reasoning/tests/reads.c lib/serving/reasoning/tests/reads.h \
	lib/serving/response/tests/angles.c lib/serving/response/tests/angles.h \
	lib/serving/tests/pieces.c lib/serving/tests/pieces.h \
	lib/serving/tools/tests/tool_reads.c lib/serving/tools/tests/tool_reads.h
lib_serving_tests_libtests_a_CFLAGS = $(TEST_CFLAGS)
SERVING_TEST_LIBS = lib/serving/tests/libtests.a $(LIB_SERVING) $(TEST_LIBS)
lib_serving_tests_check_completion_CFLAGS = $(TEST_CFLAGS)
lib_serving_tests_check_completion_LDADD = $(SERVING_TEST_LIBS)
lib_serving_tests_check_encoders_CFLAGS = $(TEST_CFLAGS)
lib_serving_tests_check_encoders_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=tokenizer_encoder_open,--wrap=tokenizer_encoder_free
lib_serving_tests_check_encoders_LDADD = $(SERVING_TEST_LIBS)
lib_serving_tests_check_image_size_CFLAGS = $(TEST_CFLAGS)
lib_serving_tests_check_image_size_LDADD = $(SERVING_TEST_LIBS)
lib_serving_tests_check_markers_CFLAGS = $(TEST_CFLAGS)
lib_serving_tests_check_markers_LDADD = $(SERVING_TEST_LIBS)
lib_serving_tests_check_options_CFLAGS = $(TEST_CFLAGS)
lib_serving_tests_check_options_LDADD = $(SERVING_TEST_LIBS)
lib_serving_tests_check_reply_CFLAGS = $(TEST_CFLAGS)
lib_serving_tests_check_reply_LDADD = $(SERVING_TEST_LIBS)
lib_serving_tests_check_reply_memory_CFLAGS = $(TEST_CFLAGS)
lib_serving_tests_check_reply_memory_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
lib_serving_tests_check_reply_memory_LDADD = $(SERVING_TEST_LIBS)
lib_serving_tests_check_sampler_CFLAGS = $(TEST_CFLAGS) $(JSONC_CFLAGS)
lib_serving_tests_check_sampler_LDADD = $(SERVING_TEST_LIBS)
lib_serving_tests_check_audio_size_CFLAGS = $(TEST_CFLAGS)
lib_serving_tests_check_audio_size_LDADD = $(SERVING_TEST_LIBS)
lib_serving_tests_check_tokenizing_CFLAGS = $(TEST_CFLAGS)
lib_serving_tests_check_tokenizing_LDADD = $(SERVING_TEST_LIBS)
