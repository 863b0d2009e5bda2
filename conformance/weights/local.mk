# SPDX-License-Identifier: Apache-2.0
conformance_libconformance_a_SOURCES += \
	conformance/weights/changes.c conformance/weights/changes.h \
	conformance/weights/compare.c conformance/weights/compare.h \
	conformance/weights/comparison.h \
	conformance/weights/cost.c conformance/weights/cost.h \
	conformance/weights/document.c conformance/weights/document.h \
	conformance/weights/explain.c conformance/weights/explain.h \
	conformance/weights/fold.c conformance/weights/fold.h \
	conformance/weights/groups.c conformance/weights/groups.h \
	conformance/weights/measure.c conformance/weights/measure.h \
	conformance/weights/order.c conformance/weights/order.h \
	conformance/weights/print.c conformance/weights/print.h \
	conformance/weights/readings.c conformance/weights/readings.h \
	conformance/weights/rounding.c conformance/weights/rounding.h \
	conformance/weights/weight.c conformance/weights/weight.h

CONFORMANCE_WEIGHTS_TESTS = \
	conformance/weights/tests/check_faults
check_PROGRAMS += $(CONFORMANCE_WEIGHTS_TESTS)
TESTS += $(CONFORMANCE_WEIGHTS_TESTS)
conformance_weights_tests_check_faults_CFLAGS = $(TEST_CFLAGS)
conformance_weights_tests_check_faults_LDADD = $(LIB_CONFORMANCE) $(TEST_LIBS)
