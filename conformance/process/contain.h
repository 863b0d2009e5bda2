/* Prints the contents of an untrusted file from a child process, so that a crash of the reader becomes an
 * ordinary error.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROCESS_CONTAIN_H
#define CONFORMANCE_PROCESS_CONTAIN_H

#include <assay/status.h>

#include <stdio.h>

#include "conformance/process/isolate.h"

/* A file in memory that child processes share; the caller closes it. NULL on failure: ASSAY_EINTERNAL in
 * *err. */
FILE *conf_page_open(assay_error *err);

/* Copies the flushed contents of the page to out, each line as conf_text_print_clean writes it. */
void conf_page_print(FILE *page, FILE *out);

/* Reads a file and prints something about it. */
typedef assay_status conf_describe_fn(const void *context, FILE *out, assay_error *err);

/* Calls describe in a child process within the limits. If describe returns, even with a failure, its output
 * is copied to out as by conf_page_print. path: the file, for messages. Fails with ASSAY_EFORMAT if describe
 * does, if the child crashes, and on a timeout; an out-of-memory error names the limit. */
assay_status conf_contain(conf_describe_fn *describe, const void *context, const conf_limits *limits,
                          const char *path, FILE *out, assay_error *err);

#endif
