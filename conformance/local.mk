# The harness: everything but main.c is a library, so that tests link it.
# SPDX-License-Identifier: Apache-2.0
noinst_LIBRARIES += conformance/libconformance.a
conformance_libconformance_a_SOURCES =
conformance_libconformance_a_CFLAGS = $(AM_CFLAGS) $(HDF5_CFLAGS) $(JSONC_CFLAGS) $(DEFLATE_CFLAGS) $(CURL_CFLAGS)
LIB_CONFORMANCE = conformance/libconformance.a conformance/libsweep.a $(LIB_SERVER) $(HDF5_LIBS) $(DEFLATE_LIBS) $(CURL_LIBS)
include conformance/sweep/local.mk
include conformance/support/local.mk
include conformance/picture/local.mk
include conformance/page/local.mk
include conformance/hdf5/local.mk
include conformance/judge/local.mk
include conformance/exec/local.mk
include conformance/process/local.mk
include conformance/abi/local.mk
include conformance/options/local.mk
include conformance/case/local.mk
include conformance/generate/local.mk
include conformance/textual/local.mk
include conformance/kinds/local.mk
include conformance/info/local.mk
include conformance/replay/local.mk
include conformance/evaluate/local.mk
include conformance/problems/local.mk
include conformance/report/local.mk
include conformance/expected/local.mk
include conformance/compare/local.mk
include conformance/bundle/local.mk
include conformance/diff/local.mk
include conformance/locate/local.mk
include conformance/reduce/local.mk
include conformance/reduce/cut/local.mk
include conformance/reduce/texts/local.mk
include conformance/schedule/local.mk
include conformance/bench/local.mk
include conformance/probe/local.mk
include conformance/weights/local.mk
include conformance/cli/local.mk
include conformance/cli/kernels/local.mk
include conformance/cli/reduce/local.mk
include conformance/cli/weights/local.mk
include conformance/faults/local.mk
include conformance/faults/kernels/local.mk
include conformance/faults/serve/local.mk
include conformance/rates/local.mk
include conformance/plans/local.mk

# Test engines with planted bugs.
FAKE_ENGINES = \
	conformance/tests/engines/fake32.so \
	conformance/tests/engines/fake64.so \
	conformance/tests/engines/layered.so \
	conformance/tests/engines/layered_no_override.so \
	conformance/tests/engines/layered_no_trace.so \
	conformance/tests/engines/no_rope.so \
	conformance/tests/engines/no_stop_ids.so \
	conformance/tests/engines/off_ref.so \
	conformance/tests/engines/off_ref_no_override.so \
	conformance/tests/engines/old_table.so \
	conformance/tests/engines/letters.so \
	conformance/tests/engines/placing.so \
	conformance/tests/engines/responses.so \
	conformance/tests/engines/serving.so \
	conformance/tests/engines/speaker.so \
	conformance/tests/engines/stateful.so \
	conformance/tests/engines/stateful_minimal.so \
	conformance/tests/engines/streams.so \
	conformance/tests/engines/streams_alone.so \
	conformance/tests/engines/threaded.so \
	conformance/tests/engines/viewer.so

BROKEN_ENGINES = \
	conformance/tests/engines/broken_kernels.so \
	conformance/tests/engines/crash.so \
	conformance/tests/engines/crashing_open.so \
	conformance/tests/engines/empty.so \
	conformance/tests/engines/no_symbol.so \
	conformance/tests/engines/no_table.so \
	conformance/tests/engines/wrong_abi.so \
	conformance/tests/engines/wrong_dtype.so \
	conformance/tests/engines/wrong_size.so
check_PROGRAMS += $(FAKE_ENGINES) $(BROKEN_ENGINES)

# The state of samples, for engines that evaluate the formula model.
SAMPLES_SOURCES = \
	conformance/tests/engines/fail.h \
	conformance/tests/engines/formula.h \
	conformance/tests/engines/sample_calls.h \
	conformance/tests/engines/samples.h
FAKE_SOURCES = \
	conformance/tests/engines/fake.c \
	conformance/tests/engines/process_faults.h \
	conformance/tests/engines/still_rope.h \
	conformance/tests/engines/tap.h \
	$(SAMPLES_SOURCES)
