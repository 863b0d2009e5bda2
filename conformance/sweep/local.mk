# SPDX-License-Identifier: Apache-2.0
# Rows of a table, without headers of their own: attention.c gate.c matmul.c rms_norm.c rope.c router.c stored.c
# A library of its own, since fastpath's tests link it without HDF5 and the other libraries that read files.
noinst_LIBRARIES += conformance/libsweep.a
conformance_libsweep_a_CFLAGS = $(NUMERIC_CFLAGS) $(JSONC_CFLAGS)
conformance_libsweep_a_SOURCES = \
	conformance/sweep/attention.c conformance/sweep/parts.h \
	conformance/sweep/attention_truth.c conformance/sweep/attention_truth.h \
	conformance/sweep/gate.c \
	conformance/sweep/list.c conformance/sweep/list.h \
	conformance/sweep/matmul.c conformance/sweep/matmul_parts.h \
	conformance/sweep/matmul_judge.c conformance/sweep/matmul_judge.h \
	conformance/sweep/matmul_make.c conformance/sweep/matmul_make.h \
	conformance/sweep/matmul_pack.c conformance/sweep/matmul_pack.h \
	conformance/sweep/rms_norm.c \
	conformance/sweep/rope.c \
	conformance/sweep/router.c \
	conformance/sweep/stored.c \
	conformance/sweep/stored_formats.c conformance/sweep/stored_formats.h \
	conformance/sweep/stored_make.c conformance/sweep/stored_make.h \
	conformance/sweep/stored_settings.c conformance/sweep/stored_settings.h \
	conformance/sweep/stored_support.c conformance/sweep/stored_support.h \
	conformance/sweep/sweep.c conformance/sweep/sweep.h \
	conformance/sweep/threads.c conformance/sweep/threads.h

check_PROGRAMS += conformance/sweep/tests/check_stored_formats
TESTS += conformance/sweep/tests/check_stored_formats
conformance_sweep_tests_check_stored_formats_CFLAGS = $(TEST_CFLAGS)
conformance_sweep_tests_check_stored_formats_LDADD = conformance/libsweep.a $(TEST_LIBS)
