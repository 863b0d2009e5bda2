# Used by every folder.
# SPDX-License-Identifier: Apache-2.0
noinst_LIBRARIES += lib/base/libbase.a
LIB_BASE = lib/base/libbase.a $(JSONC_LIBS) $(UTF8PROC_LIBS)
lib_base_libbase_a_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS) $(UTF8PROC_CFLAGS)
lib_base_libbase_a_SOURCES = \
	lib/base/base64.c lib/base/base64.h \
	lib/base/buffer.c lib/base/buffer.h \
	lib/base/category.c lib/base/category.h \
	lib/base/choices.c lib/base/choices.h \
	lib/base/dtype.c lib/base/dtype.h \
	lib/base/error.c lib/base/error.h \
	lib/base/file.c lib/base/file.h \
	lib/base/grow.c lib/base/grow.h \
	lib/base/hash.h \
	lib/base/huge.c lib/base/huge.h \
	lib/base/saturate.h \
	lib/base/shown.c lib/base/shown.h \
	lib/base/json.c lib/base/json.h \
	lib/base/json_bytes.c lib/base/json_bytes.h \
	lib/base/json_escape.c lib/base/json_escape.h \
	lib/base/json_lines.c lib/base/json_lines.h \
	lib/base/json_scan.c lib/base/json_scan.h \
	lib/base/json_text.c lib/base/json_text.h \
	lib/base/text.h \
	lib/base/processor.c lib/base/processor.h \
	lib/base/utf8.c lib/base/utf8.h

BASE_TESTS = \
	lib/base/tests/check_choices \
	lib/base/tests/check_dtype \
	lib/base/tests/check_error \
	lib/base/tests/check_grow \
	lib/base/tests/check_json \
	lib/base/tests/check_json_lines \
	lib/base/tests/check_json_scan \
	lib/base/tests/check_options \
	lib/base/tests/check_support \
	lib/base/tests/check_utf8
check_PROGRAMS += $(BASE_TESTS)
TESTS += $(BASE_TESTS)
lib_base_tests_check_choices_CFLAGS = $(TEST_CFLAGS)
lib_base_tests_check_choices_LDADD = $(TEST_LIBS)
lib_base_tests_check_dtype_CFLAGS = $(TEST_CFLAGS)
lib_base_tests_check_dtype_LDADD = $(TEST_LIBS)
lib_base_tests_check_error_CFLAGS = $(TEST_CFLAGS)
lib_base_tests_check_error_LDADD = $(TEST_LIBS)
lib_base_tests_check_grow_CFLAGS = $(TEST_CFLAGS)
lib_base_tests_check_grow_LDADD = $(TEST_LIBS)
lib_base_tests_check_json_CFLAGS = $(TEST_CFLAGS)
lib_base_tests_check_json_LDADD = $(TEST_LIBS)
lib_base_tests_check_json_lines_CFLAGS = $(TEST_CFLAGS)
lib_base_tests_check_json_lines_LDADD = $(TEST_LIBS)
lib_base_tests_check_json_scan_CFLAGS = $(TEST_CFLAGS)
lib_base_tests_check_json_scan_LDADD = $(TEST_LIBS)
lib_base_tests_check_options_CFLAGS = $(TEST_CFLAGS)
lib_base_tests_check_options_LDADD = $(TEST_LIBS)
lib_base_tests_check_support_CFLAGS = $(TEST_CFLAGS)
lib_base_tests_check_support_LDADD = $(TEST_LIBS)
lib_base_tests_check_utf8_CFLAGS = $(TEST_CFLAGS)
lib_base_tests_check_utf8_LDADD = $(TEST_LIBS)
