# SPDX-License-Identifier: Apache-2.0
conformance_libconformance_a_SOURCES += \
	conformance/picture/picture.c conformance/picture/picture.h \
	conformance/picture/scale.c conformance/picture/scale.h

CONFORMANCE_PICTURE_TESTS = \
	conformance/picture/tests/check_picture \
	conformance/picture/tests/check_scale
check_PROGRAMS += $(CONFORMANCE_PICTURE_TESTS)
TESTS += $(CONFORMANCE_PICTURE_TESTS)
conformance_picture_tests_check_picture_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_picture_tests_check_picture_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_picture_tests_check_scale_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_picture_tests_check_scale_LDADD = $(CONFORMANCE_TEST_LIBS)
