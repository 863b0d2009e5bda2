/* assay run: replays every case through every engine.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "conformance/abi/engine.h"
#include "conformance/abi/kernels.h"
#include "conformance/abi/module.h"
#include "conformance/bundle/failures.h"
#include "conformance/cli/cmd.h"
#include "conformance/cli/explain.h"
#include "conformance/cli/reporting.h"
#include "conformance/compare/baseline.h"
#include "conformance/evaluate/evaluate.h"
#include "conformance/exec/engine.h"
#include "conformance/expected/read.h"
#include "conformance/judge/compute.h"
#include "conformance/process/interrupt.h"
#include "conformance/process/jobs.h"
#include "conformance/replay/dump.h"
#include "conformance/report/files.h"
#include "conformance/report/machines.h"
#include "conformance/report/profiles.h"
#include "conformance/report/warn.h"
#include "conformance/support/progress.h"
#include "conformance/support/text.h"

/* A run in progress. */
typedef struct run_state {
    const conf_options *options;
    const conf_context *context;
    conf_report_files files;
    conf_jobs *jobs;
    char *reference; /* path of the reference engine; NULL: it was not found */
    conf_results results;
    conf_baseline baseline;
    conf_expected expected;
    size_t n_cases;   /* cases, without those that were passed over */
    size_t n_started; /* verdicts that are pending or done, in the order of the reports */
    size_t n_points;  /* verdicts that are reported */
    bool shown;       /* the progress bar shows verdict n_points */
} run_state;

static void run_task(const void *context, conf_verdict *v)
{
    conf_evaluate(context, v);
}

/* An engine that cannot be loaded is an error, not a divergence. */
static assay_status open_column(const run_state *run, const char *name, conf_engine_column *column,
                                assay_error *err)
{
    assay_status rc = conf_engine_column_find(name, &run->context->engine_dirs, column, err);
    if (rc != ASSAY_OK) return rc;
    conf_verdict v;
    const conf_assignment load = {
        .engine = column->path, .kernels = run->results.kernels_path, .compute = run->options->compute};
    rc = conf_jobs_run(run->jobs, run_task, &load, load.engine, &v, err);
    return rc == ASSAY_OK ? conf_engine_column_load(&v, column, err) : rc;
}

static assay_status open_engines(run_state *run, assay_error *err)
{
    const char *library = run->options->kernels;
    const char *const *usual = conf_engine_default(library, run->options->compute);
    const char *const *names = run->options->n_engines ? run->options->engines : usual;
    size_t n = run->options->n_engines;
    while (!run->options->n_engines && names[n]) n++;
    run->results.engines = calloc(n, sizeof *run->results.engines);
    if (!run->results.engines) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    run->results.n_engines = n;
    run->results.kernels = library;
    assay_status rc =
        library ? conf_engine_find(library, &run->context->engine_dirs, &run->results.kernels_path, err)
                : ASSAY_OK;
    if (rc == ASSAY_OK && library)
        rc = conf_digest_file(run->results.kernels_path, run->results.kernels_module, err);
    const bool bundled = conf_engine_are_bundled(names, n);
    for (size_t e = 0; e < n && rc == ASSAY_OK; e++) {
        rc = open_column(run, names[e], &run->results.engines[e], err);
        if (rc == ASSAY_OK && bundled) conf_module_load_early(run->results.engines[e].path);
    }
    return rc;
}

static assay_status add_result(run_state *run, const conf_found *found, assay_error *err)
{
    conf_results *all = &run->results;
    conf_result *grown = grow_by_one(all->at, all->n, sizeof *grown);
    if (grown) all->at = grown;
    conf_result r = {.id = grown ? strdup(found->id) : NULL,
                     .path = grown ? strdup(found->path) : NULL,
                     .scanned = found->scanned,
                     .position = found->position,
                     .verdicts = grown ? calloc(all->n_engines, sizeof *r.verdicts) : NULL};
    if (!r.id || !r.path || !r.verdicts) {
        free(r.id);
        free(r.path);
        free(r.verdicts);
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", found->path);
    }
    (void)conf_digest_file(r.path, r.digest, NULL); /* reading the case reports what is wrong */
    all->at[all->n++] = r;
    return ASSAY_OK;
}

