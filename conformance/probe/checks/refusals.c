/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/checks/refusals.h"

#include <string.h>

#include "base/error.h"
#include "conformance/probe/checks/error_body.h"
#include "conformance/probe/run/ask.h"

/* An invalid request. more: its members; NULL: the body is `body` instead. lenient: a server that takes it
 * has a habit, not a fault. */
typedef struct refusal {
    const char *name, *more, *body, *expected;
    unsigned endpoints; /* bits */
    probe_grade grade;
} refusal;

/* A server that takes an invalid request may generate without end: so many times the time of a short request,
 * and at least so many seconds, are enough to refuse one. */
enum { LIMIT_TIMES = 20, LIMIT_SECONDS = 5 };

#define ALL    0xfU
#define CHATS  (1U << PROBE_CHAT | 1U << PROBE_MESSAGES)
#define OPENAI (1U << PROBE_CHAT | 1U << PROBE_COMPLETIONS)

static const refusal refusals[] = {
    {"unknown-model", "{\"model\":\"assay-no-such-model\"}", NULL, "status 404", ALL, PROBE_DEPARTS},
    {"malformed", NULL, "{\"model\": \"assay\", ", "status 400", ALL, PROBE_BREAKS},
    {"not-an-object", NULL, "[1, 2]", "status 400", ALL, PROBE_DEPARTS},
    {"empty", NULL, "", "status 400", ALL, PROBE_DEPARTS},
    {"limit-as-text", "{\"max_tokens\":\"three\",\"max_output_tokens\":\"three\"}", NULL, "status 400", ALL,
     PROBE_DEPARTS},
    {"limit-below-zero", "{\"max_tokens\":-1,\"max_output_tokens\":-1}", NULL, "status 400", ALL,
     PROBE_DEPARTS},
    {"temperature-as-text", "{\"temperature\":\"hot\"}", NULL, "status 400", ALL, PROBE_DEPARTS},
    {"messages-missing", "{\"messages\":null}", NULL, "status 400", CHATS, PROBE_DEPARTS},
    {"messages-as-text", "{\"messages\":\"hello\"}", NULL, "status 400", CHATS, PROBE_DEPARTS},
    {"messages-empty", "{\"messages\":[]}", NULL, "status 400", CHATS, PROBE_DEPARTS},
    {"prompt-missing", "{\"prompt\":null}", NULL, "status 400", 1U << PROBE_COMPLETIONS, PROBE_DEPARTS},
    {"input-missing", "{\"input\":null}", NULL, "status 400", 1U << PROBE_RESPONSES, PROBE_DEPARTS},
    {"top-p-above-one", "{\"top_p\":7}", NULL, "status 400", ALL, PROBE_DEPARTS},
};

static const probe_prompt *first_prompt(const probe_run *r, probe_endpoint e)
{
    for (size_t i = 0; i < r->truth->n_prompts; i++)
        if (probe_can_ask(r, e, &r->truth->prompts[i])) return &r->truth->prompts[i];
    return NULL;
}

/* *n_bodies: how many bodies of refusals are not as the protocol has them; the first of them gets a row. */
static void judge_refusal(probe_run *r, probe_endpoint e, const refusal *f, const probe_exchange *x,
                          size_t *n_bodies)
{
    char why[256], body[256];
    PROBE_LABEL(bodies, "protocol/%s/refuses/body", probe_endpoint_name(e));
    PROBE_LABEL(check, "protocol/%s/refuses/%s", probe_endpoint_name(e), f->name);
    probe_describe_failure(x, why, sizeof why);
    if (x->end == PROBE_TIMEOUT && f->grade != PROBE_BREAKS)
        (void)probe_report(r, x, check, PROBE_IGNORED, f->grade, "%s; expected %s", why, f->expected);
    else if (x->end != PROBE_ANSWERED)
        (void)probe_report(r, x, check, PROBE_FAILED, PROBE_BREAKS, "%s; expected %s", why, f->expected);
    else if (x->status >= 200 && x->status < 300)
        (void)probe_report(r, x, check, f->grade == PROBE_BREAKS ? PROBE_FAILED : PROBE_IGNORED, f->grade,
                           "found status %d, expected %s", x->status, f->expected);
    else if (x->status >= 500)
        (void)probe_report(r, x, check, PROBE_FAILED, PROBE_DEPARTS, "%s; expected %s", why, f->expected);
    else (void)probe_report(r, x, check, PROBE_OK, PROBE_DEPARTS, "%s", why);
    if (x->end == PROBE_ANSWERED && x->status >= 400 && !probe_error_body_is_valid(e, x, body, sizeof body) &&
        (*n_bodies)++ == 0)
        (void)probe_report(r, x, bodies, PROBE_FAILED, PROBE_DEPARTS, "%s", body);
}

