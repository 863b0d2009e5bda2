/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/checks/outcome.h"

#include <inttypes.h>
#include <string.h>

void probe_outcome_finish(const probe_comparison *c, probe_finish expected, const char *name)
{
    const probe_finish found = probe_answer_finish(c->a);
    if (found == expected)
        (void)probe_comparison_report(c, "finish", PROBE_OK, PROBE_BREAKS, "%s", c->a->finish);
    else
        (void)probe_comparison_report(c, "finish", PROBE_FAILED, PROBE_BREAKS, "found %s, expected %s",
                                      c->a->finish[0] ? c->a->finish : "none", name);
}

void probe_outcome_usage(const probe_comparison *c, size_t least, size_t most)
{
    const probe_answer *a = c->a;
    const int64_t input = (int64_t)c->prompt->n_prompt;
    if (a->input < 0 || a->output < 0)
        (void)probe_comparison_report(c, "usage", PROBE_FAILED, PROBE_DEPARTS,
                                      "the answer reports no %s tokens", a->input < 0 ? "input" : "output");
    else if (a->input != input || a->output < (int64_t)least || a->output > (int64_t)most)
        (void)probe_comparison_report(c, "usage", PROBE_FAILED, PROBE_DEPARTS,
                                      "found %lld tokens of input and %lld of output, expected %zu and %zu",
                                      (long long)a->input, (long long)a->output, c->prompt->n_prompt, most);
    else
        (void)probe_comparison_report(c, "usage", PROBE_OK, PROBE_DEPARTS, "%lld and %lld tokens",
                                      (long long)a->input, (long long)a->output);
}

void probe_outcome_unlimited(const probe_comparison *c)
{
    const bool cut = c->endpoint == PROBE_COMPLETIONS && c->a->output == 16 &&
                     probe_answer_finish(c->a) == PROBE_FINISH_LENGTH;
    if (cut) (void)probe_comparison_report(c, "finish", PROBE_OK, PROBE_BREAKS, "16 tokens, as specified");
    else probe_outcome_finish(c, PROBE_FINISH_STOP, "a natural end: the request has no limit");
}

/* The number of the answer's first tokens after which its reasoning begins, is whole, and its content begins.
 */
typedef struct span {
    size_t begin, end, content;
} span;

static bool find_span(const probe_comparison *c, span *out)
{
    const size_t n = c->prompt->n_greedy, whole = c->expected->fields.reasoning.n;
    *out = (span){n, n, n};
    for (size_t k = n + 1; k-- > 0;) {
        probe_expected e;
        const bool ok = probe_expect(c->r->truth, c->prompt, k, &e, NULL) == ASSAY_OK;
        if (ok && e.fields.reasoning.n > 0) out->begin = k;
        if (ok && e.fields.reasoning.n == whole) out->end = k;
        if (ok && (e.fields.content.n > 0 || e.fields.n_calls > 0)) out->content = k;
        probe_expected_free(&e);
        if (!ok) return false;
    }
    return true;
}

void probe_outcome_thoughts(const probe_comparison *c)
{
    span at;
    size_t least = 0, most = 0;
    if (c->a->thoughts < 0) return;
    if (c->expected->fields.reasoning.n > 0) {
        if (!find_span(c, &at)) return;
        least = at.end - at.begin;
        most = at.content +
               (at.content == c->prompt->n_greedy); /* a stop id may count to the reasoning that it ends */
    }
    if (c->a->thoughts < (int64_t)least || c->a->thoughts > (int64_t)most)
        (void)probe_comparison_report(c, "reasoning-tokens", PROBE_FAILED, PROBE_DEPARTS,
                                      "found %" PRId64 " tokens of reasoning, expected %zu to %zu",
                                      c->a->thoughts, least, most);
    else
        (void)probe_comparison_report(c, "reasoning-tokens", PROBE_OK, PROBE_DEPARTS, "%" PRId64 " tokens",
                                      c->a->thoughts);
}

