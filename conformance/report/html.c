/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/report/html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/judge/noise.h"
#include "conformance/judge/severity.h"
#include "conformance/page/page.h"
#include "conformance/report/failures.h"
#include "conformance/report/html_origin.h"
#include "conformance/report/html_pictures.h"
#include "conformance/report/profile_pictures.h"
#include "conformance/report/report.h"
#include "conformance/support/xml.h"

/* Cases of one family, or of one property. */
typedef struct group {
    const char *name; /* [n], not terminated */
    size_t n;
} group;

static const char *const KINDS[] = {"family", "property"};
enum { FAMILY, PROPERTY, N_KINDS };

static const struct {
    const char *heading, *plural, *caption;
} GRIDS[] = {
    {"Families", "families",
     "The model_type of the cases' checkpoints; without a checkpoint, the kind of the case."},
    {"Properties", "properties", "The folders of the cases."},
};

/* What one of the engines' verdicts says of the case, which an engine that cannot be loaded does not. */
static group family_of(const conf_result *r, size_t n_engines)
{
    const char *name = "";
    for (size_t e = 0; e < n_engines && !name[0]; e++) {
        const conf_verdict *v = &r->verdicts[e];
        name = v->checkpoint.family[0] ? v->checkpoint.family : v->kind;
    }
    return (group){name, strlen(name)};
}

/* The folder that holds the case; empty if its path names none. */
static group property_of(const conf_result *r)
{
    const char *end = strrchr(r->path, '/'), *begin = end;
    while (begin && begin > r->path && begin[-1] != '/') begin--;
    return begin ? (group){begin, (size_t)(end - begin)} : (group){r->path, 0};
}

static group group_of(const conf_results *results, size_t i, int kind)
{
    const conf_result *r = &results->at[i];
    return kind == FAMILY ? family_of(r, results->n_engines) : property_of(r);
}

static int compare_groups(const void *a, const void *b)
{
    const group *x = a, *y = b;
    const int order = strncmp(x->name, y->name, x->n < y->n ? x->n : y->n);
    return order ? order : (x->n > y->n) - (x->n < y->n);
}

static void print_group(FILE *out, group g)
{
    char name[256];
    (void)snprintf(name, sizeof name, "%.*s", (int)g.n, g.name);
    conf_xml_text(out, name);
}

/* The groups of all cases, sorted, each once. Returns their number. */
static size_t list_groups(const conf_results *results, int kind, group *out)
{
    size_t n = 0, n_all = 0;
    for (size_t i = 0; i < results->n; i++) {
        const group g = group_of(results, i, kind);
        if (g.n > 0) out[n_all++] = g;
    }
    if (n_all > 0) qsort(out, n_all, sizeof *out, compare_groups);
    for (size_t i = 0; i < n_all; i++)
        if (n == 0 || compare_groups(&out[n - 1], &out[i]) != 0) out[n++] = out[i];
    return n;
}

/* Worst first; a cell has the colour of the worst outcome in it. */
static const struct {
    conf_outcome outcome;
    const char *class, *mark;
} OUTCOMES[] = {
    {CONF_BROKEN, "crashed", "!"}, {CONF_FAILED, "failed", "✗"},   {CONF_EXPECTED, "expected", "~"},
    {CONF_PASSED, "passed", "✓"},  {CONF_SKIPPED, "refused", "–"},
};
enum { N_OUTCOMES = sizeof OUTCOMES / sizeof *OUTCOMES };

/* kind < 0: of all cases. */
static void print_cell(FILE *out, const conf_results *results, size_t engine, int kind, group g)
{
    size_t counts[CONF_N_OUTCOMES] = {0};
    const char *class = NULL;
    for (size_t i = 0; i < results->n; i++) {
        const group of = kind < 0 ? g : group_of(results, i, kind);
        if (compare_groups(&of, &g) == 0) counts[results->at[i].verdicts[engine].outcome]++;
    }
    for (size_t i = 0; i < N_OUTCOMES && !class; i++)
        if (counts[OUTCOMES[i].outcome]) class = OUTCOMES[i].class;
    if (!class) {
        (void)fputs("<td></td>", out);
        return;
    }
    (void)fprintf(out, "<td class=\"%s\"><a href=\"#engine-%zu", class, engine);
    if (kind >= 0) {
        (void)fprintf(out, "/%s/", KINDS[kind]);
        print_group(out, g);
    }
    (void)fputs("\">", out);
    for (size_t i = N_OUTCOMES; i-- > 0;)
        if (counts[OUTCOMES[i].outcome])
            (void)fprintf(out, "%s&nbsp;%zu ", OUTCOMES[i].mark, counts[OUTCOMES[i].outcome]);
    (void)fputs("</a></td>", out);
}

