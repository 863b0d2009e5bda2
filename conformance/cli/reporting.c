/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/cli/reporting.h"

#include <string.h>

#include "conformance/cli/cmd.h"
#include "conformance/report/report.h"
#include "conformance/report/table.h"
#include "conformance/support/progress.h"

void conf_reporting_point(const conf_report_files *files, const conf_context *context,
                          const conf_results *results, size_t result, size_t engine, size_t number,
                          bool verbose)
{
    const conf_verdict *verdicts = results->at[result].verdicts;
    const conf_outcome outcome = verdicts[engine].outcome;
    if (files->at[CONF_REPORT_TAP])
        conf_tap_print_point(files->at[CONF_REPORT_TAP], context, results, result, engine, number);
    bool shown = conf_outcome_fails(outcome) || verbose;
    bool said =
        outcome == CONF_BROKEN && engine > 0 && strcmp(verdicts[0].reason, verdicts[engine].reason) == 0;
    if (!shown || said || conf_report_uses_stdout(files)) return;
    conf_progress_clear(context);
    conf_report_case(context->out, "", context, results, result, engine);
}

assay_status conf_reporting_end(const conf_report_files *files, const conf_context *context,
                                const conf_results *results, size_t n_points, assay_error *err)
{
    size_t n;
    bool has_table = !conf_results_skipped_manner(results, &n);
    bool only_tap = conf_report_is_stdout(files, files->at[CONF_REPORT_TAP]);
    assay_status rc = conf_report_files_end(files, results, n_points, err);
    conf_context plain = *context;
    plain.color = context->color && !only_tap;
    if (has_table && (only_tap || !conf_report_uses_stdout(files)))
        conf_report_table(context->out, only_tap ? "# " : "", &plain, results);
    return rc;
}

void conf_reporting_unrun(const conf_context *context, const conf_results *results)
{
    size_t n;
    const char *reason = conf_results_skipped_manner(results, &n);
    if (!reason) {
        conf_cmd_print_error(context, "nothing could be run");
        return;
    }
    char others[64] = "";
    const size_t n_others = results->n * results->n_engines - n;
    if (n_others) (void)snprintf(others, sizeof others, "; %zu more skipped for other reasons", n_others);
    conf_cmd_print_error(context, "nothing could be run: %s (%zu case%s%s)", reason, n, n == 1 ? "" : "s",
                         others);
}
