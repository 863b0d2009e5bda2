/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/schedule/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/abi/engine.h"
#include "conformance/case/root.h"
#include "conformance/judge/compute.h"
#include "conformance/report/report.h"
#include "conformance/report/results.h"
#include "conformance/support/json_add.h"
#include "conformance/support/text.h"

#define CELL_WIDTH 15
#define ID_MIN     16

size_t conf_trials_count(const conf_trial_rows *rows, size_t engine, conf_outcome outcome)
{
    size_t n = 0;
    for (size_t i = 0; i < rows->n; i++) {
        if (engine != SIZE_MAX && i % rows->n_engines != engine) continue;
        n += !rows->at[i].passed_over && rows->at[i].verdict.outcome == outcome;
    }
    return n;
}

/* --replay itself loads a bundled engine that the file names; any other engine needs --engine. */
static void print_engine(FILE *out, const char *name)
{
    if (conf_engine_is_bundled(name)) return;
    (void)fputs(" --engine ", out);
    conf_text_print_quoted(out, name);
}

/* The command that reproduces a failure; if the program was not saved, the command that draws it
 * again. */
static void print_repro(FILE *out, const conf_trial_rows *rows, const conf_trial_row *row)
{
    const conf_limits *limits = &rows->options->limits;
    (void)fputs("assay schedule", out);
    if (rows->options->kernels) {
        (void)fputs(" --kernels ", out);
        conf_text_print_quoted(out, rows->options->kernels);
    }
    conf_compute_print_options(out, rows->options->compute);
    conf_compute_print_allowed(out, rows->options->allow_unknown);
    conf_root_print(out);
    if (limits->fixed) (void)fprintf(out, " --timeout %.12g", limits->seconds);
    if (limits->mib != conf_mib_default()) (void)fprintf(out, " --memory %zu", limits->mib);
    if (row->result->saved[0]) {
        print_engine(out, row->name);
        (void)fputs(" --replay ", out);
        conf_text_print_quoted(out, row->result->saved);
        return;
    }
    (void)fputs(" --engine ", out);
    conf_text_print_quoted(out, row->name);
    if (rows->options->shape) (void)fprintf(out, " --shape %s", rows->options->shape);
    (void)fprintf(out, " --seed %" PRIu64 "%s", row->result->seed, row->path[0] == '-' ? " -- " : " ");
    conf_text_print_quoted(out, row->path);
}

static void print_program(FILE *out, const char *prefix, const conf_trial_row *row)
{
    const conf_trial_result *result = row->result;
    char inner[64];
    if (!result->n_steps) {
        (void)fprintf(out, "%s  %zu of %zu runs fail\n", prefix, result->n_failed, result->n_runs);
        return;
    }
    if (result->again)
        (void)fprintf(out, "%s  seed %" PRIu64 ", %zu steps, cut down to %zu:\n", prefix, result->seed,
                      result->n_steps, result->schedule.n_steps);
    else
        (void)fprintf(out,
                      "%s  seed %" PRIu64 ", %zu steps; it did not fail again, and could not be cut down\n",
                      prefix, result->seed, result->n_steps);
    (void)snprintf(inner, sizeof inner, "%s    ", prefix);
    if (result->again) conf_schedule_print(out, inner, &result->schedule);
}

void conf_trial_report(FILE *out, const char *prefix, const conf_context *context,
                       const conf_trial_rows *rows, const conf_trial_row *row)
{
    const conf_verdict *v = &row->verdict;
    conf_report_verdict(out, prefix, context, v, row->path, row->name, true);
    if (v->outcome != CONF_FAILED) return;
    print_program(out, prefix, row);
    (void)fprintf(out, "%s  REPRO: ", prefix);
    print_repro(out, rows, row);
    (void)fputc('\n', out);
}

static size_t id_width(const conf_context *context, const conf_trial_rows *rows)
{
    size_t widest = ID_MIN, cells = CELL_WIDTH * rows->n_engines;
    size_t most = context->columns > cells + ID_MIN ? context->columns - cells : ID_MIN;
    for (size_t i = 0; i < rows->n; i++) {
        size_t n = rows->at[i].passed_over ? 0 : conf_text_width(rows->at[i].id);
        if (n > widest) widest = n;
    }
    return widest < most ? widest : most;
}

