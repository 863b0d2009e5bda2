/* Log-probabilities against float64 logits: of prompts where a server returns them, else of the next token
 * after prefixes of prompts; and of its own answers, followed token by token.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/judge/distance.h"
#include "conformance/judge/token.h"
#include "conformance/probe/checks/alignment.h"
#include "conformance/probe/checks/expect.h"
#include "conformance/probe/checks/follow.h"
#include "conformance/probe/checks/observe.h"
#include "conformance/probe/checks/sampled.h"
#include "conformance/probe/checks/tally.h"
#include "conformance/probe/groups/groups.h"
#include "conformance/probe/run/ask.h"

#define PROMPTS_MOST  8  /* that are asked in each way */
#define STREAMS_MOST  4  /* … as streams */
#define STREAM_TOP    5  /* alternatives in streams */
#define PREFIXES_MOST 6  /* of a prompt */
#define TOP_MOST      20 /* alternatives, unless whole vocabularies are returned */

/* What the answers of one way amount to. */
typedef struct judged {
    probe_tally tally;
    probe_alignment alignment;
    size_t other; /* answers to other prompts */
} judged;

/* A way to log-probabilities. */
typedef struct way {
    const char *name; /* "echo" */
    probe_endpoint endpoint;
    bool stream;
    bool (*is_offered)(const probe_run *r);
    assay_status (*ask)(probe_run *r, const struct way *w, const probe_prompt *p, size_t number, judged *j,
                        assay_error *err);
} way;

/* The number of alternatives to ask for. */
static size_t top_of(const probe_run *r, const way *w)
{
    const size_t top = r->server.at[w->endpoint].top, most = w->stream ? STREAM_TOP : TOP_MOST;
    if (r->server.at[w->endpoint].whole && !w->stream) return r->truth->n_vocab;
    return top < most ? top : most;
}

/* Reports an answer that has no rows to judge. False if it has. due: it must have some. */
static bool lacks_rows(probe_run *r, const way *w, const probe_exchange *x, const probe_answer *a,
                       const probe_rows *rows, bool due)
{
    char why[256];
    PROBE_LABEL(check, "numerics/%s/answer", w->name);
    if (!probe_exchange_succeeded(x)) {
        probe_describe_failure(x, why, sizeof why);
        (void)probe_report(r, x, check, PROBE_FAILED, PROBE_BREAKS, "%s", why);
        return true;
    }
    if (a->problem[0] || rows->problem[0]) {
        (void)probe_report(r, x, check, PROBE_FAILED, PROBE_BREAKS, "%s",
                           a->problem[0] ? a->problem : rows->problem);
        return true;
    }
    if (rows->n == 0 && due)
        (void)probe_report(r, x, check, PROBE_FAILED, PROBE_BREAKS,
                           "found no log-probabilities, expected a row for each token");
    return rows->n == 0;
}

static assay_status ask_prompt(probe_run *r, const way *w, const probe_prompt *p, size_t number, judged *j,
                               assay_error *err)
{
    const bool echo = strcmp(w->name, "echo") == 0;
    const size_t top = top_of(r, w), n = r->server.takes_ids ? probe_ids_most(r, p) : p->n_prompt;
    char more[64];
    probe_exchange x;
    probe_answer a;
    PROBE_LABEL(label, "numerics/%s-%zu", w->name, number);
    if (echo) (void)snprintf(more, sizeof more, "{\"echo\":true}");
    else (void)snprintf(more, sizeof more, "{\"prompt_logprobs\":%zu}", top ? top : 1);
    const probe_ask ask = {.endpoint = w->endpoint,
                           .prompt = p,
                           .n_before = n,
                           .max_tokens = 1,
                           .more = more,
                           .logprobs = echo ? top : PROBE_NO_LOGPROBS};
    assay_status rc = probe_ask_send(r, &ask, label, &x, &a, err);
    probe_rows *rows = echo ? &a.rows : &a.prompt_rows;
    if (rc == ASSAY_OK && !lacks_rows(r, w, &x, &a, rows, true)) {
        const probe_follow f = probe_follow_prompt(&j->tally.judge, rows, p, n);
        PROBE_LABEL(check, "numerics/%s/rows", w->name);
        probe_tally_note(r, &j->tally, &x);
        if (f.misplaced)
            (void)probe_report(r, &x, check, PROBE_FAILED, PROBE_BREAKS,
                               "row %zu is not that of the prompt's token", f.n_followed + 1);
        probe_alignment_check_prompt(r, &j->alignment, &x, rows);
    }
    probe_answer_free(&a);
    probe_exchange_free(&x);
    return rc;
}

