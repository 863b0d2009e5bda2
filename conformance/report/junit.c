/* JUnit XML for CI systems: a suite for each engine, a test case for each case. The output is valid for
 * both published schemas, that of Ant's JUnitReport (Windy Road) and that of Jenkins' xUnit plug-in.
 * Neither has properties of a test case, and only one has its output, so both belong to the suite.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/report/junit.h"

#include <stdlib.h>

#include "conformance/judge/compute.h"
#include "conformance/judge/noise.h"
#include "conformance/report/report.h"
#include "conformance/support/xml.h"

/* Counts of one engine: broken cases are errors, divergences are failures. The schemas have no expected
 * failures: they are skipped here, with a message that says so. */
static void print_counts(FILE *out, const conf_results *results, size_t engine)
{
    double seconds = 0;
    for (size_t i = 0; i < results->n; i++) seconds += results->at[i].verdicts[engine].seconds;
    (void)fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"%.3f\"",
                  results->n, conf_results_count(results, engine, CONF_FAILED),
                  conf_results_count(results, engine, CONF_BROKEN),
                  conf_results_count(results, engine, CONF_SKIPPED) +
                      conf_results_count(results, engine, CONF_EXPECTED),
                  seconds);
}

/* The requested compute type, if any; "multiple CASE" for each measured case; bound and unit of the
 * engine. */
static void print_properties(FILE *out, const conf_results *results, size_t engine)
{
    (void)fputs("    <properties>\n", out);
    if (results->kernels) {
        (void)fputs("      <property name=\"kernels\"", out);
        conf_xml_attribute(out, "value", results->kernels);
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
        conf_xml_text(out, results->at[i].id);
        (void)fprintf(out, "\" value=\"%.9g\"/>\n", v->multiple);
    }
    if (measured)
        (void)fprintf(out,
                      "      <property name=\"bound\" value=\"%g\"/>\n"
                      "      <property name=\"unit\" value=\"%s\"/>\n",
                      conf_noise_limit(measured->float64), conf_unit_name(measured));
    (void)fputs("    </properties>\n", out);
}

static void print_lines(FILE *out, const conf_verdict *v)
{
    const char *const names[] = {"stage", "type", "expected", "first", "tensor", "notes"};
    const char *const texts[] = {
        conf_stage_name(v->stage), v->explained, v->expected, v->where, v->trace, v->notes};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (!texts[i][0]) continue;
        (void)fprintf(out, "%s: ", names[i]);
        conf_xml_text(out, texts[i]);
        (void)fputc('\n', out);
    }
}

static void print_repro(FILE *out, const conf_results *results, size_t result, size_t engine)
{
    char *repro = conf_report_repro(results, result, engine);
    (void)fputs("REPRO: ", out);
    conf_xml_text(out, repro ? repro : "out of memory");
    (void)fputc('\n', out);
    free(repro);
}

static void print_outcome(FILE *out, const conf_results *results, size_t result, size_t engine)
{
    const conf_verdict *v = &results->at[result].verdicts[engine];
    if (v->outcome == CONF_PASSED) return;
    if (v->outcome == CONF_SKIPPED) {
        (void)fputs("      <skipped", out);
        conf_xml_attribute(out, "message", v->reason);
        (void)fputs("/>\n", out);
        return;
    }
    if (v->outcome == CONF_EXPECTED) {
        (void)fputs("      <skipped message=\"expected failure: ", out);
        conf_xml_text(out, v->expected);
        (void)fputs("\"/>\n", out);
        return;
    }
    const char *element = v->outcome == CONF_FAILED ? "failure" : "error";
    (void)fprintf(out, "      <%s", element);
    conf_xml_attribute(out, "message", v->reason);
    conf_xml_attribute(out, "type", v->outcome == CONF_FAILED ? conf_class_name(v->class) : "broken");
    (void)fputc('>', out);
    print_lines(out, v);
    print_repro(out, results, result, engine);
    (void)fprintf(out, "</%s>\n", element);
}

static void print_cases(FILE *out, const conf_results *results, size_t engine)
{
    for (size_t i = 0; i < results->n; i++) {
        (void)fputs("    <testcase", out);
        conf_xml_attribute(out, "name", results->at[i].id);
        conf_xml_attribute(out, "classname", results->engines[engine].name);
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
        if (conf_outcome_fails(outcome)) print_repro(out, results, i, engine);
    }
    (void)fputs("</system-out>\n    <system-err/>\n", out);
}

assay_status conf_junit_print(FILE *out, const conf_results *results, assay_error *err)
{
    (void)err;
    (void)fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", out);
    for (size_t e = 0; e < results->n_engines; e++) {
        (void)fprintf(out, "  <testsuite id=\"%zu\" package=\"assay\"", e);
        conf_xml_attribute(out, "name", results->engines[e].name);
        conf_xml_origin(out);
        print_counts(out, results, e);
        (void)fputs(">\n", out);
        print_properties(out, results, e);
        print_cases(out, results, e);
        print_output(out, results, e);
        (void)fputs("  </testsuite>\n", out);
    }
    (void)fputs("</testsuites>\n", out);
    return ASSAY_OK;
}
