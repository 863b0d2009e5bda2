/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/report/files.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conformance/report/json.h"
#include "conformance/report/junit.h"
#include "conformance/report/report.h"

static assay_status open_file(const char *path, conf_report_files *files, conf_output *output, FILE **file,
                              assay_error *err)
{
    if (!path) return ASSAY_OK;
    const bool is_out = strcmp(path, "-") == 0;
    const assay_status rc = is_out ? ASSAY_OK : conf_output_open(path, output, err);
    *file = is_out ? files->out : output->file;
    return rc;
}

assay_status conf_report_files_open(const conf_options *options, const conf_context *context,
                                    conf_report_files *out, assay_error *err)
{
    *out = (conf_report_files){.out = context->out};
    assay_status rc = open_file(options->tap, out, &out->outputs[0], &out->tap, err);
    if (rc == ASSAY_OK) rc = open_file(options->junit, out, &out->outputs[1], &out->junit, err);
    if (rc == ASSAY_OK) rc = open_file(options->json, out, &out->outputs[2], &out->json, err);
    return rc;
}

bool conf_report_is_stdout(const conf_report_files *files, const FILE *file)
{
    return file && file == files->out;
}

bool conf_report_uses_stdout(const conf_report_files *files)
{
    return conf_report_is_stdout(files, files->tap) || conf_report_is_stdout(files, files->junit) ||
           conf_report_is_stdout(files, files->json);
}

assay_status conf_report_files_end(const conf_report_files *files, const conf_results *results,
                                   size_t n_points, assay_error *err)
{
    if (files->tap) conf_tap_print_plan(files->tap, n_points);
    if (files->junit) conf_junit_print(files->junit, results);
    return files->json ? conf_json_print(files->json, results, err) : ASSAY_OK;
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
