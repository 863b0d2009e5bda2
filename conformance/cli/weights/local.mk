# SPDX-License-Identifier: Apache-2.0
# Rows of a table, without headers of their own: cmd_*.c
conformance_libconformance_a_SOURCES += \
	conformance/cli/weights/cmd_weights.c
