/* assay schedule: runs engine calls on many threads, which must give the bits of a serial run.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"
#include "base/shown.h"
#include "conformance/abi/engine.h"
#include "conformance/abi/module.h"
#include "conformance/cli/cmd.h"
#include "conformance/evaluate/evaluate.h"
#include "conformance/process/interrupt.h"
#include "conformance/process/jobs.h"
#include "conformance/report/files.h"
#include "conformance/schedule/draw.h"
#include "conformance/schedule/html.h"
#include "conformance/schedule/json.h"
#include "conformance/schedule/report.h"
#include "conformance/support/clock.h"
#include "conformance/support/progress.h"

#define REPLAYS 20 /* default of --times */

const char conf_cmd_schedule_details[] =
    "DIR means every case below it; " CONF_DEFAULT_HELP ".\n"
    "\n"
    "For each case of kind logits or generate, programs of engine calls are drawn from a seed:\n"
    "models opened, loaded on a worker, waited for and closed, sessions opened, prefilled,\n"
    "decoded and freed, each call on a thread of the program. A program runs serially first, in\n"
    "a new process with ASSAY_WORKERS=1, and then on each number of threads, with ASSAY_WORKERS\n"
    "1, 2 or 4: every row of logits must be bit-identical to the serial run, and no call may\n"
    "fail, crash or hang.\n"
    "\n"
    "A failing program is shortened as far as it still fails, printed, and saved as\n"
    "DIR/schedule-ENGINE-CASE-SEED.json, which --replay runs again; an engine, type, kernel\n"
    "library or case on the command line replaces the one in the file. An engine that cannot\n"
    "compute in the type, or takes no kernels, is skipped with the reason.\n"
    "\n"
    "Exit status: 0 all agree; 1 a program diverges, fails, crashes or hangs; 2 usage; 77 no\n"
    "program could be run; 99 a broken fixture, a missing library or an error of assay itself.\n";

/* Trials in progress. */
typedef struct scheduling {
    const conf_options *options;
    const conf_context *context;
    conf_found_list found;
    conf_trial_rows rows;
    char **paths;  /* [n_engines], of modules */
    char *kernels; /* path of a kernel library; NULL: the engines' own */
    conf_report_files files;
    conf_trial_result *results; /* [rows.n], shared with the trials */
    conf_verdict *verdicts;     /* [rows.n], of this round */
    conf_jobs *jobs;
    size_t shape;
    uint64_t seed;            /* of this round */
    double until;             /* time limit of all rounds; 0: one round */
    size_t n_started, n_seen; /* rows of this round */
    bool failed;
} scheduling;

static const char *const *engines_of(const conf_options *options, size_t *n)
{
    *n = options->n_engines;
    if (*n) return options->engines;
    const char *const *usual = conf_engine_default(options->kernels, options->compute);
    while (usual[*n]) ++*n;
    return usual;
}

static void load_task(const void *context, conf_verdict *v)
{
    conf_evaluate(context, v);
}

/* Finds and loads an engine. One without a choice of compute types, or that takes no kernels, is
 * accepted here and skipped case by case. */
static assay_status find_engine(const scheduling *of, const char *name, char **path, assay_error *err)
{
    conf_verdict v;
    assay_status rc = conf_engine_find(name, &of->context->engine_dirs, path, err);
    if (rc != ASSAY_OK) return rc;
    const conf_assignment load = {.engine = *path, .kernels = of->kernels, .compute = of->options->compute};
    rc = conf_isolate(load_task, &load, &of->options->limits, &v, err);
    if (rc == ASSAY_OK && v.outcome != CONF_PASSED && v.outcome != CONF_SKIPPED)
        rc = assay_fail(err, ASSAY_EIO, "engine %s: %s", name, v.reason);
    return rc;
}

static void *map_shared(size_t n, assay_error *err)
{
    void *memory = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory != MAP_FAILED) return memory;
    (void)assay_fail(err, ASSAY_EINTERNAL, "no shared memory: %s", strerror(errno));
    return NULL;
}

