# A checkpoint becomes a plan. libmodel holds libruntime, libtokenizer and libbase as well: engines link it whole.
# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += model/libmodel.la
model_libmodel_la_SOURCES = model/loader.c model/loader.h
model_libmodel_la_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
model_libmodel_la_LIBADD = runtime/libruntime.la tokenizer/libtokenizer.la base/libbase.la \
	$(JSONC_LIBS) $(PCRE2_LIBS) $(UTF8PROC_LIBS)
include model/numerics/local.mk
include model/checkpoint/local.mk
include model/plan/local.mk
include model/families/local.mk
include model/inputs/local.mk

# Shared by the tests of every folder.
check_LTLIBRARIES += model/tests/libsupport.la
model_tests_libsupport_la_SOURCES = \
	base/tests/suite.h base/tests/support.c base/tests/support.h \
	model/tests/checkpoint.c model/tests/checkpoint.h \
	model/tests/header.c model/tests/header.h \
	model/tests/reading.c model/tests/reading.h
model_tests_libsupport_la_CFLAGS = $(TEST_CFLAGS)
model_tests_libsupport_la_LIBADD = model/libmodel.la
TEST_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(JSONC_CFLAGS)
TEST_LIBS = model/tests/libsupport.la model/libmodel.la $(JSONC_LIBS) $(CHECK_LIBS)

# Programs in which allocations fail in turn.
DENY = base/tests/deny.c base/tests/deny.h
DENY_LINK = -Wl,--wrap=aligned_alloc,--wrap=calloc,--wrap=malloc,--wrap=realloc \
	-Wl,--wrap=strdup,--wrap=strndup,--wrap=asprintf,--wrap=vasprintf
