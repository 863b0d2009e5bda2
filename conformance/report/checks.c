/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/report/checks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "conformance/page/page.h"
#include "conformance/picture/picture.h"
#include "conformance/picture/scale.h"
#include "conformance/report/html_origin.h"
#include "conformance/report/report.h"
#include "conformance/support/xml.h"

enum { BARS_MAX = 24 };

typedef struct conf_check {
    char *name, *group, *text, *repro; /* repro: may be NULL */
    char *summary, *folded;            /* NULL: none */
    conf_outcome outcome;
    double error, before; /* NaN: there is none */
} conf_check;

static void free_check(conf_check *check)
{
    free(check->name);
    free(check->group);
    free(check->text);
    free(check->repro);
    free(check->summary);
    free(check->folded);
}

assay_status conf_checks_add(conf_checks *list, const char *name, const char *group, conf_outcome outcome,
                             double error, const char *text, const char *repro, assay_error *err)
{
    conf_check check = {.name = strdup(name),
                        .group = strdup(group),
                        .text = strdup(text),
                        .repro = repro ? strdup(repro) : NULL,
                        .outcome = outcome,
                        .error = error,
                        .before = (double)NAN};
    conf_check *grown = grow_by_one(list->at, list->n, sizeof *grown);
    if (grown) list->at = grown;
    if (!grown || !check.name || !check.group || !check.text || (repro && !check.repro)) {
        free_check(&check);
        return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    }
    list->at[list->n++] = check;
    return ASSAY_OK;
}

assay_status conf_checks_fold(conf_checks *list, const char *summary, const char *text, assay_error *err)
{
    conf_check *check = &list->at[list->n - 1];
    check->summary = strdup(summary);
    check->folded = strdup(text);
    return check->summary && check->folded ? ASSAY_OK : assay_fail(err, ASSAY_ENOMEM, "out of memory");
}

void conf_checks_set_before(conf_checks *list, double error)
{
    list->at[list->n - 1].before = error;
}

void conf_checks_free(conf_checks *list)
{
    for (size_t i = 0; i < list->n; i++) free_check(&list->at[i]);
    free(list->at);
    *list = (conf_checks){0};
}

static void print_counts(FILE *out, const conf_checks *list)
{
    char text[256] = "";
    size_t counts[CONF_N_OUTCOMES] = {0};
    for (size_t i = 0; i < list->n; i++) counts[list->at[i].outcome]++;
    for (conf_outcome o = 0; o < CONF_N_OUTCOMES; o++) {
        const size_t n = strlen(text);
        if (counts[o])
            (void)snprintf(text + n, sizeof text - n, "%s%zu %s", n ? ", " : "", counts[o],
                           conf_outcome_name(o));
    }
    conf_page_paragraph(out, text);
}

/* The rows with the largest errors, the largest first; of equal ones the first. Returns their number. */
static size_t find_largest(const conf_checks *list, size_t rows[BARS_MAX])
{
    size_t n = 0;
    for (size_t i = 0; i < list->n; i++) {
        const double error = list->at[i].error;
        if (isnan(error) || (n == BARS_MAX && !(error > list->at[rows[n - 1]].error))) continue;
        size_t at = n < BARS_MAX ? n++ : n - 1;
        for (; at > 0 && list->at[rows[at - 1]].error < error; at--) rows[at] = rows[at - 1];
        rows[at] = i;
    }
    return n;
}

