# SPDX-License-Identifier: Apache-2.0
conformance_libconformance_a_SOURCES += \
	conformance/bundle/bundle.c conformance/bundle/bundle.h \
	conformance/bundle/checkpoint.c conformance/bundle/checkpoint.h \
	conformance/bundle/failures.c conformance/bundle/failures.h \
	conformance/bundle/files.c conformance/bundle/files.h \
	conformance/bundle/issue.c conformance/bundle/issue.h \
	conformance/bundle/paths.c conformance/bundle/paths.h \
	conformance/bundle/subject.c conformance/bundle/subject.h

check_PROGRAMS += conformance/bundle/tests/check_bundle
TESTS += conformance/bundle/tests/check_bundle
conformance_bundle_tests_check_bundle_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_bundle_tests_check_bundle_LDADD = $(CONFORMANCE_TEST_LIBS)
