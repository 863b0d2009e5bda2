/* The table at the end of a run.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/report/table.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/shown.h"
#include "conformance/judge/compute.h"
#include "conformance/report/bar.h"
#include "conformance/report/left_out.h"
#include "conformance/report/report.h"
#include "conformance/support/text.h"

#define CELL_WIDTH 15 /* "   3.7e+04 FAIL" */
#define ID_MIN     16

/* is_last: nothing follows in its line. */
static void print_cell(FILE *out, const conf_context *context, const conf_verdict *v, bool is_last)
{
    char number[32] = "-";
    if (v->measured) conf_multiple_print(number, sizeof number, v->multiple);
    (void)fprintf(out, "  %7s %s%-*s%s", number, conf_color_on(context, v->outcome), is_last ? 0 : 5,
                  conf_outcome_word(v->outcome), conf_color_off(context));
}

static size_t id_width(const conf_context *context, const conf_results *results)
{
    size_t widest = ID_MIN, cells = CELL_WIDTH * results->n_engines;
    size_t most = context->columns > cells + ID_MIN ? context->columns - cells : ID_MIN;
    for (size_t i = 0; i < results->n; i++) {
        size_t n = conf_text_width(results->at[i].id);
        if (n > widest) widest = n;
    }
    return widest < most ? widest : most;
}

/* A line of the head: the text above the ids, then one text for each engine. */
static void print_head_line(FILE *out, const char *prefix, const conf_results *results, size_t width,
                            const char *first, const char *(*text)(const conf_engine_column *engine))
{
    (void)fputs(prefix, out);
    conf_text_print_fitted(out, first, width);
    for (size_t e = 0; e < results->n_engines; e++) {
        const char *word = text(&results->engines[e]);
        size_t n = conf_text_width(word);
        bool ends = e + 1 == results->n_engines && n < CELL_WIDTH - 2;
        (void)fputs("  ", out);
        conf_text_print_fitted(out, word, ends ? n : CELL_WIDTH - 2);
    }
    (void)fputc('\n', out);
}

static const char *label_of(const conf_engine_column *engine)
{
    return engine->label;
}

static const char *unit_of(const conf_engine_column *engine)
{
    return engine->float64 ? "x bound <= 1" : "x noise <= 4";
}

/* Why a case was skipped, or is expected to fail; NULL: neither. */
static const char *excuse_of(const conf_verdict *v)
{
    return v->outcome == CONF_SKIPPED ? v->reason : v->outcome == CONF_EXPECTED ? v->expected : NULL;
}

static bool has_excuse(const conf_verdict *v, conf_outcome outcome, const char *excuse)
{
    return v->outcome == outcome && strcmp(excuse_of(v), excuse) == 0;
}

/* Engines that have this excuse in a case, as one text: empty for all of them. False if there are none. */
static bool list_excused(const conf_results *results, const conf_result *r, conf_outcome outcome,
                         const char *excuse, char *names, size_t size)
{
    size_t n = 0, at = 0;
    names[0] = '\0';
    for (size_t e = 0; e < results->n_engines; e++) {
        if (!has_excuse(&r->verdicts[e], outcome, excuse)) continue;
        n++;
        if (at < size) at += (size_t)snprintf(names + at, size - at, " %s", results->engines[e].label);
    }
    if (n == results->n_engines) names[0] = '\0';
    shown_clean(names, size);
    return n > 0;
}

/* All cases with one excuse. */
static void print_excused(FILE *out, const char *prefix, const conf_context *context,
                          const conf_results *results, conf_outcome outcome, const char *excuse)
{
    (void)fprintf(out, "%s%s%s%s: %s:\n", prefix, conf_color_on(context, outcome), conf_outcome_name(outcome),
                  conf_color_off(context), excuse);
    for (size_t i = 0; i < results->n; i++) {
        char names[256];
        if (list_excused(results, &results->at[i], outcome, excuse, names, sizeof names))
            (void)fprintf(out, "%s  %s%s%s\n", prefix, results->at[i].id, names[0] ? ", by" : "", names);
    }
}

static bool is_first_excused(const conf_results *results, size_t result, size_t engine)
{
    const conf_verdict *v = &results->at[result].verdicts[engine];
    for (size_t i = 0; i <= result; i++)
        for (size_t e = 0; e < (i < result ? results->n_engines : engine); e++) {
            if (has_excuse(&results->at[i].verdicts[e], v->outcome, excuse_of(v))) return false;
        }
    return true;
}

static void print_all_excused(FILE *out, const char *prefix, const conf_context *context,
                              const conf_results *results, conf_outcome outcome)
{
    for (size_t i = 0; i < results->n; i++)
        for (size_t e = 0; e < results->n_engines; e++) {
            const conf_verdict *v = &results->at[i].verdicts[e];
            if (v->outcome == outcome && is_first_excused(results, i, e))
                print_excused(out, prefix, context, results, outcome, excuse_of(v));
        }
}

