# SPDX-License-Identifier: Apache-2.0
conformance_libconformance_a_SOURCES += \
	conformance/abi/engine.c conformance/abi/engine.h \
	conformance/abi/kernels.c conformance/abi/kernels.h \
	conformance/abi/module.c conformance/abi/module.h \
	conformance/abi/open.c conformance/abi/open.h \
	conformance/abi/serving.c conformance/abi/serving.h \
	conformance/abi/step.c conformance/abi/step.h \
	conformance/abi/streams.c conformance/abi/streams.h \
	conformance/abi/table.c conformance/abi/table.h

CONFORMANCE_ABI_TESTS = \
	conformance/abi/tests/check_open \
	conformance/abi/tests/check_engine \
	conformance/abi/tests/check_serving
check_PROGRAMS += $(CONFORMANCE_ABI_TESTS)
TESTS += $(CONFORMANCE_ABI_TESTS)
conformance_abi_tests_check_open_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_abi_tests_check_open_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_abi_tests_check_serving_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_abi_tests_check_serving_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_abi_tests_check_engine_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_abi_tests_check_engine_LDADD = $(CONFORMANCE_TEST_LIBS)
