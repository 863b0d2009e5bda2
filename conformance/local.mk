# The harness: everything but main.c is a convenience library, so that tests link it.
# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += conformance/libconformance.la
conformance_libconformance_la_SOURCES = \
	conformance/case.c conformance/case.h \
	conformance/case_decoder.c conformance/case_parts.h \
	conformance/case_members.c \
	conformance/case_rope.c \
	conformance/case_rows.c \
	conformance/cli.c conformance/cli.h \
	conformance/cmd.c conformance/cmd.h \
	conformance/cmd_info.c \
	conformance/cmd_list.c \
	conformance/cmd_run.c \
	conformance/engine.c conformance/engine.h \
	conformance/evaluate.c conformance/evaluate.h conformance/evaluate_parts.h \
	conformance/evaluate_tensors.c \
	conformance/evaluate_tokens.c \
	conformance/find.c conformance/find.h \
	conformance/h5.c conformance/h5.h conformance/h5_file.h \
	conformance/h5_text.c \
	conformance/isolate.c conformance/isolate.h \
	conformance/judge.c conformance/judge.h \
	conformance/judge_tensor.c \
	conformance/judge_token.c \
	conformance/progress.c conformance/progress.h \
	conformance/replay.c conformance/replay.h conformance/replay_parts.h \
	conformance/replay_rope.c \
	conformance/replay_trace.c \
	conformance/report.c conformance/report_parts.h \
	conformance/report_table.c \
	conformance/results.c conformance/results.h \
	conformance/text.c conformance/text.h \
	conformance/verdict.c conformance/verdict.h
conformance_libconformance_la_CFLAGS = $(AM_CFLAGS) $(HDF5_CFLAGS) $(JSONC_CFLAGS)
conformance_libconformance_la_LIBADD = model/libmodel.la $(HDF5_LIBS) $(JSONC_LIBS)

bin_PROGRAMS += conformance/assay
conformance_assay_SOURCES = conformance/main.c
conformance_assay_CPPFLAGS = $(AM_CPPFLAGS) -DASSAY_PKGLIBDIR='"$(pkglibdir)"'
conformance_assay_CFLAGS = $(AM_CFLAGS) $(HDF5_CFLAGS)
conformance_assay_LDADD = conformance/libconformance.la
