/* assay diff: an observation against a golden, or against another one.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "conformance/cmd.h"
#include "conformance/diff.h"
#include "conformance/report_parts.h"
#include "conformance/text.h"

static void warn_unknown(FILE *err, const conf_strings *unknown)
{
    for (size_t i = 0; i < unknown->n; i++) {
        char name[512];
        (void)snprintf(name, sizeof name, "%s", unknown->at[i]);
        conf_text_clean(name);
        (void)fprintf(err, "assay: warning: %s is unknown to this version, and ignored\n", name);
    }
}

static void print_verdict(const conf_options *options, const conf_context *context, const conf_verdict *v)
{
    const char *golden = options->arguments[0], *observed = options->arguments[1];
    char id[256];
    (void)snprintf(id, sizeof id, "%s", golden);
    conf_text_clean(id);
    conf_report_verdict(context->out, "", context, v, id, observed,
                        options->verbose || v->outcome != CONF_PASSED);
    if (v->outcome == CONF_PASSED) return;
    (void)fprintf(context->out, "  REPRO: assay diff%s ",
                  golden[0] == '-' || observed[0] == '-' ? " --" : "");
    conf_text_print_quoted(context->out, golden);
    (void)fputc(' ', context->out);
    conf_text_print_quoted(context->out, observed);
    (void)fputc('\n', context->out);
}

conf_exit conf_cmd_diff(const conf_options *options, const conf_context *context)
{
    if (options->n_arguments != 2) {
        (void)fprintf(context->err, "assay: diff needs two files, found %zu: see assay diff --help\n",
                      options->n_arguments);
        return CONF_EXIT_USAGE;
    }
    conf_verdict v = {0};
    conf_strings unknown;
    assay_error err = {0};
    size_t n_workers = options->n_jobs ? options->n_jobs : context->n_processors;
    assay_status rc = conf_diff(options->arguments[0], options->arguments[1], n_workers, &v, &unknown, &err);
    warn_unknown(context->err, &unknown);
    conf_strings_free(&unknown);
    if (rc != ASSAY_OK) {
        conf_text_clean(err.text);
        (void)fprintf(context->err, "assay: %s\n", err.text);
        return CONF_EXIT_ERROR;
    }
    print_verdict(options, context, &v);
    return v.outcome == CONF_PASSED ? CONF_EXIT_AGREE : CONF_EXIT_DIVERGES;
}
