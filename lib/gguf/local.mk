# GGUF files: the container, and the documents that its metadata stand for.
# SPDX-License-Identifier: Apache-2.0
noinst_LIBRARIES += lib/gguf/libgguf.a
LIB_GGUF = lib/gguf/libgguf.a $(LIB_BASE)
lib_gguf_libgguf_a_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
lib_gguf_libgguf_a_SOURCES = \
	lib/gguf/configs.c lib/gguf/configs.h \
	lib/gguf/container.c lib/gguf/container.h \
	lib/gguf/cursor.c lib/gguf/cursor.h \
	lib/gguf/document.c lib/gguf/document.h \
	lib/gguf/entries.c lib/gguf/entries.h \
	lib/gguf/infos.c lib/gguf/infos.h \
	lib/gguf/merges.c lib/gguf/merges.h \
	lib/gguf/metadata.c lib/gguf/metadata.h \
	lib/gguf/part.c lib/gguf/part.h \
	lib/gguf/pretokenizers.c lib/gguf/pretokenizers.h \
	lib/gguf/settings.c lib/gguf/settings.h \
	lib/gguf/split.c lib/gguf/split.h \
	lib/gguf/tensor.h \
	lib/gguf/tokenizer.c lib/gguf/tokenizer.h \
	lib/gguf/types.c lib/gguf/types.h \
	lib/gguf/value.c lib/gguf/value.h \
	lib/gguf/vocabulary.c lib/gguf/vocabulary.h

GGUF_TESTS = \
	lib/gguf/tests/check_container \
	lib/gguf/tests/check_documents \
	lib/gguf/tests/check_memory \
	lib/gguf/tests/check_metadata \
	lib/gguf/tests/check_refused
check_PROGRAMS += $(GGUF_TESTS)
TESTS += $(GGUF_TESTS)
lib_gguf_tests_check_container_CFLAGS = $(TEST_CFLAGS)
lib_gguf_tests_check_container_LDADD = $(TEST_LIBS)
lib_gguf_tests_check_documents_CFLAGS = $(TEST_CFLAGS)
lib_gguf_tests_check_documents_LDADD = $(TEST_LIBS)
lib_gguf_tests_check_memory_CFLAGS = $(TEST_CFLAGS)
lib_gguf_tests_check_memory_LDFLAGS = $(AM_LDFLAGS) $(DENY_LINK)
lib_gguf_tests_check_memory_LDADD = $(TEST_LIBS)
lib_gguf_tests_check_metadata_CFLAGS = $(TEST_CFLAGS)
lib_gguf_tests_check_metadata_LDADD = $(TEST_LIBS)
lib_gguf_tests_check_refused_CFLAGS = $(TEST_CFLAGS)
lib_gguf_tests_check_refused_LDADD = $(TEST_LIBS)
