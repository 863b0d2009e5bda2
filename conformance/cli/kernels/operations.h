/* What assay kernels reports of each operation: rows in the terminal, TAP, a page, and problems.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_CLI_KERNELS_OPERATIONS_H
#define CONFORMANCE_CLI_KERNELS_OPERATIONS_H

#include "conformance/options/options.h"
#include "conformance/report/checks.h"
#include "conformance/report/files.h"
#include "conformance/support/context.h"
#include "conformance/sweep/list.h"

/* options, context, path (of the library) are borrowed; the rest is private. */
typedef struct conf_operations {
    const conf_options *options;
    const conf_context *context;
    const char *path;
    conf_report_files files;
    conf_problems problems;
    conf_checks checks; /* of the page */
    size_t n, n_of[CONF_N_OUTCOMES];
} conf_operations;

/* An operation that ran: its sweep and its verdict, or, with `swept` NULL, one that the library lacks. */
typedef struct conf_operation {
    const sweep_op *op;
    const sweep *swept;
    const conf_verdict *verdict;
} conf_operation;

/* Opens the reports and prints the head of the rows. conf_operations_end is called in any case. Fails with
 * ASSAY_EIO. */
assay_status conf_operations_begin(conf_operations *list, assay_error *err);

/* Reports one operation. Fails with ASSAY_ENOMEM. */
assay_status conf_operations_add(conf_operations *list, const conf_operation *one, assay_error *err);

/* Writes the reports that need all rows, with the library's name and version, unless rc is an error, and
 * closes them. Returns rc if it is an error. Fails with ASSAY_EIO, ASSAY_ENOMEM. */
assay_status conf_operations_end(conf_operations *list, const char *library, assay_status rc,
                                 assay_error *err);

#endif
