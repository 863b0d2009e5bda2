# The harness: everything but main.c is a convenience library, so that tests link it.
# SPDX-License-Identifier: Apache-2.0
# Apart, since fastpath's tests link it without the libraries that files need.
noinst_LTLIBRARIES += conformance/libsweep.la
conformance_libsweep_la_SOURCES = \
	conformance/sweep/attention.c conformance/sweep/parts.h \
	conformance/sweep/gate.c \
	conformance/sweep/list.c conformance/sweep/list.h \
	conformance/sweep/matmul.c conformance/sweep/matmul_parts.h \
	conformance/sweep/matmul_make.c \
	conformance/sweep/matmul_pack.c \
	conformance/sweep/norm.c \
	conformance/sweep/rope.c \
	conformance/sweep/router.c \
	conformance/sweep/sweep.c conformance/sweep/sweep.h \
	conformance/sweep/threads.c conformance/sweep/threads.h

noinst_LTLIBRARIES += conformance/libconformance.la
conformance_libconformance_la_SOURCES = \
	conformance/arrange.c conformance/arrange.h \
	conformance/bench.c conformance/bench.h \
	conformance/bench_json.c \
	conformance/bench_measure.c \
	conformance/bench_print.c \
	conformance/bench_prose.c conformance/bench_prose.h \
	conformance/bench_rate.c \
	conformance/bench_replies.c conformance/bench_replies.h \
	conformance/bench_serving.c conformance/bench_serving.h \
	conformance/bench_serving_json.c \
	conformance/bench_serving_measure.c \
	conformance/bench_serving_print.c \
	conformance/cache_limit.c conformance/cache_limit.h \
	conformance/case.c conformance/case.h \
	conformance/case_decoder.c conformance/case_parts.h \
	conformance/case_members.c \
	conformance/case_rope.c \
	conformance/case_rows.c \
	conformance/case_textual.c \
	conformance/checkpoint.c conformance/checkpoint.h \
	conformance/cli.c conformance/cli.h conformance/cli_parts.h \
	conformance/cli_commands.c \
	conformance/cli_options.c \
	conformance/cli_value.c \
	conformance/cmd.c conformance/cmd.h \
	conformance/cmd_arrays.c \
	conformance/cmd_bench.c \
	conformance/cmd_diff.c \
	conformance/cmd_events.c \
	conformance/cmd_generate.c \
	conformance/cmd_info.c \
	conformance/cmd_kernels.c \
	conformance/cmd_list.c \
	conformance/cmd_locate.c \
	conformance/cmd_run.c \
	conformance/cmd_schedule.c \
	conformance/compute.c conformance/compute.h \
	conformance/contain.c conformance/contain.h \
	conformance/dialogue.c conformance/dialogue.h \
	conformance/diff.c conformance/diff.h conformance/diff_parts.h \
	conformance/diff_logits.c \
	conformance/diff_pair.c \
	conformance/diff_tensors.c \
	conformance/diff_tokens.c \
	conformance/diff_traces.c \
	conformance/draw.h \
	conformance/directories.c conformance/directories.h \
	conformance/dump.c conformance/dump.h \
	conformance/engine.c conformance/engine.h \
	conformance/eos.c conformance/eos.h \
	conformance/events.h conformance/events_parts.h \
	conformance/events_read.c \
	conformance/events_replay.c \
	conformance/evaluate.c conformance/evaluate.h conformance/evaluate_parts.h \
	conformance/evaluate_tensors.c \
	conformance/evaluate_tokens.c \
	conformance/evaluate_vectors.c conformance/evaluate_vectors.h \
	conformance/fields.c conformance/fields.h \
	conformance/find.c conformance/find.h \
	conformance/generate.c conformance/generate.h \
	conformance/generate_report.c conformance/generate_report.h \
	conformance/h5.c conformance/h5.h conformance/h5_file.h \
	conformance/h5_array.c \
	conformance/h5_attribute.c conformance/h5_attribute.h \
	conformance/h5_btree.c conformance/h5_btree.h \
	conformance/h5_bytes.c conformance/h5_bytes.h \
	conformance/h5_chunk.c conformance/h5_chunk.h \
	conformance/h5_data.c conformance/h5_data.h \
	conformance/h5_dataset.c conformance/h5_dataset.h \
	conformance/h5_group.c conformance/h5_group.h \
	conformance/h5_header.c conformance/h5_header.h \
	conformance/h5_heap.c conformance/h5_heap.h \
	conformance/h5_index.c conformance/h5_index.h \
	conformance/h5_stream.c conformance/h5_stream.h \
	conformance/h5_text.c \
	conformance/h5_type.c conformance/h5_type.h \
	conformance/interrupt.c conformance/interrupt.h \
	conformance/isolate.c conformance/isolate.h \
	conformance/jobs.c conformance/jobs.h \
	conformance/json_add.c conformance/json_add.h \
	conformance/json_at.c conformance/json_at.h \
	conformance/kernels.c conformance/kernels.h \
	conformance/locate.c conformance/locate.h conformance/locate_parts.h \
	conformance/locate_hear.c conformance/locate_walker.h \
	conformance/locate_print.c \
	conformance/locate_replay.c \
	conformance/locate_sequence.c \
	conformance/locate_tensors.c \
	conformance/locate_walk.c \
	conformance/machine.c conformance/machine.h conformance/clock.h \
	conformance/machine_loops.c conformance/machine_loops.h \
	conformance/machine_tiles.c \
	conformance/judge.c conformance/judge.h \
	conformance/judge_tensor.c \
	conformance/judge_token.c \
	conformance/message.c conformance/message.h \
	conformance/module.c conformance/module.h \
	conformance/parallel.c conformance/parallel.h \
	conformance/progress.c conformance/progress.h \
	conformance/relay.c conformance/relay.h \
	conformance/replay.c conformance/replay.h conformance/replay_parts.h \
	conformance/replay_rope.c \
	conformance/replay_last.c \
	conformance/replay_trace.c \
	conformance/report.c conformance/report_parts.h \
	conformance/report_files.c conformance/report_files.h \
	conformance/report_json.c \
	conformance/report_junit.c \
	conformance/report_table.c \
	conformance/reply.c conformance/reply.h \
	conformance/results.c conformance/results.h \
	conformance/schedule.c conformance/schedule.h \
	conformance/schedule_draw.c \
	conformance/schedule_execute.c \
	conformance/schedule_json.c \
	conformance/schedule_reduce.c \
	conformance/schedule_report.c conformance/schedule_report.h \
	conformance/schedule_run.c conformance/schedule_run.h \
	conformance/schedule_trial.c conformance/schedule_trial.h \
	conformance/serving.c conformance/serving.h \
	conformance/slab.c conformance/slab.h \
	conformance/streams.c conformance/streams.h \
	conformance/text.c conformance/text.h \
	conformance/text_file.c conformance/text_file.h \
	conformance/tokenizing.c conformance/tokenizing.h \
	conformance/textual.c conformance/textual.h \
	conformance/threads.h conformance/threads_parts.h \
	conformance/threads_order.c \
	conformance/threads_outcome.c \
	conformance/threads_read.c \
	conformance/threads_replay.c \
	conformance/vectors.c conformance/vectors.h \
	conformance/verdict.c conformance/verdict.h