/* Reports one case with one engine. */
static void report_result(run_state *run, size_t result, size_t engine)
{
    const conf_results *all = &run->results;
    const conf_result *r = &all->at[result];
    if (run->options->dump && r->verdicts[engine].outcome != CONF_PASSED)
        conf_dump_discard(run->options->dump, all->engines[engine].path, r->id);
    conf_expected_apply(&run->expected, r->id, r->digest, &all->engines[engine], &r->verdicts[engine]);
    run->n_points++;
    conf_reporting_point(&run->files, run->context, all, result, engine, run->n_points,
                         run->options->verbose);
}

static void warn_unknown(run_state *run, const conf_result *r)
{
    if (r->verdicts[0].unknown[0]) conf_progress_clear(run->context);
    run->results.n_warnings += conf_report_warn(run->context, r->path, &r->verdicts[0]);
}

/* Observations and schedules found in a directory are not run. */
static bool is_passed_over(const conf_result *r)
{
    return r->scanned && r->verdicts[0].auxiliary;
}

/* Removes result `at`, whose processes have all ended, and notes its place: passed_over has room for
 * each case. */
static void remove_result(run_state *run, size_t at)
{
    conf_results *all = &run->results;
    all->passed_over[all->n_passed_over++] = (conf_passed_over){all->at[at].position, all->at[at].id};
    all->at[at].id = NULL;
    conf_result_free(&all->at[at], all->n_engines);
    memmove(&all->at[at], &all->at[at + 1], (all->n - at - 1) * sizeof *all->at);
    all->n--;
    run->n_cases--;
    run->n_started -= all->n_engines;
}

static bool is_running(const run_state *run, const conf_result *r)
{
    for (size_t e = 0; e < run->results.n_engines; e++)
        if (conf_jobs_is_running(run->jobs, &r->verdicts[e])) return true;
    return false;
}

/* Reports the results that are done, in the order of the cases, up to the first that is pending, which
 * the progress bar shows. */
static void report_ready(run_state *run)
{
    const conf_results *all = &run->results;
    while (run->n_points < run->n_started) {
        size_t result = run->n_points / all->n_engines, engine = run->n_points % all->n_engines;
        const conf_result *r = &all->at[result];
        char what[256];
        (void)snprintf(what, sizeof what, "%.200s %.48s", r->id, all->engines[engine].label);
        if (!run->shown) conf_progress_show(run->context, result, run->n_cases, what);
        run->shown = true;
        if (conf_jobs_is_running(run->jobs, &r->verdicts[engine])) return;
        bool passed_over = engine == 0 && is_passed_over(r);
        if (passed_over && is_running(run, r)) return;
        run->shown = false;
        if (passed_over) {
            remove_result(run, result);
        } else {
            if (engine == 0) warn_unknown(run, r);
            report_result(run, result, engine);
        }
    }
}

static assay_status start_engine(run_state *run, const conf_found *found, size_t engine, assay_error *err)
{
    const conf_results *all = &run->results;
    const char *dir = run->options->dump, *path = all->engines[engine].path;
    char *dump = dir ? conf_dump_path(dir, path, found->id) : NULL;
    if (dir && !dump) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", found->path);
    conf_assignment assignment = conf_results_assignment(all, engine, found->path, run->reference);
    assignment.dump = dump;
    assay_status rc = conf_jobs_start(run->jobs, run_task, &assignment, assignment.engine,
                                      &all->at[all->n - 1].verdicts[engine], err);
    free(dump);
    return rc;
}

/* Starts a case with every engine. */
static assay_status run_case(run_state *run, const conf_found *found, assay_error *err)
{
    assay_status rc = add_result(run, found, err);
    for (size_t e = 0; e < run->results.n_engines && rc == ASSAY_OK; e++)
        rc = start_engine(run, found, e, err);
    if (rc != ASSAY_OK) return rc;
    run->n_started += run->results.n_engines;
    report_ready(run);
    return ASSAY_OK;
}

