# SPDX-License-Identifier: Apache-2.0
conformance_libconformance_la_SOURCES += \
	conformance/generate/generate.c conformance/generate/generate.h \
	conformance/generate/report.c conformance/generate/report.h