static void print_sum(FILE *out, const char *prefix, const conf_trial_rows *rows, const char *name,
                      size_t width, size_t engine)
{
    size_t broken = conf_trials_count(rows, engine, CONF_BROKEN), n_programs = 0, n_runs = 0;
    for (size_t i = 0; i < rows->n; i++) {
        if (engine != SIZE_MAX && i % rows->n_engines != engine) continue;
        n_programs += rows->at[i].n_programs;
        n_runs += rows->at[i].n_runs;
    }
    (void)fputs(prefix, out);
    conf_text_print_fitted(out, name, width);
    (void)fprintf(out, "  %zu passed, %zu failed, %zu skipped", conf_trials_count(rows, engine, CONF_PASSED),
                  conf_trials_count(rows, engine, CONF_FAILED),
                  conf_trials_count(rows, engine, CONF_SKIPPED));
    if (broken) (void)fprintf(out, ", %zu broken", broken);
    (void)fprintf(out, "; %zu programs, %zu runs\n", n_programs, n_runs);
}

static void print_omission(FILE *out, const char *prefix, const conf_context *context,
                           const conf_trial_row *row, const char *what, size_t n, const char *why)
{
    if (n == 0) return;
    (void)fprintf(out, "%s%sskipped%s: %s%zu of %zu programs of %s, by ", prefix,
                  conf_color_on(context, CONF_SKIPPED), conf_color_off(context), what, n,
                  row->n_programs + row->omitted.n_programs, row->id);
    conf_text_print_clean(out, row->label);
    (void)fprintf(out, ": %s\n", why);
}

/* Prints which programs of a case were not compared, or not wholly, while others were. */
static void print_omitted(FILE *out, const char *prefix, const conf_context *context,
                          const conf_trial_row *row)
{
    const conf_trial_omitted *o = &row->omitted;
    if (row->passed_over || row->verdict.outcome == CONF_SKIPPED) return;
    print_omission(out, prefix, context, row, "", o->n_programs, o->why);
    print_omission(out, prefix, context, row, "the rest of ", o->n_parts, o->rest);
}

static void print_skipped(FILE *out, const char *prefix, const conf_context *context,
                          const conf_trial_rows *rows)
{
    for (size_t i = 0; i < rows->n; i++) {
        const conf_trial_row *row = &rows->at[i];
        print_omitted(out, prefix, context, row);
        if (row->passed_over || row->verdict.outcome != CONF_SKIPPED) continue;
        (void)fprintf(out, "%s%sskipped%s: %s, by ", prefix, conf_color_on(context, CONF_SKIPPED),
                      conf_color_off(context), row->id);
        conf_text_print_clean(out, row->label);
        (void)fprintf(out, ": %s\n", row->verdict.reason);
    }
}

/* The operations that the engine lacks a function for, separated by commas. */
static void print_lacks(FILE *out, const conf_offer *offer)
{
    const char *before = "";
    for (conf_op op = 0; op < CONF_N_OPS; op++) {
        if (conf_offer_has(offer, op)) continue;
        (void)fprintf(out, "%s%s", before, conf_op_names[op]);
        before = ", ";
    }
}

static bool lacks_any(const conf_offer *offer)
{
    bool has_all = true;
    for (conf_op op = 0; op < CONF_N_OPS; op++) has_all = has_all && conf_offer_has(offer, op);
    return !has_all;
}

/* Prints once for each engine which functions it lacks. */
static void print_offers(FILE *out, const char *prefix, const conf_trial_rows *rows)
{
    for (size_t e = 0; e < rows->n_engines; e++) {
        size_t i = e;
        while (i < rows->n && !rows->at[i].result->has_offer) i += rows->n_engines;
        if (i >= rows->n || !lacks_any(&rows->at[i].result->offer)) continue;
        (void)fputs(prefix, out);
        conf_text_print_clean(out, rows->at[i].label);
        (void)fputs(" lacks ", out);
        print_lacks(out, &rows->at[i].result->offer);
        (void)fputs(": its programs were drawn without\n", out);
    }
}

