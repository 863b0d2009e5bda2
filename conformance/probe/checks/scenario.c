/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/checks/scenario.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/probe/checks/characters.h"
#include "conformance/probe/checks/events.h"
#include "conformance/probe/checks/outcome.h"
#include "conformance/probe/checks/spaces.h"
#include "conformance/probe/checks/trait.h"

#define STOP_MAX 64 /* bytes of a stop text */

static size_t limit_natural(const probe_run *r, const probe_prompt *p)
{
    (void)r;
    return p->n_greedy + 8;
}

static size_t no_limit(const probe_run *r, const probe_prompt *p)
{
    (void)r, (void)p;
    return 0;
}

static size_t limit_half(const probe_run *r, const probe_prompt *p)
{
    (void)r;
    return (p->n_safe < p->n_greedy ? p->n_safe : p->n_greedy) / 2;
}

static size_t limit_in_character(const probe_run *r, const probe_prompt *p)
{
    return probe_characters_cut(r->truth, p);
}

/* No marker of a parser in content. */
static void judge_markers(const probe_comparison *c)
{
    if (c->endpoint == PROBE_COMPLETIONS) return;
    const char *marker = probe_marker_in(c->r, buffer_text(&c->a->content));
    if (marker)
        (void)probe_comparison_report(c, "markers", PROBE_FAILED, PROBE_BREAKS, "found %s in content: %.*s",
                                      marker, (int)(c->a->content.n < 200 ? c->a->content.n : 200),
                                      c->a->content.data);
    else (void)probe_comparison_report(c, "markers", PROBE_OK, PROBE_BREAKS, "none in content");
}

static void judge_natural(const probe_comparison *c)
{
    char text[512];
    const size_t n = c->prompt->n_greedy;
    const bool calls =
        c->expected->fields.n_calls && c->endpoint != PROBE_RESPONSES; /* whose status tells not */
    probe_outcome_finish(c, calls ? PROBE_FINISH_CALLS : PROBE_FINISH_STOP,
                         calls ? "calls" : "a natural end");
    probe_outcome_usage(c, n, n + 1);
    judge_markers(c);
    probe_outcome_thoughts(c);
    probe_outcome_stop_text(c);
    if (probe_expected_same(c->expected, c->endpoint, c->a, text, sizeof text))
        (void)probe_comparison_report(c, "fields", PROBE_OK, PROBE_BREAKS,
                                      "%zu bytes of content, %zu of reasoning", c->a->content.n,
                                      c->a->reasoning.n);
    else (void)probe_comparison_report(c, "fields", PROBE_FAILED, PROBE_BREAKS, "%s", text);
    probe_spaces_judge(c);
}

/* The limit may end within a character. U+FFFD in its place at the end is what published tokenizers decode;
 * elsewhere it is a character that is lost, unless the truth's tokens make none there. */
static void judge_characters(const probe_comparison *c)
{
    probe_expected cut;
    const assay_status rc = probe_expect(c->r->truth, c->prompt, c->limit, &cut, NULL);
    const size_t n_due = probe_characters_replaced(probe_characters_trim(&cut.special));
    const size_t n = probe_characters_replaced(buffer_text(&c->a->content)),
                 n_within = probe_characters_replaced(probe_characters_trim(&c->a->content));
    probe_expected_free(&cut);
    if (rc != ASSAY_OK || n == 0) return;
    if (n_within > n_due)
        (void)probe_comparison_report(
            c, "characters", PROBE_FAILED, PROBE_BREAKS,
            "found U+FFFD in content: %zu times, expected %zu, as the truth has them", n_within, n_due);
    else
        (void)probe_comparison_report(c, "characters", PROBE_OK, PROBE_BREAKS,
                                      n_within ? "U+FFFD where the truth has it"
                                               : "U+FFFD at the end, for a part of a character");
}