/* Makes a row for each case with each of names[n]. */
static assay_status make_rows(scheduling *of, const char *const *names, size_t n, assay_error *err)
{
    size_t n_rows = of->found.n * n;
    of->rows = (conf_trial_rows){.n = n_rows, .n_engines = n, .options = of->options};
    of->rows.at = calloc(n_rows, sizeof *of->rows.at);
    of->paths = calloc(n, sizeof *of->paths);
    of->verdicts = calloc(n_rows, sizeof *of->verdicts);
    if (!of->rows.at || !of->paths || !of->verdicts) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    of->results = map_shared(n_rows * sizeof *of->results, err);
    if (!of->results) return ASSAY_EINTERNAL;
    const char *library = of->options->kernels;
    assay_status rc =
        library ? conf_engine_find(library, &of->context->engine_dirs, &of->kernels, err) : ASSAY_OK;
    const bool bundled = conf_engine_are_bundled(names, n);
    for (size_t e = 0; e < n && rc == ASSAY_OK; e++) {
        rc = find_engine(of, names[e], &of->paths[e], err);
        if (rc == ASSAY_OK && bundled) conf_module_load_early(of->paths[e]);
    }
    for (size_t i = 0; i < n_rows && rc == ASSAY_OK; i++) {
        const conf_found *found = &of->found.at[i / n];
        of->rows.at[i] = (conf_trial_row){.id = found->id,
                                          .path = found->path,
                                          .scanned = found->scanned,
                                          .engine = of->paths[i % n],
                                          .name = names[i % n],
                                          .label = conf_engine_label(names[i % n]),
                                          .result = &of->results[i]};
    }
    return rc;
}

static conf_trial trial_of(const scheduling *of, const conf_trial_row *row)
{
    const conf_options *o = of->options;
    return (conf_trial){.path = row->path,
                        .id = row->id,
                        .engine = row->engine,
                        .name = row->name,
                        .label = row->label,
                        .kernels = of->kernels,
                        .kernels_name = o->kernels,
                        .compute = o->compute,
                        .allow_unknown = o->allow_unknown,
                        .save = o->save ? o->save : ".",
                        .limits = &o->limits,
                        .seed = of->seed,
                        .n_draws = o->n_draws,
                        .shape = of->shape,
                        .threads = o->threads,
                        .n_threads = o->n_threads,
                        .result = row->result};
}

/* Takes the verdict of the next row of this round, and reports it. */
static void collect_verdict(scheduling *of)
{
    size_t i = of->n_seen++;
    conf_trial_row *row = &of->rows.at[i];
    conf_verdict *v = &of->verdicts[i];
    row->seconds += v->seconds;
    /* In a later round all programs may be skipped. */
    if (v->outcome != CONF_SKIPPED || !row->n_programs) row->verdict = *v;
    row->passed_over = row->scanned && row->result->no_sessions;
    if (row->passed_over) return;
    row->n_runs += row->result->n_runs;
    row->n_programs += row->result->n_programs;
    conf_trial_omitted_add(&row->omitted, &row->result->omitted);
    bool bad = conf_outcome_fails(v->outcome);
    of->failed = of->failed || bad;
    if ((!bad && !of->options->verbose) || conf_report_uses_stdout(&of->files)) return;
    conf_progress_clear(of->context);
    conf_trial_report(of->context->out, "", of->context, &of->rows, row);
    (void)fflush(of->context->out);
}

static void collect_finished(scheduling *of)
{
    while (of->n_seen < of->n_started) {
        const conf_trial_row *row = &of->rows.at[of->n_seen];
        char what[256];
        (void)snprintf(what, sizeof what, "seed %" PRIu64 " %.160s %.48s", of->seed, row->id, row->label);
        conf_progress_show(of->context, of->n_seen, of->rows.n, what);
        if (conf_jobs_is_running(of->jobs, &of->verdicts[of->n_seen])) return;
        collect_verdict(of);
    }
}

static bool is_over(const scheduling *of)
{
    return conf_interrupted() || (of->until > 0 && (of->failed || conf_clock() >= of->until));
}

/* Runs a trial for every row, with programs of one seed. */
static assay_status run_round(scheduling *of, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    of->n_started = of->n_seen = 0;
    for (size_t i = 0; i < of->rows.n && rc == ASSAY_OK && !is_over(of); i++) {
        const conf_trial trial = trial_of(of, &of->rows.at[i]);
        memset(&of->results[i], 0, sizeof *of->results);
        rc = conf_jobs_start(of->jobs, conf_trial_run, &trial, trial.engine, &of->verdicts[i], err);
        if (rc == ASSAY_OK) of->n_started++;
        collect_finished(of);
    }
    while (rc == ASSAY_OK && conf_jobs_wait(of->jobs)) collect_finished(of);
    return rc;
}

static assay_status run_rounds(scheduling *of, assay_error *err)
{
    const conf_options *o = of->options;
    const conf_trial any = trial_of(of, &of->rows.at[0]);
    const conf_limits limits = {.seconds = conf_trial_seconds(&any), .mib = o->limits.mib};
    assay_status rc = conf_report_files_open(o, of->context, &of->files, err);
    if (rc == ASSAY_OK)
        rc = conf_jobs_open(o->n_jobs ? o->n_jobs : of->context->n_processors, &limits, &of->jobs, err);
    of->until = o->stress > 0 ? conf_clock() + o->stress : 0;
    if (rc == ASSAY_OK) rc = run_round(of, err);
    while (rc == ASSAY_OK && of->until > 0 && !is_over(of)) {
        of->seed += o->n_draws;
        rc = run_round(of, err);
    }
    conf_jobs_free(of->jobs);
    conf_progress_clear(of->context);
    return rc;
}