conformance_libconformance_la_CFLAGS = $(AM_CFLAGS) $(HDF5_CFLAGS) $(JSONC_CFLAGS) $(DEFLATE_CFLAGS)
conformance_libconformance_la_LIBADD = conformance/libsweep.la serving/libserving.la model/libmodel.la $(HDF5_LIBS) $(DEFLATE_LIBS) $(JSONC_LIBS)

bin_PROGRAMS += conformance/assay
conformance_assay_SOURCES = conformance/main.c conformance/places.c conformance/places.h
conformance_assay_CPPFLAGS = $(AM_CPPFLAGS) \
	-DASSAY_PKGLIBDIR='"$(pkglibdir)"' -DASSAY_PKGDATADIR='"$(pkgdatadir)"' \
	-DASSAY_BUILDDIR='"$(abs_top_builddir)"' -DASSAY_SOURCEDIR='"$(abs_top_srcdir)"'
conformance_assay_CFLAGS = $(AM_CFLAGS) $(HDF5_CFLAGS)
conformance_assay_LDADD = conformance/libconformance.la

# Engines that err on purpose, for the tests.
FAKE_ENGINES = \
	conformance/tests/engines/fake32.la \
	conformance/tests/engines/fake64.la \
	conformance/tests/engines/layered.la \
	conformance/tests/engines/layered_no_override.la \
	conformance/tests/engines/layered_no_trace.la \
	conformance/tests/engines/no_rope.la \
	conformance/tests/engines/no_stop_ids.la \
	conformance/tests/engines/off_ref.la \
	conformance/tests/engines/off_ref_no_override.la \
	conformance/tests/engines/old_table.la \
	conformance/tests/engines/letters.la \
	conformance/tests/engines/responses.la \
	conformance/tests/engines/serving.la \
	conformance/tests/engines/speaker.la \
	conformance/tests/engines/streams.la \
	conformance/tests/engines/threaded.la
