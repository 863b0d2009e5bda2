# SPDX-License-Identifier: Apache-2.0
conformance_libconformance_la_SOURCES += \
	conformance/exec/engine.c conformance/exec/engine.h \
	conformance/exec/frame.c conformance/exec/frame.h \
	conformance/exec/link.c conformance/exec/link.h \
	conformance/exec/object.c conformance/exec/object.h \
	conformance/exec/pool.c conformance/exec/pool.h \
	conformance/exec/process.c conformance/exec/process.h \
	conformance/exec/step.c conformance/exec/step.h
