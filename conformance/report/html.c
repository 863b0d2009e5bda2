/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/report/html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "config.h"
#include "conformance/abi/compute.h"
#include "conformance/judge/noise.h"
#include "conformance/judge/severity.h"
#include "conformance/page/page.h"
#include "conformance/report/failures.h"
#include "conformance/report/html_pictures.h"
#include "conformance/report/profile_pictures.h"
#include "conformance/report/report.h"
#include "conformance/support/xml.h"

/* A family or a property: the first or the second part of a case's id. */
typedef struct group {
    const char *name; /* [n], not terminated */
    size_t n;
} group;

static const char *const KINDS[] = {"family", "property"};
enum { FAMILY, PROPERTY, N_KINDS };

/* An id without a folder has a family only, and its property is empty. */
static group group_of(const char *id, int kind)
{
    const size_t family = strcspn(id, "/");
    if (kind == FAMILY) return (group){id, family};
    if (!id[family]) return (group){id + family, 0};
    const char *property = id + family + 1;
    const char *end = strchr(property, '/');
    return end ? (group){property, (size_t)(end - property)} : (group){property, 0};
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
        const group g = group_of(results->at[i].id, kind);
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
        const group of = kind < 0 ? g : group_of(results->at[i].id, kind);
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

static void print_engine_heads(FILE *out, const conf_results *results, const char *kind)
{
    (void)fprintf(out, "<thead><tr><th scope=\"col\">%s</th>", kind);
    for (size_t e = 0; e < results->n_engines; e++) {
        (void)fputs("<th scope=\"col\">", out);
        conf_xml_text(out, results->engines[e].label);
        (void)fputs("</th>", out);
    }
    (void)fputs("</tr></thead><tbody>\n", out);
}

static void print_grid(FILE *out, const conf_results *results, int kind, group *groups)
{
    const size_t n = list_groups(results, kind, groups);
    if (n == 0) return;
    (void)fprintf(out, "<h2>%s</h2>\n<div class=\"scroll\"><table>",
                  kind == FAMILY ? "Families" : "Properties");
    print_engine_heads(out, results, KINDS[kind]);
    for (size_t i = 0; i < n; i++) {
        (void)fputs("<tr><th scope=\"row\">", out);
        print_group(out, groups[i]);
        (void)fputs("</th>", out);
        for (size_t e = 0; e < results->n_engines; e++) print_cell(out, results, e, kind, groups[i]);
        (void)fputs("</tr>\n", out);
    }
    (void)fputs("</tbody></table></div>\n", out);
}

static void print_engines(FILE *out, const conf_results *results)
{
    (void)fputs(
        "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">engine</th><th scope=\"col\">version</th>"
        "<th scope=\"col\">digest</th><th scope=\"col\">bound</th><th "
        "scope=\"col\">cases</th></tr></thead><tbody>\n",
        out);
    for (size_t e = 0; e < results->n_engines; e++) {
        const conf_engine_column *column = &results->engines[e];
        (void)fputs("<tr><th scope=\"row\">", out);
        conf_xml_text(out, column->name);
        (void)fputs("</th><td>", out);
        conf_xml_text(out, column->version);
        (void)fprintf(out, "</td><td>%s</td><td>%g %s</td>", column->module,
                      column->float64 ? CONF_FLOAT64_BOUND : CONF_NOISE_MULTIPLE,
                      column->float64 ? "of the largest logit" : "times the noise");
        print_cell(out, results, e, -1, (group){"", 0});
        (void)fputs("</tr>\n", out);
    }
    (void)fputs("</tbody></table></div>\n", out);
}

static void print_line(FILE *out, const char *name, const char *text)
{
    if (!text || !text[0]) return;
    (void)fprintf(out, "<br>%s", name);
    conf_xml_text(out, text);
}

static bool print_failure(FILE *out, const conf_results *results, size_t i, size_t engine)
{
    const conf_result *r = &results->at[i];
    const conf_verdict *v = &r->verdicts[engine];
    char *repro = conf_report_repro(results, i, engine), severity[CONF_SEVERITY_MAX];
    if (!repro) return false;
    (void)fprintf(out, "<tr id=\"case-%zu-%zu\" data-system=\"engine-%zu\"", engine, i, engine);
    for (int kind = 0; kind < N_KINDS; kind++) {
        (void)fprintf(out, " data-%s=\"", KINDS[kind]);
        print_group(out, group_of(r->id, kind));
        (void)fputc('"', out);
    }
    (void)fputs("><td>", out);
    conf_xml_text(out, r->id);
    (void)fprintf(out, "</td><td>%s%s%s</td><td>",
                  v->outcome == CONF_BROKEN ? "broken" : conf_class_name(v->class),
                  v->manner[0] ? ", manner " : "", v->manner);
    conf_xml_text(out, conf_severity_print(v, severity));
    (void)fputs("</td><td>", out);
    conf_xml_text(out, v->reason);
    print_line(out, "expected: ", v->expected);
    print_line(out, "first: ", v->where);
    print_line(out, "tensor: ", v->trace);
    print_line(out, "", v->notes);
    (void)fputs("<br><code>", out);
    conf_xml_text(out, repro);
    (void)fputs("</code>", out);
    if (r->profiles && r->profiles[engine]) conf_profile_print(out, r->profiles[engine]);
    (void)fputs("</td></tr>\n", out);
    free(repro);
    return true;
}

static bool print_failures(FILE *out, const conf_results *results, size_t engine)
{
    conf_failure *failures;
    size_t n;
    if (conf_failures_list(results, engine, &failures, &n, NULL) != ASSAY_OK) return false;
    bool ok = true;
    (void)fprintf(out, "<details%s><summary>%zu %s with a failure</summary>\n",
                  n > 0 && n < 100 ? " open" : "", n, n == 1 ? "case" : "cases");
    if (n > 0)
        (void)fputs(
            "<div class=\"scroll\"><table class=\"failures\"><thead><tr><th "
            "scope=\"col\">case</th><th scope=\"col\">class"
            "</th><th scope=\"col\">severity</th><th scope=\"col\">what was found, and the command that "
            "repeats it"
            "</th></tr></thead><tbody>\n",
            out);
    for (size_t i = 0; ok && i < n; i++) ok = print_failure(out, results, failures[i].result, engine);
    free(failures);
    (void)fprintf(out, "%s</details>\n", n > 0 ? "</tbody></table></div>" : "");
    return ok;
}

/* Cases of an outcome that needs no action, each with the reason. */
static void print_list(FILE *out, const conf_results *results, size_t engine, conf_outcome outcome)
{
    const size_t n = conf_results_count(results, engine, outcome);
    if (n == 0) return;
    (void)fprintf(out, "<details><summary>%zu %s</summary><ul>\n", n, conf_outcome_name(outcome));
    for (size_t i = 0; i < results->n; i++) {
        const conf_verdict *v = &results->at[i].verdicts[engine];
        if (v->outcome != outcome) continue;
        (void)fputs("<li>", out);
        conf_xml_text(out, results->at[i].id);
        (void)fputs(": ", out);
        conf_xml_text(out, outcome == CONF_EXPECTED ? v->expected : v->reason);
        (void)fputs("</li>\n", out);
    }
    (void)fputs("</ul></details>\n", out);
}

static bool print_section(FILE *out, const conf_results *results, size_t engine)
{
    (void)fprintf(out, "<section id=\"engine-%zu\"><h2>", engine);
    conf_xml_text(out, results->engines[engine].label);
    (void)fputs("</h2>\n", out);
    const bool ok = conf_html_pictures(out, results, engine) && print_failures(out, results, engine);
    print_list(out, results, engine, CONF_EXPECTED);
    print_list(out, results, engine, CONF_SKIPPED);
    (void)fputs("</section>\n", out);
    return ok;
}

static void print_setting(FILE *out, const char *name, const char *value)
{
    if (!value || !value[0]) return;
    (void)fprintf(out, "<dt>%s</dt><dd>", name);
    conf_xml_text(out, value);
    (void)fputs("</dd>\n", out);
}

/* Of results that were read from a file, the file has the settings; they are those of every shard. */
static void print_origin(FILE *out, const conf_results *results)
{
    json_object *settings = json_object_object_get(results->document, "settings");
    char seed[32] = "";
    if (results->seed) (void)snprintf(seed, sizeof seed, "%llu", (unsigned long long)*results->seed);
    (void)fputs("<h2>Origin</h2>\n<dl>\n", out);
    print_setting(out, "Assay", settings ? NULL : VERSION);
    print_setting(out, "finished", results->finished);
    print_setting(out, "compute type", results->compute ? conf_compute_name(results->compute) : NULL);
    print_setting(out, "kernels", results->kernels);
    print_setting(out, "digest of the kernels", results->kernels ? results->kernels_module : NULL);
    print_setting(out, "manner", results->manner);
    print_setting(out, "vector", results->vector);
    print_setting(out, "seed", seed);
    print_setting(out, "settings", settings ? json_object_to_json_string(settings) : NULL);
    (void)fputs("</dl>\n", out);
}

assay_status conf_html_print(FILE *out, const conf_results *results, assay_error *err)
{
    group *groups = malloc((results->n + 1) * sizeof *groups);
    bool ok = groups != NULL;
    (void)fprintf(out,
                  "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Assay: "
                  "%zu cases</title>\n"
                  "<style>\n%s</style>\n</head>\n<body>\n<h1>%zu recorded cases</h1>\n",
                  results->n, conf_page_css, results->n);
    (void)fputs("<p><b>✓</b> within the bound in every manner of evaluation. <b>✗</b> diverges. <b>!</b> the "
                "case could not be judged. "
                "<b>–</b> skipped, since something is not supported. ",
                out);
    if (results->expected[0]) (void)fputs("<b>~</b> fails as expected. ", out);
    (void)fputs("A cell counts cases; follow it to those that fail.</p>\n", out);
    print_engines(out, results);
    for (int kind = 0; ok && kind < N_KINDS; kind++) print_grid(out, results, kind, groups);
    (void)fputs("<p id=\"search\" hidden><label>Search the failures: <input type=\"search\"></label> "
                "<output></output></p>\n"
                "<p id=\"filter\" hidden>Only <span></span>. <a href=\"#\">Show all</a></p>\n",
                out);
    for (size_t e = 0; ok && e < results->n_engines; e++) ok = print_section(out, results, e);
    print_origin(out, results);
    (void)fprintf(out, "<script>\n%s</script>\n</body>\n</html>\n", conf_page_js);
    free(groups);
    return ok ? ASSAY_OK : assay_fail(err, ASSAY_ENOMEM, "out of memory");
}
