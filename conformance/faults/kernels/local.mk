# Rows of a table, without headers of their own: inputs.c list.c numbers.c sizes.c stored.c table.c
# A kernel library with faults to plant; conformance/tests/kernel_faults.test checks that the sweep catches each.
# SPDX-License-Identifier: Apache-2.0
KERNEL_FAULTS = conformance/faults/softmax.c conformance/faults/softmax.h \
	conformance/faults/kernels/fault.h conformance/faults/kernels/inputs.c \
	conformance/faults/kernels/numbers.c conformance/faults/kernels/sizes.c \
	conformance/faults/kernels/stored.c conformance/faults/kernels/table.c
check_PROGRAMS += conformance/faults/kernels.so
conformance_faults_kernels_so_SOURCES = $(KERNEL_FAULTS)
conformance_faults_kernels_so_LDFLAGS = $(MODULE_LINK)
conformance_faults_kernels_so_LDADD = $(LIB_KERNELS)
check_PROGRAMS += conformance/faults/kernels/list
conformance_faults_kernels_list_SOURCES = $(KERNEL_FAULTS) conformance/faults/kernels/list.c
conformance_faults_kernels_list_CFLAGS = $(AM_CFLAGS)
conformance_faults_kernels_list_LDADD = $(LIB_KERNELS)
