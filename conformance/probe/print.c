/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/print.h"

#include <string.h>

#include "base/error.h"
#include "conformance/probe/wire/store.h"
#include "conformance/support/json_add.h"
#include "conformance/support/text.h"
#include "conformance/support/xml.h"

#define CHECK_WIDTH 44

conf_exit probe_exit(const probe_run *run)
{
    size_t n_ok = 0;
    for (size_t i = 0; i < run->findings.n; i++) {
        if (probe_finding_counts(&run->findings.at[i])) return CONF_EXIT_DIVERGES;
        n_ok += run->findings.at[i].verdict == PROBE_OK;
    }
    return n_ok ? CONF_EXIT_AGREE : CONF_EXIT_NOTHING;
}

/* The fewest requests that show it, if they were looked for. */
static void print_requests(FILE *out, const probe_finding *f)
{
    if (!f->is_reduced) return;
    if (f->n_asked == 0) {
        (void)fputs("    REQUESTS: asked again, the check did not fail: it depends on what the server was "
                    "asked before\n",
                    out);
        return;
    }
    (void)fprintf(out, "    REQUESTS: %zu of %zu show it%s\n", f->n_needed, f->n_asked,
                  f->is_least ? ", and fewer do not" : "; the time was over before fewer were found");
    for (size_t i = 0; i < f->requests.n; i++) (void)fprintf(out, "      %s\n", f->requests.at[i]);
}

static void print_finding(FILE *out, const probe_finding *f, const char *saved)
{
    const bool graded = f->verdict == PROBE_FAILED || f->verdict == PROBE_IGNORED;
    char verdict[32];
    (void)snprintf(verdict, sizeof verdict, "%s%s%s", probe_verdict_name(f->verdict), graded ? ", " : "",
                   graded ? probe_grade_name(f->grade) : "");
    (void)fprintf(out, "%-16s %-*s ", verdict, CHECK_WIDTH, f->check);
    if (f->rule[0]) (void)fprintf(out, "event %zu, byte %zu: %s: ", f->event, f->byte, f->rule);
    conf_text_print_clean(out, f->text);
    (void)fputc('\n', out);
    if (!graded) return;
    if (f->exchange[0] && saved) {
        (void)fputs("    exchange: ", out);
        conf_text_print_quoted(out, saved);
        (void)fprintf(out, probe_store_is_archive(saved) ? ", label %s\n" : "/%s.response\n", f->exchange);
    }
    if (f->repro) (void)fprintf(out, "    REPRO: %s\n", f->repro);
    print_requests(out, f);
}

static void print_counts(FILE *out, const probe_run *run)
{
    size_t n_habits = 0;
    const probe_findings *f = &run->findings;
    for (size_t i = 0; i < f->n; i++)
        n_habits += f->at[i].verdict == PROBE_FAILED && f->at[i].grade == PROBE_HABIT;
    (void)fprintf(
        out,
        "%zu ok, %zu failed, %zu of them harmless habits, %zu ignored, %zu not exercised, %zu not offered; "
        "%zu requests\n",
        probe_findings_count(f, PROBE_OK), probe_findings_count(f, PROBE_FAILED), n_habits,
        probe_findings_count(f, PROBE_IGNORED), probe_findings_count(f, PROBE_NOT_EXERCISED),
        probe_findings_count(f, PROBE_NOT_OFFERED), probe_wire_count(run->wire));
}

void probe_print(const conf_context *context, const probe_run *run, bool verbose, const char *saved)
{
    FILE *out = context->out;
    conf_text_print_clean(out, probe_wire_url(run->wire));
    (void)fputs(probe_wire_is_saved(run->wire) ? " (a saved run), model " : ", model ", out);
    conf_text_print_clean(out, run->model ? run->model : "unknown");
    (void)fprintf(out, ", %zu prompts of ", run->truth->n_prompts);
    conf_text_print_clean(out, run->truth->model);
    (void)fputc('\n', out);
    for (size_t i = 0; i < run->findings.n; i++)
        if (verbose || run->findings.at[i].verdict != PROBE_OK)
            print_finding(out, &run->findings.at[i], saved);
    print_counts(out, run);
}

static bool add_requests(json_object *row, const probe_finding *f)
{
    json_object *reduced = conf_json_add_object(row, "reduced");
    bool ok = conf_json_add_count(reduced, "asked", f->n_asked) &&
              conf_json_add_count(reduced, "needed", f->n_needed) &&
              conf_json_add(reduced, "least", json_object_new_boolean(f->is_least));
    json_object *lines = ok ? conf_json_add_array(reduced, "lines") : NULL;
    for (size_t i = 0; i < f->requests.n && lines && ok; i++)
        ok = conf_json_append(lines, json_object_new_string(f->requests.at[i]));
    return ok && lines;
}

