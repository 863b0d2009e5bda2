/* Batch invariance: an answer must not depend on other requests, on their order, on a neighbour that
 * disappears, nor on what a prompt cache holds.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/probe/checks/checks.h"
#include "conformance/probe/checks/evidence.h"
#include "conformance/probe/checks/grade.h"
#include "conformance/probe/run/ask.h"

enum { PROMPTS = 3, AT_ONCE = 8, TOKENS_MOST = 24, STREAMS_TRIES = 4 };

#define FASTER        0.7 /* of the time of the same requests one after the other: they were evaluated together */
#define SECONDS_LEAST 0.05 /* that these take, for the comparison to mean something */

/* The answers of a phase. */
typedef struct phase {
    probe_exchange x[AT_ONCE + 1]; /* the last one is for /metrics */
    probe_answer a[AT_ONCE];
    size_t prompt[AT_ONCE];
    size_t n;
} phase;

typedef struct batching {
    probe_run *r;
    probe_endpoint endpoint;
    const probe_prompt *prompts[PROMPTS];
    size_t n_prompts;
    phase alone;
    char evidence[256]; /* "" : requests were never under way at once, as far as can be seen */
} batching;

/* What a phase sends at once. order: indices of prompts, modulo their number; spacing: seconds between them;
 * leaver: with a neighbour whose client leaves; in_turn: one after the other. */
typedef struct plan {
    const char *name, *summary;
    size_t n;
    size_t order[AT_ONCE];
    double spacing;
    bool leaver, in_turn;
} plan;

static const plan plans[] = {
    {"warm", "the same requests again, one after the other", PROMPTS, {0, 1, 2}, 0, false, true},
    {"identical", "one request four times at once", 4, {0, 0, 0, 0}, 0, false, false},
    {"mixed", "prompts of several lengths at once", 6, {0, 1, 2, 2, 1, 0}, 0, false, false},
    {"staggered", "the same, one shortly after the other", 6, {2, 1, 0, 2, 1, 0}, 0.004, false, false},
    {"aborted", "beside a request whose client leaves", 5, {0, 1, 2, 1, 0}, 0, true, false},
    {"after", "one after the other again", PROMPTS, {2, 0, 1}, 0, false, true},
};

static void free_phase(phase *p)
{
    for (size_t i = 0; i < AT_ONCE; i++) probe_answer_free(&p->a[i]);
    for (size_t i = 0; i <= AT_ONCE; i++) probe_exchange_free(&p->x[i]);
}

static probe_ask ask_of(const batching *b, size_t prompt, bool stream)
{
    const probe_offer *o = &b->r->server.at[b->endpoint];
    const probe_prompt *p = b->prompts[prompt];
    return (probe_ask){.endpoint = b->endpoint,
                       .prompt = p,
                       .max_tokens = p->n_greedy < TOKENS_MOST ? p->n_greedy + 1 : TOKENS_MOST,
                       .logprobs = !stream && o->logprobs ? (o->top < 5 ? o->top : 5) : PROBE_NO_LOGPROBS,
                       .stream = stream};
}

/* Makes the exchanges of a phase, all of them or from `from` to `to`. */
static assay_status send_phase(const batching *b, phase *p, size_t from, size_t to, bool metrics,
                               assay_error *err)
{
    probe_exchange *all[AT_ONCE + 1];
    size_t n = 0;
    for (size_t i = from; i < to; i++) all[n++] = &p->x[i];
    if (metrics) all[n++] = &p->x[AT_ONCE];
    return probe_wire_run(b->r->wire, all, n, err);
}

static assay_status begin_phase(const batching *b, const plan *how, phase *p, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    p->n = how->n;
    for (size_t i = 0; i < how->n && rc == ASSAY_OK; i++) {
        PROBE_LABEL(label, "batching/%s-%zu", how->name, i);
        p->prompt[i] = how->order[i] % b->n_prompts;
        const bool leaves = how->leaver && i == 0;
        const probe_ask ask = ask_of(b, p->prompt[i], leaves);
        rc = probe_ask_begin(b->r, &ask, label, &p->x[i], err);
        p->x[i].delay = how->spacing * (double)i;
        p->x[i].leave_after = leaves ? 1 : 0;
    }
    PROBE_LABEL(label, "batching/%s-metrics", how->name);
    probe_exchange_begin(&p->x[AT_ONCE], label, "/metrics");
    p->x[AT_ONCE].get = true;
    p->x[AT_ONCE].delay = b->r->server.seconds / 2;
    return rc;
}

static assay_status run_phase(const batching *b, const plan *how, phase *p, assay_error *err)
{
    assay_status rc = begin_phase(b, how, p, err);
    if (rc == ASSAY_OK && !how->in_turn) rc = send_phase(b, p, 0, p->n, b->r->server.metrics, err);
    for (size_t i = 0; i < p->n && how->in_turn && rc == ASSAY_OK; i++)
        rc = send_phase(b, p, i, i + 1, false, err);
    for (size_t i = 0; i < p->n && rc == ASSAY_OK; i++)
        if (probe_answer_read(b->endpoint, &p->x[i], &p->a[i]) != ASSAY_OK)
            rc = assay_fail(err, ASSAY_ENOMEM, "out of memory");
    return rc;
}

