/* assay diff: compares an observation with a golden or with another observation.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "conformance/case/root.h"
#include "conformance/cli/cmd.h"
#include "conformance/cli/value.h"
#include "conformance/diff/diff.h"
#include "conformance/diff/html.h"
#include "conformance/judge/compute.h"
#include "conformance/process/isolate.h"
#include "conformance/report/paged.h"
#include "conformance/report/report.h"
#include "conformance/report/results.h"
#include "conformance/report/warn.h"
#include "conformance/support/text.h"

/* shown: shared by the processes; NULL: no page is requested. */
typedef struct comparison {
    conf_diff_task task;
    conf_diff_shown *shown;
} comparison;

static void run_task(const void *context, conf_verdict *v)
{
    const comparison *c = context;
    conf_strings unknown;
    assay_error err = {0};
    v->stage = CONF_STAGE_READ;
    const assay_status rc = c->shown ? conf_diff_show(&c->task, c->shown, v, &unknown, &err)
                                     : conf_diff(&c->task, v, &unknown, &err);
    if (rc != ASSAY_OK) conf_verdict_set(v, CONF_BROKEN, "%s", err.text);
    conf_verdict_list_unknown(v, unknown.at, unknown.n);
    conf_strings_free(&unknown);
    v->stage = CONF_STAGE_JUDGE;
}

static void print_verdict(const conf_options *options, const conf_context *context, const conf_verdict *v)
{
    const char *golden = options->arguments[0], *observed = options->arguments[1];
    conf_report_verdict(context->out, "", context, v, golden, observed,
                        options->verbose || v->outcome != CONF_PASSED);
    if (v->outcome != CONF_FAILED) return;
    (void)fputs("  REPRO: ", context->out);
    conf_text_print_quoted(context->out, context->program);
    (void)fputs(" diff", context->out);
    conf_compute_print_options(context->out, options->compute);
    for (size_t i = 0; conf_diff_part_names[i]; i++)
        if (options->parts & 1U << i) (void)fprintf(context->out, " --part %s", conf_diff_part_names[i]);
    conf_root_print(context->out);
    (void)fprintf(context->out, "%s ", golden[0] == '-' || observed[0] == '-' ? " --" : "");
    conf_text_print_quoted(context->out, golden);
    (void)fputc(' ', context->out);
    conf_text_print_quoted(context->out, observed);
    (void)fputc('\n', context->out);
}

/* page: NULL: none is requested. */
static conf_exit diff(const conf_options *options, const conf_context *context, FILE *page)
{
    const conf_limits limits = {.seconds = CONF_SECONDS_MAX, .mib = conf_mib_default()};
    const comparison c = {.task = {.golden = options->arguments[0],
                                   .observed = options->arguments[1],
                                   .compute = options->compute,
                                   .parts = options->parts,
                                   .n_workers = options->n_jobs ? options->n_jobs : context->n_processors},
                          .shown = page ? conf_diff_shown_share() : NULL};
    conf_verdict v;
    assay_error err = {0};
    if (page && !c.shown) {
        conf_cmd_print_error(context, "no shared memory");
        return CONF_EXIT_ERROR;
    }
    if (conf_isolate(run_task, &c, &limits, &v, &err) != ASSAY_OK)
        conf_verdict_set(&v, CONF_BROKEN, "%s", err.text);
    (void)conf_report_warn(context, NULL, &v);
    if (v.outcome == CONF_BROKEN) {
        if (v.stage == CONF_STAGE_READ) /* the process ended early */
            conf_cmd_print_error(context, "%s or %s: %s", c.task.golden, c.task.observed, v.reason);
        else conf_cmd_print_error(context, "%s", v.reason);
        conf_diff_shown_unshare(c.shown);
        return CONF_EXIT_ERROR;
    }
    print_verdict(options, context, &v);
    if (page) conf_diff_html(page, &c.task, c.shown, &v);
    conf_diff_shown_unshare(c.shown);
    if (v.outcome == CONF_SKIPPED) return CONF_EXIT_NOTHING;
    return v.outcome == CONF_PASSED ? CONF_EXIT_AGREE : CONF_EXIT_DIVERGES;
}

conf_exit conf_cmd_diff(const conf_options *options, const conf_context *context)
{
    if (options->n_arguments != 2) {
        conf_cmd_print_error(context, "diff needs two files, found %zu: see assay diff --help",
                             options->n_arguments);
        return CONF_EXIT_USAGE;
    }
    conf_paged paged;
    char title[512];
    assay_error err = {0};
    conf_exit code = CONF_EXIT_ERROR;
    const assay_status rc = conf_paged_begin(options, context, &paged, &err);
    if (rc == ASSAY_OK) code = diff(options, &paged.context, paged.sections);
    (void)snprintf(title, sizeof title, "Assay: the outputs in %.400s", options->arguments[1]);
    if (conf_paged_end(&paged, title, rc == ASSAY_OK ? &err : NULL) == ASSAY_OK && rc == ASSAY_OK)
        return code;
    conf_cmd_print_error(context, "%s", err.text);
    return CONF_EXIT_ERROR;
}