conformance_tests_engines_fake32_so_SOURCES = $(FAKE_SOURCES)
conformance_tests_engines_fake32_so_LDFLAGS = $(MODULE_LINK)
conformance_tests_engines_fake64_so_SOURCES = $(FAKE_SOURCES)
conformance_tests_engines_fake64_so_CPPFLAGS = $(AM_CPPFLAGS) -DFAKE_DOUBLE
conformance_tests_engines_fake64_so_LDFLAGS = $(MODULE_LINK)
LAYERED_SOURCES = \
	conformance/tests/engines/layered.c \
	conformance/tests/engines/process_faults.h \
	conformance/tests/engines/tap.h \
	$(SAMPLES_SOURCES)
STATEFUL_SOURCES = \
	conformance/tests/engines/fail.h \
	conformance/tests/engines/formula.h \
	conformance/tests/engines/pages.h \
	conformance/tests/engines/stateful.c conformance/tests/engines/stateful.h \
	conformance/tests/engines/signals.h \
	conformance/tests/engines/stateful_step.c \
	conformance/tests/engines/still_rope.h \
	conformance/tests/engines/tap.h
conformance_tests_engines_layered_so_SOURCES = $(LAYERED_SOURCES)
conformance_tests_engines_layered_so_LDFLAGS = $(MODULE_LINK)
conformance_tests_engines_layered_no_override_so_SOURCES = $(LAYERED_SOURCES)
conformance_tests_engines_layered_no_override_so_CPPFLAGS = $(AM_CPPFLAGS) -DLAYERED_NO_OVERRIDE
conformance_tests_engines_layered_no_override_so_LDFLAGS = $(MODULE_LINK)
conformance_tests_engines_layered_no_trace_so_SOURCES = $(LAYERED_SOURCES)
conformance_tests_engines_layered_no_trace_so_CPPFLAGS = $(AM_CPPFLAGS) -DLAYERED_NO_TRACE
conformance_tests_engines_layered_no_trace_so_LDFLAGS = $(MODULE_LINK)
conformance_tests_engines_no_rope_so_SOURCES = $(FAKE_SOURCES)
conformance_tests_engines_no_rope_so_CPPFLAGS = $(AM_CPPFLAGS) -DFAKE_NO_ROPE
conformance_tests_engines_no_rope_so_LDFLAGS = $(MODULE_LINK)
conformance_tests_engines_no_stop_ids_so_SOURCES = $(FAKE_SOURCES)
conformance_tests_engines_no_stop_ids_so_CPPFLAGS = $(AM_CPPFLAGS) -DFAKE_NO_STOP_IDS
conformance_tests_engines_no_stop_ids_so_LDFLAGS = $(MODULE_LINK)
OFF_REF_SOURCES = conformance/tests/engines/off_ref.c conformance/tests/engines/fail.h \
	conformance/tests/engines/process_faults.h conformance/tests/engines/tap.h