void probe_outcome_stop_text(const probe_comparison *c)
{
    const char *expected = c->stop ? c->stop : "";
    if (c->endpoint != PROBE_MESSAGES) return;
    if (strcmp(c->a->stop, expected) == 0)
        (void)probe_comparison_report(c, "stop-sequence", PROBE_OK, PROBE_DEPARTS, "%s",
                                      *expected ? expected : "none");
    else
        (void)probe_comparison_report(c, "stop-sequence", PROBE_FAILED, PROBE_DEPARTS,
                                      "found %s, expected %s", c->a->stop[0] ? c->a->stop : "none",
                                      *expected ? expected : "none");
}

/* A text without white space. */
static bool begins_without_blanks(const buffer *whole, const buffer *part)
{
    size_t k = 0;
    for (size_t i = 0; i < part->n; i++) {
        if (strchr(" \t\r\n", part->data[i])) continue;
        while (k < whole->n && strchr(" \t\r\n", whole->data[k])) k++;
        if (k == whole->n || whole->data[k++] != part->data[i]) return false;
    }
    return true;
}

static bool holds_calls(const probe_comparison *c)
{
    const conf_fields *expected = &c->expected->fields;
    for (size_t i = 0; i < c->a->n_calls; i++) {
        const probe_call *call = &c->a->calls[i];
        const bool empty = call->arguments.n == 2 && memcmp(call->arguments.data, "{}", 2) == 0;
        if (i < expected->n_calls && begins_without_blanks(&expected->calls[i].name, &call->name) && !empty &&
            begins_without_blanks(&expected->calls[i].arguments, &call->arguments))
            continue;
        (void)probe_comparison_report(c, "call", PROBE_FAILED, PROBE_BREAKS,
                                      "found the call %.*s with %.*s, whose arguments the limit cuts",
                                      (int)call->name.n, call->name.n ? call->name.data : "",
                                      (int)(call->arguments.n < 200 ? call->arguments.n : 200),
                                      call->arguments.n ? call->arguments.data : "");
        return false;
    }
    return true;
}

/* The content is empty, or what published parsers make of the tokens: the text of the call, with its marker.
 */
static bool holds_content(const probe_comparison *c)
{
    probe_expected cut;
    char text[512];
    const assay_text found = conf_field_strip(buffer_text(&c->a->content));
    const bool same =
        found.n == 0 || (probe_expect(c->r->truth, c->prompt, c->limit, &cut, NULL) == ASSAY_OK &&
                         conf_field_same("content", conf_field_strip(buffer_text(&cut.fields.content)), found,
                                         text, sizeof text));
    if (found.n) probe_expected_free(&cut);
    if (!same) (void)probe_comparison_report(c, "call", PROBE_FAILED, PROBE_BREAKS, "%s", text);
    return same;
}

void probe_outcome_cut_call(const probe_comparison *c)
{
    probe_outcome_finish(c, PROBE_FINISH_LENGTH, "the end at the limit");
    probe_outcome_usage(c, c->limit, c->limit);
    if (holds_calls(c) && holds_content(c))
        (void)probe_comparison_report(c, "call", PROBE_OK, PROBE_BREAKS, "%zu calls", c->a->n_calls);
}

size_t probe_outcome_limit_in_call(const probe_run *r, const probe_prompt *p)
{
    size_t n = p->n_greedy;
    for (bool has = true; has && n > 0;) { /* the last token that does not end the call */
        probe_expected e;
        has = probe_expect(r->truth, p, --n, &e, NULL) == ASSAY_OK && e.fields.n_calls > 0;
        probe_expected_free(&e);
    }
    return n > 4 ? n - 4 : n;
}

bool probe_outcome_is_longest(const probe_run *r, probe_endpoint e, const probe_prompt *p)
{
    size_t longest = 0;
    for (size_t i = 0; i < r->truth->n_prompts; i++) {
        const probe_prompt *other = &r->truth->prompts[i];
        const bool natural = probe_can_ask(r, e, other) && other->ends && other->n_greedy > 0 &&
                             other->n_safe == other->n_greedy + 1 &&
                             !(other->chat && json_object_object_get_ex(other->chat, "tools", NULL));
        if (natural && other->n_greedy > longest) longest = other->n_greedy;
        if (!natural && other == p) return false;
    }
    return longest > 0 && p->n_greedy == longest;
}