/* Whether the first n ids can be written as text that the tokenizer reads as these ids. */
static bool can_write(const probe_run *r, const probe_prompt *p, size_t n)
{
    buffer text = {0};
    int32_t *ids = NULL;
    size_t n_ids = 0;
    const size_t skip = p->adds;
    if (r->server.takes_ids) return true;
    bool same = n > skip &&
                probe_vocab_decode(r->truth->vocab, p->ids + skip, n - skip, false, &text, NULL) == ASSAY_OK;
    same = same &&
           probe_vocab_encode(r->truth->vocab, buffer_text(&text), p->adds, &ids, &n_ids, NULL) == ASSAY_OK;
    same = same && n_ids == n && memcmp(ids, p->ids, n * sizeof *ids) == 0;
    free(ids);
    buffer_free(&text);
    return same;
}

/* Whether the most likely token after n ids ends an answer, which then has no row. */
static bool may_stop(const probe_run *r, const probe_prompt *p, size_t n)
{
    const probe_truth *t = r->truth;
    const int32_t next = (int32_t)conf_argmax(probe_truth_row(p, n), t->n_vocab);
    return conf_is_stop(next, t->stop_ids, t->n_stop_ids);
}

static assay_status ask_prefixes(probe_run *r, const way *w, const probe_prompt *p, size_t number, judged *j,
                                 assay_error *err)
{
    const size_t n_prefixes = probe_prompts_most(r, PREFIXES_MOST);
    size_t n_asked = 0;
    assay_status rc = ASSAY_OK;
    for (size_t i = 1; i <= n_prefixes && rc == ASSAY_OK; i++) {
        const size_t n = probe_ids_most(r, p) * i / n_prefixes;
        probe_exchange x;
        probe_answer a;
        PROBE_LABEL(label, "numerics/%s-%zu-%zu", w->name, number, n_asked);
        if (n < 2 || !probe_truth_row(p, n) || !can_write(r, p, n)) continue;
        const probe_ask ask = {
            .endpoint = w->endpoint, .prompt = p, .n_before = n, .max_tokens = 1, .logprobs = top_of(r, w)};
        n_asked++;
        rc = probe_ask_send(r, &ask, label, &x, &a, err);
        if (rc == ASSAY_OK && !lacks_rows(r, w, &x, &a, &a.rows, !may_stop(r, p, n))) {
            const probe_asked asked = {.prompt = p, .n_before = n};
            (void)probe_follow_answer(&j->tally.judge, &a.rows, &asked);
            probe_tally_note(r, &j->tally, &x);
        }
        probe_answer_free(&a);
        probe_exchange_free(&x);
    }
    return rc;
}

/* What the truth says of an answer. due: it must have rows. *asked: where they are; its prompt is NULL if
 * that is unknown: content begins somewhere else after other reasoning. */
static assay_status expect_answer(const probe_run *r, const way *w, const probe_prompt *p,
                                  const probe_answer *a, probe_asked *asked, bool *due, assay_error *err)
{
    probe_expected e;
    char text[512];
    const assay_status rc = probe_expect(r->truth, p, p->n_greedy, &e, err);
    *asked =
        (probe_asked){.prompt = p, .n_before = p->n_prompt, .content_only = w->endpoint == PROBE_RESPONSES};
    if (rc == ASSAY_OK) {
        size_t before = 0, end = 0;
        const bool known = probe_expected_find_content(r->truth, p, &e, &before, &end);
        asked->is_recorded = probe_expected_same(&e, w->endpoint, a, text, sizeof text);
        asked->n_before_content = known && w->endpoint != PROBE_COMPLETIONS ? before : 0;
        asked->n_with_content = known ? end : 0;
        if (asked->content_only && !asked->is_recorded && !probe_expected_same_reasoning(&e, a))
            asked->prompt = NULL;
        *due = probe_expected_has_rows(&e, w->endpoint) && (asked->is_recorded || p->n_safe > p->n_greedy);
    }
    probe_expected_free(&e);
    return rc;
}

/* Whether an answer is that of another prompt: its text is not the recorded one, and the server counts other
 * tokens of the prompt (one that ignores enable_thinking renders another one). Its rows have no truth. */
static bool has_other_prompt(probe_run *r, const way *w, const probe_exchange *x, const probe_answer *a,
                             const probe_asked *asked, judged *j)
{
    PROBE_LABEL(check, "numerics/%s/rows", w->name);
    if (asked->is_recorded || a->input <= 0 || (size_t)a->input == asked->prompt->n_prompt) return false;
    if (!j->other++)
        (void)probe_report(r, x, check, PROBE_NOT_EXERCISED, PROBE_BREAKS,
                           "%s: the server counts %lld tokens of the prompt, which has %zu: not judged",
                           asked->prompt->name, (long long)a->input, asked->prompt->n_prompt);
    return true;
}

