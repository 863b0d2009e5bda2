/* The report of one divergence, and the same as TAP.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/case/root.h"
#include "conformance/judge/compute.h"
#include "conformance/report/bar.h"
#include "conformance/support/text.h"

static const char *const color_of[CONF_N_OUTCOMES] = {[CONF_PASSED] = "\033[32m",
                                                      [CONF_FAILED] = "\033[31m",
                                                      [CONF_SKIPPED] = "\033[33m",
                                                      [CONF_BROKEN] = "\033[35m",
                                                      [CONF_EXPECTED] = "\033[33m"};

const char *conf_outcome_word(conf_outcome outcome)
{
    static const char *const words[CONF_N_OUTCOMES] = {[CONF_PASSED] = "pass",
                                                       [CONF_FAILED] = "FAIL",
                                                       [CONF_SKIPPED] = "skip",
                                                       [CONF_BROKEN] = "ERROR",
                                                       [CONF_EXPECTED] = "xfail"};
    return words[outcome];
}

const char *conf_outcome_name(conf_outcome outcome)
{
    static const char *const names[CONF_N_OUTCOMES] = {[CONF_PASSED] = "passed",
                                                       [CONF_FAILED] = "failed",
                                                       [CONF_SKIPPED] = "skipped",
                                                       [CONF_BROKEN] = "broken",
                                                       [CONF_EXPECTED] = "expected"};
    return names[outcome];
}

const char *conf_color_on(const conf_context *context, conf_outcome outcome)
{
    return context->color ? color_of[outcome] : "";
}

const char *conf_color_off(const conf_context *context)
{
    return context->color ? "\033[0m" : "";
}

const char *conf_unit_name(const conf_verdict *v)
{
    return v->float64 ? "bound" : "noise";
}

/* A hang or lack of memory can be reproduced only within the same limits (a time-out that the user gives does
 * not grow with the model, whatever it is), a full disk only with the same output file. */
static void print_repro(FILE *out, const conf_results *results, size_t result, size_t engine)
{
    const conf_limits *limits = &results->limits;
    const char *path = results->at[result].path;
    if (results->at[result].repros) {
        (void)fputs(results->at[result].repros[engine], out);
        return;
    }
    conf_text_print_quoted(out, results->program);
    (void)fputs(" run --engine ", out);
    conf_text_print_quoted(out, results->engines[engine].name);
    if (limits->fixed) (void)fprintf(out, " --timeout %.12g", limits->seconds);
    if (limits->mib != conf_mib_default()) (void)fprintf(out, " --memory %zu", limits->mib);
    if (results->kernels) {
        (void)fputs(" --kernels ", out);
        conf_text_print_quoted(out, results->kernels);
    }
    conf_compute_print_options(out, results->compute);
    conf_compute_print_allowed(out, results->allow_unknown);
    if (!results->root) conf_root_print(out);
    else if (results->root[0]) (void)fprintf(out, " --checkpoint-root %s", results->root);
    if (results->seed) (void)fprintf(out, " --seed %" PRIu64, *results->seed);
    if (results->context_shift) (void)fprintf(out, " --context-shift %zu", results->context_shift);
    const char *manner = conf_verdict_other_manner(&results->at[result].verdicts[engine]);
    if (manner) (void)fprintf(out, " --manner %s", manner);
    if (results->dump && results->at[result].verdicts[engine].outcome == CONF_BROKEN) {
        (void)fputs(" --dump ", out);
        conf_text_print_quoted(out, results->dump);
    }
    if (results->at[result].verdicts[engine].vector[0]) {
        (void)fputs(" --vector ", out);
        conf_text_print_quoted(out, results->at[result].verdicts[engine].vector);
    }
    (void)fputs(path[0] == '-' ? " -- " : " ", out);
    conf_text_print_quoted(out, path);
}

char *conf_report_repro(const conf_results *results, size_t result, size_t engine)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!f) return NULL;
    print_repro(f, results, result, engine);
    if (fclose(f) == 0) return text;
    free(text);
    return NULL;
}

static void print_line(FILE *out, const char *prefix, const char *label, const char *text)
{
    if (!text[0]) return;
    (void)fprintf(out, "%s  %s", prefix, label);
    conf_text_print_clean(out, text);
    (void)fputc('\n', out);
}

