# SPDX-License-Identifier: Apache-2.0
conformance_libconformance_a_SOURCES += \
	conformance/generate/describe.c conformance/generate/describe.h \
	conformance/generate/generate.c conformance/generate/generate.h \
	conformance/generate/prompt.c conformance/generate/prompt.h \
	conformance/generate/report.c conformance/generate/report.h \
	conformance/generate/show.c conformance/generate/show.h
