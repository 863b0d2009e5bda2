# SPDX-License-Identifier: Apache-2.0
conformance_libconformance_la_SOURCES += \
	conformance/options/options.c conformance/options/options.h