/* Of rows that compare two runs, the error of the earlier one is outlined. */
static void print_picture(FILE *out, const conf_checks *list)
{
    const char *labels[BARS_MAX], *links[BARS_MAX];
    char targets[BARS_MAX][32];
    double values[BARS_MAX], others[BARS_MAX];
    size_t rows[BARS_MAX];
    bool any_other = false;
    const size_t n = find_largest(list, rows);
    for (size_t i = 0; i < n; i++) {
        const conf_check *check = &list->at[rows[i]];
        labels[i] = check->name;
        links[i] = targets[i];
        (void)snprintf(targets[i], sizeof targets[i], "#check-%zu", rows[i]);
        values[i] = check->error;
        others[i] = check->before;
        any_other = any_other || !isnan(check->before);
    }
    if (n == 0) return;
    (void)fputs("<div class=\"pictures\">\n", out);
    picture p = picture_of_errors("Largest errors", "check", "error, times the bound", labels, values, n);
    p.links = links;
    if (any_other) {
        p.others = others;
        p.values_name = "after";
        p.others_name = "before";
    }
    picture_print(out, &p);
    (void)fputs("</div>\n", out);
}

static bool has_errors(const conf_checks *list)
{
    bool any = false;
    for (size_t i = 0; i < list->n && !any; i++) any = !isnan(list->at[i].error);
    return any;
}

static void print_row(FILE *out, const conf_check *check, size_t i, bool has_group, bool has_error)
{
    static const char *const classes[CONF_N_OUTCOMES] = {[CONF_PASSED] = CONF_PAGE_PASSED,
                                                         [CONF_FAILED] = CONF_PAGE_FAILED,
                                                         [CONF_SKIPPED] = CONF_PAGE_SKIPPED,
                                                         [CONF_BROKEN] = CONF_PAGE_BROKEN,
                                                         [CONF_EXPECTED] = CONF_PAGE_EXPECTED};
    char number[PICTURE_NUMBER_MAX] = "";
    if (!isnan(check->error)) picture_number(number, check->error);
    (void)fprintf(out, "<tr id=\"check-%zu\" data-system=\"checks\">", i);
    conf_page_cell(out, NULL, check->name);
    if (has_group) conf_page_cell(out, NULL, check->group);
    conf_page_cell(out, classes[check->outcome], conf_outcome_name(check->outcome));
    if (has_error) conf_page_cell(out, CONF_PAGE_ERROR, number);
    (void)fputs("<td>", out);
    conf_page_text(out, check->text);
    if (check->repro && check->repro[0]) {
        (void)fputs("<code>", out);
        conf_xml_text(out, check->repro);
        (void)fputs("</code>", out);
    }
    if (check->summary && check->folded) {
        conf_page_fold_begin(out, false, check->summary);
        conf_page_text(out, check->folded);
        conf_page_fold_end(out);
    }
    (void)fputs("</td>", out);
    conf_page_row_end(out);
}

void conf_checks_print_html(FILE *out, const conf_checks *list, const char *title, const char *group,
                            const char *summary, const char *figures)
{
    const bool has_error = has_errors(list);
    const char *heads[5];
    size_t n_heads = 0;
    heads[n_heads++] = "check";
    if (group) heads[n_heads++] = group;
    heads[n_heads++] = "result";
    if (has_error) heads[n_heads++] = "largest error, times the bound";
    heads[n_heads++] = "what was found";
    conf_page_begin(out, title);
    conf_page_paragraph(out, summary);
    print_counts(out, list);
    print_picture(out, list);
    if (figures && figures[0]) (void)fprintf(out, "<div class=\"pictures\">\n%s</div>\n", figures);
    conf_page_search(out, "Search the rows");
    (void)fputs("<section id=\"checks\">", out);
    conf_page_heading(out, "Rows, failures first");
    conf_page_fold_begin(out, true, "all");
    conf_page_table_begin(out, "failures", NULL, heads, n_heads);
    for (int fails = 1; fails >= 0; fails--)
        for (size_t i = 0; i < list->n; i++)
            if (conf_outcome_fails(list->at[i].outcome) == fails)
                print_row(out, &list->at[i], i, group != NULL, has_error);
    conf_page_table_end(out);
    conf_page_fold_end(out);
    (void)fputs("</section>\n", out);
    conf_html_origin_here(out);
    conf_page_end(out);
}
