/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/cli/kernels/operations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/report/report.h"
#include "conformance/support/text.h"

/* Prints the command that runs one case alone. */
static void print_case(FILE *out, const conf_operations *list, const char *prefix, const char *what)
{
    const conf_limits *limits = &list->options->limits;
    (void)fputs(prefix, out);
    conf_text_print_quoted(out, list->context->program);
    (void)fputs(" kernels", out);
    if (limits->seconds < CONF_SECONDS_DEFAULT || limits->seconds > CONF_SECONDS_DEFAULT)
        (void)fprintf(out, " --timeout %.12g", limits->seconds);
    if (limits->mib != conf_mib_default()) (void)fprintf(out, " --memory %zu", limits->mib);
    (void)fputs(list->options->arguments[0][0] == '-' ? " -- " : " ", out);
    conf_text_print_quoted(out, list->options->arguments[0]);
    (void)fprintf(out, " %s\n", what);
}

/* The case that failed: the one with the fault, or the last one that began. */
static const char *failing_case(const sweep *s)
{
    return s->fault[0] ? s->fault_at : s->case_at;
}

/* Whether a case of the operation failed. */
static bool has_failing_case(const conf_operation *one)
{
    return one->swept->n_cases && one->verdict->class != CONF_CLASS_FIXED;
}

/* Prints the fault, what was expected instead, and the command that reproduces it. */
static void print_fault(FILE *out, const char *prefix, const conf_operations *list, const conf_operation *one)
{
    char repro[32];
    (void)fprintf(out, "%s  %s\n", prefix, one->verdict->reason);
    if (one->verdict->expected[0]) {
        (void)fprintf(out, "%s  expected: ", prefix);
        conf_text_print_clean(out, one->verdict->expected);
        (void)fputc('\n', out);
    }
    (void)snprintf(repro, sizeof repro, "%s  REPRO: ", prefix);
    if (has_failing_case(one)) print_case(out, list, repro, failing_case(one->swept));
}

/* The command that runs the failing case alone, empty if no case began; NULL if out of memory. The caller
 * frees it. */
static char *repro_of(const conf_operations *list, const conf_operation *one)
{
    char *repro = NULL;
    size_t n;
    FILE *page = open_memstream(&repro, &n);
    if (page && has_failing_case(one)) print_case(page, list, "", failing_case(one->swept));
    if (!page || fclose(page) != 0) return NULL;
    repro[strcspn(repro, "\n")] = '\0';
    return repro;
}

static assay_status add_problem(conf_operations *list, const conf_operation *one, const char *repro,
                                assay_error *err)
{
    char *title = NULL;
    if (asprintf(&title, "%s of %s", one->op->name, list->options->arguments[0]) < 0)
        return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    const conf_problem problem = {one->op->name,         title, list->path, one->verdict->reason,
                                  *repro ? repro : NULL, NULL};
    const assay_status rc = conf_problems_add(&list->problems, &problem, err);
    free(title);
    return rc;
}

static void print_point(const conf_operations *list, const conf_operation *one)
{
    FILE *out = list->files.at[CONF_REPORT_TAP];
    const sweep *s = one->swept;
    if (!out) return;
    if (!s) {
        (void)fprintf(out, "ok %zu - %s # SKIP not provided\n", list->n, one->op->name);
        return;
    }
    const bool ok = one->verdict->outcome == CONF_PASSED;
    char largest[SWEEP_LARGEST_MAX];
    sweep_largest_write(s, one->op, largest, sizeof largest);
    (void)fprintf(out, "%sok %zu - %s, %zu cases", ok ? "" : "not ", list->n, one->op->name, s->n_cases);
    if (one->verdict->outcome == CONF_EXPECTED) {
        (void)fputs(" # TODO ", out);
        conf_tap_print_text(out, one->verdict->expected);
    }
    (void)fputc('\n', out);
    (void)fprintf(out, "# largest: %s\n", largest);
    if (s->worst > 0) {
        (void)fprintf(out, "# %.3g of the bound at worst:", s->worst);
        print_case(out, list, " ", s->worst_at);
    }
    if (!ok) print_fault(out, "# ", list, one);
    (void)fflush(out);
}

/* An operation that the library has is not skipped. */
static conf_outcome outcome_of(const conf_verdict *v)
{
    return v->outcome == CONF_SKIPPED ? CONF_BROKEN : v->outcome;
}

