/* The reports that a run writes to files: TAP during the run, JUnit and JSON at its end.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPORT_FILES_H
#define CONFORMANCE_REPORT_FILES_H

#include "conformance/options/options.h"
#include "conformance/problems/problems.h"
#include "conformance/report/output.h"
#include "conformance/report/results.h"

/* Open files; NULL if the report is not requested. */
typedef struct conf_report_files {
    FILE *at[CONF_N_REPORTS];
    conf_output outputs[CONF_N_REPORTS]; /* those of them that are files */
    FILE *out;                           /* borrowed: where a report named "-" goes */
} conf_report_files;

/* Opens the files of the requested reports, so that a file that cannot be written is reported before
 * the run. Fails with ASSAY_EIO. The caller calls conf_report_files_close in both cases. */
assay_status conf_report_files_open(const conf_options *options, const conf_context *context,
                                    conf_report_files *out, assay_error *err);

/* Whether `file` is standard output. */
bool conf_report_is_stdout(const conf_report_files *files, const FILE *file);

/* Whether standard output belongs to a report, and holds nothing else. */
bool conf_report_uses_stdout(const conf_report_files *files);

/* Where a command writes what it adds to its report: standard output, as comments if that is TAP, or standard
 * error if that belongs to another report. *prefix: of each line. */
FILE *conf_report_remarks(const conf_report_files *files, const conf_context *context, const char **prefix);

/* Whether a report of problems is requested, and writing those that are. Fails with ASSAY_ENOMEM. */
bool conf_report_wants_problems(const conf_report_files *files);
assay_status conf_report_problems(const conf_report_files *files, const conf_problems *list,
                                  assay_error *err);

/* Writes the end of the reports: the plan of TAP, and the complete other reports. */
assay_status conf_report_files_end(const conf_report_files *files, const conf_results *results,
                                   size_t n_points, assay_error *err);

/* Removes a report that was opened and never written, so that no error and no signal leaves an empty file.
 * Files that are not regular, or not empty, and the path "-" are left alone. */
void conf_report_remove_empty(const char *path);

/* Gives the files their names, at which there was nothing since they were opened (output.h). Fails with
 * ASSAY_EIO if a write failed. Reports that are empty are removed. */
assay_status conf_report_files_close(conf_report_files *files, assay_error *err);

#endif