static assay_status ask_answer(probe_run *r, const way *w, const probe_prompt *p, size_t number, judged *j,
                               assay_error *err)
{
    probe_exchange x;
    probe_answer a;
    probe_asked asked = {0};
    bool due = false;
    PROBE_LABEL(label, "numerics/%s-%zu", w->name, number);
    const probe_ask ask = {.endpoint = w->endpoint,
                           .prompt = p,
                           .max_tokens = p->n_greedy + p->ends,
                           .stream = w->stream,
                           .usage = true,
                           .logprobs = top_of(r, w)};
    assay_status rc = probe_ask_send(r, &ask, label, &x, &a, err);
    if (rc == ASSAY_OK && probe_exchange_succeeded(&x)) rc = expect_answer(r, w, p, &a, &asked, &due, err);
    if (rc == ASSAY_OK && !lacks_rows(r, w, &x, &a, &a.rows, due) && asked.prompt &&
        !has_other_prompt(r, w, &x, &a, &asked, j)) {
        const probe_follow f = probe_follow_answer(&j->tally.judge, &a.rows, &asked);
        probe_tally_note(r, &j->tally, &x);
        rc = probe_alignment_check(r, &j->alignment, &x, &a, &asked, &f, err);
    }
    probe_answer_free(&a);
    probe_exchange_free(&x);
    return rc;
}

static bool has_echo(const probe_run *r)
{
    return r->server.echo;
}

static bool has_prompt_logprobs(const probe_run *r)
{
    return r->server.prompt_logprobs;
}

static bool needs_prefixes(const probe_run *r)
{
    return r->server.at[PROBE_COMPLETIONS].logprobs && !r->server.echo && !r->server.prompt_logprobs;
}

static bool has_completions(const probe_run *r)
{
    return r->server.at[PROBE_COMPLETIONS].logprobs;
}

static bool has_chat(const probe_run *r)
{
    return r->server.at[PROBE_CHAT].logprobs;
}

static bool has_responses(const probe_run *r)
{
    return r->server.at[PROBE_RESPONSES].logprobs;
}

static const way ways[] = {
    {"echo", PROBE_COMPLETIONS, false, has_echo, ask_prompt},
    {"prompt-logprobs", PROBE_COMPLETIONS, false, has_prompt_logprobs, ask_prompt},
    {"completions", PROBE_COMPLETIONS, false, has_completions, ask_answer},
    {"completions-stream", PROBE_COMPLETIONS, true, has_completions, ask_answer},
    {"chat", PROBE_CHAT, false, has_chat, ask_answer},
    {"chat-stream", PROBE_CHAT, true, has_chat, ask_answer},
    {"responses", PROBE_RESPONSES, false, has_responses, ask_answer},
    {"responses-stream", PROBE_RESPONSES, true, has_responses, ask_answer},
    {"prefixes", PROBE_COMPLETIONS, false, needs_prefixes, ask_prefixes},
};

/* The prompts that a way can ask, shortest first. */
static size_t find_usable(const probe_run *r, const way *w, const probe_prompt *out[PROBE_PROMPTS_MAX])
{
    size_t n = 0;
    for (size_t i = 0; i < r->truth->n_prompts; i++) {
        const probe_prompt *p = &r->truth->prompts[i];
        if (probe_can_ask(r, w->endpoint, p) && (w->ask != ask_answer || p->n_greedy > 0 || p->ends))
            out[n++] = p;
    }
    return n;
}

static assay_status run_way(probe_run *r, const way *w, assay_error *err)
{
    judged j = {.tally = {.way = w->name, .given = w->ask == ask_prompt},
                .alignment = {.way = w->name, .endpoint = w->endpoint}};
    const probe_prompt *usable[PROBE_PROMPTS_MAX];
    PROBE_LABEL(check, "numerics/%s", w->name);
    if (!probe_wants(r, check)) return ASSAY_OK;
    const size_t n_usable = find_usable(r, w, usable),
                 most = probe_prompts_most(r, w->stream ? STREAMS_MOST : PROMPTS_MOST);
    const size_t n = n_usable < most ? n_usable : most;
    assay_status rc = ASSAY_OK;
    if (!probe_judge_begin(&j.tally.judge, r->truth, r->type))
        return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    j.tally.judge.asked = top_of(r, w);
    for (size_t i = 0; i < n && rc == ASSAY_OK; i++) /* from the shortest to the longest */
        rc = w->ask(r, w, usable[n > 1 ? i * (n_usable - 1) / (n - 1) : 0], i, &j, err);
    if (rc == ASSAY_OK && j.tally.judge.failed) rc = assay_fail(err, ASSAY_ENOMEM, "out of memory");
    if (rc == ASSAY_OK) probe_tally_report(r, &j.tally);
    if (rc == ASSAY_OK) probe_alignment_report(r, &j.alignment);
    probe_tally_end(&j.tally);
    return rc;
}

assay_status probe_check_numerics(probe_run *r, assay_error *err)
{
    bool any = false;
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; i < sizeof ways / sizeof *ways && rc == ASSAY_OK; i++) {
        if (!ways[i].is_offered(r)) continue;
        any = true;
        rc = run_way(r, &ways[i], err);
    }
    if (rc == ASSAY_OK && !any)
        (void)probe_report(r, NULL, "numerics", PROBE_NOT_OFFERED, PROBE_DEPARTS,
                           "no endpoint returns log-probabilities: texts alone are judged");
    if (rc == ASSAY_OK) rc = probe_check_sampled(r, err);
    return rc == ASSAY_OK ? probe_observe(r, err) : rc;
}