conformance_tests_engines_off_ref_so_SOURCES = $(OFF_REF_SOURCES)
conformance_tests_engines_off_ref_so_LDFLAGS = $(MODULE_LINK)
conformance_tests_engines_off_ref_no_override_so_SOURCES = $(OFF_REF_SOURCES)
conformance_tests_engines_off_ref_no_override_so_CPPFLAGS = $(AM_CPPFLAGS) -DOFF_REF_NO_OVERRIDE
conformance_tests_engines_off_ref_no_override_so_LDFLAGS = $(MODULE_LINK)
conformance_tests_engines_old_table_so_SOURCES = $(FAKE_SOURCES)
conformance_tests_engines_old_table_so_CPPFLAGS = $(AM_CPPFLAGS) -DFAKE_OLD_TABLE
conformance_tests_engines_old_table_so_LDFLAGS = $(MODULE_LINK)
RULE_SOURCES = conformance/tests/engines/fail.h conformance/tests/engines/rule.h
conformance_tests_engines_letters_so_SOURCES = conformance/tests/engines/letters.c $(RULE_SOURCES)
conformance_tests_engines_letters_so_LDFLAGS = $(MODULE_LINK)
conformance_tests_engines_placing_so_SOURCES = conformance/tests/engines/placing.c $(RULE_SOURCES)
conformance_tests_engines_placing_so_LDFLAGS = $(MODULE_LINK)
conformance_tests_engines_responses_so_SOURCES = conformance/tests/engines/responses.c $(RULE_SOURCES)
conformance_tests_engines_responses_so_LDFLAGS = $(MODULE_LINK)
conformance_tests_engines_serving_so_SOURCES = conformance/tests/engines/serving.c $(RULE_SOURCES)
conformance_tests_engines_serving_so_LDFLAGS = $(MODULE_LINK)
conformance_tests_engines_speaker_so_SOURCES = conformance/tests/engines/speaker.c $(RULE_SOURCES)
conformance_tests_engines_speaker_so_LDFLAGS = $(MODULE_LINK)
conformance_tests_engines_stateful_so_SOURCES = $(STATEFUL_SOURCES)
conformance_tests_engines_stateful_so_LDFLAGS = $(MODULE_LINK)
conformance_tests_engines_stateful_minimal_so_SOURCES = $(STATEFUL_SOURCES)
conformance_tests_engines_stateful_minimal_so_CPPFLAGS = $(AM_CPPFLAGS) -DSTATEFUL_MINIMAL
conformance_tests_engines_stateful_minimal_so_LDFLAGS = $(MODULE_LINK)
conformance_tests_engines_streams_so_SOURCES = conformance/tests/engines/streams.c $(RULE_SOURCES)
conformance_tests_engines_streams_so_LDFLAGS = $(MODULE_LINK)
conformance_tests_engines_streams_alone_so_SOURCES = conformance/tests/engines/streams.c $(RULE_SOURCES)
conformance_tests_engines_streams_alone_so_CPPFLAGS = $(AM_CPPFLAGS) -DSTREAMS_ALONE
conformance_tests_engines_streams_alone_so_LDFLAGS = $(MODULE_LINK)
conformance_tests_engines_threaded_so_SOURCES = conformance/tests/engines/threaded.c $(SAMPLES_SOURCES)
conformance_tests_engines_threaded_so_LDFLAGS = $(MODULE_LINK)
conformance_tests_engines_viewer_so_SOURCES = conformance/tests/engines/viewer.c conformance/tests/engines/fail.h
conformance_tests_engines_viewer_so_LDFLAGS = $(MODULE_LINK)
conformance_tests_engines_broken_kernels_so_SOURCES = conformance/tests/engines/broken_kernels.c
conformance_tests_engines_broken_kernels_so_LDFLAGS = $(MODULE_LINK)
conformance_tests_engines_crash_so_SOURCES = conformance/tests/engines/broken.c
conformance_tests_engines_crash_so_CPPFLAGS = $(AM_CPPFLAGS) -DBROKEN_CRASH
conformance_tests_engines_crash_so_LDFLAGS = $(MODULE_LINK)
conformance_tests_engines_crashing_open_so_SOURCES = conformance/tests/engines/crashing_open.c
conformance_tests_engines_crashing_open_so_LDFLAGS = $(MODULE_LINK)
conformance_tests_engines_empty_so_SOURCES = conformance/tests/engines/broken.c
conformance_tests_engines_empty_so_LDFLAGS = $(MODULE_LINK)
conformance_tests_engines_no_symbol_so_SOURCES = conformance/tests/engines/broken.c
conformance_tests_engines_no_symbol_so_CPPFLAGS = $(AM_CPPFLAGS) -DBROKEN_NO_SYMBOL
conformance_tests_engines_no_symbol_so_LDFLAGS = $(MODULE_LINK)
conformance_tests_engines_no_table_so_SOURCES = conformance/tests/engines/broken.c
conformance_tests_engines_no_table_so_CPPFLAGS = $(AM_CPPFLAGS) -DBROKEN_TABLE
conformance_tests_engines_no_table_so_LDFLAGS = $(MODULE_LINK)
conformance_tests_engines_wrong_abi_so_SOURCES = conformance/tests/engines/broken.c
conformance_tests_engines_wrong_abi_so_CPPFLAGS = $(AM_CPPFLAGS) -DBROKEN_ABI
conformance_tests_engines_wrong_abi_so_LDFLAGS = $(MODULE_LINK)
conformance_tests_engines_wrong_dtype_so_SOURCES = conformance/tests/engines/broken.c
conformance_tests_engines_wrong_dtype_so_CPPFLAGS = $(AM_CPPFLAGS) -DBROKEN_DTYPE
conformance_tests_engines_wrong_dtype_so_LDFLAGS = $(MODULE_LINK)
conformance_tests_engines_wrong_size_so_SOURCES = conformance/tests/engines/broken.c
conformance_tests_engines_wrong_size_so_CPPFLAGS = $(AM_CPPFLAGS) -DBROKEN_SIZE
conformance_tests_engines_wrong_size_so_LDFLAGS = $(MODULE_LINK)

