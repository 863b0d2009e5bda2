/* Printing what a file holds from a process of its own, so that a file that crashes its reader ends in an
 * error like any other.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROCESS_CONTAIN_H
#define CONFORMANCE_PROCESS_CONTAIN_H

#include <assay/status.h>

#include <stdio.h>

#include "conformance/process/isolate.h"

/* A file in memory that child processes share; the caller closes it. NULL where there is none:
 * ASSAY_EINTERNAL in *err. */
FILE *conf_page_open(assay_error *err);

/* Copies what was written to the page, and flushed, to out, cleaned line by line as conf_text_clean does. */
void conf_page_print(FILE *page, FILE *out);

/* Reads a file and prints something about it. */
typedef assay_status conf_describe_fn(const void *context, FILE *out, assay_error *err);

/* Calls describe in a child process within the limits and, where it returns, copies what it printed to out,
 * as conf_page_print does, also where it fails then. path: the file, for messages. Fails with ASSAY_EFORMAT
 * where describe does, where the child dies, and where it takes longer than it may; what lacks memory names
 * the limit. */
assay_status conf_contain(conf_describe_fn *describe, const void *context, const conf_limits *limits,
                          const char *path, FILE *out, assay_error *err);

#endif
