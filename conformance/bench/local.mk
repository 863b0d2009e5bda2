# SPDX-License-Identifier: Apache-2.0
# Rows of a table, without headers of their own: machine_tiles.c
conformance_libconformance_a_SOURCES += \
	conformance/bench/bench.c conformance/bench/bench.h \
	conformance/bench/json.c conformance/bench/json.h \
	conformance/bench/machine.c conformance/bench/machine.h \
	conformance/bench/machine_loops.c conformance/bench/machine_loops.h \
	conformance/bench/machine_tiles.c \
	conformance/bench/measure.c conformance/bench/measure.h \
	conformance/bench/pictures.c conformance/bench/pictures.h \
	conformance/bench/print.c conformance/bench/print.h \
	conformance/bench/prose.c conformance/bench/prose.h \
	conformance/bench/rate.c conformance/bench/rate.h \
	conformance/bench/replies.c conformance/bench/replies.h \
	conformance/bench/serving.c conformance/bench/serving.h \
	conformance/bench/serving_json.c conformance/bench/serving_json.h \
	conformance/bench/serving_measure.c conformance/bench/serving_measure.h \
	conformance/bench/serving_print.c conformance/bench/serving_print.h

CONFORMANCE_BENCH_TESTS = \
	conformance/bench/tests/check_machine \
	conformance/bench/tests/check_rate
check_PROGRAMS += $(CONFORMANCE_BENCH_TESTS)
TESTS += $(CONFORMANCE_BENCH_TESTS)
conformance_bench_tests_check_bench_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_bench_tests_check_bench_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_bench_tests_check_machine_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_bench_tests_check_machine_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_bench_tests_check_rate_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_bench_tests_check_rate_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_bench_tests_check_serving_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_bench_tests_check_serving_LDADD = $(CONFORMANCE_TEST_LIBS)