BROKEN_ENGINES = \
	conformance/tests/engines/broken_kernels.la \
	conformance/tests/engines/crash.la \
	conformance/tests/engines/dying_open.la \
	conformance/tests/engines/empty.la \
	conformance/tests/engines/no_symbol.la \
	conformance/tests/engines/no_table.la \
	conformance/tests/engines/wrong_abi.la \
	conformance/tests/engines/wrong_dtype.la \
	conformance/tests/engines/wrong_size.la
check_LTLIBRARIES += $(FAKE_ENGINES) $(BROKEN_ENGINES)

# Without -rpath libtool makes no module of what is not installed.
TEST_ENGINE_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -rpath $(abs_top_builddir)
FAKE_SOURCES = conformance/tests/engines/fake.c conformance/tests/engines/formula.h
conformance_tests_engines_fake32_la_SOURCES = $(FAKE_SOURCES)
conformance_tests_engines_fake32_la_LDFLAGS = $(TEST_ENGINE_LDFLAGS)
conformance_tests_engines_fake64_la_SOURCES = $(FAKE_SOURCES)
conformance_tests_engines_fake64_la_CPPFLAGS = $(AM_CPPFLAGS) -DFAKE_DOUBLE
conformance_tests_engines_fake64_la_LDFLAGS = $(TEST_ENGINE_LDFLAGS)
LAYERED_SOURCES = conformance/tests/engines/layered.c conformance/tests/engines/formula.h
conformance_tests_engines_layered_la_SOURCES = $(LAYERED_SOURCES)
conformance_tests_engines_layered_la_LDFLAGS = $(TEST_ENGINE_LDFLAGS)
conformance_tests_engines_layered_no_override_la_SOURCES = $(LAYERED_SOURCES)
conformance_tests_engines_layered_no_override_la_CPPFLAGS = $(AM_CPPFLAGS) -DLAYERED_NO_OVERRIDE
conformance_tests_engines_layered_no_override_la_LDFLAGS = $(TEST_ENGINE_LDFLAGS)
conformance_tests_engines_layered_no_trace_la_SOURCES = $(LAYERED_SOURCES)
conformance_tests_engines_layered_no_trace_la_CPPFLAGS = $(AM_CPPFLAGS) -DLAYERED_NO_TRACE
conformance_tests_engines_layered_no_trace_la_LDFLAGS = $(TEST_ENGINE_LDFLAGS)
conformance_tests_engines_no_rope_la_SOURCES = $(FAKE_SOURCES)
conformance_tests_engines_no_rope_la_CPPFLAGS = $(AM_CPPFLAGS) -DFAKE_NO_ROPE
conformance_tests_engines_no_rope_la_LDFLAGS = $(TEST_ENGINE_LDFLAGS)
conformance_tests_engines_no_stop_ids_la_SOURCES = $(FAKE_SOURCES)
conformance_tests_engines_no_stop_ids_la_CPPFLAGS = $(AM_CPPFLAGS) -DFAKE_NO_STOP_IDS
conformance_tests_engines_no_stop_ids_la_LDFLAGS = $(TEST_ENGINE_LDFLAGS)
conformance_tests_engines_off_ref_la_SOURCES = conformance/tests/engines/off_ref.c
conformance_tests_engines_off_ref_la_LDFLAGS = $(TEST_ENGINE_LDFLAGS)
conformance_tests_engines_off_ref_no_override_la_SOURCES = conformance/tests/engines/off_ref.c
conformance_tests_engines_off_ref_no_override_la_CPPFLAGS = $(AM_CPPFLAGS) -DOFF_REF_NO_OVERRIDE
conformance_tests_engines_off_ref_no_override_la_LDFLAGS = $(TEST_ENGINE_LDFLAGS)
conformance_tests_engines_old_table_la_SOURCES = $(FAKE_SOURCES)
conformance_tests_engines_old_table_la_CPPFLAGS = $(AM_CPPFLAGS) -DFAKE_OLD_TABLE
conformance_tests_engines_old_table_la_LDFLAGS = $(TEST_ENGINE_LDFLAGS)
conformance_tests_engines_letters_la_SOURCES = conformance/tests/engines/letters.c conformance/tests/engines/rule.h
conformance_tests_engines_letters_la_LDFLAGS = $(TEST_ENGINE_LDFLAGS)
conformance_tests_engines_responses_la_SOURCES = conformance/tests/engines/responses.c conformance/tests/engines/rule.h
conformance_tests_engines_responses_la_LDFLAGS = $(TEST_ENGINE_LDFLAGS)
conformance_tests_engines_serving_la_SOURCES = conformance/tests/engines/serving.c conformance/tests/engines/rule.h
conformance_tests_engines_serving_la_LDFLAGS = $(TEST_ENGINE_LDFLAGS)
conformance_tests_engines_speaker_la_SOURCES = conformance/tests/engines/speaker.c conformance/tests/engines/rule.h
conformance_tests_engines_speaker_la_LDFLAGS = $(TEST_ENGINE_LDFLAGS)
conformance_tests_engines_streams_la_SOURCES = conformance/tests/engines/streams.c conformance/tests/engines/rule.h
conformance_tests_engines_streams_la_LDFLAGS = $(TEST_ENGINE_LDFLAGS)
conformance_tests_engines_threaded_la_SOURCES = conformance/tests/engines/threaded.c conformance/tests/engines/formula.h
conformance_tests_engines_threaded_la_LDFLAGS = $(TEST_ENGINE_LDFLAGS)
conformance_tests_engines_broken_kernels_la_SOURCES = conformance/tests/engines/broken_kernels.c
conformance_tests_engines_broken_kernels_la_LDFLAGS = $(TEST_ENGINE_LDFLAGS)
conformance_tests_engines_crash_la_SOURCES = conformance/tests/engines/broken.c
conformance_tests_engines_crash_la_CPPFLAGS = $(AM_CPPFLAGS) -DBROKEN_CRASH
conformance_tests_engines_crash_la_LDFLAGS = $(TEST_ENGINE_LDFLAGS)
conformance_tests_engines_dying_open_la_SOURCES = conformance/tests/engines/dying_open.c
conformance_tests_engines_dying_open_la_LDFLAGS = $(TEST_ENGINE_LDFLAGS)
conformance_tests_engines_empty_la_SOURCES = conformance/tests/engines/broken.c
conformance_tests_engines_empty_la_LDFLAGS = $(TEST_ENGINE_LDFLAGS)
conformance_tests_engines_no_symbol_la_SOURCES = conformance/tests/engines/broken.c
conformance_tests_engines_no_symbol_la_CPPFLAGS = $(AM_CPPFLAGS) -DBROKEN_NO_SYMBOL
conformance_tests_engines_no_symbol_la_LDFLAGS = $(TEST_ENGINE_LDFLAGS)
conformance_tests_engines_no_table_la_SOURCES = conformance/tests/engines/broken.c
conformance_tests_engines_no_table_la_CPPFLAGS = $(AM_CPPFLAGS) -DBROKEN_TABLE
conformance_tests_engines_no_table_la_LDFLAGS = $(TEST_ENGINE_LDFLAGS)
conformance_tests_engines_wrong_abi_la_SOURCES = conformance/tests/engines/broken.c
conformance_tests_engines_wrong_abi_la_CPPFLAGS = $(AM_CPPFLAGS) -DBROKEN_ABI
conformance_tests_engines_wrong_abi_la_LDFLAGS = $(TEST_ENGINE_LDFLAGS)
conformance_tests_engines_wrong_dtype_la_SOURCES = conformance/tests/engines/broken.c
conformance_tests_engines_wrong_dtype_la_CPPFLAGS = $(AM_CPPFLAGS) -DBROKEN_DTYPE
conformance_tests_engines_wrong_dtype_la_LDFLAGS = $(TEST_ENGINE_LDFLAGS)
conformance_tests_engines_wrong_size_la_SOURCES = conformance/tests/engines/broken.c
conformance_tests_engines_wrong_size_la_CPPFLAGS = $(AM_CPPFLAGS) -DBROKEN_SIZE
conformance_tests_engines_wrong_size_la_LDFLAGS = $(TEST_ENGINE_LDFLAGS)

