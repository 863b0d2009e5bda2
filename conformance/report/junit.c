/* JUnit XML for CI systems: a suite for each engine, a test case for each case. The output is valid for
 * both published schemas, that of Ant's JUnitReport (Windy Road) and that of Jenkins' xUnit plug-in.
 * Neither has properties of a test case, and only one has its output, so both belong to the suite.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/report/junit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "conformance/abi/compute.h"
#include "conformance/report/report.h"
#include "conformance/support/text.h"

/* Removes in place the characters that XML 1.0 cannot represent: most controls, U+FFFE and U+FFFF. */
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

/* Counts of one engine: broken cases are errors, divergences are failures. */
static void print_counts(FILE *out, const conf_results *results, size_t engine)
{
    double seconds = 0;
    for (size_t i = 0; i < results->n; i++) seconds += results->at[i].verdicts[engine].seconds;
    (void)fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"%.3f\"",
                  results->n, conf_results_count(results, engine, CONF_FAILED),
                  conf_results_count(results, engine, CONF_BROKEN),
                  conf_results_count(results, engine, CONF_SKIPPED), seconds);
}

/* Time and host, which are required attributes of a suite. */
static void print_origin(FILE *out)
{
    char host[256] = "", stamp[32] = "1970-01-01T00:00:00";
    time_t now = time(NULL);
    struct tm utc;
    if (gethostname(host, sizeof host - 1) != 0 || !host[0]) (void)strcpy(host, "localhost");
    if (gmtime_r(&now, &utc)) (void)strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%S", &utc);
    print_attribute(out, "timestamp", stamp);
    print_attribute(out, "hostname", host);
}

/* The requested compute type, if any; "multiple CASE" for each measured case; bound and unit of the
 * engine. */
static void print_properties(FILE *out, const conf_results *results, size_t engine)
{
    (void)fputs("    <properties>\n", out);
    if (results->kernels) {
        (void)fputs("      <property name=\"kernels\"", out);
        print_attribute(out, "value", results->kernels);
        (void)fputs("/>\n", out);
    }
    if (results->compute)
        (void)fprintf(out, "      <property name=\"compute\" value=\"%s\"/>\n",
                      conf_compute_name(results->compute));
    const conf_verdict *measured = NULL;
    for (size_t i = 0; i < results->n; i++) {
        const conf_verdict *v = &results->at[i].verdicts[engine];
        if (!v->measured) continue;
        measured = v;
        (void)fputs("      <property name=\"multiple ", out);
        print_xml(out, results->at[i].id);
        (void)fprintf(out, "\" value=\"%.9g\"/>\n", v->multiple);
    }
    if (measured)
        (void)fprintf(out,
                      "      <property name=\"bound\" value=\"%g\"/>\n"
                      "      <property name=\"unit\" value=\"%s\"/>\n",
                      conf_bound_of(measured), conf_unit_name(measured));
    (void)fputs("    </properties>\n", out);
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

static void print_repro(FILE *out, const conf_results *results, size_t result, size_t engine)
{
    char *repro = conf_report_repro(results, result, engine);
    (void)fputs("REPRO: ", out);
    print_xml(out, repro ? repro : "out of memory");
    (void)fputc('\n', out);
    free(repro);
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
    print_attribute(out, "type", v->outcome == CONF_FAILED ? conf_class_name(v->class) : "broken");
    (void)fputc('>', out);
    print_lines(out, v);
    print_repro(out, results, result, engine);
    (void)fprintf(out, "</%s>\n", element);
}

static void print_cases(FILE *out, const conf_results *results, size_t engine)
{
    for (size_t i = 0; i < results->n; i++) {
        (void)fputs("    <testcase", out);
        print_attribute(out, "name", results->at[i].id);
        print_attribute(out, "classname", results->engines[engine].name);
        (void)fprintf(out, " time=\"%.3f\">\n", results->at[i].verdicts[engine].seconds);
        print_outcome(out, results, i, engine);
        (void)fputs("    </testcase>\n", out);
    }
}

static void print_output(FILE *out, const conf_results *results, size_t engine)
{
    (void)fputs("    <system-out>", out);
    for (size_t i = 0; i < results->n; i++) {
        conf_outcome outcome = results->at[i].verdicts[engine].outcome;
        if (outcome == CONF_FAILED || outcome == CONF_BROKEN) print_repro(out, results, i, engine);
    }
    (void)fputs("</system-out>\n    <system-err/>\n", out);
}

void conf_junit_print(FILE *out, const conf_results *results)
{
    (void)fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", out);
    for (size_t e = 0; e < results->n_engines; e++) {
        (void)fprintf(out, "  <testsuite id=\"%zu\" package=\"assay\"", e);
        print_attribute(out, "name", results->engines[e].name);
        print_origin(out);
        print_counts(out, results, e);
        (void)fputs(">\n", out);
        print_properties(out, results, e);
        print_cases(out, results, e);
        print_output(out, results, e);
        (void)fputs("  </testsuite>\n", out);
    }
    (void)fputs("</testsuites>\n", out);
}