/* A bar a layer, as wide as the terminal. */
static void print_bars(FILE *out, const conf_context *context, const conf_verdict *v)
{
    enum { NAME = 10, NUMBER = 9, BESIDE = 2 + NAME + 1 + NUMBER + 2 + 1 };
    double largest = 1;
    if (context->columns < BESIDE + CONF_BAR_LEAST) return;
    for (size_t i = 0; i < v->n_layers; i++)
        if (isfinite(v->layers[i].multiple)) largest = fmax(largest, (double)v->layers[i].multiple);
    for (size_t i = 0; i < v->n_layers; i++) {
        char number[32];
        conf_multiple_print(number, sizeof number, (double)v->layers[i].multiple);
        (void)fputs("  ", out);
        conf_text_print_fitted(out, v->layers[i].name, NAME);
        (void)fprintf(out, " %*s  ", NUMBER, number);
        conf_bar_print(out, (double)v->layers[i].multiple, largest, context->columns - BESIDE);
        (void)fputc('\n', out);
    }
}

void conf_report_verdict(FILE *out, const char *prefix, const conf_context *context, const conf_verdict *v,
                         const char *path, const char *name, bool notes)
{
    (void)fprintf(out, "%s%s%s%s ", prefix, conf_color_on(context, v->outcome), conf_outcome_word(v->outcome),
                  conf_color_off(context));
    if (v->class != CONF_CLASS_NONE) (void)fprintf(out, "(%s) ", conf_class_name(v->class));
    conf_text_print_quoted(out, path);
    (void)fputc(' ', out);
    conf_text_print_clean(out, name);
    (void)fputc('\n', out);
    print_line(out, prefix, "", v->reason);
    print_line(out, prefix, "type:   ", v->explained);
    print_line(out, prefix, "expected: ", v->expected);
    print_line(out, prefix, "first:  ", v->where);
    print_line(out, prefix, "tensor: ", v->trace);
    if (context->terminal && out == context->out && !prefix[0]) print_bars(out, context, v);
    if (notes) print_line(out, prefix, "", v->notes);
}

void conf_report_case(FILE *out, const char *prefix, const conf_context *context, const conf_results *results,
                      size_t result, size_t engine)
{
    const conf_result *r = &results->at[result];
    const conf_verdict *v = &r->verdicts[engine];
    conf_report_verdict(out, prefix, context, v, r->path, results->engines[engine].name, true);
    if (v->outcome == CONF_PASSED || v->outcome == CONF_SKIPPED) return;
    (void)fprintf(out, "%s  REPRO: ", prefix);
    print_repro(out, results, result, engine);
    (void)fputc('\n', out);
}

/* A description is one line, and must not hold the '#' that starts a directive. */
void conf_tap_print_text(FILE *out, const char *text)
{
    for (size_t n; *text; text += n) {
        char character[8];
        n = 1;
        if (*text == '#' || *text == '\\') (void)fputc('\\', out);
        while ((text[n] & 0xC0) == 0x80 && n + 1 < sizeof character) n++;
        (void)snprintf(character, sizeof character, "%.*s", (int)n, text);
        conf_text_print_clean(out, character);
    }
}

void conf_tap_print_point(FILE *out, const conf_context *context, const conf_results *results, size_t result,
                          size_t engine, size_t number)
{
    const conf_result *r = &results->at[result];
    const conf_verdict *v = &r->verdicts[engine];
    bool ok = v->outcome == CONF_PASSED || v->outcome == CONF_SKIPPED;
    (void)fprintf(out, "%sok %zu - ", ok ? "" : "not ", number);
    conf_tap_print_text(out, r->id);
    (void)fputc(' ', out);
    conf_tap_print_text(out, results->engines[engine].name);
    if (v->outcome == CONF_SKIPPED) (void)fprintf(out, " # SKIP %s", v->reason);
    if (v->outcome == CONF_EXPECTED) {
        (void)fputs(" # TODO ", out);
        conf_tap_print_text(out, v->expected);
    }
    (void)fputc('\n', out);
    conf_context plain = *context;
    plain.color = false;
    if (!ok) conf_report_case(out, "# ", &plain, results, result, engine);
    (void)fflush(out);
}

void conf_tap_print_plan(FILE *out, size_t n_points)
{
    (void)fprintf(out, "1..%zu%s\n", n_points, n_points ? "" : " # SKIP no case was found");
    (void)fflush(out);
}