enum {
    OPEN_ROWS = 24,     /* a longer table is folded */
    ROWS_IN_FULL = 100, /* failures of a page, shared by its engines: further rows are short, so that no page
                         * is huge */
};

static bool print_grid(FILE *out, const conf_results *results, int kind, group *groups)
{
    const size_t n = list_groups(results, kind, groups);
    const char **heads = malloc((results->n_engines + 1) * sizeof *heads);
    char summary[64];
    if (!heads) return false;
    heads[0] = KINDS[kind];
    for (size_t e = 0; e < results->n_engines; e++) heads[1 + e] = results->engines[e].label;
    (void)snprintf(summary, sizeof summary, "%zu %s", n, GRIDS[kind].plural);
    if (n > 0) {
        conf_page_heading(out, GRIDS[kind].heading);
        conf_page_fold_begin(out, n <= OPEN_ROWS, summary);
        conf_page_table_begin(out, NULL, GRIDS[kind].caption, heads, 1 + results->n_engines);
    }
    for (size_t i = 0; i < n; i++) {
        char name[256];
        (void)snprintf(name, sizeof name, "%.*s", (int)groups[i].n, groups[i].name);
        conf_page_row_begin(out, name);
        for (size_t e = 0; e < results->n_engines; e++) print_cell(out, results, e, kind, groups[i]);
        conf_page_row_end(out);
    }
    if (n > 0) {
        conf_page_table_end(out);
        conf_page_fold_end(out);
    }
    free(heads);
    return true;
}

static void print_engines(FILE *out, const conf_results *results)
{
    static const char *const heads[] = {"engine", "version", "digest", "bound", "cases"};
    conf_page_table_begin(out, NULL, NULL, heads, sizeof heads / sizeof *heads);
    for (size_t e = 0; e < results->n_engines; e++) {
        const conf_engine_column *column = &results->engines[e];
        char bound[64];
        (void)snprintf(bound, sizeof bound, "%g %s",
                       column->float64 ? CONF_FLOAT64_BOUND : CONF_NOISE_MULTIPLE,
                       column->float64 ? "of the largest logit" : "times the noise");
        conf_page_row_begin(out, column->name);
        conf_page_cell(out, NULL, column->version);
        conf_page_cell(out, NULL, column->module);
        conf_page_cell(out, NULL, bound);
        print_cell(out, results, e, -1, (group){"", 0});
        conf_page_row_end(out);
    }
    conf_page_table_end(out);
}

static void print_line(FILE *out, const char *name, const char *text)
{
    if (!text || !text[0]) return;
    (void)fprintf(out, "<br>%s", name);
    conf_xml_text(out, text);
}

/* What was found, and the command that repeats it. False if out of memory. */
static bool print_findings(FILE *out, const conf_results *results, size_t i, size_t engine)
{
    const conf_result *r = &results->at[i];
    const conf_verdict *v = &r->verdicts[engine];
    char *repro = conf_report_repro(results, i, engine);
    if (!repro) return false;
    conf_xml_text(out, v->reason);
    print_line(out, "type: ", v->explained);
    print_line(out, "expected: ", v->expected);
    print_line(out, "first: ", v->where);
    print_line(out, "tensor: ", v->trace);
    print_line(out, "", v->notes);
    print_line(out, "digest of the case: ", r->digest);
    (void)fputs("<br><code>", out);
    conf_xml_text(out, repro);
    (void)fputs("</code>", out);
    if (r->profiles && r->profiles[engine]) conf_profile_print(out, r->profiles[engine]);
    free(repro);
    return true;
}

