# Text to token ids and back: tokenizer.json as the publisher's library reads it.
# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += tokenizer/libtokenizer.la
tokenizer_libtokenizer_la_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS) $(PCRE2_CFLAGS) $(UTF8PROC_CFLAGS)
tokenizer_libtokenizer_la_SOURCES = \
	tokenizer/added.c tokenizer/added.h \
	tokenizer/decoder.c tokenizer/decoder.h \
	tokenizer/detokenizer.c tokenizer/detokenizer.h \
	tokenizer/encode.c tokenizer/encode.h \
	tokenizer/normal_step.c tokenizer/normal_step.h \
	tokenizer/normalizer.c tokenizer/normalizer.h \
	tokenizer/parts.h \
	tokenizer/post.c tokenizer/post.h \
	tokenizer/pretokenizer.c tokenizer/pretokenizer.h \
	tokenizer/stage.c tokenizer/stage.h \
	tokenizer/replace.c tokenizer/replace.h \
	tokenizer/step.c tokenizer/step.h \
	tokenizer/tokenizer.c tokenizer/tokenizer.h
include tokenizer/models/local.mk
include tokenizer/text/local.mk

TOKENIZER_TESTS = \
	tokenizer/tests/check_detokenizer \
	tokenizer/tests/check_tokenizer \
	tokenizer/tests/check_tokenizer_growth \
	tokenizer/tests/check_tokenizer_limits \
	tokenizer/tests/check_tokenizer_refused \
	tokenizer/tests/check_tokenizer_ruby
check_PROGRAMS += $(TOKENIZER_TESTS)
TESTS += $(TOKENIZER_TESTS)
TOKENIZER_FILE = tokenizer/tests/tokenizer_file.c tokenizer/tests/tokenizer_file.h
tokenizer_tests_check_detokenizer_SOURCES = tokenizer/tests/check_detokenizer.c $(TOKENIZER_FILE)
tokenizer_tests_check_detokenizer_CFLAGS = $(TEST_CFLAGS)
tokenizer_tests_check_detokenizer_LDADD = $(TEST_LIBS)
tokenizer_tests_check_tokenizer_SOURCES = tokenizer/tests/check_tokenizer.c $(TOKENIZER_FILE)
tokenizer_tests_check_tokenizer_CFLAGS = $(TEST_CFLAGS)
tokenizer_tests_check_tokenizer_LDADD = $(TEST_LIBS)
tokenizer_tests_check_tokenizer_growth_SOURCES = tokenizer/tests/check_tokenizer_growth.c $(TOKENIZER_FILE)
tokenizer_tests_check_tokenizer_growth_CFLAGS = $(TEST_CFLAGS)
tokenizer_tests_check_tokenizer_growth_LDADD = $(TEST_LIBS)
tokenizer_tests_check_tokenizer_limits_SOURCES = tokenizer/tests/check_tokenizer_limits.c $(TOKENIZER_FILE)
tokenizer_tests_check_tokenizer_limits_CFLAGS = $(TEST_CFLAGS)
tokenizer_tests_check_tokenizer_limits_LDADD = $(TEST_LIBS)
tokenizer_tests_check_tokenizer_refused_SOURCES = tokenizer/tests/check_tokenizer_refused.c $(TOKENIZER_FILE)
tokenizer_tests_check_tokenizer_refused_CFLAGS = $(TEST_CFLAGS)
tokenizer_tests_check_tokenizer_refused_LDADD = $(TEST_LIBS)
tokenizer_tests_check_tokenizer_ruby_CFLAGS = $(TEST_CFLAGS)
tokenizer_tests_check_tokenizer_ruby_LDADD = $(TEST_LIBS)

# For scripts/bench-tokenizer.
EXTRA_PROGRAMS += tokenizer/tests/bench_tokenizer
CLEANFILES += tokenizer/tests/bench_tokenizer
tokenizer_tests_bench_tokenizer_CFLAGS = $(AM_CFLAGS)
tokenizer_tests_bench_tokenizer_LDADD = model/libmodel.la
