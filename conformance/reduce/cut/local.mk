# SPDX-License-Identifier: Apache-2.0
conformance_libconformance_a_SOURCES += \
	conformance/reduce/cut/cut.c conformance/reduce/cut/cut.h \
	conformance/reduce/cut/inputs.c conformance/reduce/cut/inputs.h \
	conformance/reduce/cut/rows.c conformance/reduce/cut/rows.h \
	conformance/reduce/cut/size.c conformance/reduce/cut/size.h \
	conformance/reduce/cut/write.c conformance/reduce/cut/write.h \
	conformance/reduce/cut/write_inputs.c conformance/reduce/cut/write_inputs.h \
	conformance/reduce/cut/write_positions.c conformance/reduce/cut/write_positions.h \
	conformance/reduce/cut/write_rows.c conformance/reduce/cut/write_rows.h