/* in_full: with what was found. False if out of memory. */
static bool print_failure(FILE *out, const conf_results *results, size_t i, size_t engine, bool in_full)
{
    const conf_result *r = &results->at[i];
    const conf_verdict *v = &r->verdicts[engine];
    char severity[CONF_SEVERITY_MAX];
    (void)fprintf(out, "<tr id=\"case-%zu-%zu\" data-system=\"engine-%zu\"", engine, i, engine);
    for (int kind = 0; kind < N_KINDS; kind++) {
        (void)fprintf(out, " data-%s=\"", KINDS[kind]);
        print_group(out, group_of(results, i, kind));
        (void)fputc('"', out);
    }
    (void)fputs("><td>", out);
    conf_xml_text(out, r->id);
    (void)fprintf(out, "</td><td>%s%s%s</td><td>",
                  v->outcome == CONF_BROKEN ? "broken" : conf_class_name(v->class),
                  v->manner[0] ? ", manner " : "", v->manner);
    conf_xml_text(out, conf_severity_print(v, severity));
    (void)fputs("</td><td>", out);
    const bool ok = !in_full || print_findings(out, results, i, engine);
    (void)fputs("</td></tr>\n", out);
    return ok;
}

static bool print_failures(FILE *out, const conf_results *results, size_t engine)
{
    conf_failure *failures;
    size_t n;
    if (conf_failures_list(results, engine, &failures, &n, NULL) != ASSAY_OK) return false;
    static const char *const heads[] = {"case", "class", "severity",
                                        "what was found, and the command that repeats it"};
    const size_t n_full = ROWS_IN_FULL / results->n_engines;
    char summary[160];
    bool ok = true;
    (void)snprintf(summary, sizeof summary, "%zu %s with a failure%s", n, n == 1 ? "case" : "cases",
                   n > n_full ? ", the first of them in full; the report of --json has all" : "");
    conf_page_fold_begin(out, n > 0 && n < 100, summary);
    if (n > 0) conf_page_table_begin(out, "failures", NULL, heads, sizeof heads / sizeof *heads);
    for (size_t i = 0; ok && i < n; i++)
        ok = print_failure(out, results, failures[i].result, engine, i < n_full);
    free(failures);
    if (n > 0) conf_page_table_end(out);
    conf_page_fold_end(out);
    return ok;
}

/* Cases of an outcome that needs no action, each with the reason. */
static void print_list(FILE *out, const conf_results *results, size_t engine, conf_outcome outcome)
{
    const size_t n = conf_results_count(results, engine, outcome);
    char summary[64];
    if (n == 0) return;
    (void)snprintf(summary, sizeof summary, "%zu %s", n, conf_outcome_name(outcome));
    conf_page_fold_begin(out, false, summary);
    (void)fputs("<ul>\n", out);
    for (size_t i = 0; i < results->n; i++) {
        const conf_verdict *v = &results->at[i].verdicts[engine];
        if (v->outcome != outcome) continue;
        (void)fputs("<li>", out);
        conf_xml_text(out, results->at[i].id);
        (void)fputs(": ", out);
        conf_xml_text(out, outcome == CONF_EXPECTED ? v->expected : v->reason);
        (void)fputs("</li>\n", out);
    }
    (void)fputs("</ul>\n", out);
    conf_page_fold_end(out);
}

static bool print_section(FILE *out, const conf_results *results, size_t engine)
{
    (void)fprintf(out, "<section id=\"engine-%zu\">", engine);
    conf_page_heading(out, results->engines[engine].label);
    const bool ok = conf_html_pictures(out, results, engine) && print_failures(out, results, engine);
    print_list(out, results, engine, CONF_EXPECTED);
    print_list(out, results, engine, CONF_SKIPPED);
    (void)fputs("</section>\n", out);
    return ok;
}

assay_status conf_html_print(FILE *out, const conf_results *results, assay_error *err)
{
    group *groups = malloc((results->n + 1) * sizeof *groups);
    bool ok = groups != NULL;
    char title[64];
    (void)snprintf(title, sizeof title, "Assay: %zu recorded cases", results->n);
    conf_page_begin(out, title);
    (void)fputs("<p><b>✓</b> within the bound in every manner of evaluation. <b>✗</b> diverges. <b>!</b> the "
                "case could not be judged. "
                "<b>–</b> skipped, since something is not supported. ",
                out);
    if (results->expected[0]) (void)fputs("<b>~</b> fails as expected. ", out);
    (void)fputs("A cell counts cases; follow it to those that fail.</p>\n", out);
    print_engines(out, results);
    for (int kind = 0; ok && kind < N_KINDS; kind++) ok = print_grid(out, results, kind, groups);
    conf_page_search(out, "Search the failures");
    for (size_t e = 0; ok && e < results->n_engines; e++) ok = print_section(out, results, e);
    ok = ok && conf_html_origin(out, results);
    conf_page_end(out);
    free(groups);
    return ok ? ASSAY_OK : assay_fail(err, ASSAY_ENOMEM, "out of memory");
}
