# Behaviour on text, linked into each of our engines.
# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += serving/libserving.la
serving_libserving_la_SOURCES = \
	serving/completion.c serving/completion.h \
	serving/encoders.c serving/encoders.h \
	serving/image_size.c serving/image_size.h \
	serving/markers.c serving/markers.h \
	serving/parsers.c serving/parsers.h \
	serving/reply.c serving/reply.h \
	serving/sampler.c serving/sampler.h \
	serving/sound_size.c serving/sound_size.h \
	serving/table.c serving/table.h \
	serving/tokenizing.c serving/tokenizing.h

# Multiply-adds are not contracted, so that sampling is bit-identical on every machine.
serving_libserving_la_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS) -ffp-contract=off
serving_libserving_la_LIBADD = image/libimage.la sound/libsound.la template/libtemplate.la
include serving/chat/local.mk
include serving/text/local.mk
include serving/values/local.mk
include serving/reasoning/local.mk
include serving/grammar/local.mk
include serving/response/local.mk
include serving/tools/local.mk
include serving/tools/formats/local.mk

SERVING_TESTS = \
	serving/tests/check_completion \
	serving/tests/check_encoders \
	serving/tests/check_image_size \
	serving/tests/check_markers \
	serving/tests/check_options \
	serving/tests/check_reply \
	serving/tests/check_reply_memory \
	serving/tests/check_sampler \
	serving/tests/check_sound_size \
	serving/tests/check_tokenizing
EXTRA_DIST += serving/tests/vectors
check_PROGRAMS += $(SERVING_TESTS)
TESTS += $(SERVING_TESTS)
SERVING_TEST_LIBS = serving/libserving.la $(TEST_LIBS)
serving_tests_check_completion_CFLAGS = $(TEST_CFLAGS)
serving_tests_check_completion_LDADD = $(SERVING_TEST_LIBS)
serving_tests_check_encoders_CFLAGS = $(TEST_CFLAGS)
serving_tests_check_encoders_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=tokenizer_encoder_open,--wrap=tokenizer_encoder_free
serving_tests_check_encoders_LDADD = $(SERVING_TEST_LIBS)
serving_tests_check_image_size_CFLAGS = $(TEST_CFLAGS)
serving_tests_check_image_size_LDADD = $(SERVING_TEST_LIBS)
serving_tests_check_markers_CFLAGS = $(TEST_CFLAGS)
serving_tests_check_markers_LDADD = $(SERVING_TEST_LIBS)
serving_tests_check_options_SOURCES = \
	serving/tests/check_options.c \
	serving/tests/pieces.c serving/tests/pieces.h
serving_tests_check_options_CFLAGS = $(TEST_CFLAGS)
serving_tests_check_options_LDADD = $(SERVING_TEST_LIBS)
serving_tests_check_reply_SOURCES = \
	serving/tests/check_reply.c \
	serving/tests/pieces.c serving/tests/pieces.h
serving_tests_check_reply_CFLAGS = $(TEST_CFLAGS)
serving_tests_check_reply_LDADD = $(SERVING_TEST_LIBS)
serving_tests_check_reply_memory_CFLAGS = $(TEST_CFLAGS)
serving_tests_check_reply_memory_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
serving_tests_check_reply_memory_LDADD = $(SERVING_TEST_LIBS)
serving_tests_check_sampler_CFLAGS = $(TEST_CFLAGS) $(JSONC_CFLAGS)
serving_tests_check_sampler_LDADD = $(SERVING_TEST_LIBS)
serving_tests_check_sound_size_CFLAGS = $(TEST_CFLAGS)
serving_tests_check_sound_size_LDADD = $(SERVING_TEST_LIBS)
serving_tests_check_tokenizing_CFLAGS = $(TEST_CFLAGS)
serving_tests_check_tokenizing_LDADD = $(SERVING_TEST_LIBS)