static void judge_limit(const probe_comparison *c)
{
    const probe_finish found = probe_answer_finish(c->a);
    const bool longer = c->a->output > (int64_t)c->limit ||
                        (c->a->output < 0 && found == PROBE_FINISH_STOP && c->prompt->n_greedy > c->limit);
    if (longer && !probe_expected_begins(c->r->truth, c->prompt, c->limit, c->endpoint, c->a)) {
        (void)probe_comparison_report(c, "finish", PROBE_IGNORED, PROBE_BREAKS,
                                      "found %lld tokens and finish %s, expected %zu",
                                      (long long)c->a->output, c->a->finish, c->limit);
        return;
    }
    probe_outcome_finish(c, PROBE_FINISH_LENGTH, "the end at the limit");
    probe_outcome_usage(c, c->limit, c->limit);
    judge_markers(c);
    judge_characters(c);
}

static void judge_stop(const probe_comparison *c)
{
    const buffer *all =
        c->endpoint == PROBE_COMPLETIONS ? &c->expected->special : &c->expected->fields.content;
    const char *at = memmem(all->data, all->n, c->stop, strlen(c->stop));
    const assay_text before = {all->data, (size_t)(at - all->data)};
    const assay_text found = conf_field_strip(buffer_text(&c->a->content));
    char text[512];
    if (conf_field_same("content", conf_field_strip(before), found, text, sizeof text)) {
        (void)probe_comparison_report(c, "content", PROBE_OK, PROBE_BREAKS, "ends before %s", c->stop);
        probe_outcome_stop_text(c);
        probe_outcome_finish(c, PROBE_FINISH_STOP, "the end at a stop text");
        return;
    }
    const assay_text whole = conf_field_strip(buffer_text(all));
    const bool ignored = found.n == whole.n && memcmp(found.at, whole.at, whole.n) == 0;
    if (ignored)
        (void)probe_comparison_report(c, "content", PROBE_IGNORED, PROBE_BREAKS,
                                      "the stop text %s has no effect: found %.*s", c->stop,
                                      (int)(found.n < 200 ? found.n : 200), found.at);
    else
        (void)probe_comparison_report(c, "content", PROBE_FAILED, PROBE_BREAKS, "stop text %s: %s", c->stop,
                                      text);
}

/* A word at the end of the expected content that occurs once in the whole answer. False if there is none. */
static bool choose_stop(const probe_expected *e, probe_endpoint endpoint, char stop[STOP_MAX])
{
    const buffer *b = endpoint == PROBE_COMPLETIONS ? &e->special : &e->fields.content;
    for (size_t end = b->n; end > 0; end--) {
        size_t begin = end;
        while (begin > 0 && b->data[begin - 1] != ' ' && (unsigned char)b->data[begin - 1] < 0x80) begin--;
        const size_t n = end - begin;
        if (begin == 0 || n < 2 || n >= STOP_MAX || b->data[begin - 1] != ' ') continue;
        memcpy(stop, b->data + begin, n);
        stop[n] = '\0';
        const char *first = memmem(e->special.data, e->special.n, stop, n);
        const size_t left = first ? e->special.n - (size_t)(first + 1 - e->special.data) : 0;
        if (first && !memmem(first + 1, left, stop, n) && strcspn(stop, "\"\\\n") == n) return true;
    }
    return false;
}

const probe_scenario probe_scenarios[] = {
    {"natural", probe_trait_natural, limit_natural, false, false, judge_natural},
    {"reasoning", probe_trait_reasoning, limit_natural, false, true, judge_natural},
    {"no-reasoning", probe_trait_no_reasoning, limit_natural, false, true, judge_natural},
    {"call", probe_trait_call, limit_natural, false, true, judge_natural},
    {"other-call", probe_trait_other_call, limit_natural, false, true, judge_natural},
    {"call-result", probe_trait_result, limit_natural, false, true, judge_natural},
    {"several-calls", probe_trait_several_calls, limit_natural, false, true, judge_natural},
    {"empty-call", probe_trait_empty_call, limit_natural, false, true, judge_natural},
    {"white-space", probe_trait_white_space, limit_natural, false, true, judge_natural},
    {"no-limit", probe_outcome_is_longest, no_limit, false, false, probe_outcome_unlimited},
    {"limit-in-call", probe_trait_call, probe_outcome_limit_in_call, false, true, probe_outcome_cut_call},
    {"characters", probe_trait_characters, limit_natural, false, false, judge_natural},
    {"limit", probe_trait_limit, limit_half, false, false, judge_limit},
    {"limit-in-character", probe_trait_characters, limit_in_character, false, false, judge_limit},
    {"stop", probe_trait_natural, limit_natural, true, false, judge_stop},
    {0},
};