/* After an interrupt in the first round: drops the cases that were not started, and marks the missing
 * engines of the last started case as skipped. */
static void drop_unfinished(scheduling *of)
{
    const size_t n_engines = of->rows.n_engines;
    if (!conf_interrupted() || of->seed != of->options->seed) return;
    of->rows.n = (of->n_seen + n_engines - 1) / n_engines * n_engines;
    for (size_t i = of->n_seen; i < of->rows.n; i++)
        conf_verdict_set(&of->rows.at[i].verdict, CONF_SKIPPED, "%s", conf_interrupt_reason);
}

static assay_status report_trials(scheduling *of, assay_error *err)
{
    const conf_report_files *files = &of->files;
    bool only_tap = conf_report_is_stdout(files, files->at[CONF_REPORT_TAP]);
    conf_context plain = *of->context;
    assay_status rc = ASSAY_OK;
    if (files->at[CONF_REPORT_TAP]) conf_trials_print_tap(files->at[CONF_REPORT_TAP], of->context, &of->rows);
    if (files->at[CONF_REPORT_JSON]) rc = conf_trials_print_json(files->at[CONF_REPORT_JSON], &of->rows, err);
    if (rc == ASSAY_OK && files->at[CONF_REPORT_HTML])
        rc = conf_trials_print_html(files->at[CONF_REPORT_HTML], &of->rows, err);
    plain.color = of->context->color && !only_tap;
    if (only_tap || !conf_report_uses_stdout(files))
        conf_trials_report(of->context->out, only_tap ? "# " : "", &plain, &of->rows);
    return rc;
}

static conf_exit exit_of(const conf_trial_rows *rows)
{
    if (conf_trials_count(rows, SIZE_MAX, CONF_BROKEN)) return CONF_EXIT_ERROR;
    if (conf_trials_count(rows, SIZE_MAX, CONF_FAILED)) return CONF_EXIT_DIVERGES;
    return conf_trials_count(rows, SIZE_MAX, CONF_PASSED) ? CONF_EXIT_AGREE : CONF_EXIT_NOTHING;
}

static conf_exit finish_schedules(scheduling *of, assay_status rc, assay_error *err)
{
    assay_error late = {0};
    conf_exit code = rc == ASSAY_OK ? exit_of(&of->rows) : CONF_EXIT_ERROR;
    if (rc != ASSAY_OK) (void)fprintf(of->context->err, "assay: %s\n", err->text);
    else if (code == CONF_EXIT_NOTHING) (void)fputs("assay: nothing could be run\n", of->context->err);
    if (conf_report_files_close(&of->files, &late) != ASSAY_OK) {
        (void)fprintf(of->context->err, "assay: %s\n", late.text);
        code = CONF_EXIT_ERROR;
    }
    for (size_t e = 0; of->paths && e < of->rows.n_engines; e++) free(of->paths[e]);
    if (of->results) (void)munmap(of->results, of->rows.n * sizeof *of->results);
    free(of->paths);
    free(of->kernels);
    free(of->verdicts);
    free(of->rows.at);
    conf_found_free(&of->found);
    return code;
}

static conf_exit usage_error(const conf_context *context, const char *what)
{
    (void)fprintf(context->err, "assay: schedule %s: see assay schedule --help\n", what);
    return CONF_EXIT_USAGE;
}

/* Replays one program from its file. */
static assay_status replay_file(scheduling *of, const conf_schedule_file *file, assay_error *err)
{
    const conf_options *o = of->options;
    const char *engine = o->n_engines ? o->engines[0] : file->engine;
    assay_status rc = make_rows(of, &engine, 1, err);
    if (rc != ASSAY_OK) return rc;
    conf_trial_row *row = &of->rows.at[0];
    conf_trial trial = trial_of(of, row);
    trial.replayed = &file->schedule;
    trial.n_times = o->n_times ? o->n_times : REPLAYS;
    const conf_limits limits = {.seconds = conf_trial_seconds(&trial), .mib = o->limits.mib};
    rc = conf_isolate(conf_trial_run, &trial, &limits, &row->verdict, err);
    if (rc != ASSAY_OK) return rc;
    (void)snprintf(row->result->saved, sizeof row->result->saved, "%s", o->replay);
    conf_schedule_print(of->context->out, "", &file->schedule);
    if (row->verdict.outcome == CONF_PASSED)
        (void)fprintf(of->context->out, "%zu runs agree with the serial run\n", row->result->n_runs);
    else conf_trial_report(of->context->out, "", of->context, &of->rows, row);
    const conf_trial_omitted *omitted = &row->result->omitted;
    if (omitted->n_parts) (void)fprintf(of->context->out, "skipped: %s\n", omitted->rest);
    return ASSAY_OK;
}

