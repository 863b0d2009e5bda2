# SPDX-License-Identifier: Apache-2.0
conformance_libconformance_a_SOURCES += \
	conformance/reduce/texts/texts.c conformance/reduce/texts/texts.h \
	conformance/reduce/texts/value.c conformance/reduce/texts/value.h \
	conformance/reduce/texts/write.c conformance/reduce/texts/write.h
