# Streams, deferred arrays, and models that are opened in the background.
# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += runtime/libruntime.la
runtime_libruntime_la_CFLAGS = $(AM_CFLAGS)
runtime_libruntime_la_SOURCES = \
	runtime/array.c runtime/array.h \
	runtime/array_eval.c runtime/array_eval.h \
	runtime/array_list.c runtime/array_list.h \
	runtime/array_node.c runtime/array_node.h \
	runtime/array_order.c runtime/array_order.h \
	runtime/array_types.h \
	runtime/cache_limit.c runtime/cache_limit.h \
	runtime/executor.c runtime/executor.h \
	runtime/loading.c runtime/loading.h \
	runtime/queue.c runtime/queue.h \
	runtime/stream.c runtime/stream.h \
	runtime/stream_table.c runtime/stream_table.h

RUNTIME_TESTS = \
	runtime/tests/check_array \
	runtime/tests/check_array_list \
	runtime/tests/check_loading \
	runtime/tests/check_queue \
	runtime/tests/check_stream \
	runtime/tests/check_stream_table
check_PROGRAMS += $(RUNTIME_TESTS)
TESTS += $(RUNTIME_TESTS)
runtime_tests_check_array_CFLAGS = $(TEST_CFLAGS)
runtime_tests_check_array_LDADD = $(TEST_LIBS)
runtime_tests_check_array_list_CFLAGS = $(TEST_CFLAGS)
runtime_tests_check_array_list_LDADD = $(TEST_LIBS)
runtime_tests_check_loading_CFLAGS = $(TEST_CFLAGS)
runtime_tests_check_loading_LDADD = $(TEST_LIBS)
runtime_tests_check_queue_CFLAGS = $(TEST_CFLAGS)
runtime_tests_check_queue_LDADD = $(TEST_LIBS)
runtime_tests_check_stream_CFLAGS = $(TEST_CFLAGS)
runtime_tests_check_stream_LDADD = $(TEST_LIBS)
runtime_tests_check_stream_table_CFLAGS = $(TEST_CFLAGS)
runtime_tests_check_stream_table_LDADD = $(TEST_LIBS)

# For scripts/bench-streams.
EXTRA_PROGRAMS += runtime/tests/bench_streams
EXTRA_LTLIBRARIES += runtime/tests/yardstick.la
CLEANFILES += runtime/tests/bench_streams runtime/tests/yardstick.la
runtime_tests_bench_streams_CFLAGS = $(AM_CFLAGS)
runtime_tests_yardstick_la_SOURCES = runtime/tests/yardstick.c
runtime_tests_yardstick_la_LDFLAGS = $(TEST_ENGINE_LDFLAGS)
