/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/report/files.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "conformance/report/json.h"
#include "conformance/report/junit.h"
#include "conformance/report/report.h"

static assay_status open_file(const char *path, FILE *out, FILE **file, assay_error *err)
{
    if (!path) return ASSAY_OK;
    *file = strcmp(path, "-") == 0 ? out : fopen(path, "w");
    return *file ? ASSAY_OK : assay_fail(err, ASSAY_EIO, "%s: %s", path, strerror(errno));
}

assay_status conf_report_files_open(const conf_options *options, const conf_context *context,
                                    conf_report_files *out, assay_error *err)
{
    *out = (conf_report_files){.out = context->out};
    assay_status rc = open_file(options->tap, context->out, &out->tap, err);
    if (rc == ASSAY_OK) rc = open_file(options->junit, context->out, &out->junit, err);
    if (rc == ASSAY_OK) rc = open_file(options->json, context->out, &out->json, err);
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

static assay_status close_file(const conf_report_files *files, FILE *file, const char *path, assay_error *err)
{
    if (!file || conf_report_is_stdout(files, file)) return ASSAY_OK;
    bool failed = ferror(file) != 0;
    if (fclose(file) != 0 || failed) return assay_fail(err, ASSAY_EIO, "%s: %s", path, strerror(errno));
    conf_report_remove_empty(path);
    return ASSAY_OK;
}

assay_status conf_report_files_close(conf_report_files *files, const conf_options *options, assay_error *err)
{
    assay_status tap = close_file(files, files->tap, options->tap, err);
    assay_status junit = close_file(files, files->junit, options->junit, err);
    assay_status json = close_file(files, files->json, options->json, err);
    *files = (conf_report_files){0};
    return tap != ASSAY_OK ? tap : junit != ASSAY_OK ? junit : json;
}