void conf_trials_report(FILE *out, const char *prefix, const conf_context *context,
                        const conf_trial_rows *rows)
{
    size_t width = id_width(context, rows), widest = strlen("total");
    (void)fputs(prefix, out);
    conf_text_print_fitted(out, "case", width);
    for (size_t e = 0; e < rows->n_engines; e++) {
        bool ends = e + 1 == rows->n_engines;
        size_t n = conf_text_width(rows->at[e].label);
        if (n > widest) widest = n;
        (void)fputs("  ", out);
        conf_text_print_fitted(out, rows->at[e].label, ends && n < CELL_WIDTH - 2 ? n : CELL_WIDTH - 2);
    }
    (void)fputc('\n', out);
    for (size_t i = 0; i < rows->n; i++) {
        const conf_trial_row *row = &rows->at[i];
        bool ends = (i + 1) % rows->n_engines == 0;
        if (row->passed_over) continue;
        if (i % rows->n_engines == 0) {
            (void)fputs(prefix, out);
            conf_text_print_fitted(out, row->id, width);
        }
        (void)fprintf(out, "  %s%-*s%s%s", conf_color_on(context, row->verdict.outcome),
                      ends ? 0 : CELL_WIDTH - 2, conf_outcome_word(row->verdict.outcome),
                      conf_color_off(context), ends ? "\n" : "");
    }
    (void)fprintf(out, "%s\n", prefix);
    print_skipped(out, prefix, context, rows);
    print_offers(out, prefix, rows);
    for (size_t e = 0; e < rows->n_engines; e++) print_sum(out, prefix, rows, rows->at[e].label, widest, e);
    print_sum(out, prefix, rows, "total", widest, SIZE_MAX);
    if (rows->options->kernels) {
        (void)fprintf(out, "%swith the kernels of ", prefix);
        conf_text_print_clean(out, rows->options->kernels);
        (void)fputc('\n', out);
    }
    if (rows->options->compute)
        (void)fprintf(out, "%scomputed in %s\n", prefix, conf_compute_name(rows->options->compute));
}

void conf_trials_print_tap(FILE *out, const conf_context *context, const conf_trial_rows *rows)
{
    conf_context plain = *context;
    size_t n = 0;
    plain.color = false;
    for (size_t i = 0; i < rows->n; i++) {
        const conf_trial_row *row = &rows->at[i];
        conf_outcome outcome = row->verdict.outcome;
        if (row->passed_over) continue;
        bool ok = outcome == CONF_PASSED || outcome == CONF_SKIPPED;
        (void)fprintf(out, "%sok %zu - ", ok ? "" : "not ", ++n);
        conf_tap_print_text(out, row->id);
        (void)fputc(' ', out);
        conf_tap_print_text(out, row->label);
        (void)fprintf(out, ", %zu runs", row->n_runs);
        if (outcome == CONF_SKIPPED) (void)fprintf(out, " # SKIP %s", row->verdict.reason);
        (void)fputc('\n', out);
        if (!ok) conf_trial_report(out, "# ", &plain, rows, row);
        print_omitted(out, "# ", &plain, row);
    }
    print_offers(out, "# ", rows);
    conf_tap_print_plan(out, n);
}

/* Members of a failure; null for other outcomes. */
static bool add_failure(json_object *to, const conf_trial_rows *rows, const conf_trial_row *row)
{
    const conf_trial_result *result = row->result;
    char *repro = NULL;
    size_t size;
    FILE *f = NULL;
    if (row->verdict.outcome != CONF_FAILED)
        return json_object_object_add(to, "saved", NULL) == 0 &&
               json_object_object_add(to, "repro", NULL) == 0 &&
               json_object_object_add(to, "steps", NULL) == 0 &&
               json_object_object_add(to, "steps_drawn", NULL) == 0;
    f = open_memstream(&repro, &size);
    if (!f) return false;
    print_repro(f, rows, row);
    bool ok = fclose(f) == 0 && conf_json_add_text(to, "saved", result->saved) &&
              conf_json_add_text(to, "repro", repro) &&
              conf_json_add_count(to, "steps", result->schedule.n_steps) &&
              conf_json_add_count(to, "steps_drawn", result->n_steps);
    free(repro);
    return ok;
}

