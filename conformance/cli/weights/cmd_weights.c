/* assay weights: is a quantised checkpoint a sound conversion of the original?
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "conformance/abi/engine.h"
#include "conformance/cli/cmd.h"
#include "conformance/kinds/read.h"
#include "conformance/report/files.h"
#include "conformance/weights/compare.h"
#include "conformance/weights/document.h"
#include "conformance/weights/print.h"
#include "model/loader.h"

/* What the command has found. */
typedef struct found {
    plan *original, *stored;
    conf_weight_comparison weights;
    conf_case *of; /* NULL: no cost is asked for */
    conf_weights_cost cost;
} found;

/* Writes the report; *code: the exit status. */
static assay_status report(const conf_options *o, const conf_context *context, const found *is,
                           conf_exit *code, assay_error *err)
{
    conf_report_files files;
    assay_error late = {0};
    const conf_weights_cost *cost = is->of ? &is->cost : NULL;
    *code = is->weights.n_wrong ? CONF_EXIT_DIVERGES : CONF_EXIT_AGREE;
    assay_status rc = conf_report_files_open(o, context, &files, err);
    if (rc == ASSAY_OK && !conf_report_uses_stdout(&files)) {
        conf_weights_print(context->out, &is->weights, o->verbose);
        if (cost) conf_weights_print_cost(context->out, cost);
    }
    if (rc == ASSAY_OK && files.at[CONF_REPORT_JSON])
        rc = conf_weights_print_json(files.at[CONF_REPORT_JSON], o->arguments[0], o->arguments[1],
                                     &is->weights, cost, err);
    const assay_status closed = conf_report_files_close(&files, &late);
    if (rc == ASSAY_OK && closed != ASSAY_OK) *err = late;
    return rc == ASSAY_OK ? closed : rc;
}

static assay_status find_cost(const conf_options *o, const conf_context *context, found *is, assay_error *err)
{
    char *path = NULL;
    const assay_engine *engine = NULL;
    assay_status rc = conf_case_read_outline(o->replay, &is->of, err);
    if (rc == ASSAY_OK) rc = conf_engine_find(CONF_ENGINE_REFERENCE, &context->engine_dirs, &path, err);
    if (rc == ASSAY_OK) rc = conf_engine_open(path, &engine, err);
    if (rc == ASSAY_OK) {
        is->of->allow_unknown = o->allow_unknown;
        rc = conf_weights_cost_of(is->of, engine, o->arguments[0], o->arguments[1], &is->cost, err);
    }
    free(path);
    return rc;
}

conf_exit conf_cmd_weights(const conf_options *options, const conf_context *context)
{
    found is = {0};
    conf_exit code = CONF_EXIT_ERROR;
    assay_error err = {0};
    if (options->n_arguments != 2) {
        conf_cmd_print_error(context, "weights needs two checkpoints: assay weights ORIGINAL QUANTISED");
        return CONF_EXIT_USAGE;
    }
    assay_status rc = plan_open_allowing(options->arguments[0], options->allow_unknown, &is.original, &err);
    if (rc == ASSAY_OK)
        rc = plan_open_allowing(options->arguments[1], options->allow_unknown, &is.stored, &err);
    if (rc == ASSAY_OK) rc = conf_weights_compare(is.original, is.stored, &is.weights, &err);
    if (rc == ASSAY_OK && options->replay) rc = find_cost(options, context, &is, &err);
    if (rc == ASSAY_OK) rc = report(options, context, &is, &code, &err);
    if (rc != ASSAY_OK) {
        conf_cmd_print_error(context, "%s", err.text);
        code = CONF_EXIT_ERROR;
    }
    conf_case_free(is.of);
    conf_weights_free(&is.weights);
    plan_free(is.original);
    plan_free(is.stored);
    return code;
}
