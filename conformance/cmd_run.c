/* assay run: every case through every engine.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/cmd.h"
#include "conformance/engine.h"
#include "conformance/evaluate.h"
#include "conformance/isolate.h"
#include "conformance/progress.h"
#include "conformance/results.h"
#include "conformance/text.h"
#include "model/error.h"

/* A run under way. */
typedef struct run_state {
    const conf_options *options;
    const conf_context *context;
    FILE *tap; /* NULL: no TAP is written */
    conf_results results;
    size_t n_points;
} run_state;

/* What the child process needs. */
typedef struct task {
    const char *engine;
    const conf_case *c;
} task;

static void run_task(const void *context, conf_verdict *v)
{
    const task *t = context;
    if (t->c) conf_evaluate(t->engine, t->c, v);
    else conf_evaluate_load(t->engine, v);
}

/* An engine that cannot even be loaded is no divergence: nothing was asked of it. */
static assay_status open_column(const conf_context *context, const char *name, conf_engine_column *column,
                                assay_error *err)
{
    const char *slash = strrchr(name, '/');
    column->name = name;
    column->label = slash ? slash + 1 : name;
    assay_status rc = conf_engine_find(name, &context->engine_dirs, &column->path, err);
    if (rc != ASSAY_OK) return rc;
    conf_verdict v;
    rc = conf_isolate(run_task, &(task){.engine = column->path}, &v, err);
    if (rc != ASSAY_OK) return rc;
    if (v.outcome != CONF_PASSED) return assay_fail(err, ASSAY_EIO, "engine %s: %s", name, v.reason);
    column->float64 = v.float64;
    return ASSAY_OK;
}

static assay_status open_engines(run_state *run, assay_error *err)
{
    const char *const *names = run->options->n_engines ? run->options->engines : conf_engine_bundled;
    size_t n = run->options->n_engines;
    while (!run->options->n_engines && names[n]) n++;
    run->results.engines = calloc(n, sizeof *run->results.engines);
    if (!run->results.engines) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    run->results.n_engines = n;
    for (size_t e = 0; e < n; e++) {
        assay_status rc = open_column(run->context, names[e], &run->results.engines[e], err);
        if (rc != ASSAY_OK) return rc;
    }
    return ASSAY_OK;
}

static assay_status open_tap(run_state *run, assay_error *err)
{
    const char *path = run->options->tap;
    if (!path) return ASSAY_OK;
    run->tap = strcmp(path, "-") == 0 ? run->context->out : fopen(path, "w");
    return run->tap ? ASSAY_OK : assay_fail(err, ASSAY_EIO, "%s: %s", path, strerror(errno));
}

static assay_status add_result(run_state *run, const conf_found *found, assay_error *err)
{
    conf_results *all = &run->results;
    conf_result *grown = realloc(all->at, (all->n + 1) * sizeof *grown);
    if (grown) all->at = grown;
    conf_result r = {.id = grown ? strdup(found->id) : NULL,
                     .path = grown ? strdup(found->path) : NULL,
                     .verdicts = grown ? calloc(all->n_engines, sizeof *r.verdicts) : NULL};
    if (!r.id || !r.path || !r.verdicts) {
        free(r.id);
        free(r.path);
        free(r.verdicts);
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", found->path);
    }
    conf_text_clean(r.id);
    all->at[all->n++] = r;
    return ASSAY_OK;
}

/* Reports what came of the last case with one engine. What is broken in a fixture is said once, not for each
 * engine. */
static void report(run_state *run, size_t engine)
{
    const conf_results *all = &run->results;
    size_t result = all->n - 1;
    conf_outcome outcome = all->at[result].verdicts[engine].outcome;
    run->n_points++;
    if (run->tap) conf_tap_print_point(run->tap, run->context, all, result, engine, run->n_points);
    bool shown = outcome == CONF_FAILED || outcome == CONF_BROKEN || run->options->verbose;
    bool said = outcome == CONF_BROKEN && engine > 0 &&
                strcmp(all->at[result].verdicts[0].reason, all->at[result].verdicts[engine].reason) == 0;
    if (!shown || said || run->tap == run->context->out) return;
    conf_progress_clear(run->context);
    conf_report_case(run->context->out, "", run->context, all, result, engine);
}

