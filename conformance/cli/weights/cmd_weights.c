/* assay weights: is a quantised checkpoint a sound conversion of the original?
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/cli/cmd.h"
#include "conformance/report/files.h"
#include "conformance/weights/compare.h"
#include "conformance/weights/document.h"
#include "conformance/weights/print.h"
#include "model/loader.h"

/* Writes the report; *code: the exit status. */
static assay_status report(const conf_options *o, const conf_context *context,
                           const conf_weight_comparison *c, conf_exit *code, assay_error *err)
{
    conf_report_files files;
    assay_error late = {0};
    *code = c->n_wrong ? CONF_EXIT_DIVERGES : CONF_EXIT_AGREE;
    assay_status rc = conf_report_files_open(o, context, &files, err);
    if (rc == ASSAY_OK && !conf_report_uses_stdout(&files)) conf_weights_print(context->out, c, o->verbose);
    if (rc == ASSAY_OK && files.at[CONF_REPORT_JSON])
        rc = conf_weights_print_json(files.at[CONF_REPORT_JSON], o->arguments[0], o->arguments[1], c, err);
    const assay_status closed = conf_report_files_close(&files, &late);
    if (rc == ASSAY_OK && closed != ASSAY_OK) *err = late;
    return rc == ASSAY_OK ? closed : rc;
}

conf_exit conf_cmd_weights(const conf_options *options, const conf_context *context)
{
    plan *original = NULL, *stored = NULL;
    conf_weight_comparison c = {0};
    conf_exit code = CONF_EXIT_ERROR;
    assay_error err = {0};
    if (options->n_arguments != 2) {
        conf_cmd_print_error(context, "weights needs two checkpoints: assay weights ORIGINAL QUANTISED");
        return CONF_EXIT_USAGE;
    }
    assay_status rc = plan_open_allowing(options->arguments[0], options->allow_unknown, &original, &err);
    if (rc == ASSAY_OK) rc = plan_open_allowing(options->arguments[1], options->allow_unknown, &stored, &err);
    if (rc == ASSAY_OK) rc = conf_weights_compare(original, stored, &c, &err);
    if (rc == ASSAY_OK) rc = report(options, context, &c, &code, &err);
    if (rc != ASSAY_OK) {
        conf_cmd_print_error(context, "%s", err.text);
        code = CONF_EXIT_ERROR;
    }
    conf_weights_free(&c);
    plan_free(original);
    plan_free(stored);
    return code;
}
