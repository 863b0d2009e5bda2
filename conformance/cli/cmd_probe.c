/* assay probe: judges a live server.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/cli/cmd.h"
#include "conformance/probe/fields/list.h"
#include "conformance/probe/print.h"
#include "conformance/probe/probe.h"
#include "conformance/probe/reduce.h"
#include "conformance/probe/wire/store.h"
#include "conformance/report/checks.h"
#include "conformance/report/files.h"
#include "conformance/support/progress.h"

#define BUNDLE "bundle/qwen3" /* below the bundled cases: the truth without --truth */

enum { EXCERPTS_MAX = 256 << 10 }; /* bytes of exchanges on a page */

static void show_progress(void *context, size_t done, size_t total, const char *group)
{
    conf_progress_show(context, done, total, group);
}

/* The claimed type. */
static assay_status read_claim(const char *claim, probe_type *out, assay_error *err)
{
    char names[128] = "";
    size_t n = 0;
    *out = PROBE_F32;
    if (!claim) return ASSAY_OK;
    for (probe_type t = 0; t < PROBE_TYPES; t++) {
        if (strcmp(claim, probe_type_claim(t)) == 0) {
            *out = t;
            return ASSAY_OK;
        }
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", t ? ", " : "", probe_type_claim(t));
    }
    return assay_fail(err, ASSAY_EINVAL, "option --compute: found %s, expected one of %s", claim, names);
}

/* Checks what the options say, and fills *out. bundle: the path of the default truth. */
static assay_status read_options(const conf_options *o, const conf_context *context,
                                 const char *const *bundle, probe_options *out, assay_error *err)
{
    char names[128];
    if (o->n_arguments != 1)
        return assay_fail(err, ASSAY_EINVAL, "found %zu servers, expected a URL, or a run that --save wrote",
                          o->n_arguments);
    for (size_t i = 0; i < o->n_only; i++) {
        if (probe_group_is(o->only[i])) continue;
        probe_group_names(names, sizeof names);
        return assay_fail(err, ASSAY_EINVAL, "option --only: found %s, expected one of %s", o->only[i],
                          names);
    }
    *out = (probe_options){.target = o->arguments[0],
                           .model = o->model,
                           .key_env = o->key_variable,
                           .save = o->save,
                           .truth = o->n_truth ? o->truth : bundle,
                           .n_truth = o->n_truth ? o->n_truth : 1,
                           .only = o->only,
                           .n_only = o->n_only,
                           .seconds = o->limits.seconds,
                           .quick = o->quick};
    if (o->reduce_seconds > 0 && probe_store_is(o->arguments[0]))
        return assay_fail(err, ASSAY_EINVAL, "option --reduce: found the saved run %s, expected a server",
                          o->arguments[0]);
    const assay_status rc = read_claim(o->claim, &out->type, err);
    if (rc != ASSAY_OK || !o->key_variable) return rc;
    out->key = context->variable ? context->variable(o->key_variable) : NULL;
    if (out->key && *out->key) return ASSAY_OK;
    return assay_fail(err, ASSAY_EINVAL, "option --api-key-env: the variable %s is not set", o->key_variable);
}

/* The findings that count, as problems. */
static assay_status print_problems(const conf_report_files *files, const probe_run *run, assay_error *err)
{
    const probe_findings *f = &run->findings;
    conf_problems list = {.command = "probe", .n_passed = probe_findings_count(f, PROBE_OK)};
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; rc == ASSAY_OK && i < f->n; i++) {
        const probe_finding *one = &f->at[i];
        list.n_skipped += one->verdict == PROBE_NOT_EXERCISED || one->verdict == PROBE_NOT_OFFERED;
        if (probe_finding_counts(one))
            rc = conf_problems_add(
                &list, &(conf_problem){one->check, one->check, NULL, one->text, one->repro, NULL}, err);
    }
    if (rc == ASSAY_OK) rc = conf_report_problems(files, &list, err);
    conf_problems_free(&list);
    return rc;
}

/* The row of a page, with its exchange if that fits into *n_left bytes, of which it is then taken. A habit
 * passes.
 */
static assay_status add_check(conf_checks *list, const probe_finding *one, size_t *n_left, assay_error *err)
{
    const bool is_skipped = one->verdict == PROBE_NOT_EXERCISED || one->verdict == PROBE_NOT_OFFERED;
    const bool is_ok = one->verdict == PROBE_OK;
    const size_t n = one->excerpt ? strlen(one->excerpt) : 0;
    char group[64], summary[PROBE_CHECK_MAX + 32];
    (void)snprintf(group, sizeof group, "%s%s%s", probe_verdict_name(one->verdict), is_ok ? "" : ", ",
                   is_ok ? "" : probe_grade_name(one->grade));
    (void)snprintf(summary, sizeof summary, "Exchange %s", one->exchange);
    const assay_status rc = conf_checks_add(list, one->check, group,
                                            probe_finding_counts(one) ? CONF_FAILED
                                            : is_skipped              ? CONF_SKIPPED
                                                                      : CONF_PASSED,
                                            (double)NAN, one->text, one->repro, err);
    if (rc != ASSAY_OK || !one->excerpt) return rc;
    if (n > *n_left)
        return conf_checks_fold(list, summary,
                                "Left out, so that the page stays small: the command shows it.", err);
    *n_left -= n;
    return conf_checks_fold(list, summary, one->excerpt, err);
}

