# SPDX-License-Identifier: Apache-2.0
# Rows of a table, without headers of their own: cmd_*.c main.c
conformance_libconformance_a_SOURCES += \
	conformance/cli/assign.c conformance/cli/assign.h \
	conformance/cli/cli.c conformance/cli/cli.h \
	conformance/cli/cmd.c conformance/cli/cmd.h \
	conformance/cli/cmd_arrays.c \
	conformance/cli/cmd_bench.c \
	conformance/cli/cmd_compare.c \
	conformance/cli/cmd_diff.c \
	conformance/cli/cmd_events.c \
	conformance/cli/cmd_generate.c \
	conformance/cli/cmd_info.c \
	conformance/cli/cmd_list.c \
	conformance/cli/cmd_locate.c \
	conformance/cli/cmd_merge.c \
	conformance/cli/cmd_probe.c \
	conformance/cli/cmd_run.c \
	conformance/cli/cmd_schedule.c \
	conformance/cli/cmd_serve.c \
	conformance/cli/commands.c conformance/cli/commands.h \
	conformance/cli/explain.c conformance/cli/explain.h \
	conformance/cli/explain_module.c conformance/cli/explain_module.h \
	conformance/cli/reporting.c conformance/cli/reporting.h \
	conformance/cli/shards.c conformance/cli/shards.h \
	conformance/cli/value.c conformance/cli/value.h

CONFORMANCE_CLI_TESTS = \
	conformance/cli/tests/check_bisect \
	conformance/cli/tests/check_explain \
	conformance/cli/tests/check_gguf \
	conformance/cli/tests/check_info \
	conformance/cli/tests/check_info_bounds \
	conformance/cli/tests/check_info_tensors \
	conformance/cli/tests/check_kernels \
	conformance/cli/tests/check_run \
	conformance/cli/tests/check_run_output \
	conformance/cli/tests/check_run_types \
	conformance/cli/tests/check_shards \
	conformance/cli/tests/check_terminal \
	conformance/cli/tests/check_usage
check_PROGRAMS += $(CONFORMANCE_CLI_TESTS)
TESTS += $(CONFORMANCE_CLI_TESTS)
conformance_cli_tests_check_bisect_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_cli_tests_check_bisect_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_cli_tests_check_explain_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_cli_tests_check_explain_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_cli_tests_check_gguf_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_cli_tests_check_gguf_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_cli_tests_check_info_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_cli_tests_check_info_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_cli_tests_check_info_tensors_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_cli_tests_check_info_tensors_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_cli_tests_check_info_bounds_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_cli_tests_check_info_bounds_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_cli_tests_check_kernels_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_cli_tests_check_kernels_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_cli_tests_check_run_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_cli_tests_check_run_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_cli_tests_check_run_output_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_cli_tests_check_run_output_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_cli_tests_check_run_types_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_cli_tests_check_run_types_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_cli_tests_check_shards_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_cli_tests_check_shards_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_cli_tests_check_terminal_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_cli_tests_check_terminal_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_cli_tests_check_usage_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_cli_tests_check_usage_LDADD = $(CONFORMANCE_TEST_LIBS)

bin_PROGRAMS += conformance/assay
conformance_assay_SOURCES = conformance/cli/main.c conformance/cli/places.c conformance/cli/places.h
conformance_assay_CPPFLAGS = $(AM_CPPFLAGS) \
	-DASSAY_PKGLIBDIR='"$(pkglibdir)"' -DASSAY_PKGDATADIR='"$(pkgdatadir)"' \
	-DASSAY_BUILDDIR='"$(abs_top_builddir)"' -DASSAY_SOURCEDIR='"$(abs_top_srcdir)"'
conformance_assay_CFLAGS = $(AM_CFLAGS) $(HDF5_CFLAGS)
conformance_assay_LDADD = $(LIB_CONFORMANCE)
