# SPDX-License-Identifier: Apache-2.0
# Rows of a table, without headers of their own: part_*.c form_*.c
conformance_libconformance_a_SOURCES += \
	conformance/reduce/attempt.c conformance/reduce/attempt.h \
	conformance/reduce/attempt_texts.c conformance/reduce/attempt_texts.h \
	conformance/reduce/compute.c conformance/reduce/compute.h \
	conformance/reduce/folder.c conformance/reduce/folder.h \
	conformance/reduce/form.c conformance/reduce/form.h \
	conformance/reduce/form_prompts.c \
	conformance/reduce/form_vectors.c \
	conformance/reduce/layers.c conformance/reduce/layers.h \
	conformance/reduce/make.c conformance/reduce/make.h \
	conformance/reduce/part_ends.c \
	conformance/reduce/part_ids.c \
	conformance/reduce/part_inputs.c \
	conformance/reduce/part_layers.c \
	conformance/reduce/part_samples.c \
	conformance/reduce/part_sizes.c \
	conformance/reduce/part_steps.c \
	conformance/reduce/part_tokens.c \
	conformance/reduce/part_values.c \
	conformance/reduce/part_prefixes.c \
	conformance/reduce/part_texts.c \
	conformance/reduce/part_vectors.c \
	conformance/reduce/parts.h \
	conformance/reduce/reduce.c conformance/reduce/reduce.h \
	conformance/reduce/result.c conformance/reduce/result.h \
	conformance/reduce/subject.c conformance/reduce/subject.h \
	conformance/reduce/task.h

CONFORMANCE_REDUCE_TESTS = conformance/reduce/tests/check_inputs conformance/reduce/tests/check_value \
	conformance/reduce/tests/check_write
check_PROGRAMS += $(CONFORMANCE_REDUCE_TESTS)
TESTS += $(CONFORMANCE_REDUCE_TESTS)
conformance_reduce_tests_check_inputs_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_reduce_tests_check_inputs_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_reduce_tests_check_value_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_reduce_tests_check_value_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_reduce_tests_check_write_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_reduce_tests_check_write_LDADD = $(CONFORMANCE_TEST_LIBS)
