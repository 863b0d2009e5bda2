/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/run/run.h"

#include <stdio.h>
#include <string.h>

#include "conformance/probe/run/excerpt.h"
#include "conformance/probe/run/repro.h"

enum { QUICK_PROMPTS = 2 };

probe_finding *probe_report(probe_run *r, const probe_exchange *x, const char *check, probe_verdict verdict,
                            probe_grade grade, const char *format, ...)
{
    va_list args;
    if (x && probe_exchange_is_missing(x)) verdict = PROBE_NOT_EXERCISED;
    va_start(args, format);
    probe_finding *f = probe_findings_add(&r->findings, check, verdict, grade, format, args);
    va_end(args);
    if (!f || !x) return f;
    (void)snprintf(f->exchange, sizeof f->exchange, "%s", x->label);
    if (verdict != PROBE_FAILED && verdict != PROBE_IGNORED) return f;
    f->repro = probe_repro(probe_wire_url(r->wire), r->key_env, x);
    f->excerpt = probe_excerpt(x, (probe_mark){0, 0});
    if (!f->repro || !f->excerpt) r->findings.failed = true;
    return f;
}

size_t probe_prompts_most(const probe_run *r, size_t most)
{
    return r->quick && most > QUICK_PROMPTS ? QUICK_PROMPTS : most;
}

bool probe_name_begins(const char *a, const char *b)
{
    while (*a && *a == *b) a++, b++;
    return (!*a && (!*b || *b == '/')) || (!*b && *a == '/');
}

bool probe_wants(const probe_run *r, const char *check)
{
    bool wants = r->n_only == 0;
    for (size_t i = 0; i < r->n_only && !wants; i++) wants = probe_name_begins(r->only[i], check);
    return wants;
}

bool probe_asks(const probe_run *r, probe_endpoint e)
{
    return r->endpoints == 0 || r->endpoints & 1U << e;
}

assay_status probe_send(probe_run *r, probe_exchange *x, assay_error *err)
{
    return probe_wire_run(r->wire, &x, 1, err);
}

void probe_describe_failure(const probe_exchange *x, char *text, size_t size)
{
    if (x->end != PROBE_ANSWERED) {
        (void)snprintf(text, size, "%s: %s", probe_end_name(x->end), x->why);
        return;
    }
    const size_t n = x->body.n < 160 ? x->body.n : 160;
    (void)snprintf(text, size, "status %d: %.*s", x->status, (int)n, n ? x->body.data : "");
    text[strcspn(text, "\r\n")] = '\0';
}
