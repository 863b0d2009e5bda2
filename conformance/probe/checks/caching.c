/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/checks/caching.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"

/* Members by which a request turns the prompt cache off, for each prompt: that of llama.cpp; that of vllm,
 * under which nothing is cached yet. */
static const struct {
    const char *name;
    const char *more[PROBE_PHASE_PROMPTS];
} switches[] = {
    {"cache-prompt", {"{\"cache_prompt\":false}", "{\"cache_prompt\":false}", "{\"cache_prompt\":false}"}},
    {"cache-salt", {"{\"cache_salt\":\"a\"}", "{\"cache_salt\":\"b\"}", "{\"cache_salt\":\"c\"}"}},
};

static const char check[] = "batching/cache-off";

enum { N_SWITCHES = sizeof switches / sizeof *switches };

typedef enum outcome {
    REFUSED, /* the server does not know the member */
    NOTHING, /* it answers as before, and its usage does not show that the cache was off */
    OFF,
    DIVERGENT,
} outcome;

/* The reported cached tokens of all answers of a phase; -1: none reports any number. */
static int64_t count_cached(const probe_phase *p)
{
    int64_t sum = -1;
    for (size_t i = 0; i < p->n; i++)
        if (p->a[i].cached >= 0) sum = p->a[i].cached + (sum < 0 ? 0 : sum);
    return sum;
}

static outcome judge(const probe_phases *all, const probe_plan *how, const probe_phase *p, int64_t warm)
{
    char text[600];
    size_t which;
    if (probe_exchange_refused(&p->x[0])) return REFUSED;
    const probe_likeness l = probe_phase_grade(all, how, p, &which, text, sizeof text);
    if (l == PROBE_DIVERGENT)
        (void)probe_report(all->r, &p->x[which], check, PROBE_FAILED, PROBE_BREAKS, "%s: divergent: %s",
                           how->summary, text);
    else if (warm > 0 && count_cached(p) == 0)
        (void)probe_report(all->r, NULL, check, PROBE_OK, PROBE_BREAKS,
                           "%s, with no cached tokens for %" PRId64 ": %s%s%s", how->summary, warm,
                           probe_likeness_name(l), text[0] ? ": " : "", text);
    else return NOTHING;
    return l == PROBE_DIVERGENT ? DIVERGENT : OFF;
}

static assay_status turn_off(const probe_phases *all, size_t number, int64_t warm, outcome *out,
                             assay_error *err)
{
    const probe_plan how = {.name = switches[number].name,
                            .summary = switches[number].more[0],
                            .n = all->n_prompts,
                            .order = {0, 1, 2},
                            .in_turn = true,
                            .more = switches[number].more};
    probe_phase *p = calloc(1, sizeof *p);
    if (!p) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    const assay_status rc = probe_phase_run(all, &how, p, err);
    if (rc == ASSAY_OK) *out = judge(all, &how, p, warm);
    probe_phase_free(p);
    free(p);
    return rc;
}

assay_status probe_check_cache_off(const probe_phases *all, const probe_phase *warm, assay_error *err)
{
    const int64_t cached = count_cached(warm);
    outcome best = REFUSED;
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; i < N_SWITCHES && best < OFF && rc == ASSAY_OK; i++) {
        outcome o = REFUSED;
        rc = turn_off(all, i, cached, &o, err);
        if (o > best) best = o;
    }
    if (rc != ASSAY_OK || best >= OFF) return rc;
    if (best == REFUSED)
        (void)probe_report(all->r, NULL, check, PROBE_NOT_OFFERED, PROBE_BREAKS,
                           "the server refuses cache_prompt and cache_salt");
    else if (cached > 0)
        (void)probe_report(all->r, NULL, check, PROBE_NOT_EXERCISED, PROBE_BREAKS,
                           "%" PRId64 " tokens are cached, whatever cache_prompt and cache_salt say", cached);
    else
        (void)probe_report(all->r, NULL, check, PROBE_NOT_EXERCISED, PROBE_BREAKS,
                           "no usage reports cached tokens for a prompt that was asked before");
    return ASSAY_OK;
}