include conformance/faults/local.mk

check_LTLIBRARIES += conformance/tests/libsupport.la
conformance_tests_libsupport_la_SOURCES = \
	conformance/tests/compare.c conformance/tests/compare.h \
	conformance/tests/cuts.c conformance/tests/cuts.h \
	conformance/tests/edit.c \
	conformance/tests/programs.c conformance/tests/programs.h \
	conformance/tests/raw.c conformance/tests/raw.h \
	conformance/tests/record.c \
	conformance/tests/stored.c conformance/tests/stored.h \
	conformance/tests/support.c conformance/tests/support.h
conformance_tests_libsupport_la_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(HDF5_CFLAGS)
conformance_tests_libsupport_la_LIBADD = conformance/libconformance.la $(HDF5_LIBS) $(CHECK_LIBS)

CONFORMANCE_TESTS = \
	conformance/tests/check_arrange \
	conformance/tests/check_bench \
	conformance/tests/check_bench_rate \
	conformance/tests/check_bench_serving \
	conformance/tests/check_bisect \
	conformance/tests/check_cache_limit \
	conformance/tests/check_case \
	conformance/tests/check_case_arrays \
	conformance/tests/check_case_header \
	conformance/tests/check_case_model \
	conformance/tests/check_checkpoint \
	conformance/tests/check_contain \
	conformance/tests/check_dialogue \
	conformance/tests/check_dump \
	conformance/tests/check_diff \
	conformance/tests/check_diff_files \
	conformance/tests/check_diff_names \
	conformance/tests/check_diff_parts \
	conformance/tests/check_diff_tokens \
	conformance/tests/check_diff_types \
	conformance/tests/check_evaluate \
	conformance/tests/check_events \
	conformance/tests/check_fields \
	conformance/tests/check_find \
	conformance/tests/check_h5 \
	conformance/tests/check_h5_chunks \
	conformance/tests/check_h5_collection \
	conformance/tests/check_h5_cut \
	conformance/tests/check_h5_dataset \
	conformance/tests/check_h5_filters \
	conformance/tests/check_h5_fractal \
	conformance/tests/check_h5_index \
	conformance/tests/check_h5_headers \
	conformance/tests/check_h5_messages \
	conformance/tests/check_h5_objects \
	conformance/tests/check_h5_shared \
	conformance/tests/check_h5_stored \
	conformance/tests/check_h5_structure \
	conformance/tests/check_h5_superblock \
	conformance/tests/check_h5_symbols \
	conformance/tests/check_h5_types \
	conformance/tests/check_hostile \
	conformance/tests/check_interrupt \
	conformance/tests/check_judge \
	conformance/tests/check_judge_token \
	conformance/tests/check_kernels \
	conformance/tests/check_locate \
	conformance/tests/check_locate_ref \
	conformance/tests/check_machine \
	conformance/tests/check_memory \
	conformance/tests/check_message \
	conformance/tests/check_noise \
	conformance/tests/check_parallel \
	conformance/tests/check_perturb \
	conformance/tests/check_reasoning_cuts \
	conformance/tests/check_report \
	conformance/tests/check_run \
	conformance/tests/check_run_output \
	conformance/tests/check_run_types \
	conformance/tests/check_schedule \
	conformance/tests/check_schedule_files \
	conformance/tests/check_schedule_run \
	conformance/tests/check_serving \
	conformance/tests/check_tokenizing \
	conformance/tests/check_stream \
	conformance/tests/check_stream_damaged \
	conformance/tests/check_terminal \
	conformance/tests/check_text \
	conformance/tests/check_textual \
	conformance/tests/check_threads \
	conformance/tests/check_tools_cuts \
	conformance/tests/check_vectors