check_LIBRARIES += conformance/tests/libsupport.a
conformance_tests_libsupport_a_SOURCES = \
	conformance/hdf5/tests/dataset.c conformance/hdf5/tests/dataset.h \
	conformance/probe/tests/hostile.c conformance/probe/tests/hostile.h \
	conformance/probe/tests/made.c conformance/probe/tests/made.h \
	conformance/probe/tests/oracle.c conformance/probe/tests/oracle.h \
	conformance/probe/tests/oracle_answer.c conformance/probe/tests/oracle_answer.h \
	conformance/probe/tests/oracle_rows.c conformance/probe/tests/oracle_rows.h \
	conformance/probe/tests/planted.c conformance/probe/tests/planted.h \
	conformance/probe/tests/probing.c conformance/probe/tests/probing.h \
	conformance/schedule/tests/helpers.c conformance/schedule/tests/helpers.h \
	conformance/tests/case_refused.c conformance/tests/case_refused.h \
	conformance/tests/compare.c conformance/tests/compare.h \
	conformance/tests/cuts.c conformance/tests/cuts.h \
	conformance/tests/edit.c \
	conformance/tests/list_rows.c conformance/tests/list_rows.h \
	conformance/tests/layered.c conformance/tests/layered.h \
	conformance/tests/programs.c conformance/tests/programs.h \
	conformance/tests/raw.c conformance/tests/raw.h \
	conformance/tests/record.c \
	conformance/tests/stateful.c conformance/tests/stateful.h \
	conformance/tests/stored.c conformance/tests/stored.h \
	conformance/tests/support.c conformance/tests/support.h \
	conformance/tests/verdicts.c conformance/tests/verdicts.h
conformance_tests_libsupport_a_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(HDF5_CFLAGS)
CONFORMANCE_TEST_LIBS = conformance/tests/libsupport.a $(LIB_CONFORMANCE) lib/model/tests/libsupport.a $(CHECK_LIBS)
CONFORMANCE_TESTS =
check_PROGRAMS += $(CONFORMANCE_TESTS)

CONFORMANCE_TAP = \
	conformance/tests/allow_unknown.test \
	conformance/tests/arranged.test \
	conformance/tests/arrays.test \
	conformance/tests/bundle.test \
	conformance/tests/compute.test \
	conformance/tests/events.test \
	conformance/tests/faults.test \
	conformance/tests/fixtures.test \
	conformance/tests/installed.test \
	conformance/tests/generate.test \
	conformance/tests/generate_images.test \
	conformance/tests/generate_audio.test \
	conformance/tests/junit.test \
	conformance/tests/compare.test \
	conformance/tests/expect.test conformance/tests/expect_kernels.test \
	conformance/tests/weights.test \
	conformance/tests/reduce.test \
	conformance/tests/review.test \
	conformance/tests/kernel_faults.test \
	conformance/tests/lengths.test \
	conformance/tests/schedules.test \
	conformance/tests/schedules_asked.test \
	conformance/tests/served_faults.test
TESTS += $(CONFORMANCE_TESTS) $(CONFORMANCE_TAP)
EXTRA_DIST += $(CONFORMANCE_TAP) conformance/tests/junit.xsd conformance/tests/programs.json \
	conformance/tests/replay.sh

CONFORMANCE_TEST_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(HDF5_CFLAGS) $(JSONC_CFLAGS)