/* Judges one form of an answer. */
static assay_status judge_form(const probe_comparison *c, const probe_scenario *scenario, assay_error *err)
{
    char why[256];
    const probe_exchange *x = c->x;
    if (!probe_exchange_succeeded(x)) {
        probe_describe_failure(x, why, sizeof why);
        (void)probe_comparison_report(
            c, "answer", c->stop && x->status >= 400 && x->status < 500 ? PROBE_NOT_OFFERED : PROBE_FAILED,
            PROBE_BREAKS, "%s", why);
        return ASSAY_OK;
    }
    if (probe_answer_is_stream(x) != c->stream) {
        (void)probe_comparison_report(c, "form", c->stream ? PROBE_IGNORED : PROBE_FAILED, PROBE_BREAKS,
                                      "found content type %s, expected %s", x->content_type,
                                      c->stream ? "text/event-stream" : "application/json");
        return ASSAY_OK;
    }
    if (c->stream) {
        const probe_events_asked asked = {.usage = true,
                                          .cut_call = scenario->judge == probe_outcome_cut_call};
        PROBE_LABEL(check, "%.100s/grammar", c->check);
        const assay_status rc = probe_events_check(c->r, check, c->endpoint, &asked, x, err);
        if (rc != ASSAY_OK) return rc;
    }
    if (c->a->problem[0])
        (void)probe_comparison_report(c, "answer", PROBE_FAILED, PROBE_BREAKS, "%s", c->a->problem);
    else if (c->a->has_error)
        (void)probe_comparison_report(c, "answer", PROBE_FAILED, PROBE_BREAKS, "an error: %s", c->a->error);
    else scenario->judge(c);
    return ASSAY_OK;
}

static bool same_texts(const probe_answer *whole, const probe_answer *stream, bool trimmed, char *text,
                       size_t size)
{
    const buffer *const a[] = {&whole->content, &whole->reasoning};
    const buffer *const b[] = {&stream->content, &stream->reasoning};
    static const char *const names[] = {"content", "reasoning"};
    for (size_t i = 0; i < 2; i++)
        if (!conf_field_same(names[i], trimmed ? probe_characters_trim(a[i]) : buffer_text(a[i]),
                             trimmed ? probe_characters_trim(b[i]) : buffer_text(b[i]), text, size))
            return false;
    return true;
}

/* Compares what a stream says with the whole answer. */
static void compare_forms(const probe_comparison *c, const probe_answer *whole)
{
    char text[512];
    const probe_answer *a = c->a;
    probe_grade grade = PROBE_BREAKS;
    bool same = false;
    const bool texts = same_texts(whole, a, true, text, sizeof text);
    if (texts && strcmp(whole->finish, a->finish) != 0) {
        (void)snprintf(text, sizeof text, "finish: %s whole, %s streamed", whole->finish, a->finish);
    } else if (texts && whole->n_calls != a->n_calls) {
        (void)snprintf(text, sizeof text, "calls: %zu whole, %zu streamed", whole->n_calls, a->n_calls);
    } else if (texts && a->output >= 0 && (whole->output != a->output || whole->input != a->input)) {
        grade = PROBE_DEPARTS;
        (void)snprintf(text, sizeof text, "usage: %lld and %lld whole, %lld and %lld streamed",
                       (long long)whole->input, (long long)whole->output, (long long)a->input,
                       (long long)a->output);
    } else if (texts) {
        grade = PROBE_HABIT;
        same = same_texts(whole, a, false, text, sizeof text);
    }
    if (same)
        (void)probe_comparison_report(c, "same", PROBE_OK, PROBE_BREAKS,
                                      "the stream says what the whole answer says");
    else (void)probe_comparison_report(c, "same", PROBE_FAILED, grade, "%s", text);
}

/* The members of a request with a stop text; "" if the endpoint has none. */
static void write_stop(probe_endpoint e, const char *stop, char *more, size_t size)
{
    (void)snprintf(more, size, "{\"%s\":[\"%s\"]}", e == PROBE_MESSAGES ? "stop_sequences" : "stop", stop);
}

