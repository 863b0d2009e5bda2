# SPDX-License-Identifier: Apache-2.0
conformance_libconformance_la_SOURCES += \
	conformance/kinds/case_textual.c