static bool add_finding(json_object *list, const probe_finding *f)
{
    const bool graded = f->verdict == PROBE_FAILED || f->verdict == PROBE_IGNORED;
    json_object *row = json_object_new_object();
    bool ok = conf_json_append(list, row) && conf_json_add_text(row, "check", f->check) &&
              conf_json_add_text(row, "verdict", probe_verdict_name(f->verdict)) &&
              conf_json_add_text(row, "text", f->text);
    if (ok && graded) ok = conf_json_add_text(row, "grade", probe_grade_name(f->grade));
    if (ok && f->rule[0])
        ok = conf_json_add_text(row, "rule", f->rule) && conf_json_add_count(row, "event", f->event) &&
             conf_json_add_count(row, "byte", f->byte);
    if (ok && f->exchange[0]) ok = conf_json_add_text(row, "exchange", f->exchange);
    if (ok && f->repro) ok = conf_json_add_text(row, "repro", f->repro);
    if (ok && f->is_reduced) ok = add_requests(row, f);
    return ok;
}

assay_status probe_print_json(FILE *out, const probe_run *run, assay_error *err)
{
    json_object *document = json_object_new_object(), *rows = json_object_new_array();
    const probe_findings *f = &run->findings;
    bool ok = document && conf_json_add_text(document, "schema", "assay-probe/1") &&
              conf_json_add_text(document, "url", probe_wire_url(run->wire)) &&
              conf_json_add_text(document, "model", run->model ? run->model : "") &&
              conf_json_add_text(document, "truth", run->truth->model) &&
              conf_json_add_count(document, "prompts", run->truth->n_prompts) &&
              conf_json_add_count(document, "requests", probe_wire_count(run->wire));
    for (probe_verdict v = 0; v < PROBE_N_VERDICTS && ok; v++)
        ok = conf_json_add_count(document, probe_verdict_name(v), probe_findings_count(f, v));
    ok = conf_json_add(document, "findings", rows) && ok;
    for (size_t i = 0; i < f->n && ok; i++) ok = add_finding(rows, &f->at[i]);
    return conf_json_print_document(document, ok, out, err);
}

static void print_case(FILE *out, const probe_finding *f)
{
    (void)fputs("    <testcase", out);
    conf_xml_attribute(out, "name", f->check);
    conf_xml_attribute(out, "classname", "probe");
    (void)fputs(" time=\"0\">\n", out);
    if (probe_finding_counts(f)) {
        (void)fputs("      <failure", out);
        conf_xml_attribute(out, "message", f->text);
        conf_xml_attribute(out, "type", probe_grade_name(f->grade));
        (void)fputc('>', out);
        if (f->rule[0]) (void)fprintf(out, "rule: %s, event %zu, byte %zu\n", f->rule, f->event, f->byte);
        (void)fputs("REPRO: ", out);
        conf_xml_text(out, f->repro ? f->repro : "");
        (void)fputs("</failure>\n", out);
    } else if (f->verdict == PROBE_NOT_EXERCISED || f->verdict == PROBE_NOT_OFFERED) {
        char message[PROBE_TEXT_MAX + 32];
        (void)snprintf(message, sizeof message, "%s: %s", probe_verdict_name(f->verdict), f->text);
        (void)fputs("      <skipped", out);
        conf_xml_attribute(out, "message", message);
        (void)fputs("/>\n", out);
    }
    (void)fputs("    </testcase>\n", out);
}

void probe_print_junit(FILE *out, const probe_run *run)
{
    const probe_findings *f = &run->findings;
    size_t n_failed = 0, n_skipped = 0;
    for (size_t i = 0; i < f->n; i++) {
        n_failed += probe_finding_counts(&f->at[i]);
        n_skipped += f->at[i].verdict == PROBE_NOT_EXERCISED || f->at[i].verdict == PROBE_NOT_OFFERED;
    }
    (void)fputs(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite id=\"0\" package=\"assay\"",
        out);
    conf_xml_attribute(out, "name", probe_wire_url(run->wire));
    conf_xml_origin(out);
    (void)fprintf(
        out, " tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\" time=\"0\">\n    <properties/>\n",
        f->n, n_failed, n_skipped);
    for (size_t i = 0; i < f->n; i++) print_case(out, &f->at[i]);
    (void)fputs("    <system-out></system-out>\n    <system-err/>\n  </testsuite>\n</testsuites>\n", out);
}