/* Looks for signs that requests of a phase were under way at once. */
static void note_evidence(batching *b, const plan *how, const phase *p)
{
    double in_turn = 0;
    if (b->evidence[0]) return;
    for (size_t i = how->leaver; i < p->n; i++)
        in_turn += b->alone.x[p->prompt[i]].last - b->alone.x[p->prompt[i]].sent;
    const double span = probe_evidence_span(p->x + how->leaver, p->n - how->leaver),
                 running = probe_evidence_running(&p->x[AT_ONCE]);
    if (running > 1)
        (void)snprintf(b->evidence, sizeof b->evidence, "/metrics counts %g running requests", running);
    else if (in_turn >= SECONDS_LEAST && span < FASTER * in_turn)
        (void)snprintf(b->evidence, sizeof b->evidence,
                       "%zu requests take %.3f s at once, and %.3f s one after the other", p->n, span,
                       in_turn);
}

/* The worst likeness of the answers of a phase to those of the requests alone. */
static probe_likeness grade_phase(const batching *b, const plan *how, const phase *p, size_t *which,
                                  char *text, size_t size)
{
    probe_likeness worst = PROBE_SAME_BITS;
    *which = how->leaver;
    text[0] = '\0';
    for (size_t i = how->leaver; i < p->n; i++) {
        char found[512];
        probe_likeness l = PROBE_DIVERGENT;
        if (!probe_exchange_succeeded(&p->x[i])) probe_describe_failure(&p->x[i], found, sizeof found);
        else
            l = probe_grade_of(b->r, b->prompts[p->prompt[i]], &b->alone.a[p->prompt[i]], &p->a[i], found,
                               sizeof found);
        if (l <= worst) continue;
        worst = l;
        *which = i;
        (void)snprintf(text, size, "%s: %.480s", b->prompts[p->prompt[i]]->name, found);
    }
    return worst;
}

static void report_phase(batching *b, const plan *how, const phase *p)
{
    char text[600];
    size_t which;
    PROBE_LABEL(check, "batching/%s", how->name);
    const probe_likeness l = grade_phase(b, how, p, &which, text, sizeof text);
    if (l == PROBE_DIVERGENT)
        (void)probe_report(b->r, &p->x[which], check, PROBE_FAILED, PROBE_BREAKS, "%s: divergent: %s",
                           how->summary, text);
    else if (how->leaver && p->x[0].end != PROBE_LEFT)
        (void)probe_report(b->r, &p->x[0], check, PROBE_NOT_EXERCISED, PROBE_BREAKS,
                           "the answer was complete before the client could leave");
    else
        (void)probe_report(b->r, NULL, check, how->in_turn || b->evidence[0] ? PROBE_OK : PROBE_NOT_EXERCISED,
                           PROBE_BREAKS, "%s: %s%s%s", how->summary, probe_likeness_name(l),
                           text[0] ? ": " : "", text);
}

/* Streams at once: pieces of their answers that alternate show requests under way at once. */
static assay_status run_streams(batching *b, size_t number, assay_error *err)
{
    const plan how = {.name = "streams", .n = 4, .order = {0, 1, 2, 0}};
    phase p = {.n = how.n};
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; i < how.n && rc == ASSAY_OK; i++) {
        PROBE_LABEL(label, "batching/%s-%zu-%zu", how.name, number, i);
        p.prompt[i] = how.order[i] % b->n_prompts;
        const probe_ask ask = ask_of(b, p.prompt[i], true);
        rc = probe_ask_begin(b->r, &ask, label, &p.x[i], err);
    }
    if (rc == ASSAY_OK) rc = send_phase(b, &p, 0, p.n, false, err);
    const size_t n = rc == ASSAY_OK ? probe_evidence_switches(p.x, p.n) : 0;
    if (n >= 2 * how.n)
        (void)snprintf(b->evidence, sizeof b->evidence, "events of %zu streams alternate %zu times", p.n, n);
    free_phase(&p);
    return rc;
}

/* The sum of the counters of batched steps. */
static assay_status count_batched(batching *b, const char *label, double *sum, assay_error *err)
{
    probe_exchange x;
    *sum = 0;
    if (!b->r->server.metrics) return ASSAY_OK;
    probe_exchange_begin(&x, label, "/metrics");
    x.get = true;
    const assay_status rc = probe_send(b->r, &x, err);
    if (rc == ASSAY_OK && probe_exchange_succeeded(&x)) *sum = probe_evidence_batched(&x);
    probe_exchange_free(&x);
    return rc;
}

/* Makes streams at once until they show requests under way at once: a fast server, or a busy machine, may be
 * done with one before the next one comes. */
