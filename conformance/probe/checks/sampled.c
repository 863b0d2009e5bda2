/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/checks/sampled.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/probe/run/ask.h"
#include "conformance/probe/run/proof.h"
#include "conformance/probe/truth/fit.h"

enum { PROMPTS_MOST = 4, TOP_MOST = 20 };

/* Half the usual temperature: values that were divided by it are twice the truth's. */
static const char members[] = "{\"temperature\":0.5,\"seed\":1}";

/* The first token of a sampled answer. */
static assay_status ask_sampled(probe_run *r, probe_endpoint e, const probe_prompt *p, size_t number,
                                probe_judge *j, probe_proof *proof, assay_error *err)
{
    probe_exchange x;
    probe_answer a;
    const size_t top = r->server.at[e].top;
    PROBE_LABEL(label, "numerics/%s-sampled-%zu", probe_endpoint_name(e), number);
    const probe_ask ask = {.endpoint = e,
                           .prompt = p,
                           .max_tokens = 1,
                           .more = members,
                           .sampled = true,
                           .logprobs = top < TOP_MOST ? top : TOP_MOST};
    assay_status rc = probe_ask_send(r, &ask, label, &x, &a, err);
    if (rc == ASSAY_OK && probe_exchange_succeeded(&x) && !a.problem[0] && a.rows.n == 1) {
        const probe_place place = {.prompt = p, .n_before = p->n_prompt, .taken = -1};
        int32_t id;
        probe_judge_row(j, &a.rows, 0, &place, &id);
        const probe_rule_result *rule = &j->rules[PROBE_RULE_LOGPROB];
        if (rule->has_value && !probe_proof_keep(r, proof, &x, probe_mark_number(&x.body, rule->value)))
            j->failed = true;
    }
    probe_answer_free(&a);
    probe_exchange_free(&x);
    return rc;
}

static void report_sampled(probe_run *r, probe_endpoint e, const probe_judge *j, probe_proof *proof)
{
    char text[256];
    PROBE_LABEL(check, "numerics/%s/temperature", probe_endpoint_name(e));
    if (j->n_pairs == 0) {
        (void)probe_report(r, NULL, check, PROBE_NOT_EXERCISED, PROBE_DEPARTS,
                           "no answer at temperature 0.5 has the row of its first token");
        return;
    }
    const double bound = 2 * probe_truth_bound(&r->truth->prompts[0], r->type);
    const probe_fit f = probe_fit_of(j->pairs, j->n_pairs, bound);
    const bool changed = j->rules[PROBE_RULE_LOGPROB].n_broken > 0 && f.change == PROBE_SCALED;
    probe_fit_describe(&f, text, sizeof text);
    probe_finding *row =
        changed ? probe_report(r, NULL, check, PROBE_FAILED, PROBE_DEPARTS, "temperature 0.5: %s", text)
                : probe_report(r, NULL, check, PROBE_OK, PROBE_DEPARTS,
                               "%zu values at temperature 0.5 are those before it", f.n);
    if (!probe_proof_give(proof, row)) r->findings.failed = true;
}

assay_status probe_check_sampled(probe_run *r, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    for (probe_endpoint e = 0; e < PROBE_N_ENDPOINTS && rc == ASSAY_OK; e++) {
        probe_judge j;
        probe_proof proof = {0};
        size_t n = 0;
        /* In Responses the first tokens may be reasoning, which has no rows. */
        PROBE_LABEL(check, "numerics/%s/temperature", probe_endpoint_name(e));
        if (!probe_wants(r, check) || !r->server.at[e].logprobs || r->server.at[e].top < 2 ||
            e == PROBE_RESPONSES)
            continue;
        if (!probe_judge_begin(&j, r->truth, r->type)) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
        for (size_t i = 0;
             i < r->truth->n_prompts && n < probe_prompts_most(r, PROMPTS_MOST) && rc == ASSAY_OK; i++)
            if (probe_can_ask(r, e, &r->truth->prompts[i]))
                rc = ask_sampled(r, e, &r->truth->prompts[i], n++, &j, &proof, err);
        if (rc == ASSAY_OK && j.failed) rc = assay_fail(err, ASSAY_ENOMEM, "out of memory");
        if (rc == ASSAY_OK) report_sampled(r, e, &j, &proof);
        probe_proof_free(&proof);
        probe_judge_end(&j);
    }
    return rc;
}
