/* Batch invariance: an answer must not depend on other requests, on their order, on a neighbour that
 * disappears, nor on what a cache of prompts or images holds.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "conformance/probe/checks/caching.h"
#include "conformance/probe/checks/evidence.h"
#include "conformance/probe/checks/pictures.h"
#include "conformance/probe/groups/groups.h"

enum { STREAMS_TRIES = 4 };

#define FASTER        0.7 /* of the time of the same requests one after the other: they were evaluated together */
#define SECONDS_LEAST 0.05 /* that these take, for the comparison to mean something */

/* evidence: that requests were under way at once; "": none, as far as can be seen. */
typedef struct batching {
    probe_phases all;
    char evidence[256];
} batching;

/* WARM: the row of that name. */
enum { WARM };

static const probe_plan plans[] = {
    {"warm",
     "the same requests again, one after the other",
     PROBE_PHASE_PROMPTS,
     {0, 1, 2},
     0,
     false,
     true,
     NULL},
    {"identical", "one request four times at once", 4, {0, 0, 0, 0}, 0, false, false, NULL},
    {"mixed", "prompts of several lengths at once", 6, {0, 1, 2, 2, 1, 0}, 0, false, false, NULL},
    {"staggered", "the same, one shortly after the other", 6, {2, 1, 0, 2, 1, 0}, 0.004, false, false, NULL},
    {"aborted", "beside a request whose client leaves", 5, {0, 1, 2, 1, 0}, 0, true, false, NULL},
    {"after", "one after the other again", PROBE_PHASE_PROMPTS, {2, 0, 1}, 0, false, true, NULL},
};

/* Looks for signs that requests of a phase were under way at once. */
static void note_evidence(batching *b, const probe_plan *how, const probe_phase *p)
{
    double in_turn = 0;
    if (b->evidence[0]) return;
    for (size_t i = how->leaver; i < p->n; i++)
        in_turn += b->all.alone.x[p->prompt[i]].last - b->all.alone.x[p->prompt[i]].sent;
    const double span = probe_evidence_span(p->x + how->leaver, p->n - how->leaver),
                 running = probe_evidence_running(&p->x[PROBE_PHASE_MOST]);
    if (running > 1)
        (void)snprintf(b->evidence, sizeof b->evidence, "/metrics counts %g running requests", running);
    else if (in_turn >= SECONDS_LEAST && span < FASTER * in_turn)
        (void)snprintf(b->evidence, sizeof b->evidence,
                       "%zu requests take %.3f s at once, and %.3f s one after the other", p->n, span,
                       in_turn);
}

static void report_phase(batching *b, const probe_plan *how, const probe_phase *p)
{
    char text[600];
    size_t which;
    PROBE_LABEL(check, "batching/%s", how->name);
    const probe_likeness l = probe_phase_grade(&b->all, how, p, &which, text, sizeof text);
    if (l == PROBE_DIVERGENT)
        (void)probe_report(b->all.r, &p->x[which], check, PROBE_FAILED, PROBE_BREAKS, "%s: divergent: %s",
                           how->summary, text);
    else if (how->leaver && p->x[0].end != PROBE_LEFT)
        (void)probe_report(b->all.r, &p->x[0], check, PROBE_NOT_EXERCISED, PROBE_BREAKS,
                           "the answer was complete before the client could leave");
    else
        (void)probe_report(b->all.r, NULL, check,
                           how->in_turn || b->evidence[0] ? PROBE_OK : PROBE_NOT_EXERCISED, PROBE_BREAKS,
                           "%s: %s%s%s", how->summary, probe_likeness_name(l), text[0] ? ": " : "", text);
}

/* Streams at once: pieces of their answers that alternate show requests under way at once. */
static assay_status run_streams(batching *b, size_t number, assay_error *err)
{
    const probe_plan how = {.name = "streams", .n = 4, .order = {0, 1, 2, 0}};
    probe_exchange *x[PROBE_PHASE_MOST];
    probe_phase p = {.n = how.n};
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; i < how.n && rc == ASSAY_OK; i++) {
        PROBE_LABEL(label, "batching/%s-%zu-%zu", how.name, number, i);
        const probe_ask ask = probe_phase_ask(&b->all, &how, how.order[i] % b->all.n_prompts, true);
        rc = probe_ask_begin(b->all.r, &ask, label, &p.x[i], err);
        x[i] = &p.x[i];
    }
    if (rc == ASSAY_OK) rc = probe_wire_run(b->all.r->wire, x, p.n, err);
    const size_t n = rc == ASSAY_OK ? probe_evidence_switches(p.x, p.n) : 0;
    if (n >= 2 * how.n)
        (void)snprintf(b->evidence, sizeof b->evidence, "events of %zu streams alternate %zu times", p.n, n);
    probe_phase_free(&p);
    return rc;
}

