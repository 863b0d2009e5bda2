/* The report of the log-probabilities that a server returned in one way: a row for each rule, for what was
 * done to all of them, and for the type in which they were computed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/checks/tally.h"

#include <math.h>

#include "conformance/judge/noise.h"
#include "conformance/probe/truth/fit.h"

void probe_tally_note(const probe_run *r, probe_tally *t, const probe_exchange *x)
{
    for (size_t i = 0; i < PROBE_N_RULES; i++) {
        const probe_rule_result *rule = &t->judge.rules[i];
        const probe_mark none = {0, 0};
        if (rule->n_broken == 0 || t->proofs[i].label[0]) continue;
        if (!probe_proof_keep(r, &t->proofs[i], x,
                              rule->has_value ? probe_mark_number(&x->body, rule->value) : none))
            t->judge.failed = true;
    }
    if (!t->judge.normalised && !probe_proof_keep(r, &t->sum, x, (probe_mark){0, 0})) t->judge.failed = true;
    if (!probe_proof_keep(r, &t->any, x, (probe_mark){0, 0})) t->judge.failed = true;
}

/* The exchange of a row: the one that first broke `rule`, else the first. */
static void add_exchange(probe_finding *f, probe_tally *t, size_t rule)
{
    const probe_proof *first = t->proofs[rule].label[0] ? &t->proofs[rule] : &t->any;
    if (!probe_proof_give(first, f)) t->judge.failed = true;
}

static void report_rule(probe_run *r, probe_tally *t, size_t rule)
{
    const probe_rule_result *result = &t->judge.rules[rule];
    if (rule == PROBE_RULE_TOKEN && t->given) return;
    if (result->n == 0 && rule > PROBE_RULE_SAME) return; /* what only some spellings have */
    PROBE_LABEL(check, "numerics/%s/%s", t->way, probe_rule_names[rule]);
    if (result->n == 0) {
        (void)probe_report(r, NULL, check, PROBE_NOT_EXERCISED, PROBE_BREAKS,
                           "no row of the answers has what it needs");
        return;
    }
    if (result->n_broken == 0) {
        (void)probe_report(r, NULL, check, PROBE_OK, PROBE_BREAKS, "%zu times, at most %.3g of its bound",
                           result->n, result->multiple);
        return;
    }
    probe_finding *f =
        isfinite(result->multiple)
            ? probe_report(r, NULL, check, PROBE_FAILED, PROBE_BREAKS,
                           "%zu of %zu times, up to %.3g times its bound; first: %s", result->n_broken,
                           result->n, result->multiple, result->first)
            : probe_report(r, NULL, check, PROBE_FAILED, PROBE_BREAKS, "%zu of %zu times; first: %s",
                           result->n_broken, result->n, result->first);
    add_exchange(f, t, rule);
}

/* Names what was done to the values; errors of another kind have rows already. */
static void report_change(probe_run *r, probe_tally *t)
{
    char text[256];
    const probe_judge *j = &t->judge;
    PROBE_LABEL(check, "numerics/%s/change", t->way);
    if (j->n_pairs == 0) return;
    const double bound = 2 * probe_truth_bound(&r->truth->prompts[0], r->type);
    const probe_fit f = probe_fit_of(j->pairs, j->n_pairs, bound);
    probe_fit_describe(&f, text, sizeof text);
    const bool named = j->all_zero || (f.change != PROBE_UNCHANGED && f.change != PROBE_UNEXPLAINED);
    probe_finding *row = probe_report(r, NULL, check, named ? PROBE_FAILED : PROBE_OK, PROBE_BREAKS, "%s",
                                      j->all_zero ? "every log-probability is 0" : text);
    if (named) add_exchange(row, t, PROBE_RULE_LOGPROB);
    PROBE_LABEL(sum, "numerics/%s/sum", t->way);
    if (j->all_zero || j->normalised) return;
    row = probe_report(r, NULL, sum, PROBE_FAILED, PROBE_BREAKS,
                       "the probabilities of one row add up to more than 1");
    if (!probe_proof_give(&t->sum, row)) t->judge.failed = true;
}

/* The type in which the server seems to compute. */
static void report_type(probe_run *r, probe_tally *t)
{
    char fits[256];
    const probe_noise *noise = r->truth->prompts[0].noise;
    const double *errors = t->judge.errors, of_claim = errors[r->type];
    const char *claim = probe_type_name(r->type);
    PROBE_LABEL(check, "numerics/%s/served-type", t->way);
    if (t->judge.n_pairs == 0 || noise[r->type].noise == 0) return;
    if (of_claim <= CONF_NOISE_MULTIPLE) {
        (void)probe_report(r, NULL, check, PROBE_OK, PROBE_BREAKS,
                           "%s: %.3g times its noise, of which %g are allowed", claim, of_claim,
                           CONF_NOISE_MULTIPLE);
        return;
    }
    probe_served_types(noise, errors, fits, sizeof fits);
    probe_finding *f = probe_report(r, NULL, check, PROBE_FAILED, PROBE_BREAKS,
                                    "%.3g times the noise of %s, of which %g are allowed; %s", of_claim,
                                    claim, CONF_NOISE_MULTIPLE, fits[0] ? fits : "no measured type fits");
    add_exchange(f, t, PROBE_RULE_DIFFERENCE);
}

void probe_tally_report(probe_run *r, probe_tally *t)
{
    for (size_t rule = 0; rule < PROBE_N_RULES; rule++) report_rule(r, t, rule);
    report_change(r, t);
    report_type(r, t);
}

void probe_tally_end(probe_tally *t)
{
    for (size_t i = 0; i < PROBE_N_RULES; i++) probe_proof_free(&t->proofs[i]);
    probe_proof_free(&t->sum);
    probe_proof_free(&t->any);
    probe_judge_end(&t->judge);
}
