/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/checks/phase.h"

#include <stdio.h>

#include "base/error.h"

enum { TOKENS_MOST = 24, METRICS = PROBE_PHASE_MOST };

void probe_phase_free(probe_phase *p)
{
    for (size_t i = 0; i < PROBE_PHASE_MOST; i++) probe_answer_free(&p->a[i]);
    for (size_t i = 0; i <= METRICS; i++) probe_exchange_free(&p->x[i]);
}

probe_ask probe_phase_ask(const probe_phases *all, const probe_plan *how, size_t prompt, bool stream)
{
    const probe_offer *o = &all->r->server.at[all->endpoint];
    const probe_prompt *p = all->prompts[prompt];
    return (probe_ask){.endpoint = all->endpoint,
                       .prompt = p,
                       .max_tokens = p->n_greedy < TOKENS_MOST ? p->n_greedy + 1 : TOKENS_MOST,
                       .logprobs = !stream && o->logprobs ? (o->top < 5 ? o->top : 5) : PROBE_NO_LOGPROBS,
                       .stream = stream,
                       .more = how->more ? how->more[prompt] : NULL};
}

static assay_status begin(const probe_phases *all, const probe_plan *how, probe_phase *p, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    p->n = how->n;
    for (size_t i = 0; i < how->n && rc == ASSAY_OK; i++) {
        PROBE_LABEL(label, "batching/%s-%zu", how->name, i);
        p->prompt[i] = how->order[i] % all->n_prompts;
        const bool leaves = how->leaver && i == 0;
        const probe_ask ask = probe_phase_ask(all, how, p->prompt[i], leaves);
        rc = probe_ask_begin(all->r, &ask, label, &p->x[i], err);
        p->x[i].delay = how->spacing * (double)i;
        p->x[i].leave_after = leaves ? 1 : 0;
    }
    PROBE_LABEL(label, "batching/%s-metrics", how->name);
    probe_exchange_begin(&p->x[METRICS], label, "/metrics");
    p->x[METRICS].get = true;
    p->x[METRICS].delay = all->r->server.seconds / 2;
    return rc;
}

static assay_status send_at_once(const probe_phases *all, probe_phase *p, assay_error *err)
{
    probe_exchange *x[PROBE_PHASE_MOST + 1];
    size_t n = 0;
    while (n < p->n) x[n] = &p->x[n], n++;
    if (all->r->server.metrics) x[n++] = &p->x[METRICS];
    return probe_wire_run(all->r->wire, x, n, err);
}

assay_status probe_phase_run(const probe_phases *all, const probe_plan *how, probe_phase *p, assay_error *err)
{
    assay_status rc = begin(all, how, p, err);
    if (rc == ASSAY_OK && !how->in_turn) rc = send_at_once(all, p, err);
    for (size_t i = 0; i < p->n && how->in_turn && rc == ASSAY_OK; i++)
        rc = probe_send(all->r, &p->x[i], err);
    for (size_t i = 0; i < p->n && rc == ASSAY_OK; i++)
        if (probe_answer_read(all->endpoint, &p->x[i], &p->a[i]) != ASSAY_OK)
            rc = assay_fail(err, ASSAY_ENOMEM, "out of memory");
    return rc;
}

probe_likeness probe_phase_grade(const probe_phases *all, const probe_plan *how, const probe_phase *p,
                                 size_t *which, char *text, size_t size)
{
    probe_likeness worst = PROBE_SAME_BITS;
    *which = how->leaver;
    text[0] = '\0';
    for (size_t i = how->leaver; i < p->n; i++) {
        const size_t k = p->prompt[i];
        char found[512];
        probe_likeness l = PROBE_DIVERGENT;
        if (!probe_exchange_succeeded(&p->x[i])) probe_describe_failure(&p->x[i], found, sizeof found);
        else l = probe_grade_of(all->r, all->prompts[k], &all->alone.a[k], &p->a[i], found, sizeof found);
        if (l <= worst) continue;
        worst = l;
        *which = i;
        (void)snprintf(text, size, "%s: %.480s", all->prompts[k]->name, found);
    }
    return worst;
}

/* The shortest, the middle and the longest prompt that the endpoint can be asked. */
static void choose_prompts(probe_phases *all)
{
    const probe_truth *t = all->r->truth;
    const probe_prompt *usable[PROBE_PROMPTS_MAX];
    size_t n = 0;
    for (size_t i = 0; i < t->n_prompts; i++)
        if (probe_can_ask(all->r, all->endpoint, &t->prompts[i]) && t->prompts[i].n_greedy > 0)
            usable[n++] = &t->prompts[i];
    all->n_prompts = n < PROBE_PHASE_PROMPTS ? n : PROBE_PHASE_PROMPTS;
    for (size_t i = 0; i < all->n_prompts; i++)
        all->prompts[i] = usable[all->n_prompts > 1 ? i * (n - 1) / (all->n_prompts - 1) : 0];
}

void probe_phases_begin(probe_phases *all, probe_run *r)
{
    *all = (probe_phases){.r = r};
    for (probe_endpoint e = 0; e < PROBE_N_ENDPOINTS && all->n_prompts == 0; e++) {
        if (!r->server.at[e].is_there) continue;
        all->endpoint = e;
        choose_prompts(all);
    }
}