check_PROGRAMS += $(CONFORMANCE_TESTS)
CONFORMANCE_TAP = \
	conformance/tests/allow_unknown.test \
	conformance/tests/arranged.test \
	conformance/tests/arrays.test \
	conformance/tests/compute.test \
	conformance/tests/events.test \
	conformance/tests/faults.test \
	conformance/tests/fixtures.test \
	conformance/tests/installed.test \
	conformance/tests/generate.test \
	conformance/tests/junit.test \
	conformance/tests/kernel_faults.test \
	conformance/tests/lengths.test \
	conformance/tests/observations.test \
	conformance/tests/schedules.test \
	conformance/tests/schedules_asked.test
TESTS += $(CONFORMANCE_TESTS) $(CONFORMANCE_TAP)
EXTRA_DIST += $(CONFORMANCE_TAP) conformance/tests/junit.xsd conformance/tests/programs.json \
	conformance/tests/replay.sh

# For scripts/bench-diff.
EXTRA_PROGRAMS += conformance/tests/bench_files
CLEANFILES += conformance/tests/bench_files
conformance_tests_bench_files_CFLAGS = $(AM_CFLAGS) $(HDF5_CFLAGS)
conformance_tests_bench_files_LDADD = $(HDF5_LIBS)

CONFORMANCE_TEST_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(HDF5_CFLAGS) $(JSONC_CFLAGS)
conformance_tests_check_arrange_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_arrange_LDADD = conformance/tests/libsupport.la
conformance_tests_check_bench_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_bench_LDADD = conformance/tests/libsupport.la $(JSONC_LIBS)
conformance_tests_check_bench_rate_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_bench_rate_LDADD = conformance/tests/libsupport.la $(JSONC_LIBS)
conformance_tests_check_bench_serving_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_bench_serving_LDADD = conformance/tests/libsupport.la $(JSONC_LIBS)
conformance_tests_check_bisect_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_bisect_LDADD = conformance/tests/libsupport.la
conformance_tests_check_cache_limit_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_cache_limit_LDADD = conformance/tests/libsupport.la
conformance_tests_check_case_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_case_LDADD = conformance/tests/libsupport.la
conformance_tests_check_case_arrays_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_case_arrays_LDADD = conformance/tests/libsupport.la
conformance_tests_check_case_header_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_case_header_LDADD = conformance/tests/libsupport.la
conformance_tests_check_case_model_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_case_model_LDADD = conformance/tests/libsupport.la
conformance_tests_check_checkpoint_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_checkpoint_LDADD = conformance/tests/libsupport.la
conformance_tests_check_contain_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_contain_LDADD = conformance/tests/libsupport.la $(JSONC_LIBS)
conformance_tests_check_dialogue_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_dialogue_LDADD = conformance/tests/libsupport.la
conformance_tests_check_dump_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_dump_LDADD = conformance/tests/libsupport.la
conformance_tests_check_diff_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_diff_LDADD = conformance/tests/libsupport.la
conformance_tests_check_diff_files_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_diff_files_LDADD = conformance/tests/libsupport.la
conformance_tests_check_diff_names_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_diff_names_LDADD = conformance/tests/libsupport.la
conformance_tests_check_diff_parts_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_diff_parts_LDADD = conformance/tests/libsupport.la
conformance_tests_check_diff_tokens_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_diff_tokens_LDADD = conformance/tests/libsupport.la
conformance_tests_check_diff_types_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_diff_types_LDADD = conformance/tests/libsupport.la
conformance_tests_check_evaluate_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_evaluate_LDADD = conformance/tests/libsupport.la
conformance_tests_check_fields_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_fields_LDADD = conformance/tests/libsupport.la
conformance_tests_check_find_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_find_LDADD = conformance/tests/libsupport.la
conformance_tests_check_h5_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_h5_LDADD = conformance/tests/libsupport.la
conformance_tests_check_h5_chunks_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_h5_chunks_LDADD = conformance/tests/libsupport.la
conformance_tests_check_h5_collection_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_h5_collection_LDADD = conformance/tests/libsupport.la
conformance_tests_check_h5_cut_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_h5_cut_LDADD = conformance/tests/libsupport.la
conformance_tests_check_h5_dataset_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_h5_dataset_LDADD = conformance/tests/libsupport.la
conformance_tests_check_h5_filters_CFLAGS = $(CONFORMANCE_TEST_CFLAGS) $(DEFLATE_CFLAGS)
conformance_tests_check_h5_filters_LDADD = conformance/tests/libsupport.la $(DEFLATE_LIBS)
conformance_tests_check_h5_fractal_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_h5_fractal_LDADD = conformance/tests/libsupport.la
conformance_tests_check_h5_index_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_h5_index_LDADD = conformance/tests/libsupport.la
conformance_tests_check_h5_headers_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_h5_headers_LDADD = conformance/tests/libsupport.la
conformance_tests_check_h5_messages_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_h5_messages_LDADD = conformance/tests/libsupport.la
conformance_tests_check_h5_objects_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_h5_objects_LDADD = conformance/tests/libsupport.la
conformance_tests_check_h5_shared_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_h5_shared_LDADD = conformance/tests/libsupport.la
conformance_tests_check_h5_stored_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_h5_stored_LDADD = conformance/tests/libsupport.la
conformance_tests_check_h5_structure_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_h5_structure_LDADD = conformance/tests/libsupport.la
conformance_tests_check_h5_superblock_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_h5_superblock_LDADD = conformance/tests/libsupport.la
conformance_tests_check_h5_symbols_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_h5_symbols_LDADD = conformance/tests/libsupport.la
conformance_tests_check_h5_types_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_h5_types_LDADD = conformance/tests/libsupport.la
conformance_tests_check_interrupt_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_interrupt_LDADD = conformance/tests/libsupport.la
conformance_tests_check_hostile_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_hostile_LDADD = conformance/tests/libsupport.la
conformance_tests_check_judge_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_judge_LDADD = conformance/tests/libsupport.la
conformance_tests_check_judge_token_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_judge_token_LDADD = conformance/tests/libsupport.la
conformance_tests_check_kernels_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_kernels_LDADD = conformance/tests/libsupport.la
conformance_tests_check_locate_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_locate_LDADD = conformance/tests/libsupport.la
conformance_tests_check_locate_ref_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_locate_ref_LDADD = conformance/tests/libsupport.la
conformance_tests_check_machine_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_machine_LDADD = conformance/tests/libsupport.la
conformance_tests_check_noise_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_noise_LDADD = conformance/tests/libsupport.la
conformance_tests_check_parallel_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_parallel_LDADD = conformance/tests/libsupport.la
conformance_tests_check_perturb_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_perturb_LDADD = conformance/tests/libsupport.la
conformance_tests_check_reasoning_cuts_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_reasoning_cuts_LDADD = conformance/tests/libsupport.la serving/libserving.la $(JSONC_LIBS)
conformance_tests_check_report_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_report_LDADD = conformance/tests/libsupport.la $(JSONC_LIBS)
conformance_tests_check_run_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_run_LDADD = conformance/tests/libsupport.la
conformance_tests_check_run_output_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_run_output_LDADD = conformance/tests/libsupport.la
conformance_tests_check_run_types_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_run_types_LDADD = conformance/tests/libsupport.la
conformance_tests_check_schedule_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_schedule_LDADD = conformance/tests/libsupport.la
conformance_tests_check_schedule_files_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_schedule_files_LDADD = conformance/tests/libsupport.la
conformance_tests_check_schedule_run_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_schedule_run_LDADD = conformance/tests/libsupport.la
DATASET = conformance/tests/dataset.c conformance/tests/dataset.h
conformance_tests_check_stream_damaged_SOURCES = conformance/tests/check_stream_damaged.c $(DATASET)
conformance_tests_check_stream_damaged_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_stream_damaged_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=pread
conformance_tests_check_stream_damaged_LDADD = conformance/tests/libsupport.la
conformance_tests_check_stream_SOURCES = conformance/tests/check_stream.c $(DATASET)
conformance_tests_check_stream_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_stream_LDADD = conformance/tests/libsupport.la
conformance_tests_check_terminal_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_terminal_LDADD = conformance/tests/libsupport.la
conformance_tests_check_memory_SOURCES = conformance/tests/check_memory.c $(DENY)
conformance_tests_check_memory_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_memory_LDFLAGS = $(AM_LDFLAGS) $(DENY_LINK)
conformance_tests_check_memory_LDADD = conformance/tests/libsupport.la
conformance_tests_check_message_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_message_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=conf_bytes_add,--wrap=json_object_new_string_len
conformance_tests_check_message_LDADD = conformance/tests/libsupport.la
conformance_tests_check_text_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_text_LDADD = conformance/tests/libsupport.la
conformance_tests_check_textual_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_textual_LDADD = conformance/tests/libsupport.la
conformance_tests_check_tokenizing_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_tokenizing_LDADD = conformance/tests/libsupport.la
conformance_tests_check_events_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_events_LDADD = conformance/tests/libsupport.la
conformance_tests_check_serving_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_serving_LDADD = conformance/tests/libsupport.la
conformance_tests_check_tools_cuts_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_tools_cuts_LDADD = conformance/tests/libsupport.la serving/libserving.la $(JSONC_LIBS)
conformance_tests_check_threads_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_tests_check_threads_LDADD = conformance/tests/libsupport.la
conformance_tests_check_vectors_CFLAGS = $(CONFORMANCE_TEST_CFLAGS) $(DEFLATE_CFLAGS)
conformance_tests_check_vectors_LDADD = conformance/tests/libsupport.la $(DEFLATE_LIBS) $(JSONC_LIBS)