/* Checks that no two observations would be written to the same file. */
static assay_status check_dump(const run_state *run, const conf_found_list *found, assay_error *err)
{
    const conf_results *all = &run->results;
    for (size_t i = 0; run->options->dump && i < found->n; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(found->at[i].id, found->at[k].id) == 0)
                return assay_fail(err, ASSAY_EINVAL,
                                  "option --dump: %s and %s have the same id, and would be one file",
                                  found->at[k].path, found->at[i].path);
    for (size_t e = 0; run->options->dump && e < all->n_engines; e++)
        for (size_t k = 0; k < e; k++)
            if (strcmp(all->engines[e].label, all->engines[k].label) == 0)
                return assay_fail(err, ASSAY_EINVAL,
                                  "option --dump: %s and %s have the same name, and would be one directory",
                                  all->engines[k].name, all->engines[e].name);
    return ASSAY_OK;
}

static assay_status run_all(run_state *run, const conf_found_list *found, assay_error *err)
{
    run->n_cases = found->n;
    run->results.passed_over = calloc(found->n + 1, sizeof *run->results.passed_over);
    if (!run->results.passed_over) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    conf_expected_join(&run->expected, found->at, found->n);
    assay_status rc = conf_jobs_open(run->results.n_jobs, &run->options->limits, &run->jobs, err);
    if (rc == ASSAY_OK) rc = open_engines(run, err);
    if (rc == ASSAY_OK) rc = check_dump(run, found, err);
    if (rc == ASSAY_OK) rc = conf_baseline_check(&run->baseline, &run->results, err);
    if (rc == ASSAY_OK) rc = conf_report_files_open(run->options, run->context, &run->files, err);
    for (size_t i = 0; i < found->n && rc == ASSAY_OK && !conf_interrupted(); i++)
        rc = run_case(run, &found->at[i], err);
    while (rc == ASSAY_OK && conf_jobs_wait(run->jobs)) report_ready(run);
    if (rc == ASSAY_OK && (run->files.at[CONF_REPORT_HTML] || run->options->profiles))
        rc = conf_profiles_collect(&run->results, run->jobs, run->reference, run->context, err);
    conf_jobs_free(run->jobs);
    conf_progress_clear(run->context);
    return rc;
}

/* Writes empty reports if there is no case, so that reports of an earlier run are not mistaken for
 * this one's. */
static assay_status report_nothing(run_state *run, assay_error *err)
{
    assay_status rc = conf_report_files_open(run->options, run->context, &run->files, err);
    conf_machines_stamp(&run->results);
    return rc == ASSAY_OK ? conf_report_files_end(&run->files, &run->results, 0, err) : rc;
}

/* ASSAY_EUNSUPPORTED: an option requests a feature that an engine does not have. */
static conf_exit finish_reports(run_state *run, assay_status rc, conf_exit code, assay_error *err)
{
    assay_error late = {0};
    if (rc != ASSAY_OK) {
        conf_cmd_print_error(run->context, "%s", err->text);
        code = rc == ASSAY_EUNSUPPORTED ? CONF_EXIT_USAGE : CONF_EXIT_ERROR;
    }
    if (conf_report_files_close(&run->files, &late) != ASSAY_OK) {
        conf_cmd_print_error(run->context, "%s", late.text);
        code = CONF_EXIT_ERROR;
    }
    conf_results_free(&run->results);
    conf_baseline_free(&run->baseline);
    conf_expected_free(&run->expected);
    free(run->reference);
    return code;
}

/* Compares the run with its baseline. */
static assay_status report_baseline(run_state *run, conf_exit code, assay_error *err)
{
    const char *prefix;
    FILE *out = conf_report_remarks(&run->files, run->context, &prefix);
    conf_context context = *run->context;
    context.color = context.color && !conf_report_uses_stdout(&run->files);
    return conf_baseline_print(&run->baseline, out, prefix, &context, &run->results, code, err);
}

/* Writes the bundles of the failures, if they are asked for. */
static assay_status write_bundles(run_state *run, assay_error *err)
{
    const conf_options *o = run->options;
    const char *prefix;
    if (!o->bundle) return ASSAY_OK;
    FILE *out = conf_report_remarks(&run->files, run->context, &prefix);
    const conf_bundles bundles = {o->bundle, o->dry_run, run->context, run->reference};
    return conf_bundles_write(&bundles, &run->results, out, prefix, err);
}

/* Reads the baseline and the expected failures before anything is run. On failure sets *code to the exit
 * status. */
