/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/effects/contents.h"

#include <string.h>

#include "conformance/probe/checks/events.h"

enum { LEAST_MORE = 3 };

static void report_ok(const probe_trial *t, const char *text)
{
    (void)probe_report(t->r, NULL, t->check, PROBE_OK, PROBE_DEPARTS, "%s", text);
}

void probe_judge_no_usage(const probe_trial *t)
{
    const probe_events_asked asked = {.usage = false};
    (void)probe_events_check(t->r, t->check, t->endpoint, &asked, &t->parts[0].x, NULL);
}

void probe_judge_limit(const probe_trial *t)
{
    for (size_t i = 0; i < t->effect->n; i++) {
        const probe_answer *a = &t->parts[i].a;
        if (probe_answer_finish(a) == PROBE_FINISH_LENGTH &&
            (a->output < 0 || a->output == (int64_t)t->limit))
            continue;
        (void)probe_report(t->r, &t->parts[i].x, t->check, PROBE_IGNORED, PROBE_BREAKS,
                           "found finish %s after %lld tokens, expected the end at the limit of %zu",
                           a->finish[0] ? a->finish : "none", (long long)a->output, t->limit);
        return;
    }
    report_ok(t, "the answer ends at the limit");
}

void probe_write_least(const probe_trial *t, size_t i, char more[PROBE_MORE_MAX])
{
    (void)i;
    (void)snprintf(more, PROBE_MORE_MAX, "{\"min_tokens\":%zu}", t->prompt->n_greedy + LEAST_MORE);
}

void probe_judge_least(const probe_trial *t)
{
    const int64_t least = (int64_t)t->prompt->n_greedy + LEAST_MORE;
    for (size_t i = 0; i < t->effect->n; i++) {
        const probe_answer *a = &t->parts[i].a;
        if (a->output < 0 || a->output >= least) continue;
        (void)probe_report(t->r, &t->parts[i].x, t->check, PROBE_IGNORED, PROBE_DEPARTS,
                           "found %lld tokens, expected at least %lld", (long long)a->output,
                           (long long)least);
        return;
    }
    report_ok(t, "the answer is as long as was asked for");
}

/* The last token of the answer that occurs once in it. */
static size_t find_stop(const probe_prompt *p)
{
    for (size_t k = p->n_greedy; k-- > 1;) {
        size_t n = 0;
        for (size_t i = 0; i < p->n_greedy; i++) n += p->greedy[i] == p->greedy[k];
        if (n == 1) return k;
    }
    return 0;
}

void probe_write_stop_id(const probe_trial *t, size_t i, char more[PROBE_MORE_MAX])
{
    (void)i;
    (void)snprintf(more, PROBE_MORE_MAX, "{\"stop_token_ids\":[%d]}",
                   (int)t->prompt->greedy[find_stop(t->prompt)]);
}

void probe_judge_stop_id(const probe_trial *t)
{
    const int64_t stop = (int64_t)find_stop(t->prompt);
    for (size_t i = 0; i < t->effect->n; i++) {
        const probe_answer *a = &t->parts[i].a;
        if (a->output < 0 || a->output == stop || a->output == stop + 1) continue;
        (void)probe_report(t->r, &t->parts[i].x, t->check, PROBE_IGNORED, PROBE_DEPARTS,
                           "found %lld tokens, expected the end at token %lld", (long long)a->output,
                           (long long)stop + 1);
        return;
    }
    report_ok(t, "the answer ends at the token");
}

/* Whether ids [n] are the expected ones [n_expected], of which the last may be missing if it is a stop id. */
static bool same_ids(const int32_t *ids, size_t n, const int32_t *expected, size_t n_expected, bool may_stop)
{
    return (n == n_expected || (may_stop && n == n_expected + 1)) &&
           memcmp(ids, expected, n_expected * sizeof *ids) == 0;
}

void probe_judge_token_ids(const probe_trial *t)
{
    const probe_prompt *p = t->prompt;
    for (size_t i = 0; i < t->effect->n; i++) {
        const probe_answer *a = &t->parts[i].a;
        const bool none = a->n_token_ids == 0 && a->n_prompt_ids == 0;
        if (!none && same_ids(a->token_ids, a->n_token_ids, p->greedy, p->n_greedy, true) &&
            same_ids(a->prompt_ids, a->n_prompt_ids, p->ids, p->n_prompt, false))
            continue;
        (void)probe_report(
            t->r, &t->parts[i].x, t->check, none ? PROBE_IGNORED : PROBE_FAILED, PROBE_DEPARTS,
            "found %zu ids of the prompt and %zu of the answer, expected the %zu and %zu of the truth",
            a->n_prompt_ids, a->n_token_ids, p->n_prompt, p->n_greedy);
        return;
    }
    report_ok(t, "the ids of the truth");
}

void probe_judge_json(const probe_trial *t)
{
    for (size_t i = 0; i < t->effect->n; i++) {
        const probe_answer *a = &t->parts[i].a;
        json_object *value = NULL;
        const bool is = conf_field_parse(buffer_text(&a->content), &value) &&
                        json_object_is_type(value, json_type_object);
        const bool cut = probe_answer_finish(a) == PROBE_FINISH_LENGTH;
        json_object_put(value);
        if (is) continue;
        (void)probe_report(t->r, &t->parts[i].x, t->check, cut ? PROBE_NOT_EXERCISED : PROBE_IGNORED,
                           PROBE_DEPARTS, "found %.*s, expected a JSON object",
                           (int)(a->content.n < 200 ? a->content.n : 200),
                           a->content.n ? a->content.data : "");
        return;
    }
    report_ok(t, "the content is a JSON object");
}

void probe_write_no_tools(const probe_trial *t, size_t i, char more[PROBE_MORE_MAX])
{
    (void)i;
    (void)snprintf(more, PROBE_MORE_MAX, "{\"tool_choice\":%s}",
                   t->endpoint == PROBE_MESSAGES ? "{\"type\":\"none\"}" : "\"none\"");
}

/* The answers have at most so many calls. */
static void judge_calls(const probe_trial *t, size_t most)
{
    for (size_t i = 0; i < t->effect->n; i++) {
        if (t->parts[i].a.n_calls <= most) continue;
        (void)probe_report(t->r, &t->parts[i].x, t->check, PROBE_IGNORED, PROBE_BREAKS,
                           "found %zu calls, expected at most %zu", t->parts[i].a.n_calls, most);
        return;
    }
    report_ok(t, most ? "one call" : "no call");
}

void probe_judge_no_calls(const probe_trial *t)
{
    judge_calls(t, 0);
}

void probe_write_one_call(const probe_trial *t, size_t i, char more[PROBE_MORE_MAX])
{
    (void)i;
    (void)snprintf(more, PROBE_MORE_MAX, "%s",
                   t->endpoint == PROBE_MESSAGES
                       ? "{\"tool_choice\":{\"type\":\"auto\",\"disable_parallel_tool_use\":true}}"
                       : "{\"parallel_tool_calls\":false}");
}

void probe_judge_one_call(const probe_trial *t)
{
    judge_calls(t, 1);
}