static assay_status find_evidence(batching *b, assay_error *err)
{
    double before, after;
    assay_status rc = count_batched(b, "batching/batched-before", &before, err);
    for (size_t i = 0; i < STREAMS_TRIES && !b->evidence[0] && rc == ASSAY_OK; i++)
        rc = run_streams(b, i, err);
    if (rc == ASSAY_OK) rc = count_batched(b, "batching/batched-after", &after, err);
    if (rc == ASSAY_OK && after > before && !b->evidence[0])
        (void)snprintf(b->evidence, sizeof b->evidence, "/metrics counts %g more batched steps",
                       after - before);
    return rc;
}

/* A request whose client has left must be given up: no request is running a moment later. */
static assay_status check_release(batching *b, assay_error *err)
{
    probe_exchange x;
    if (!b->r->server.metrics) return ASSAY_OK;
    probe_exchange_begin(&x, "batching/released", "/metrics");
    x.get = true;
    x.delay = 0.5;
    assay_status rc = probe_send(b->r, &x, err);
    const double running = rc == ASSAY_OK ? probe_evidence_running(&x) : -1;
    if (running > 0)
        (void)probe_report(b->r, &x, "batching/released", PROBE_FAILED, PROBE_BREAKS,
                           "%g requests are running half a second after the last one ended or was left",
                           running);
    else if (running == 0)
        (void)probe_report(b->r, &x, "batching/released", PROBE_OK, PROBE_BREAKS, "no request is running");
    probe_exchange_free(&x);
    return rc;
}

static assay_status run_alone(batching *b, bool *usable, assay_error *err)
{
    const plan cold = {.name = "alone", .n = b->n_prompts, .order = {0, 1, 2}, .in_turn = true};
    assay_status rc = run_phase(b, &cold, &b->alone, err);
    *usable = true;
    for (size_t i = 0; i < b->alone.n && rc == ASSAY_OK; i++) {
        char why[256];
        if (probe_exchange_succeeded(&b->alone.x[i]) && !b->alone.a[i].problem[0]) continue;
        *usable = false;
        probe_describe_failure(&b->alone.x[i], why, sizeof why);
        (void)probe_report(b->r, &b->alone.x[i], "batching/alone", PROBE_FAILED, PROBE_BREAKS, "%s",
                           b->alone.a[i].problem[0] ? b->alone.a[i].problem : why);
    }
    return rc;
}

static assay_status run_plans(batching *b, assay_error *err)
{
    const size_t n = sizeof plans / sizeof *plans;
    phase *all = calloc(n, sizeof *all);
    if (!all) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    assay_status rc = find_evidence(b, err);
    for (size_t i = 0; i < n && rc == ASSAY_OK; i++) {
        rc = run_phase(b, &plans[i], &all[i], err);
        if (rc == ASSAY_OK && !plans[i].in_turn) note_evidence(b, &plans[i], &all[i]);
    }
    if (rc == ASSAY_OK && b->evidence[0])
        (void)probe_report(b->r, NULL, "batching/exercised", PROBE_OK, PROBE_BREAKS, "%s", b->evidence);
    else if (rc == ASSAY_OK)
        (void)probe_report(b->r, NULL, "batching/exercised", PROBE_NOT_EXERCISED, PROBE_BREAKS,
                           "neither times nor events nor /metrics show requests under way at once");
    for (size_t i = 0; i < n && rc == ASSAY_OK; i++) report_phase(b, &plans[i], &all[i]);
    for (size_t i = 0; i < n; i++) free_phase(&all[i]);
    free(all);
    return rc == ASSAY_OK ? check_release(b, err) : rc;
}

/* The shortest, the middle and the longest prompt that the endpoint can be asked. */
static void choose_prompts(batching *b)
{
    const probe_prompt *usable[PROBE_PROMPTS_MAX];
    size_t n = 0;
    for (size_t i = 0; i < b->r->truth->n_prompts; i++)
        if (probe_can_ask(b->r, b->endpoint, &b->r->truth->prompts[i]) &&
            b->r->truth->prompts[i].n_greedy > 0)
            usable[n++] = &b->r->truth->prompts[i];
    b->n_prompts = n < PROMPTS ? n : PROMPTS;
    for (size_t i = 0; i < b->n_prompts; i++)
        b->prompts[i] = usable[b->n_prompts > 1 ? i * (n - 1) / (b->n_prompts - 1) : 0];
}

assay_status probe_check_batching(probe_run *r, assay_error *err)
{
    batching *b = calloc(1, sizeof *b);
    bool usable = false;
    assay_status rc = ASSAY_OK;
    if (!b) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    b->r = r;
    for (probe_endpoint e = 0; e < PROBE_N_ENDPOINTS && b->n_prompts == 0; e++) {
        if (!r->server.at[e].is_there) continue;
        b->endpoint = e;
        choose_prompts(b);
    }
    if (b->n_prompts == 0)
        (void)probe_report(r, NULL, "batching", PROBE_NOT_EXERCISED, PROBE_BREAKS,
                           "no endpoint can be asked a prompt of the truth");
    else rc = run_alone(b, &usable, err);
    if (rc == ASSAY_OK && usable) rc = run_plans(b, err);
    free_phase(&b->alone);
    free(b);
    return rc;
}
