/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/fields/list.h"

#include <string.h>

#include "conformance/probe/fields/members.h"
#include "conformance/probe/fields/rules.h"

/* The name of a check, with the endpoint and the form in their places. */
static void print_check(FILE *out, const char *by, probe_endpoint endpoint, bool stream)
{
    const char *const name = probe_endpoint_name(endpoint);
    for (const char *at = by; *at; at++) {
        if (strncmp(at, "{e}", 3) == 0) (void)fprintf(out, "%s", name), at += 2;
        else if (strncmp(at, "{f}", 3) == 0) (void)fprintf(out, "%s", stream ? "stream" : "whole"), at += 2;
        else if (strncmp(at, "{way}", 5) == 0)
            (void)fprintf(out, "%s%s", name, stream ? "-stream" : ""), at += 4;
        else (void)fputc(*at, out);
    }
}

static void print_field(FILE *out, const probe_form *form, const probe_field *f)
{
    if (!f->rule && !f->by && !f->free) return;
    char types[96];
    probe_field_types(f, types);
    (void)fprintf(out, "| %s | %s | ", f->path, types);
    if (f->by) print_check(out, f->by, form->endpoint, form->stream);
    else if (f->rule)
        (void)fprintf(out, "fields/%s/%s/%s", probe_endpoint_name(form->endpoint), probe_form_name(form),
                      f->path);
    (void)fputs(" | ", out);
    if (f->rule) (void)fputs(f->rule->text, out);
    if (f->free) (void)fprintf(out, "free: %s", f->free);
    if (f->value) {
        (void)fputs(": ", out);
        for (const char *at = f->value; *at; at++) (void)fputs(*at == '|' ? ", " : (char[]){*at, '\0'}, out);
    }
    (void)fputs(" |\n", out);
}

static void print_form(FILE *out, const probe_form *form)
{
    (void)fprintf(out, "\n### %s, %s\n\n", probe_endpoint_path(form->endpoint),
                  form->refused  ? "a refusal"
                  : form->stream ? "a stream"
                                 : "whole");
    if (form->whole)
        (void)fputs("What an event has in common with the whole answer is judged as it is there.\n\n", out);
    (void)fputs("| field | type | check | |\n| --- | --- | --- | --- |\n", out);
    for (size_t i = 0; i < form->fields->n; i++) print_field(out, form, &form->fields->at[i]);
}

static void print_members(FILE *out, probe_endpoint endpoint)
{
    size_t n;
    const probe_member *m = probe_members(&n);
    (void)fprintf(out, "\n### %s\n\n| member | check | |\n| --- | --- | --- |\n",
                  probe_endpoint_path(endpoint));
    for (size_t i = 0; i < n; i++) {
        if (!(m[i].endpoints & 1U << endpoint)) continue;
        (void)fprintf(out, "| %s | ", m[i].name);
        if (m[i].by) print_check(out, m[i].by, endpoint, false);
        (void)fprintf(out, " | %s%s |\n", m[i].free && !m[i].later ? "free: " : "",
                      m[i].free ? m[i].free : "");
    }
}

void probe_fields_print(FILE *out)
{
    size_t n;
    const probe_form *forms = probe_forms(&n);
    (void)fputs("# What `assay probe` judges\n\nEvery field of an answer and every member of a request, with "
                "the check that "
                "judges it, or the reason\nwhy it is free. `assay probe --explain` prints this page.\n\nA "
                "field that is missing, "
                "or has another type than the specification says, is named by fields/ENDPOINT/FORM/FIELD.\nA "
                "member that a "
                "server refuses by name is not exercised. `*` in the name of a check stands for a scenario, "
                "or for a form.\n\n"
                "## Answers\n",
                out);
    for (size_t i = 0; i < n; i++) print_form(out, &forms[i]);
    (void)fputs("\n## Requests\n", out);
    for (probe_endpoint e = 0; e < PROBE_N_ENDPOINTS; e++) print_members(out, e);
}
