/* assay compare: what changed between two runs.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/cli/cmd.h"
#include "conformance/compare/compare.h"
#include "conformance/compare/document.h"
#include "conformance/compare/html.h"
#include "conformance/compare/print.h"
#include "conformance/report/files.h"
#include "conformance/report/read.h"

/* Compares and prints; *code: the exit status. */
static assay_status compare_runs(const conf_options *o, const conf_context *context,
                                 const conf_results results[2], conf_exit *code, assay_error *err)
{
    const conf_compared_run before = {o->arguments[0], &results[0]}, after = {o->arguments[1], &results[1]};
    conf_comparison c;
    conf_report_files files;
    assay_error late = {0};
    assay_status rc = conf_compare(&before, &after, o->pairs, o->n_pairs, &c, err);
    *code = rc == ASSAY_EUNSUPPORTED ? CONF_EXIT_USAGE : CONF_EXIT_ERROR;
    if (rc != ASSAY_OK) return rc;
    *code = c.n_of[CONF_CHANGE_FAILS] ? CONF_EXIT_DIVERGES : CONF_EXIT_AGREE;
    rc = conf_report_files_open(o, context, &files, err);
    if (rc == ASSAY_OK && !conf_report_uses_stdout(&files))
        conf_comparison_print(context->out, "", context, &c);
    if (rc == ASSAY_OK && files.at[CONF_REPORT_JSON])
        rc = conf_comparison_print_json(files.at[CONF_REPORT_JSON], &c, err);
    if (rc == ASSAY_OK && files.at[CONF_REPORT_HTML])
        rc = conf_comparison_print_html(files.at[CONF_REPORT_HTML], &c, err);
    const assay_status closed = conf_report_files_close(&files, &late);
    if (rc == ASSAY_OK && closed != ASSAY_OK) *err = late;
    conf_comparison_free(&c);
    if (rc == ASSAY_OK) rc = closed;
    if (rc != ASSAY_OK) *code = CONF_EXIT_ERROR;
    return rc;
}

conf_exit conf_cmd_compare(const conf_options *options, const conf_context *context)
{
    conf_results results[2] = {0};
    conf_exit code = CONF_EXIT_ERROR;
    assay_error err = {0};
    if (options->n_arguments != 2) {
        conf_cmd_print_error(context, "compare needs two results: assay compare BEFORE.json AFTER.json");
        return CONF_EXIT_USAGE;
    }
    assay_status rc = conf_results_read(options->arguments[0], &results[0], &err);
    if (rc == ASSAY_OK) rc = conf_results_read(options->arguments[1], &results[1], &err);
    if (rc == ASSAY_OK) rc = compare_runs(options, context, results, &code, &err);
    if (rc != ASSAY_OK) { conf_cmd_print_error(context, "%s", err.text); }
    for (size_t i = 0; i < 2; i++) conf_results_free(&results[i]);
    return code;
}