/* The rows as a page. */
static assay_status print_page(FILE *out, const probe_run *run, const char *target, assay_error *err)
{
    conf_checks list = {0};
    assay_status rc = ASSAY_OK;
    size_t n_left = EXCERPTS_MAX;
    for (size_t i = 0; rc == ASSAY_OK && i < run->findings.n; i++)
        rc = add_check(&list, &run->findings.at[i], &n_left, err);
    if (rc == ASSAY_OK)
        conf_checks_print_html(out, &list, "Assay: what a server answers", "verdict, grade", target, NULL);
    conf_checks_free(&list);
    return rc;
}

static assay_status print_reports(const conf_options *o, const conf_context *context,
                                  const conf_report_files *files, const probe_run *run, assay_error *err)
{
    const char *saved = o->save ? o->save : probe_wire_is_saved(run->wire) ? o->arguments[0] : NULL;
    conf_progress_clear(context);
    if (!conf_report_uses_stdout(files)) probe_print(context, run, o->verbose, saved);
    if (files->at[CONF_REPORT_JUNIT]) probe_print_junit(files->at[CONF_REPORT_JUNIT], run);
    if (conf_report_wants_problems(files) && print_problems(files, run, err) != ASSAY_OK) return ASSAY_ENOMEM;
    if (files->at[CONF_REPORT_HTML] &&
        print_page(files->at[CONF_REPORT_HTML], run, o->arguments[0], err) != ASSAY_OK)
        return ASSAY_ENOMEM;
    return files->at[CONF_REPORT_JSON] ? probe_print_json(files->at[CONF_REPORT_JSON], run, err) : ASSAY_OK;
}

/* Looks for the fewest requests. The report is complete without them. */
static void reduce(const conf_options *o, const conf_context *context, const probe_options *options,
                   probe_run *run)
{
    assay_error err = {0};
    conf_context progress = *context;
    if (o->reduce_seconds <= 0 ||
        probe_reduce(options, run, o->reduce_seconds, show_progress, &progress, &err) == ASSAY_OK)
        return;
    conf_progress_clear(context);
    conf_cmd_print_error(context, "option --reduce: %s", err.text);
}

static conf_exit probe(const conf_options *o, const conf_context *context, const probe_options *options,
                       assay_error *err)
{
    probe_truth truth;
    probe_run run;
    conf_report_files files;
    assay_error closing;
    conf_context progress = *context;
    conf_exit code = CONF_EXIT_ERROR;
    assay_status rc = conf_report_files_open(o, context, &files, err);
    if (rc == ASSAY_OK) {
        rc = probe_run_all(options, &truth, &run, show_progress, &progress, err);
        if (rc == ASSAY_OK) reduce(o, context, options, &run);
        if (rc == ASSAY_OK) code = probe_exit(&run);
        else if (rc == ASSAY_EINVAL) code = CONF_EXIT_USAGE;
        else if (run.server.unusable) code = CONF_EXIT_NOTHING;
        if (rc == ASSAY_OK) rc = print_reports(o, context, &files, &run, err);
        if (rc != ASSAY_OK && code <= CONF_EXIT_DIVERGES) code = CONF_EXIT_ERROR;
        conf_progress_clear(context);
        probe_run_free(&run);
        probe_truth_free(&truth);
    }
    if (conf_report_files_close(&files, rc == ASSAY_OK ? err : &closing) != ASSAY_OK) {
        if (rc == ASSAY_OK) conf_cmd_print_error(context, "%s", err->text);
        code = CONF_EXIT_ERROR;
    }
    if (rc != ASSAY_OK) conf_cmd_print_error(context, "%s", err->text);
    return code;
}

conf_exit conf_cmd_probe(const conf_options *options, const conf_context *context)
{
    probe_options o;
    assay_error err = {0};
    char *bundle = NULL;
    conf_exit code = CONF_EXIT_USAGE;
    if (options->explain) {
        probe_fields_print(context->out);
        return CONF_EXIT_AGREE;
    }
    if (asprintf(&bundle, "%s/%s", context->fixtures, BUNDLE) < 0) {
        conf_cmd_print_error(context, "out of memory");
        return CONF_EXIT_ERROR;
    }
    const char *const truth[] = {bundle};
    if (read_options(options, context, truth, &o, &err) != ASSAY_OK)
        conf_cmd_print_error(context, "%s", err.text);
    else code = probe(options, context, &o, &err);
    free(bundle);
    return code;
}