static bool open_comparisons(run_state *run, conf_exit *code)
{
    const conf_options *o = run->options;
    assay_error err = {0};
    run->baseline = (conf_baseline){.path = o->baseline, .pairs = o->pairs, .n_pairs = o->n_pairs};
    if (o->n_pairs && !o->baseline) {
        conf_cmd_print_error(run->context, "option --pair needs --baseline");
        *code = CONF_EXIT_USAGE;
        return false;
    }
    if (o->profiles && !o->reports[CONF_REPORT_JSON]) {
        conf_cmd_print_error(run->context, "option --profiles needs --json");
        *code = CONF_EXIT_USAGE;
        return false;
    }
    const char *option = "--baseline";
    assay_status rc = conf_baseline_read(&run->baseline, &err);
    if (rc == ASSAY_OK) {
        option = "--expect";
        rc = conf_expected_read(o->known, &run->expected, &err);
        memcpy(run->results.expected, run->expected.digest, sizeof run->results.expected);
    }
    if (rc == ASSAY_OK) return true;
    conf_cmd_print_error(run->context, "option %s: %s", option, err.text);
    conf_baseline_free(&run->baseline);
    conf_expected_free(&run->expected);
    *code = CONF_EXIT_ERROR;
    return false;
}

conf_exit conf_cmd_run(const conf_options *options, const conf_context *context)
{
    run_state run = {.options = options, .context = context};
    run.results.program = context->program;
    run.results.limits = options->limits;
    run.results.n_jobs = options->n_jobs ? options->n_jobs : context->n_processors;
    run.results.dump = options->dump;
    run.results.compute = options->compute;
    run.results.allow_unknown = options->allow_unknown;
    run.results.seed = options->has_seed ? &options->seed : NULL;
    run.results.manner = options->manner;
    run.results.context_shift = options->context_shift;
    run.results.vector = options->vector;
    conf_found_list found;
    conf_exit code;
    assay_error err = {0};
    if (conf_bundles_check(options->bundle, options->dry_run, &err) != ASSAY_OK) {
        conf_cmd_print_error(context, "%s", err.text);
        return CONF_EXIT_USAGE;
    }
    if (!open_comparisons(&run, &code)) return code;
    const bool any = conf_cmd_find(options, context, &found, &code);
    run.results.shard = found.shard;
    if (!any) {
        const bool empty = code == CONF_EXIT_NOTHING;
        assay_status rc = empty ? report_nothing(&run, &err) : ASSAY_OK;
        /* Bazel has no status for a test that is skipped, and counts every other as a failure. */
        if (empty && !options->n_shards && found.shard.total > 1 && found.shard.n_selected > 0)
            code = CONF_EXIT_AGREE;
        return finish_reports(&run, rc, code, &err);
    }
    if (options->explain) {
        code = conf_explain(options, context, &found);
        conf_baseline_free(&run.baseline);
        conf_expected_free(&run.expected);
        conf_found_free(&found);
        return code;
    }
    /* Without it a failure names only tensors that are recorded. */
    (void)conf_engine_find(CONF_ENGINE_REFERENCE, &context->engine_dirs, &run.reference, &err);
    assay_status rc = run_all(&run, &found, &err);
    if (rc == ASSAY_OK) {
        run.results.interrupted = conf_interrupted();
        conf_machines_stamp(&run.results);
        rc = conf_reporting_end(&run.files, context, &run.results, run.n_points, &err);
    }
    if (rc == ASSAY_OK && conf_interrupted())
        conf_cmd_print_error(context, "interrupted: %zu of %zu cases were begun", run.results.n, run.n_cases);
    code = conf_results_exit(&run.results, options->fail_class);
    if (rc == ASSAY_OK && code == CONF_EXIT_ERROR && !conf_results_count(&run.results, SIZE_MAX, CONF_BROKEN))
        conf_cmd_print_error(context,
                             "cases failed, but none with class %s: whether it still occurs is unknown",
                             conf_class_name(options->fail_class));
    if (rc == ASSAY_OK && code == CONF_EXIT_NOTHING) conf_reporting_unrun(context, &run.results);
    if (rc == ASSAY_OK && !conf_interrupted()) conf_expected_remark(&run.expected, context);
    if (rc == ASSAY_OK) rc = report_baseline(&run, code, &err);
    if (rc == ASSAY_OK) rc = write_bundles(&run, &err);
    conf_found_free(&found);
    return finish_reports(&run, rc, code, &err);
}
