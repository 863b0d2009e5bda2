# A checkpoint becomes a plan.
# SPDX-License-Identifier: Apache-2.0
noinst_LIBRARIES += lib/model/libmodel.a
LIB_MODEL = lib/model/libmodel.a $(LIB_RUNTIME) $(LIB_TOKENIZER)
lib_model_libmodel_a_SOURCES = lib/model/loader.c lib/model/loader.h lib/model/source.c lib/model/source.h
lib_model_libmodel_a_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
include lib/model/numerics/local.mk
include lib/model/checkpoint/local.mk
include lib/model/formats/local.mk
include lib/model/gguf/local.mk
include lib/model/plan/local.mk
include lib/model/families/local.mk
include lib/model/inputs/local.mk

# Shared by the tests of every folder. A program links the members of the archive that it uses.
check_LIBRARIES += lib/model/tests/libsupport.a
lib_model_tests_libsupport_a_SOURCES = \
	lib/base/tests/deny.c lib/base/tests/deny.h \
	lib/base/tests/recorded.c lib/base/tests/recorded.h \
	lib/gguf/tests/vocabularies.c lib/gguf/tests/vocabularies.h \
	lib/gguf/tests/writer.c lib/gguf/tests/writer.h \
	lib/model/families/tests/facts.c lib/model/families/tests/facts.h \
	lib/model/inputs/tests/image.c lib/model/inputs/tests/image.h \
	lib/model/inputs/tests/sample.c lib/model/inputs/tests/sample.h \
	lib/model/plan/tests/conv_towers.c lib/model/plan/tests/conv_towers.h \
	lib/tokenizer/tests/tokenizer_file.c lib/tokenizer/tests/tokenizer_file.h \
	lib/base/tests/suite.h lib/base/tests/support.c lib/base/tests/support.h \
	lib/model/tests/checkpoint.c lib/model/tests/checkpoint.h \
	lib/model/tests/header.c lib/model/tests/header.h \
	lib/model/tests/reading.c lib/model/tests/reading.h \
	lib/model/tests/weight.c lib/model/tests/weight.h
lib_model_tests_libsupport_a_CFLAGS = $(TEST_CFLAGS)
TEST_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(JSONC_CFLAGS)
TEST_LIBS = lib/model/tests/libsupport.a $(LIB_MODEL) $(CHECK_LIBS)

# Programs in which allocations fail in turn.
DENY_LINK = -Wl,--wrap=aligned_alloc,--wrap=calloc,--wrap=malloc,--wrap=realloc \
	-Wl,--wrap=strdup,--wrap=strndup,--wrap=asprintf,--wrap=vasprintf
