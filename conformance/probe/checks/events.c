/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/checks/events.h"
#include "conformance/probe/run/proof.h"

#include <string.h>

#include "base/error.h"
#include "dialogue/grammar/grammar.h"
#include "dialogue/markers.h"

/* Collects the markers of both parsers in at [2 * SERVE_MARKERS_MAX]. */
static size_t collect_markers(const probe_truth *t, const char **at)
{
    serve_markers m;
    size_t n = 0;
    if (t->reasoning && serve_markers_of_reasoning(t->reasoning, &m, NULL) == ASSAY_OK)
        for (size_t i = 0; i < m.n; i++) at[n++] = m.at[i];
    if (t->tools && serve_markers_of_tools(t->tools, &m, NULL) == ASSAY_OK)
        for (size_t i = 0; i < m.n; i++) at[n++] = m.at[i];
    return n;
}

const char *probe_marker_in(const probe_run *r, assay_text text)
{
    const char *markers[2 * SERVE_MARKERS_MAX];
    const size_t n = collect_markers(r->truth, markers);
    for (size_t i = 0; i < n && text.n; i++)
        if (memmem(text.at, text.n, markers[i], strlen(markers[i]))) return markers[i];
    return NULL;
}

static probe_grade grade_of(serve_grade grade)
{
    return grade == SERVE_BREAKS ? PROBE_BREAKS : grade == SERVE_DEPARTS ? PROBE_DEPARTS : PROBE_HABIT;
}

/* A row for the first breach of each rule; the others are counted in it. */
static void report_breaches(probe_run *r, const char *check, const probe_exchange *x, const serve_breaches *b)
{
    for (size_t i = 0; i < b->n; i++) {
        size_t n_before = 0, n_same = 1;
        for (size_t k = 0; k < i; k++) n_before += strcmp(b->at[k].rule, b->at[i].rule) == 0;
        for (size_t k = i + 1; k < b->n; k++) n_same += strcmp(b->at[k].rule, b->at[i].rule) == 0;
        if (n_before > 0) continue;
        probe_finding *f = n_same > 1 ? probe_report(r, x, check, PROBE_FAILED, grade_of(b->at[i].grade),
                                                     "%s; %zu times", b->at[i].text, n_same)
                                      : probe_report(r, x, check, PROBE_FAILED, grade_of(b->at[i].grade),
                                                     "%s", b->at[i].text);
        if (!f) return;
        (void)snprintf(f->rule, sizeof f->rule, "%s", b->at[i].rule);
        f->event = b->at[i].event;
        f->byte = b->at[i].offset;
        if (!probe_proof_mark(f, x, probe_mark_event(&x->body, f->byte))) r->findings.failed = true;
    }
}

assay_status probe_events_check(probe_run *r, const char *check, probe_endpoint endpoint,
                                const probe_events_asked *asked, const probe_exchange *x, assay_error *err)
{
    const char *markers[2 * SERVE_MARKERS_MAX];
    serve_grammar_options options = {.usage = asked->usage ? SERVE_ASKED_FOR : SERVE_NOT_ASKED_FOR,
                                     .markers = markers};
    serve_grammar_summary summary;
    serve_grammar *g;
    if (!serve_endpoint_find(probe_endpoint_path(endpoint), &options.endpoint)) return ASSAY_OK;
    if (endpoint != PROBE_COMPLETIONS && !asked->cut_call)
        options.n_markers = collect_markers(r->truth, markers);
    assay_status rc = serve_grammar_open(&options, &g);
    if (rc != ASSAY_OK) return assay_fail(err, rc, "out of memory");
    rc = serve_grammar_feed(g, x->body.data ? x->body.data : "", x->body.n);
    if (rc == ASSAY_OK) rc = serve_grammar_end(g);
    const serve_breaches *breaches = serve_grammar_breaches(g);
    serve_grammar_summarise(g, &summary);
    if (rc == ASSAY_OK && breaches->n > 0) report_breaches(r, check, x, breaches);
    else if (rc == ASSAY_OK)
        (void)probe_report(r, x, check, PROBE_OK, PROBE_BREAKS, "%zu events", summary.n_events);
    serve_grammar_free(g);
    return rc == ASSAY_OK ? ASSAY_OK : assay_fail(err, rc, "out of memory");
}