/* x, a: [2], empty; the whole exchange and its answer, then the streamed ones; freed by the caller. */
static assay_status play_forms(probe_comparison *c, const probe_scenario *scenario, probe_exchange *x,
                               probe_answer *a, assay_error *err)
{
    char more[STOP_MAX + 64] = "";
    assay_status rc = ASSAY_OK;
    if (c->stop) write_stop(c->endpoint, c->stop, more, sizeof more);
    else if (c->limit == 0) (void)strcpy(more, "{\"max_tokens\":null,\"max_output_tokens\":null}");
    for (int i = 0; i < 2 && rc == ASSAY_OK; i++) {
        c->stream = i;
        (void)snprintf(c->check, sizeof c->check, "protocol/%s/%s/%s", probe_endpoint_name(c->endpoint),
                       i ? "stream" : "whole", scenario->name);
        if (!probe_wants(c->r, c->check)) continue;
        const probe_ask ask = {.endpoint = c->endpoint,
                               .prompt = c->prompt,
                               .max_tokens = c->limit,
                               .stream = i,
                               .usage = true,
                               .logprobs = PROBE_NO_LOGPROBS,
                               .more = more[0] ? more : NULL};
        rc = probe_ask_send(c->r, &ask, c->check, &x[i], &a[i], err);
        c->x = &x[i];
        c->a = &a[i];
        if (rc == ASSAY_OK) rc = judge_form(c, scenario, err);
    }
    const bool both = rc == ASSAY_OK && probe_exchange_succeeded(&x[0]) && probe_exchange_succeeded(&x[1]);
    if (both && probe_answer_is_stream(&x[1]) && !a[0].problem[0] && !a[1].problem[0])
        compare_forms(c, &a[0]);
    return rc;
}

assay_status probe_scenario_play(probe_run *r, const probe_scenario *scenario, probe_endpoint e,
                                 assay_error *err)
{
    char stop[STOP_MAX];
    PROBE_LABEL(whole, "protocol/%s/whole/%s", probe_endpoint_name(e), scenario->name);
    PROBE_LABEL(stream, "protocol/%s/stream/%s", probe_endpoint_name(e), scenario->name);
    if (!probe_wants(r, whole) && !probe_wants(r, stream)) return ASSAY_OK;
    if (scenario->stops && e == PROBE_RESPONSES) return ASSAY_OK; /* the protocol has no stop texts */
    if (scenario->chats && e == PROBE_COMPLETIONS) return ASSAY_OK;
    if (scenario->limit == no_limit && e == PROBE_MESSAGES) return ASSAY_OK; /* which require a limit */
    for (size_t i = 0; i < r->truth->n_prompts; i++) {
        const probe_prompt *p = &r->truth->prompts[i];
        probe_expected expected;
        probe_exchange x[2];
        probe_answer a[2];
        if (!scenario->fits(r, e, p)) continue;
        memset(x, 0, sizeof x);
        memset(a, 0, sizeof a);
        assay_status rc = probe_expect(r->truth, p, p->n_greedy, &expected, err);
        const bool usable = rc == ASSAY_OK && (!scenario->stops || choose_stop(&expected, e, stop));
        probe_comparison c = {.r = r,
                              .endpoint = e,
                              .prompt = p,
                              .expected = &expected,
                              .limit = scenario->limit(r, p),
                              .stop = scenario->stops ? stop : NULL};
        if (usable) rc = play_forms(&c, scenario, x, a, err);
        for (int form = 0; form < 2; form++) {
            probe_answer_free(&a[form]);
            probe_exchange_free(&x[form]);
        }
        probe_expected_free(&expected);
        if (rc != ASSAY_OK || usable) return rc;
    }
    PROBE_LABEL(check, "protocol/%s/%s", probe_endpoint_name(e), scenario->name);
    (void)probe_report(r, NULL, check, PROBE_NOT_EXERCISED, PROBE_BREAKS,
                       "no prompt of the truth has an answer that must end in this way");
    return ASSAY_OK;
}
