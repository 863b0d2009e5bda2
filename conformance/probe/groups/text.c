/* Texts alone: where every margin of an answer exceeds twice the bound, any other text is a failure.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "conformance/probe/checks/expect.h"
#include "conformance/probe/groups/groups.h"
#include "conformance/probe/run/ask.h"

#define PROMPTS_MOST 16 /* of an endpoint */

/* How many tokens of an answer are the same in every correct engine, without the stop id. */
static size_t n_certain(const probe_prompt *p)
{
    return p->n_safe < p->n_greedy ? p->n_safe : p->n_greedy;
}

static assay_status check_prompt(probe_run *r, probe_endpoint e, const probe_prompt *p, size_t number,
                                 size_t *n_same, assay_error *err)
{
    probe_expected expected;
    probe_exchange x = {0};
    probe_answer a = {0};
    char text[512];
    const bool whole = p->ends && p->n_safe == p->n_greedy + 1;
    const size_t n = n_certain(p);
    PROBE_LABEL(label, "text/%s-%zu", probe_endpoint_name(e), number);
    PROBE_LABEL(check, "text/%s", probe_endpoint_name(e));
    const probe_ask ask = {
        .endpoint = e, .prompt = p, .max_tokens = whole ? n + 8 : n, .logprobs = PROBE_NO_LOGPROBS};
    assay_status rc = probe_expect(r->truth, p, n, &expected, err);
    if (rc == ASSAY_OK) rc = probe_ask_send(r, &ask, label, &x, &a, err);
    if (rc == ASSAY_OK && !probe_exchange_succeeded(&x)) {
        probe_describe_failure(&x, text, sizeof text);
        (void)probe_report(r, &x, check, PROBE_FAILED, PROBE_BREAKS, "%s: %s", p->name, text);
    } else if (rc == ASSAY_OK && !probe_expected_same(&expected, e, &a, text, sizeof text)) {
        (void)probe_report(r, &x, check, PROBE_FAILED, PROBE_BREAKS, "%s: %s", p->name, text);
    } else if (rc == ASSAY_OK) {
        (*n_same)++;
    }
    probe_answer_free(&a);
    probe_exchange_free(&x);
    probe_expected_free(&expected);
    return rc;
}

/* Whether the certain tokens end within a character: servers leave out such an end. */
static bool ends_within_character(const probe_run *r, const probe_prompt *p)
{
    buffer text = {0};
    const bool read =
        probe_vocab_decode(r->truth->vocab, p->greedy, n_certain(p), false, &text, NULL) == ASSAY_OK;
    const bool cut = !read || (text.n >= 3 && memcmp(text.data + text.n - 3, "\xEF\xBF\xBD", 3) == 0);
    buffer_free(&text);
    return cut;
}

/* Whether the text of an answer to this prompt is certain: all of it where fields depend on its end. */
static bool is_usable(const probe_run *r, probe_endpoint e, const probe_prompt *p)
{
    const bool whole = p->ends && p->n_greedy && p->n_safe == p->n_greedy + 1;
    return probe_can_ask(r, e, p) &&
           (whole || (e == PROBE_COMPLETIONS && n_certain(p) > 0 && !ends_within_character(r, p)));
}

assay_status probe_check_text(probe_run *r, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    for (probe_endpoint e = 0; e < PROBE_N_ENDPOINTS && rc == ASSAY_OK; e++) {
        size_t n = 0, n_same = 0;
        PROBE_LABEL(check, "text/%s", probe_endpoint_name(e));
        if (!r->server.at[e].is_there || !probe_wants(r, check)) continue;
        for (size_t i = 0;
             i < r->truth->n_prompts && n < probe_prompts_most(r, PROMPTS_MOST) && rc == ASSAY_OK; i++)
            if (is_usable(r, e, &r->truth->prompts[i]))
                rc = check_prompt(r, e, &r->truth->prompts[i], n++, &n_same, err);
        if (rc == ASSAY_OK && n == 0)
            (void)probe_report(r, NULL, check, PROBE_NOT_EXERCISED, PROBE_BREAKS,
                               "no prompt of the truth has a certain answer");
        else if (rc == ASSAY_OK && n_same == n)
            (void)probe_report(r, NULL, check, PROBE_OK, PROBE_BREAKS, "%zu answers, as the truth has them",
                               n);
    }
    return rc;
}
