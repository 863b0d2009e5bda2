/* JUnit's XML, as CI systems read it: a suite for each engine, a test case for each case.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/report_parts.h"
#include "conformance/text.h"

/* Takes out, in place, the characters that XML 1.0 has no way to write: most controls, U+FFFE and U+FFFF. */
static void drop_forbidden(char *text)
{
    char *to = text;
    while (*text) {
        if (strncmp(text, "\xEF\xBF\xBE", 3) == 0 || strncmp(text, "\xEF\xBF\xBF", 3) == 0) text += 3;
        else if ((unsigned char)*text < 0x20 && !strchr("\t\n\r", *text)) text++;
        else *to++ = *text++;
    }
    *to = '\0';
}

/* Writes text as character data that may also stand in an attribute. */
static void print_xml(FILE *out, const char *text)
{
    char *copy = strdup(text);
    if (!copy) return;
    drop_forbidden(copy);
    conf_text_clean(copy);
    for (const char *at = copy; *at; at++) {
        switch (*at) {
        case '&': (void)fputs("&amp;", out); break;
        case '<': (void)fputs("&lt;", out); break;
        case '>': (void)fputs("&gt;", out); break;
        case '"': (void)fputs("&quot;", out); break;
        default: (void)fputc(*at, out);
        }
    }
    free(copy);
}

static void print_attribute(FILE *out, const char *name, const char *value)
{
    (void)fprintf(out, " %s=\"", name);
    print_xml(out, value);
    (void)fputc('"', out);
}

/* Counts of one engine, or of all with SIZE_MAX: an error is what is broken, a failure what diverges. */
static void print_counts(FILE *out, const conf_results *results, size_t engine)
{
    double seconds = 0;
    for (size_t i = 0; i < results->n; i++)
        for (size_t e = 0; e < results->n_engines; e++)
            if (engine == SIZE_MAX || engine == e) seconds += results->at[i].verdicts[e].seconds;
    (void)fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"%.3f\"",
                  results->n * (engine == SIZE_MAX ? results->n_engines : 1),
                  conf_results_count(results, engine, CONF_FAILED),
                  conf_results_count(results, engine, CONF_BROKEN),
                  conf_results_count(results, engine, CONF_SKIPPED), seconds);
}

static void print_properties(FILE *out, const conf_verdict *v)
{
    if (!v->measured) return;
    (void)fprintf(out,
                  "      <properties>\n"
                  "        <property name=\"multiple\" value=\"%.9g\"/>\n"
                  "        <property name=\"bound\" value=\"%g\"/>\n"
                  "        <property name=\"unit\" value=\"%s\"/>\n"
                  "      </properties>\n",
                  v->multiple, conf_bound_of(v), conf_unit_name(v));
}

static void print_lines(FILE *out, const conf_verdict *v)
{
    const char *const names[] = {"stage", "first", "tensor", "notes"};
    const char *const texts[] = {conf_stage_name(v->stage), v->where, v->trace, v->notes};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (!texts[i][0]) continue;
        (void)fprintf(out, "%s: ", names[i]);
        print_xml(out, texts[i]);
        (void)fputc('\n', out);
    }
}

static void print_outcome(FILE *out, const conf_results *results, size_t result, size_t engine)
{
    const conf_verdict *v = &results->at[result].verdicts[engine];
    if (v->outcome == CONF_PASSED) return;
    if (v->outcome == CONF_SKIPPED) {
        (void)fputs("      <skipped", out);
        print_attribute(out, "message", v->reason);
        (void)fputs("/>\n", out);
        return;
    }
    const char *element = v->outcome == CONF_FAILED ? "failure" : "error";
    (void)fprintf(out, "      <%s", element);
    print_attribute(out, "message", v->reason);
    print_attribute(out, "type", v->outcome == CONF_FAILED ? "divergence" : "broken");
    (void)fputc('>', out);
    print_lines(out, v);
    (void)fprintf(out, "</%s>\n      <system-out>REPRO: ", element);
    char *repro = conf_report_repro(results, result, engine);
    print_xml(out, repro ? repro : "out of memory");
    free(repro);
    (void)fputs("\n</system-out>\n", out);
}

static void print_suite(FILE *out, const conf_results *results, size_t engine)
{
    const char *name = results->engines[engine].name;
    (void)fputs("  <testsuite", out);
    print_attribute(out, "name", name);
    print_counts(out, results, engine);
    (void)fputs(">\n", out);
    for (size_t i = 0; i < results->n; i++) {
        const conf_verdict *v = &results->at[i].verdicts[engine];
        (void)fputs("    <testcase", out);
        print_attribute(out, "name", results->at[i].id);
        print_attribute(out, "classname", name);
        (void)fprintf(out, " time=\"%.3f\">\n", v->seconds);
        print_properties(out, v);
        print_outcome(out, results, i, engine);
        (void)fputs("    </testcase>\n", out);
    }
    (void)fputs("  </testsuite>\n", out);
}

void conf_junit_print(FILE *out, const conf_results *results)
{
    (void)fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"assay\"", out);
    print_counts(out, results, SIZE_MAX);
    (void)fputs(">\n", out);
    for (size_t e = 0; e < results->n_engines; e++) print_suite(out, results, e);
    (void)fputs("</testsuites>\n", out);
}