/* Runs a case that has been read; c NULL: `broken` says why it could not be. */
static assay_status run_case(run_state *run, const conf_case *c, const char *broken, size_t n_done,
                             size_t n_cases, assay_error *err)
{
    conf_results *all = &run->results;
    conf_result *r = &all->at[all->n - 1];
    for (size_t e = 0; e < all->n_engines; e++) {
        conf_verdict *v = &r->verdicts[e];
        char what[256];
        (void)snprintf(what, sizeof what, "%.200s %.48s", r->id, all->engines[e].label);
        conf_progress_show(run->context, n_done, n_cases, what);
        if (!c) conf_verdict_set(v, CONF_BROKEN, "%s", broken);
        else if (!conf_kind_of(c->kind)->replayed)
            conf_verdict_set(v, CONF_SKIPPED, "kind %s is not replayed yet", conf_kind_of(c->kind)->name);
        else {
            assay_status rc = conf_isolate(run_task, &(task){all->engines[e].path, c}, v, err);
            if (rc != ASSAY_OK) return rc;
        }
        report(run, e);
    }
    return ASSAY_OK;
}

static void warn_unknown(run_state *run, const conf_case *c)
{
    if (c->unknown.n) conf_progress_clear(run->context);
    for (size_t i = 0; i < c->unknown.n; i++) {
        char name[256];
        (void)snprintf(name, sizeof name, "%s", c->unknown.at[i]);
        conf_text_clean(name);
        (void)fprintf(run->context->err, "assay: warning: %s: %s is unknown to this version, and ignored\n",
                      c->path, name);
        run->results.n_warnings++;
    }
}

static assay_status run_file(run_state *run, const conf_found *found, size_t n_done, size_t n_cases,
                             assay_error *err)
{
    conf_case *c = NULL;
    assay_error broken = {0};
    assay_status read = conf_case_read(found->path, &c, &broken);
    bool observation = read == ASSAY_OK && c->kind == CONF_OBSERVATION;
    if (observation) {
        conf_case_free(c);
        c = NULL;
        if (found->scanned) return ASSAY_OK;
        (void)assay_fail(&broken, ASSAY_EINVAL, "%s: an observation of an engine, not a case", found->path);
    }
    assay_status rc = add_result(run, found, err);
    if (rc == ASSAY_OK) {
        if (c) warn_unknown(run, c);
        rc = run_case(run, c, broken.text, n_done, n_cases, err);
    }
    conf_case_free(c);
    return rc;
}

static assay_status run_all(run_state *run, const conf_found_list *found, assay_error *err)
{
    assay_status rc = open_engines(run, err);
    if (rc == ASSAY_OK) rc = open_tap(run, err);
    for (size_t i = 0; i < found->n && rc == ASSAY_OK; i++)
        rc = run_file(run, &found->at[i], i, found->n, err);
    conf_progress_clear(run->context);
    return rc;
}

conf_exit conf_cmd_run(const conf_options *options, const conf_context *context)
{
    run_state run = {.options = options, .context = context};
    conf_found_list found;
    conf_exit code;
    if (!conf_cmd_find(options, context, &found, &code)) {
        if (options->tap && strcmp(options->tap, "-") == 0) conf_tap_print_plan(context->out, 0);
        return code;
    }
    assay_error err = {0};
    assay_status rc = run_all(&run, &found, &err);
    bool only_tap = run.tap == context->out && run.tap;
    if (rc != ASSAY_OK) {
        (void)fprintf(context->err, "assay: %s\n", err.text);
        code = CONF_EXIT_ERROR;
    } else {
        if (run.tap) conf_tap_print_plan(run.tap, run.n_points);
        conf_context plain = *context;
        plain.color = context->color && !only_tap;
        conf_report_table(context->out, only_tap ? "# " : "", &plain, &run.results);
        code = conf_results_exit(&run.results);
    }
    if (code == CONF_EXIT_NOTHING) (void)fputs("assay: nothing could be run\n", context->err);
    if (run.tap && !only_tap && fclose(run.tap) != 0) {
        (void)fprintf(context->err, "assay: %s: %s\n", options->tap, strerror(errno));
        code = CONF_EXIT_ERROR;
    }
    conf_results_free(&run.results);
    conf_found_free(&found);
    return code;
}
