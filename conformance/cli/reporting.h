/* What the commands that have results write: while they come, and at the end.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_CLI_REPORTING_H
#define CONFORMANCE_CLI_REPORTING_H

#include "conformance/report/files.h"
#include "conformance/report/results.h"

/* Reports one case with one engine, as test point `number` (from 1): in TAP, and on standard output if it
 * failed or everything is shown (verbose), unless standard output belongs to a report. An error in the case
 * is reported once, not for each engine. */
void conf_reporting_point(const conf_report_files *files, const conf_context *context,
                          const conf_results *results, size_t result, size_t engine, size_t number,
                          bool verbose);

/* Writes the ends of the reports, and the table; without a table if one line says it all
 * (conf_reporting_unrun). */
assay_status conf_reporting_end(const conf_report_files *files, const conf_context *context,
                                const conf_results *results, size_t n_points, assay_error *err);

/* Says on standard error that no case could be run, and why if that is a manner that was asked for. */
void conf_reporting_unrun(const conf_context *context, const conf_results *results);

#endif
