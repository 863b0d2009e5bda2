/* assay bench: how fast engines are.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/bench.h"
#include "conformance/cmd.h"
#include "conformance/report_files.h"

static conf_exit usage(const conf_context *context, const char *what)
{
    (void)fprintf(context->err, "assay: bench %s: see assay bench --help\n", what);
    return CONF_EXIT_USAGE;
}

/* ASSAY_EUNSUPPORTED: the options ask an engine for what it does not offer. */
static conf_exit fail(const conf_context *context, assay_status rc, const assay_error *err)
{
    (void)fprintf(context->err, "assay: %s\n", err->text);
    return rc == ASSAY_EUNSUPPORTED ? CONF_EXIT_USAGE : CONF_EXIT_ERROR;
}

conf_exit conf_cmd_bench(const conf_options *options, const conf_context *context)
{
    conf_bench bench = {0};
    conf_report_files files;
    assay_error err = {0};
    if (!options->model) return usage(context, "needs --model DIR");
    if (options->n_arguments) return usage(context, "takes no argument");
    assay_status rc = conf_report_files_open(options, context, &files, &err);
    if (rc == ASSAY_OK) rc = conf_bench_run(options, context, &bench, &err);
    if (rc == ASSAY_OK && !conf_report_owns_out(&files)) conf_bench_print(&bench, context);
    if (rc == ASSAY_OK && files.json) rc = conf_bench_print_json(&bench, files.json, &err);
    conf_exit code = rc == ASSAY_OK ? conf_bench_exit(&bench) : fail(context, rc, &err);
    conf_bench_free(&bench);
    rc = conf_report_files_close(&files, options, &err);
    return rc == ASSAY_OK ? code : fail(context, rc, &err);
}
