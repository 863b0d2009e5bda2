/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/checks/offer.h"

#include "conformance/probe/checks/expect.h"
#include "conformance/probe/run/ask.h"
#include "conformance/probe/run/proof.h"

#define TOKENS_MOST 64 /* of an answer: content comes after reasoning */

/* without: the first answer that succeeded without rows. bare: the first whose rows have no alternatives.
 * ignored: such an answer had to have some. */
typedef struct search {
    const probe_prompt *prompt;
    probe_exchange without;
    probe_proof bare;
    bool ignored;
} search;

/* The tokens of an answer that are asked for. */
static size_t tokens_of(const probe_prompt *p)
{
    const size_t n = p->n_greedy + p->ends;
    return n < TOKENS_MOST ? n : TOKENS_MOST;
}

/* Whether every correct engine's answer to a prompt must have rows. */
static bool has_rows(const probe_run *r, probe_endpoint e, const probe_prompt *p)
{
    probe_expected x;
    const size_t n = tokens_of(p), n_texts = n < p->n_greedy ? n : p->n_greedy;
    if (p->n_safe < n) return false;
    const bool has =
        probe_expect(r->truth, p, n_texts, &x, NULL) == ASSAY_OK && probe_expected_has_rows(&x, e);
    probe_expected_free(&x);
    return has;
}

/* One whose answer must have rows, else one that has an answer, else any; NULL: none can be asked. */
static const probe_prompt *choose_prompt(const probe_run *r, probe_endpoint e)
{
    const probe_prompt *found = NULL;
    for (size_t i = 0; i < r->truth->n_prompts; i++) {
        const probe_prompt *p = &r->truth->prompts[i];
        if (!probe_can_ask(r, e, p)) continue;
        if (has_rows(r, e, p)) return p;
        if (!found || (tokens_of(found) < tokens_of(p) && found->n_greedy == 0)) found = p;
    }
    return found;
}

/* The most alternatives in a row of generated tokens: of tokens with the same text a row may have one. */
static size_t most(const probe_rows *rows)
{
    size_t n = 0;
    for (size_t i = 0; i < rows->n; i++)
        if (rows->at[i].n_top > n) n = rows->at[i].n_top;
    return n;
}

/* Asks for `top` alternatives. *got: those in the answer; *rows: its rows. */
static assay_status try_top(probe_run *r, probe_endpoint e, size_t top, search *s, size_t *got, size_t *rows,
                            assay_error *err)
{
    probe_exchange x;
    probe_answer a;
    PROBE_LABEL(label, "discovery/%s-logprobs-%zu%s", probe_endpoint_name(e), top,
                r->server.at[e].by_flag ? "-flag" : "");
    const size_t n = tokens_of(s->prompt);
    const probe_ask ask = {.endpoint = e, .prompt = s->prompt, .max_tokens = n ? n : 1, .logprobs = top};
    assay_status rc = probe_ask_send(r, &ask, label, &x, &a, err);
    const bool succeeded = rc == ASSAY_OK && probe_exchange_succeeded(&x);
    *rows = succeeded ? a.rows.n : 0;
    *got = *rows ? most(&a.rows) : 0;
    if (*rows && *got == 0 && !probe_proof_keep(r, &s->bare, &x, (probe_mark){0, 0}))
        r->findings.failed = true;
    if (succeeded && *rows == 0)
        s->ignored =
            s->ignored || conf_field_strip(buffer_text(&a.content)).n > 0 || has_rows(r, e, s->prompt);
    probe_answer_free(&a);
    if (succeeded && *rows == 0 && s->without.end == PROBE_UNSENT) s->without = x;
    else probe_exchange_free(&x);
    return rc;
}

/* Finds the most alternatives that an endpoint returns. */
static assay_status find_top(probe_run *r, probe_endpoint e, search *s, assay_error *err)
{
    const size_t whole = r->truth->n_vocab <= PROBE_WHOLE_MAX ? r->truth->n_vocab : 100;
    const size_t tries[] = {whole, 100, 20, 11, 10, 5, 3, 1};
    probe_offer *o = &r->server.at[e];
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        size_t got, rows;
        if (i > 0 && tries[i] >= whole) continue;
        assay_status rc = try_top(r, e, tries[i], s, &got, &rows, err);
        if (rc != ASSAY_OK) return rc;
        if (rows > 0) {
            o->logprobs = true;
            o->whole = tries[i] == r->truth->n_vocab && got > tries[i] / 2;
            o->top = got;
            return ASSAY_OK;
        }
    }
    return ASSAY_OK;
}

static void report_logprobs(probe_run *r, probe_endpoint e, const search *s)
{
    const probe_offer *o = &r->server.at[e];
    probe_finding *f = NULL;
    PROBE_LABEL(check, "discovery/%s-logprobs", probe_endpoint_name(e));
    if (o->logprobs && o->top == 0)
        f = probe_report(r, NULL, check, PROBE_IGNORED, PROBE_DEPARTS,
                         "alternatives are asked for, and no number of them is returned");
    else if (o->logprobs)
        (void)probe_report(r, NULL, check, PROBE_OK, PROBE_BREAKS, "at most %zu alternatives of each token%s",
                           o->top,
                           o->by_flag && e == PROBE_COMPLETIONS ? "; asked for as in chat completions" : "");
    else if (s->ignored)
        (void)probe_report(r, &s->without, check, PROBE_IGNORED, PROBE_DEPARTS,
                           "a request for log-probabilities is accepted, and its answer has none");
    else if (s->without.end != PROBE_UNSENT)
        (void)probe_report(r, &s->without, check, PROBE_NOT_EXERCISED, PROBE_DEPARTS,
                           "no prompt of the truth has an answer that must have log-probabilities");
    else
        (void)probe_report(r, NULL, check, PROBE_NOT_OFFERED, PROBE_DEPARTS,
                           "every number of alternatives is refused");
    if (!probe_proof_give(&s->bare, f)) r->findings.failed = true;
}

assay_status probe_offer_logprobs(probe_run *r, probe_endpoint e, assay_error *err)
{
    search s = {.prompt = choose_prompt(r, e), .without = {.end = PROBE_UNSENT}};
    probe_offer *o = &r->server.at[e];
    if (!o->is_there || e == PROBE_MESSAGES || !s.prompt) return ASSAY_OK;
    assay_status rc = find_top(r, e, &s, err);
    if (rc == ASSAY_OK && !o->logprobs && e == PROBE_COMPLETIONS) {
        o->by_flag = true;
        rc = find_top(r, e, &s, err);
    }
    if (rc == ASSAY_OK) report_logprobs(r, e, &s);
    probe_exchange_free(&s.without);
    probe_proof_free(&s.bare);
    return rc;
}