static void print_sum(FILE *out, const char *prefix, const conf_results *results, const char *name,
                      size_t width, size_t engine)
{
    size_t broken = conf_results_count(results, engine, CONF_BROKEN),
           expected = conf_results_count(results, engine, CONF_EXPECTED);
    (void)fputs(prefix, out);
    conf_text_print_fitted(out, name, width);
    (void)fprintf(
        out, "  %zu passed, %zu failed, %zu skipped", conf_results_count(results, engine, CONF_PASSED),
        conf_results_count(results, engine, CONF_FAILED), conf_results_count(results, engine, CONF_SKIPPED));
    if (expected) (void)fprintf(out, ", %zu expected", expected);
    if (broken) (void)fprintf(out, ", %zu broken", broken);
    (void)fputc('\n', out);
}

static void print_sums(FILE *out, const char *prefix, const conf_results *results)
{
    size_t width = strlen("total");
    for (size_t e = 0; e < results->n_engines; e++) {
        size_t n = conf_text_width(results->engines[e].label);
        if (n > width) width = n;
    }
    for (size_t e = 0; e < results->n_engines; e++)
        print_sum(out, prefix, results, results->engines[e].label, width, e);
    print_sum(out, prefix, results, "total", width, SIZE_MAX);
    if (results->n_warnings) (void)fprintf(out, "%s%zu warnings\n", prefix, results->n_warnings);
}

/* Where an engine gives no tensor that is recorded: a case passes by its logits alone. */
static void print_other_traces(FILE *out, const char *prefix, const conf_results *results, size_t engine)
{
    const conf_verdict *last = NULL;
    size_t n = 0;
    for (size_t i = 0; i < results->n; i++) {
        const conf_verdict *v = &results->at[i].verdicts[engine];
        if (v->outcome != CONF_PASSED || !v->other_traces) continue;
        last = v;
        n++;
    }
    if (n == 0) return;
    (void)fprintf(out, "%sno tensor compared: the traces of ", prefix);
    conf_text_print_clean(out, results->engines[engine].label);
    (void)fputs(" have other names, such as ", out);
    conf_text_print_clean(out, last->last_trace);
    (void)fprintf(out, ", than the recorded ones in %zu case%s\n", n, n > 1 ? "s" : "");
}

/* What an engine says of models, each remark once. */
static void print_remarks(FILE *out, const char *prefix, const conf_results *results, size_t engine)
{
    for (size_t i = 0; i < results->n; i++) {
        const char *remark = results->at[i].verdicts[engine].remark;
        size_t n = 0, first = results->n;
        for (size_t k = 0; remark[0] && k < results->n; k++) {
            if (strcmp(results->at[k].verdicts[engine].remark, remark) != 0) continue;
            if (first == results->n) first = k;
            n++;
        }
        if (first != i) continue;
        (void)fprintf(out, "%snote     ", prefix);
        conf_text_print_clean(out, results->engines[engine].label);
        (void)fputs(": ", out);
        conf_text_print_clean(out, remark);
        (void)fprintf(out, " in %zu case%s\n", n, n == 1 ? "" : "s");
    }
}

void conf_report_table(FILE *out, const char *prefix, const conf_context *context,
                       const conf_results *results)
{
    size_t width = id_width(context, results);
    if (results->kernels) {
        (void)fprintf(out, "%swith the kernels of ", prefix);
        conf_text_print_clean(out, results->kernels);
        (void)fputc('\n', out);
    }
    if (results->compute)
        (void)fprintf(out, "%s%s in %s: noise is that of a recorded run in %s\n", prefix,
                      conf_compute_dtype(results->compute) ? "computed" : "judged as computing",
                      conf_compute_name(results->compute), conf_compute_run(results->compute));
    print_head_line(out, prefix, results, width, "", label_of);
    print_head_line(out, prefix, results, width, "case", unit_of);
    for (size_t i = 0; i < results->n; i++) {
        (void)fputs(prefix, out);
        conf_text_print_fitted(out, results->at[i].id, width);
        for (size_t e = 0; e < results->n_engines; e++)
            print_cell(out, context, &results->at[i].verdicts[e], e + 1 == results->n_engines);
        (void)fputc('\n', out);
    }
    (void)fprintf(out, "%s\n", prefix);
    print_all_excused(out, prefix, context, results, CONF_SKIPPED);
    print_all_excused(out, prefix, context, results, CONF_EXPECTED);
    for (size_t e = 0; e < results->n_engines; e++) print_other_traces(out, prefix, results, e);
    for (size_t e = 0; e < results->n_engines; e++) conf_report_left_out(out, prefix, results, e);
    for (size_t e = 0; e < results->n_engines; e++) print_remarks(out, prefix, results, e);
    print_sums(out, prefix, results);
}
