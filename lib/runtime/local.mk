# Streams, deferred arrays, and models that are opened in the background.
# SPDX-License-Identifier: Apache-2.0
noinst_LIBRARIES += lib/runtime/libruntime.a
LIB_RUNTIME = lib/runtime/libruntime.a $(LIB_BASE)
lib_runtime_libruntime_a_CFLAGS = $(AM_CFLAGS)
lib_runtime_libruntime_a_SOURCES = \
	lib/runtime/array.c lib/runtime/array.h \
	lib/runtime/array_eval.c lib/runtime/array_eval.h \
	lib/runtime/array_list.c lib/runtime/array_list.h \
	lib/runtime/array_node.c lib/runtime/array_node.h \
	lib/runtime/array_order.c lib/runtime/array_order.h \
	lib/runtime/array_types.h \
	lib/runtime/cache_limit.c lib/runtime/cache_limit.h \
	lib/runtime/executor.c lib/runtime/executor.h \
	lib/runtime/loading.c lib/runtime/loading.h \
	lib/runtime/queue.c lib/runtime/queue.h \
	lib/runtime/stream.c lib/runtime/stream.h \
	lib/runtime/stream_table.c lib/runtime/stream_table.h

RUNTIME_TESTS = \
	lib/runtime/tests/check_array \
	lib/runtime/tests/check_array_list \
	lib/runtime/tests/check_loading \
	lib/runtime/tests/check_queue \
	lib/runtime/tests/check_stream \
	lib/runtime/tests/check_stream_table
check_PROGRAMS += $(RUNTIME_TESTS)
TESTS += $(RUNTIME_TESTS)
lib_runtime_tests_check_array_CFLAGS = $(TEST_CFLAGS)
lib_runtime_tests_check_array_LDADD = $(TEST_LIBS)
lib_runtime_tests_check_array_list_CFLAGS = $(TEST_CFLAGS)
lib_runtime_tests_check_array_list_LDADD = $(TEST_LIBS)
lib_runtime_tests_check_loading_CFLAGS = $(TEST_CFLAGS)
lib_runtime_tests_check_loading_LDADD = $(TEST_LIBS)
lib_runtime_tests_check_queue_CFLAGS = $(TEST_CFLAGS)
lib_runtime_tests_check_queue_LDADD = $(TEST_LIBS)
lib_runtime_tests_check_stream_CFLAGS = $(TEST_CFLAGS)
lib_runtime_tests_check_stream_LDADD = $(TEST_LIBS)
lib_runtime_tests_check_stream_table_CFLAGS = $(TEST_CFLAGS)
lib_runtime_tests_check_stream_table_LDADD = $(TEST_LIBS)

# For scripts/bench-streams.
EXTRA_PROGRAMS += lib/runtime/tests/bench_streams
EXTRA_PROGRAMS += lib/runtime/tests/yardstick.so
CLEANFILES += lib/runtime/tests/bench_streams lib/runtime/tests/yardstick.so
lib_runtime_tests_bench_streams_CFLAGS = $(AM_CFLAGS)
lib_runtime_tests_yardstick_so_SOURCES = lib/runtime/tests/yardstick.c
lib_runtime_tests_yardstick_so_LDFLAGS = $(MODULE_LINK)