/* The sum of the counters of batched steps. */
static assay_status count_batched(batching *b, const char *label, double *sum, assay_error *err)
{
    probe_exchange x;
    *sum = 0;
    if (!b->all.r->server.metrics) return ASSAY_OK;
    probe_exchange_begin(&x, label, "/metrics");
    x.get = true;
    const assay_status rc = probe_send(b->all.r, &x, err);
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
    if (!b->all.r->server.metrics) return ASSAY_OK;
    probe_exchange_begin(&x, "batching/released", "/metrics");
    x.get = true;
    x.delay = 0.5;
    assay_status rc = probe_send(b->all.r, &x, err);
    const double running = rc == ASSAY_OK ? probe_evidence_running(&x) : -1;
    if (running > 0)
        (void)probe_report(b->all.r, &x, "batching/released", PROBE_FAILED, PROBE_BREAKS,
                           "%g requests are running half a second after the last one ended or was left",
                           running);
    else if (running == 0)
        (void)probe_report(b->all.r, &x, "batching/released", PROBE_OK, PROBE_BREAKS,
                           "no request is running");
    probe_exchange_free(&x);
    return rc;
}

static assay_status run_alone(batching *b, bool *usable, assay_error *err)
{
    const probe_plan cold = {.name = "alone", .n = b->all.n_prompts, .order = {0, 1, 2}, .in_turn = true};
    assay_status rc = probe_phase_run(&b->all, &cold, &b->all.alone, err);
    *usable = true;
    for (size_t i = 0; i < b->all.alone.n && rc == ASSAY_OK; i++) {
        char why[256];
        if (probe_exchange_succeeded(&b->all.alone.x[i]) && !b->all.alone.a[i].problem[0]) continue;
        *usable = false;
        probe_describe_failure(&b->all.alone.x[i], why, sizeof why);
        (void)probe_report(b->all.r, &b->all.alone.x[i], "batching/alone", PROBE_FAILED, PROBE_BREAKS, "%s",
                           b->all.alone.a[i].problem[0] ? b->all.alone.a[i].problem : why);
    }
    return rc;
}

static assay_status run_plans(batching *b, assay_error *err)
{
    const size_t n = sizeof plans / sizeof *plans;
    probe_phase *all = calloc(n, sizeof *all);
    if (!all) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    assay_status rc = find_evidence(b, err);
    for (size_t i = 0; i < n && rc == ASSAY_OK; i++) {
        rc = probe_phase_run(&b->all, &plans[i], &all[i], err);
        if (rc == ASSAY_OK && !plans[i].in_turn) note_evidence(b, &plans[i], &all[i]);
    }
    if (rc == ASSAY_OK && b->evidence[0])
        (void)probe_report(b->all.r, NULL, "batching/exercised", PROBE_OK, PROBE_BREAKS, "%s", b->evidence);
    else if (rc == ASSAY_OK)
        (void)probe_report(b->all.r, NULL, "batching/exercised", PROBE_NOT_EXERCISED, PROBE_BREAKS,
                           "neither times nor events nor /metrics show requests under way at once");
    for (size_t i = 0; i < n && rc == ASSAY_OK; i++) report_phase(b, &plans[i], &all[i]);
    if (rc == ASSAY_OK) rc = probe_check_cache_off(&b->all, &all[WARM], err);
    for (size_t i = 0; i < n; i++) probe_phase_free(&all[i]);
    free(all);
    return rc == ASSAY_OK ? check_release(b, err) : rc;
}

assay_status probe_check_batching(probe_run *r, assay_error *err)
{
    batching *b = calloc(1, sizeof *b);
    bool usable = false;
    assay_status rc = ASSAY_OK;
    if (!b) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    probe_phases_begin(&b->all, r);
    if (b->all.n_prompts == 0)
        (void)probe_report(r, NULL, "batching", PROBE_NOT_EXERCISED, PROBE_BREAKS,
                           "no endpoint can be asked a prompt of the truth");
    else rc = run_alone(b, &usable, err);
    if (rc == ASSAY_OK && usable) rc = run_plans(b, err);
    probe_phase_free(&b->all.alone);
    free(b);
    return rc == ASSAY_OK ? probe_check_pictures(r, err) : rc;
}
