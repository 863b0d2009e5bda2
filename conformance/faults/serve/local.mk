# Rows of a table, without headers of their own: answers.c bodies.c calls.c list.c reports.c seams.c steps.c table*.c
# assay with a server with faults to plant; conformance/tests/served_faults.test checks that a probe names each.
# SPDX-License-Identifier: Apache-2.0
SERVE_SEAMS = -Wl,--wrap=server_answer_chunk,--wrap=server_batch_run,--wrap=server_exchange_begin \
	-Wl,--wrap=server_exchange_put,--wrap=server_logprobs_of,--wrap=server_metrics_get,--wrap=server_model_open \
	-Wl,--wrap=server_request_read,--wrap=server_run_close,--wrap=server_run_take,--wrap=server_sample_open

SERVED_FAULTS = conformance/faults/serve/answers.c conformance/faults/serve/bodies.c conformance/faults/serve/calls.c \
	conformance/faults/serve/fault.c conformance/faults/serve/fault.h conformance/faults/serve/reports.c conformance/faults/serve/steps.c \
	conformance/faults/serve/table.c conformance/faults/serve/table_calls.c
check_PROGRAMS += conformance/faults/serve/assay conformance/faults/serve/list
conformance_faults_serve_assay_SOURCES = $(SERVED_FAULTS) conformance/faults/serve/seams.c $(conformance_assay_SOURCES)
conformance_faults_serve_assay_CPPFLAGS = $(conformance_assay_CPPFLAGS)
conformance_faults_serve_assay_CFLAGS = $(AM_CFLAGS) $(HDF5_CFLAGS) $(JSONC_CFLAGS)
conformance_faults_serve_assay_LDFLAGS = $(AM_LDFLAGS) $(SERVE_SEAMS)
conformance_faults_serve_assay_LDADD = $(LIB_CONFORMANCE)
conformance_faults_serve_list_SOURCES = $(SERVED_FAULTS) conformance/faults/serve/list.c
conformance_faults_serve_list_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
conformance_faults_serve_list_LDADD = $(LIB_SERVER)
