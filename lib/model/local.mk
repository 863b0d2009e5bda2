# A checkpoint becomes a plan. libmodel holds libruntime, libtokenizer and libbase as well: engines link it whole.
# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += lib/model/libmodel.la
lib_model_libmodel_la_SOURCES = lib/model/loader.c lib/model/loader.h
lib_model_libmodel_la_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
lib_model_libmodel_la_LIBADD = lib/runtime/libruntime.la lib/tokenizer/libtokenizer.la lib/base/libbase.la \
	$(JSONC_LIBS) $(PCRE2_LIBS) $(UTF8PROC_LIBS)
include lib/model/numerics/local.mk
include lib/model/checkpoint/local.mk
include lib/model/plan/local.mk
include lib/model/families/local.mk
include lib/model/inputs/local.mk

# Shared by the tests of every folder.
check_LTLIBRARIES += lib/model/tests/libsupport.la
lib_model_tests_libsupport_la_SOURCES = \
	lib/base/tests/suite.h lib/base/tests/support.c lib/base/tests/support.h \
	lib/model/tests/checkpoint.c lib/model/tests/checkpoint.h \
	lib/model/tests/header.c lib/model/tests/header.h \
	lib/model/tests/reading.c lib/model/tests/reading.h
lib_model_tests_libsupport_la_CFLAGS = $(TEST_CFLAGS)
lib_model_tests_libsupport_la_LIBADD = lib/model/libmodel.la
TEST_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(JSONC_CFLAGS)
TEST_LIBS = lib/model/tests/libsupport.la lib/model/libmodel.la $(JSONC_LIBS) $(CHECK_LIBS)

# Programs in which allocations fail in turn.
DENY = lib/base/tests/deny.c lib/base/tests/deny.h
DENY_LINK = -Wl,--wrap=aligned_alloc,--wrap=calloc,--wrap=malloc,--wrap=realloc \
	-Wl,--wrap=strdup,--wrap=strndup,--wrap=asprintf,--wrap=vasprintf