/* A saved program is untrusted: it may name only bundled engines and kernels to load. */
static assay_status check_named(const conf_options *o, const conf_schedule_file *file, assay_error *err)
{
    const bool names_engine = !o->n_engines && !conf_engine_is_bundled(file->engine);
    const bool names_kernels = !o->kernels && file->kernels && !conf_engine_is_bundled(file->kernels);
    if (!names_engine && !names_kernels) return ASSAY_OK;
    return assay_fail(err, ASSAY_EINVAL,
                      "%s: it names %s, which is not bundled and would be loaded: say with %s what to load",
                      o->replay, names_engine ? file->engine : file->kernels,
                      names_engine ? "--engine" : "--kernels");
}

/* o: the options that of->options points to; the file supplies those that are not given. */
static conf_exit run_replay(scheduling *of, conf_options *o)
{
    conf_schedule_file file;
    assay_error err = {0};
    if (o->n_engines > 1 || o->n_arguments > 1)
        return usage_error(of->context, "--replay takes one engine and one case");
    assay_status rc = conf_schedule_read(o->replay, &file, &err);
    if (rc != ASSAY_OK) return finish_schedules(of, rc, &err);
    if (check_named(o, &file, &err) != ASSAY_OK) {
        shown_clean(err.text, sizeof err.text);
        (void)fprintf(of->context->err, "assay: %s\n", err.text);
        conf_schedule_file_free(&file);
        return CONF_EXIT_USAGE;
    }
    if (!o->n_engines) (void)fprintf(of->context->out, "engine %s, as %s says\n", file.engine, o->replay);
    if (o->compute == CONF_COMPUTE_NONE) o->compute = file.compute;
    if (!o->kernels) o->kernels = file.kernels;
    rc = conf_find(o->n_arguments ? o->arguments[0] : file.path, &of->found, &err);
    if (rc == ASSAY_OK && (of->found.n != 1 || of->found.at[0].scanned))
        rc = assay_fail(&err, ASSAY_EINVAL, "%s: expected a case, not a directory",
                        o->n_arguments ? o->arguments[0] : file.path);
    if (rc == ASSAY_OK) rc = replay_file(of, &file, &err);
    conf_exit code = finish_schedules(of, rc, &err);
    conf_schedule_file_free(&file);
    return code;
}

/* Finds the index of --shape; SIZE_MAX if not given. */
static bool find_shape(const conf_options *o, const conf_context *context, size_t *out)
{
    size_t n = 0;
    *out = SIZE_MAX;
    if (!o->shape) return true;
    for (; conf_shape_names[n]; n++)
        if (strcmp(conf_shape_names[n], o->shape) == 0) *out = n;
    if (*out != SIZE_MAX) return true;
    (void)fprintf(context->err, "assay: option --shape: found %s, expected one of", o->shape);
    for (size_t k = 0; k < n; k++) (void)fprintf(context->err, "%s %s", k ? "," : "", conf_shape_names[k]);
    (void)fputc('\n', context->err);
    return false;
}

conf_exit conf_cmd_schedule(const conf_options *options, const conf_context *context)
{
    static const size_t usual[] = {1, 2, 4, 16};
    conf_options o = *options;
    scheduling of = {.options = &o, .context = context, .seed = o.seed};
    bool drawn = o.n_draws || o.has_seed || o.shape || o.n_threads || o.stress > 0 || o.filter || o.n_shards;
    assay_error err = {0};
    conf_exit code;
    if (o.replay && drawn) return usage_error(context, "--replay draws nothing, and runs the file as it is");
    if (!o.replay && o.n_times) return usage_error(context, "--times needs --replay");
    if (!find_shape(&o, context, &of.shape)) return CONF_EXIT_USAGE;
    if (!o.n_draws) o.n_draws = 1;
    if (!o.n_threads) {
        memcpy(o.threads, usual, sizeof usual);
        o.n_threads = sizeof usual / sizeof *usual;
    }
    if (o.replay) return run_replay(&of, &o);
    if (!conf_cmd_find(&o, context, &of.found, &code)) return code;
    size_t n = 0;
    const char *const *names = engines_of(&o, &n);
    assay_status rc = make_rows(&of, names, n, &err);
    if (rc == ASSAY_OK) rc = run_rounds(&of, &err);
    drop_unfinished(&of);
    if (rc == ASSAY_OK) rc = report_trials(&of, &err);
    return finish_schedules(&of, rc, &err);
}
