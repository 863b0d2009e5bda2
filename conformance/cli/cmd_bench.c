/* assay bench: the speed of engines.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/bench/bench.h"
#include "conformance/bench/json.h"
#include "conformance/bench/print.h"
#include "conformance/bench/serving.h"
#include "conformance/bench/serving_json.h"
#include "conformance/bench/serving_print.h"
#include "conformance/cli/cmd.h"
#include "conformance/report/files.h"

static conf_exit usage_error(const conf_context *context, const char *what)
{
    conf_cmd_print_error(context, "bench %s: see assay bench --help", what);
    return CONF_EXIT_USAGE;
}

/* ASSAY_EUNSUPPORTED: an option requests a feature that an engine does not have. */
static conf_exit report_error(const conf_context *context, assay_status rc, const assay_error *err)
{
    conf_cmd_print_error(context, "%s", err->text);
    return rc == ASSAY_EUNSUPPORTED ? CONF_EXIT_USAGE : CONF_EXIT_ERROR;
}

static conf_exit bench_models(const conf_options *options, const conf_context *context,
                              const conf_report_files *files)
{
    conf_bench bench = {0};
    assay_error err = {0};
    assay_status rc = conf_bench_run(options, context, &bench, &err);
    if (rc == ASSAY_OK && !conf_report_uses_stdout(files)) conf_bench_print(&bench, context);
    if (rc == ASSAY_OK && files->at[CONF_REPORT_JSON])
        rc = conf_bench_print_json(&bench, files->at[CONF_REPORT_JSON], &err);
    conf_exit code = rc == ASSAY_OK ? conf_bench_exit(&bench) : report_error(context, rc, &err);
    conf_bench_free(&bench);
    return code;
}

static conf_exit bench_serving(const conf_options *options, const conf_context *context,
                               const conf_report_files *files)
{
    conf_bench_serving bench = {0};
    assay_error err = {0};
    assay_status rc = conf_bench_serving_run(options, context, &bench, &err);
    if (rc == ASSAY_OK && !conf_report_uses_stdout(files)) conf_bench_serving_print(&bench, context);
    if (rc == ASSAY_OK && files->at[CONF_REPORT_JSON])
        rc = conf_bench_serving_print_json(&bench, files->at[CONF_REPORT_JSON], &err);
    conf_exit code = rc == ASSAY_OK ? conf_bench_serving_exit(&bench) : report_error(context, rc, &err);
    conf_bench_serving_free(&bench);
    return code;
}

/* The name of a given option that applies to checkpoints only, or NULL. */
static const char *checkpoint_option(const conf_options *o)
{
    if (o->model) return "--model";
    if (o->compute) return "--compute";
    if (o->kernels) return "--kernels";
    if (o->prompts.n || o->n_pictures) return "--prompt";
    if (o->contexts.n) return "--context";
    if (o->batches.n) return "--batch";
    return o->n_tokens ? "--tokens" : NULL;
}

conf_exit conf_cmd_bench(const conf_options *options, const conf_context *context)
{
    conf_report_files files;
    assay_error err = {0};
    const char *wrong = checkpoint_option(options);
    if (options->serving && wrong) {
        conf_cmd_print_error(
            context, "option %s: cannot be combined with --serving, which measures no checkpoint", wrong);
        return CONF_EXIT_USAGE;
    }
    if (!options->serving && (options->reasoning || options->tools))
        return usage_error(context, "takes --reasoning-parser and --tool-parser only with --serving");
    if (!options->serving && !options->model) return usage_error(context, "needs --model DIR or --serving");
    if (options->n_arguments) return usage_error(context, "takes no argument");
    assay_status rc = conf_report_files_open(options, context, &files, &err);
    conf_exit code = rc != ASSAY_OK     ? report_error(context, rc, &err)
                     : options->serving ? bench_serving(options, context, &files)
                                        : bench_models(options, context, &files);
    rc = conf_report_files_close(&files, &err);
    return rc == ASSAY_OK ? code : report_error(context, rc, &err);
}
