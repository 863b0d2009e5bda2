# Used by every folder.
# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += base/libbase.la
base_libbase_la_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS) $(UTF8PROC_CFLAGS)
base_libbase_la_SOURCES = \
	base/buffer.c base/buffer.h \
	base/category.c base/category.h \
	base/dtype.c base/dtype.h \
	base/error.c base/error.h \
	base/file.c base/file.h \
	base/grow.c base/grow.h \
	base/hash.h \
	base/huge.c base/huge.h \
	base/saturate.h \
	base/shown.c base/shown.h \
	base/json.c base/json.h \
	base/json_scan.c base/json_scan.h \
	base/json_text.c base/json_text.h \
	base/processor.c base/processor.h \
	base/utf8.c base/utf8.h

BASE_TESTS = \
	base/tests/check_dtype \
	base/tests/check_error \
	base/tests/check_grow \
	base/tests/check_json \
	base/tests/check_json_scan \
	base/tests/check_options \
	base/tests/check_support \
	base/tests/check_utf8
check_PROGRAMS += $(BASE_TESTS)
TESTS += $(BASE_TESTS)
base_tests_check_dtype_CFLAGS = $(TEST_CFLAGS)
base_tests_check_dtype_LDADD = $(TEST_LIBS)
base_tests_check_error_CFLAGS = $(TEST_CFLAGS)
base_tests_check_error_LDADD = $(TEST_LIBS)
base_tests_check_grow_CFLAGS = $(TEST_CFLAGS)
base_tests_check_grow_LDADD = $(TEST_LIBS)
base_tests_check_json_CFLAGS = $(TEST_CFLAGS)
base_tests_check_json_LDADD = $(TEST_LIBS)
base_tests_check_json_scan_CFLAGS = $(TEST_CFLAGS)
base_tests_check_json_scan_LDADD = $(TEST_LIBS)
base_tests_check_options_CFLAGS = $(TEST_CFLAGS)
base_tests_check_options_LDADD = $(TEST_LIBS)
base_tests_check_support_CFLAGS = $(TEST_CFLAGS)
base_tests_check_support_LDADD = $(TEST_LIBS)
base_tests_check_utf8_CFLAGS = $(TEST_CFLAGS)
base_tests_check_utf8_LDADD = $(TEST_LIBS)
