/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/report/files.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conformance/problems/formats.h"
#include "conformance/report/html.h"
#include "conformance/report/json.h"
#include "conformance/report/junit.h"
#include "conformance/report/problems.h"
#include "conformance/report/report.h"

assay_status conf_report_files_open(const conf_options *options, const conf_context *context,
                                    conf_report_files *out, assay_error *err)
{
    *out = (conf_report_files){.out = context->out};
    for (size_t i = 0; i < CONF_N_REPORTS; i++) {
        const char *path = options->reports[i];
        if (!path) continue;
        const bool is_out = strcmp(path, "-") == 0;
        const assay_status rc = is_out ? ASSAY_OK : conf_output_open(path, &out->outputs[i], err);
        if (rc != ASSAY_OK) return rc;
        out->at[i] = is_out ? out->out : out->outputs[i].file;
    }
    return ASSAY_OK;
}

bool conf_report_is_stdout(const conf_report_files *files, const FILE *file)
{
    return file && file == files->out;
}

bool conf_report_uses_stdout(const conf_report_files *files)
{
    for (size_t i = 0; i < CONF_N_REPORTS; i++)
        if (conf_report_is_stdout(files, files->at[i])) return true;
    return false;
}

FILE *conf_report_remarks(const conf_report_files *files, const conf_context *context, const char **prefix)
{
    const bool is_tap = conf_report_is_stdout(files, files->at[CONF_REPORT_TAP]);
    *prefix = is_tap ? "# " : "";
    return conf_report_uses_stdout(files) && !is_tap ? context->err : context->out;
}

typedef assay_status (*problems_function)(FILE *out, const conf_problems *list, assay_error *err);

static const problems_function formats[CONF_N_REPORTS] = {
    [CONF_REPORT_ANNOTATIONS] = conf_problems_annotate,
    [CONF_REPORT_SUMMARY] = conf_problems_summarize,
    [CONF_REPORT_SARIF] = conf_problems_sarif,
};

bool conf_report_wants_problems(const conf_report_files *files)
{
    for (size_t i = 0; i < CONF_N_REPORTS; i++)
        if (files->at[i] && formats[i]) return true;
    return false;
}

assay_status conf_report_problems(const conf_report_files *files, const conf_problems *list, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; rc == ASSAY_OK && i < CONF_N_REPORTS; i++)
        if (files->at[i] && formats[i]) rc = formats[i](files->at[i], list, err);
    return rc;
}

static assay_status end_problems(const conf_report_files *files, const conf_results *results,
                                 assay_error *err)
{
    conf_problems list;
    if (!conf_report_wants_problems(files)) return ASSAY_OK;
    assay_status rc = conf_results_problems(results, &list, err);
    if (rc == ASSAY_OK) rc = conf_report_problems(files, &list, err);
    conf_problems_free(&list);
    return rc;
}

/* The other reports that are written at the end; the points of TAP are written during the run. */
typedef assay_status (*print_function)(FILE *out, const conf_results *results, assay_error *err);

static const print_function printers[CONF_N_REPORTS] = {
    [CONF_REPORT_JUNIT] = conf_junit_print,
    [CONF_REPORT_JSON] = conf_json_print,
    [CONF_REPORT_HTML] = conf_html_print,
};

assay_status conf_report_files_end(const conf_report_files *files, const conf_results *results,
                                   size_t n_points, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    if (files->at[CONF_REPORT_TAP]) conf_tap_print_plan(files->at[CONF_REPORT_TAP], n_points);
    for (size_t i = 0; rc == ASSAY_OK && i < CONF_N_REPORTS; i++)
        if (files->at[i] && printers[i]) rc = printers[i](files->at[i], results, err);
    return rc == ASSAY_OK ? end_problems(files, results, err) : rc;
}

void conf_report_remove_empty(const char *path)
{
    struct stat s;
    if (strcmp(path, "-") != 0 && lstat(path, &s) == 0 && S_ISREG(s.st_mode) && s.st_size == 0)
        (void)unlink(path);
}

assay_status conf_report_files_close(conf_report_files *files, assay_error *err)
{
    assay_status first = ASSAY_OK;
    for (size_t i = 0; i < CONF_N_REPORTS; i++) {
        const assay_status rc = conf_output_close(&files->outputs[i], err);
        if (first == ASSAY_OK) first = rc;
    }
    *files = (conf_report_files){0};
    return first;
}
