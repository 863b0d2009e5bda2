/* assay merge: joins the results of shards.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/cli/cmd.h"
#include "conformance/cli/reporting.h"
#include "conformance/report/merge.h"

/* Prints the results as a run would have, and writes the reports. */
static assay_status report(const conf_options *o, const conf_context *context, const conf_results *results,
                           assay_error *err)
{
    conf_report_files files;
    size_t n_points = 0;
    assay_error late = {0};
    assay_status rc = conf_report_files_open(o, context, &files, err);
    for (size_t i = 0; i < results->n && rc == ASSAY_OK; i++)
        for (size_t e = 0; e < results->n_engines; e++)
            conf_reporting_point(&files, context, results, i, e, ++n_points, o->verbose);
    if (rc == ASSAY_OK) rc = conf_reporting_end(&files, context, results, n_points, err);
    const assay_status closed = conf_report_files_close(&files, &late);
    if (rc == ASSAY_OK && closed != ASSAY_OK) *err = late;
    return rc == ASSAY_OK ? closed : rc;
}

conf_exit conf_cmd_merge(const conf_options *options, const conf_context *context)
{
    conf_results results = {0};
    conf_strings remarks = {0};
    assay_error err;
    if (options->n_arguments == 0) {
        conf_cmd_print_error(context, "merge needs a result: assay merge RESULT.json...");
        return CONF_EXIT_USAGE;
    }
    assay_status rc =
        conf_merge(options->arguments, options->n_arguments, options->n_expected, &results, &remarks, &err);
    for (size_t i = 0; i < remarks.n; i++) conf_cmd_print_error(context, "%s", remarks.at[i]);
    conf_exit code = CONF_EXIT_ERROR;
    if (rc == ASSAY_OK) {
        code = conf_results_exit(&results, CONF_CLASS_NONE);
        rc = report(options, context, &results, &err);
    }
    if (rc != ASSAY_OK) {
        conf_cmd_print_error(context, "%s", err.text);
        code = CONF_EXIT_ERROR;
    } else if (code == CONF_EXIT_NOTHING) {
        conf_reporting_unrun(context, &results);
    }
    conf_strings_free(&remarks);
    conf_results_free(&results);
    return code;
}