static assay_status send_refusal(probe_run *r, probe_endpoint e, const refusal *f, size_t *n_bodies,
                                 assay_error *err)
{
    probe_exchange x;
    PROBE_LABEL(label, "protocol/%s/refuses/%s", probe_endpoint_name(e), f->name);
    const probe_ask ask = {.endpoint = e,
                           .prompt = first_prompt(r, e),
                           .max_tokens = 1,
                           .more = f->more,
                           .logprobs = PROBE_NO_LOGPROBS};
    assay_status rc = probe_ask_begin(r, &ask, label, &x, err);
    if (rc == ASSAY_OK && f->body) {
        x.request.n = 0;
        if (!buffer_append_string(&x.request, f->body)) rc = assay_fail(err, ASSAY_ENOMEM, "out of memory");
    }
    const double seconds = LIMIT_TIMES * r->server.seconds;
    x.seconds = seconds > LIMIT_SECONDS ? seconds : LIMIT_SECONDS;
    if (rc == ASSAY_OK) rc = probe_send(r, &x, err);
    if (rc == ASSAY_OK) judge_refusal(r, e, f, &x, n_bodies);
    probe_exchange_free(&x);
    return rc;
}

/* After invalid requests the server must answer as before. */
static assay_status check_alive(probe_run *r, probe_endpoint e, assay_error *err)
{
    probe_exchange x;
    probe_answer a;
    char why[256];
    PROBE_LABEL(label, "protocol/%s/refuses/answers-after", probe_endpoint_name(e));
    const probe_ask ask = {
        .endpoint = e, .prompt = first_prompt(r, e), .max_tokens = 1, .logprobs = PROBE_NO_LOGPROBS};
    assay_status rc = probe_ask_send(r, &ask, label, &x, &a, err);
    probe_describe_failure(&x, why, sizeof why);
    if (rc == ASSAY_OK)
        (void)probe_report(r, &x, label, probe_exchange_succeeded(&x) ? PROBE_OK : PROBE_FAILED, PROBE_BREAKS,
                           "%s",
                           probe_exchange_succeeded(&x) ? "a valid request is answered after them" : why);
    probe_answer_free(&a);
    probe_exchange_free(&x);
    return rc;
}

assay_status probe_refusals_check(probe_run *r, probe_endpoint e, assay_error *err)
{
    size_t n_bodies = 0;
    assay_status rc = ASSAY_OK;
    bool any = false;
    if (!first_prompt(r, e)) return ASSAY_OK;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals && rc == ASSAY_OK; i++) {
        PROBE_LABEL(check, "protocol/%s/refuses/%s", probe_endpoint_name(e), refusals[i].name);
        PROBE_LABEL(body, "protocol/%s/refuses/body", probe_endpoint_name(e));
        if (!(refusals[i].endpoints & 1U << e) || !(probe_wants(r, check) || probe_wants(r, body))) continue;
        any = true;
        rc = send_refusal(r, e, &refusals[i], &n_bodies, err);
    }
    return rc == ASSAY_OK && any ? check_alive(r, e, err) : rc;
}