static void print_row(const conf_operations *list, const conf_operation *one)
{
    const conf_context *context = list->context;
    const sweep *s = one->swept;
    const conf_outcome outcome = outcome_of(one->verdict);
    FILE *out = context->out;
    if (conf_report_uses_stdout(&list->files)) return;
    (void)fprintf(out, "%-18s %6zu ", one->op->name, s->n_cases);
    if (s->worst > 0) (void)fprintf(out, "%9.3g", s->worst);
    else (void)fprintf(out, "%9s", outcome == CONF_PASSED ? "exact" : "-");
    char largest[SWEEP_LARGEST_MAX];
    sweep_largest_write(s, one->op, largest, sizeof largest);
    (void)fprintf(out, " %s%-5s%s %s\n", conf_color_on(context, outcome), conf_outcome_word(outcome),
                  conf_color_off(context), largest);
    if (outcome != CONF_PASSED) print_fault(out, "", list, one);
    if (list->options->verbose && s->worst > 0) print_case(out, list, "  worst: ", s->worst_at);
    (void)fflush(out);
}

/* The row of a page. */
static assay_status add_check(conf_operations *list, const conf_operation *one, const char *repro,
                              assay_error *err)
{
    const sweep *s = one->swept;
    const bool ok = one->verdict->outcome == CONF_PASSED;
    char largest[SWEEP_LARGEST_MAX];
    sweep_largest_write(s, one->op, largest, sizeof largest);
    const bool is_expected = one->verdict->outcome == CONF_EXPECTED;
    const char *text = ok ? largest : is_expected ? one->verdict->expected : one->verdict->reason;
    return conf_checks_add(&list->checks, one->op->name, "", one->verdict->outcome,
                           ok || s->worst > 0 ? s->worst : (double)NAN, text, repro, err);
}

assay_status conf_operations_begin(conf_operations *list, assay_error *err)
{
    const assay_status rc = conf_report_files_open(list->options, list->context, &list->files, err);
    if (rc == ASSAY_OK && !conf_report_uses_stdout(&list->files))
        (void)fprintf(list->context->out, "%-18s  cases x bound <= 1 largest\n", "");
    return rc;
}

assay_status conf_operations_add(conf_operations *list, const conf_operation *one, assay_error *err)
{
    list->n++;
    print_point(list, one);
    if (!one->swept) {
        list->n_of[CONF_SKIPPED]++;
        return ASSAY_OK;
    }
    const bool ok = one->verdict->outcome == CONF_PASSED;
    list->n_of[outcome_of(one->verdict)]++;
    print_row(list, one);
    char *repro = ok ? NULL : repro_of(list, one);
    assay_status rc = ok || repro ? ASSAY_OK : assay_fail(err, ASSAY_ENOMEM, "out of memory");
    if (rc == ASSAY_OK && list->files.at[CONF_REPORT_HTML]) rc = add_check(list, one, repro, err);
    if (rc == ASSAY_OK && !ok && one->verdict->outcome != CONF_EXPECTED)
        rc = add_problem(list, one, repro, err);
    free(repro);
    return rc;
}

/* The page: the library, its path, and the rows. */
static assay_status print_page(const conf_operations *list, const char *library, assay_error *err)
{
    char *summary = NULL;
    if (asprintf(&summary, "%s, %s", library, list->path) < 0)
        return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    conf_checks_print_html(list->files.at[CONF_REPORT_HTML], &list->checks,
                           "Assay: operations of a kernel library", NULL, summary, NULL);
    free(summary);
    return ASSAY_OK;
}

assay_status conf_operations_end(conf_operations *list, const char *library, assay_status rc,
                                 assay_error *err)
{
    assay_error late = {0};
    if (rc == ASSAY_OK && list->files.at[CONF_REPORT_TAP])
        conf_tap_print_plan(list->files.at[CONF_REPORT_TAP], list->n);
    list->problems.command = "kernels";
    list->problems.n_passed = list->n_of[CONF_PASSED];
    list->problems.n_skipped = list->n_of[CONF_SKIPPED];
    list->problems.n_expected = list->n_of[CONF_EXPECTED];
    if (rc == ASSAY_OK) rc = conf_report_problems(&list->files, &list->problems, err);
    if (rc == ASSAY_OK && list->files.at[CONF_REPORT_HTML]) rc = print_page(list, library, err);
    conf_problems_free(&list->problems);
    conf_checks_free(&list->checks);
    const assay_status closed = conf_report_files_close(&list->files, &late);
    if (rc != ASSAY_OK || closed == ASSAY_OK) return rc;
    return assay_fail(err, closed, "%s", late.text);
}
