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
    double error;
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
                        .error = error};
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

/* The first rows that have an error, in their order. */
static void print_picture(FILE *out, const conf_checks *list)
{
    const char *labels[BARS_MAX], *links[BARS_MAX];
    char targets[BARS_MAX][32];
    double values[BARS_MAX];
    size_t n = 0;
    for (size_t i = 0; i < list->n && n < BARS_MAX; i++) {
        if (isnan(list->at[i].error)) continue;
        labels[n] = list->at[i].name;
        links[n] = targets[n];
        (void)snprintf(targets[n], sizeof targets[n], "#check-%zu", i);
        values[n++] = list->at[i].error;
    }
    if (n == 0) return;
    (void)fputs("<div class=\"pictures\">\n", out);
    picture p = picture_of_errors("Errors", "check", "times the bound", labels, values, n);
    p.links = links;
    picture_print(out, &p);
    (void)fputs("</div>\n", out);
}

static void print_row(FILE *out, const conf_check *check, size_t i, bool has_group)
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
    conf_page_cell(out, NULL, number);
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
    const char *const grouped[] = {"check", group, "result", "times the bound", "what was found"},
                      *const plain[] = {"check", "result", "times the bound", "what was found"};
    conf_page_begin(out, title);
    conf_page_paragraph(out, summary);
    print_counts(out, list);
    print_picture(out, list);
    if (figures && figures[0]) (void)fprintf(out, "<div class=\"pictures\">\n%s</div>\n", figures);
    conf_page_search(out, "Search the rows");
    (void)fputs("<section id=\"checks\">", out);
    conf_page_heading(out, "Rows, failures first");
    conf_page_fold_begin(out, true, "all");
    conf_page_table_begin(out, "failures", NULL, group ? grouped : plain, group ? 5 : 4);
    for (int fails = 1; fails >= 0; fails--)
        for (size_t i = 0; i < list->n; i++)
            if (conf_outcome_fails(list->at[i].outcome) == fails)
                print_row(out, &list->at[i], i, group != NULL);
    conf_page_table_end(out);
    conf_page_fold_end(out);
    (void)fputs("</section>\n", out);
    conf_html_origin_here(out);
    conf_page_end(out);
}
