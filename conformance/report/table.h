/* The table of all cases.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPORT_TABLE_H
#define CONFORMANCE_REPORT_TABLE_H

#include "conformance/report/results.h"

/* Prints the table of all cases, the skipped cases with reasons, and the totals. Each line starts with
 * `prefix`. */
void conf_report_table(FILE *out, const char *prefix, const conf_context *context,
                       const conf_results *results);

#endif