/* The operations that the engine lacks a function for; null if no program was drawn. */
static bool add_lacks(json_object *to, const conf_trial_result *result)
{
    json_object *lacks = NULL;
    if (!result->has_offer) return json_object_object_add(to, "lacks", NULL) == 0;
    bool ok = conf_json_add(to, "lacks", lacks = json_object_new_array());
    for (conf_op op = 0; op < CONF_N_OPS; op++)
        if (!conf_offer_has(&result->offer, op))
            ok = ok && conf_json_append(lacks, json_object_new_string(conf_op_names[op]));
    return ok;
}

static bool add_text_or_null(json_object *to, const char *name, const char *text)
{
    return text ? conf_json_add_text(to, name, text) : json_object_object_add(to, name, NULL) == 0;
}

static bool add_omitted(json_object *to, const conf_trial_omitted *o)
{
    return conf_json_add_count(to, "skipped_programs", o->n_programs) &&
           add_text_or_null(to, "skip_reason", o->why[0] ? o->why : NULL) &&
           conf_json_add_count(to, "partial_programs", o->n_parts) &&
           add_text_or_null(to, "partial_reason", o->rest[0] ? o->rest : NULL);
}

static bool add_row(json_object *results, const conf_trial_rows *rows, const conf_trial_row *row)
{
    const conf_verdict *v = &row->verdict;
    json_object *to = json_object_new_object();
    return conf_json_append(results, to) && conf_json_add_text(to, "case", row->id) &&
           conf_json_add_text(to, "path", row->path) && conf_json_add_text(to, "engine", row->name) &&
           conf_json_add_text(to, "outcome", conf_outcome_name(v->outcome)) &&
           conf_json_add_text(to, "class", conf_class_name(v->class)) &&
           conf_json_add_text(to, "reason", v->reason) && conf_json_add_text(to, "where", v->where) &&
           conf_json_add_count(to, "programs", row->n_programs) &&
           conf_json_add_count(to, "runs", row->n_runs) && add_omitted(to, &row->omitted) &&
           add_lacks(to, row->result) && add_failure(to, rows, row);
}

static bool add_totals(json_object *to, const conf_trial_rows *rows)
{
    json_object *totals = json_object_new_object();
    bool ok = conf_json_add(to, "totals", totals);
    size_t n_programs = 0, n_runs = 0;
    for (size_t i = 0; i < rows->n; i++) {
        n_programs += rows->at[i].n_programs;
        n_runs += rows->at[i].n_runs;
    }
    for (conf_outcome o = 0; o <= CONF_BROKEN; o++)
        ok = ok && conf_json_add_count(totals, conf_outcome_name(o), conf_trials_count(rows, SIZE_MAX, o));
    return ok && conf_json_add_count(totals, "programs", n_programs) &&
           conf_json_add_count(totals, "runs", n_runs);
}

static bool add_asked(json_object *to, const conf_options *options)
{
    json_object *threads = json_object_new_array();
    bool ok = conf_json_add(to, "seed", json_object_new_uint64(options->seed)) &&
              conf_json_add_count(to, "draws", options->n_draws) && conf_json_add(to, "threads", threads);
    for (size_t k = 0; k < options->n_threads; k++)
        ok = ok && conf_json_append(threads, json_object_new_int64((int64_t)options->threads[k]));
    return ok && add_text_or_null(to, "kernels", options->kernels) &&
           add_text_or_null(to, "compute", options->compute ? conf_compute_name(options->compute) : NULL);
}

assay_status conf_trials_print_json(FILE *out, const conf_trial_rows *rows, assay_error *err)
{
    json_object *document = json_object_new_object(), *results = json_object_new_array();
    bool ok = document && conf_json_add_text(document, "schema", "assay-schedules/1") &&
              add_asked(document, rows->options) && add_totals(document, rows);
    ok = ok && conf_json_add(document, "results", results);
    for (size_t i = 0; ok && i < rows->n; i++)
        if (!rows->at[i].passed_over) ok = add_row(results, rows, &rows->at[i]);
    return conf_json_print_document(document, ok, out, err);
}
