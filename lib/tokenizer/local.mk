# Text to token ids and back: tokenizer.json as the publisher's library reads it.
# SPDX-License-Identifier: Apache-2.0
noinst_LIBRARIES += lib/tokenizer/libtokenizer.a
LIB_TOKENIZER = lib/tokenizer/libtokenizer.a $(PCRE2_LIBS) $(LIB_GGUF)
lib_tokenizer_libtokenizer_a_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS) $(PCRE2_CFLAGS) $(UTF8PROC_CFLAGS)
lib_tokenizer_libtokenizer_a_SOURCES = \
	lib/tokenizer/added.c lib/tokenizer/added.h \
	lib/tokenizer/decoder.c lib/tokenizer/decoder.h \
	lib/tokenizer/detokenizer.c lib/tokenizer/detokenizer.h \
	lib/tokenizer/encode.c lib/tokenizer/encode.h \
	lib/tokenizer/normal_step.c lib/tokenizer/normal_step.h \
	lib/tokenizer/normalizer.c lib/tokenizer/normalizer.h \
	lib/tokenizer/parts.h \
	lib/tokenizer/post.c lib/tokenizer/post.h \
	lib/tokenizer/pretokenizer.c lib/tokenizer/pretokenizer.h \
	lib/tokenizer/stage.c lib/tokenizer/stage.h \
	lib/tokenizer/replace.c lib/tokenizer/replace.h \
	lib/tokenizer/step.c lib/tokenizer/step.h \
	lib/tokenizer/tokenizer.c lib/tokenizer/tokenizer.h
include lib/tokenizer/models/local.mk
include lib/tokenizer/text/local.mk

TOKENIZER_TESTS = \
	lib/tokenizer/tests/check_detokenizer \
	lib/tokenizer/tests/check_tokenizer \
	lib/tokenizer/tests/check_tokenizer_growth \
	lib/tokenizer/tests/check_tokenizer_limits \
	lib/tokenizer/tests/check_tokenizer_refused \
	lib/tokenizer/tests/check_tokenizer_ruby
check_PROGRAMS += $(TOKENIZER_TESTS)
TESTS += $(TOKENIZER_TESTS)
lib_tokenizer_tests_check_detokenizer_CFLAGS = $(TEST_CFLAGS)
lib_tokenizer_tests_check_detokenizer_LDADD = $(TEST_LIBS)
lib_tokenizer_tests_check_tokenizer_CFLAGS = $(TEST_CFLAGS)
lib_tokenizer_tests_check_tokenizer_LDADD = $(TEST_LIBS)
lib_tokenizer_tests_check_tokenizer_growth_CFLAGS = $(TEST_CFLAGS)
lib_tokenizer_tests_check_tokenizer_growth_LDADD = $(TEST_LIBS)
lib_tokenizer_tests_check_tokenizer_limits_CFLAGS = $(TEST_CFLAGS)
lib_tokenizer_tests_check_tokenizer_limits_LDADD = $(TEST_LIBS)
lib_tokenizer_tests_check_tokenizer_refused_CFLAGS = $(TEST_CFLAGS)
lib_tokenizer_tests_check_tokenizer_refused_LDADD = $(TEST_LIBS)
lib_tokenizer_tests_check_tokenizer_ruby_CFLAGS = $(TEST_CFLAGS)
lib_tokenizer_tests_check_tokenizer_ruby_LDADD = $(TEST_LIBS)

# For scripts/bench-tokenizer.
EXTRA_PROGRAMS += lib/tokenizer/tests/bench_tokenizer
CLEANFILES += lib/tokenizer/tests/bench_tokenizer
lib_tokenizer_tests_bench_tokenizer_CFLAGS = $(AM_CFLAGS)
lib_tokenizer_tests_bench_tokenizer_LDADD = $(LIB_MODEL)
