/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/checks/refusals.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "conformance/probe/checks/shape.h"
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
    if (x->end == PROBE_ANSWERED && x->status >= 400 && !probe_shape_is_error(e, x, body, sizeof body) &&
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
    if (!first_prompt(r, e)) return ASSAY_OK;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals && rc == ASSAY_OK; i++)
        if (refusals[i].endpoints & 1U << e) rc = send_refusal(r, e, &refusals[i], &n_bodies, err);
    return rc == ASSAY_OK ? check_alive(r, e, err) : rc;
}

/* One request of an effect. */
typedef struct part {
    probe_exchange x;
    probe_answer a;
} part;

/* An effect that shows in several answers. */
typedef struct effect {
    const char *name;
    unsigned endpoints;
    size_t n; /* requests */
    void (*write)(const probe_prompt *p, size_t i,
                  char more[128]); /* the members of request i; "" for none */
    bool sampled;
    void (*judge)(probe_run *r, const char *check, const part *parts);
} effect;

static bool same_text(const part *a, const part *b)
{
    const assay_text x = buffer_text(&a->a.content), y = buffer_text(&b->a.content);
    const assay_text u = buffer_text(&a->a.reasoning), v = buffer_text(&b->a.reasoning);
    return x.n == y.n && memcmp(x.at, y.at, x.n) == 0 && u.n == v.n && memcmp(u.at, v.at, u.n) == 0;
}

static void write_n(const probe_prompt *p, size_t i, char more[128])
{
    (void)p;
    (void)i;
    (void)strcpy(more, "{\"n\":2}");
}

static void judge_n(probe_run *r, const char *check, const part *p)
{
    const size_t n = p[0].a.n_choices;
    if (n == 2) (void)probe_report(r, &p[0].x, check, PROBE_OK, PROBE_DEPARTS, "2 choices");
    else
        (void)probe_report(r, &p[0].x, check, n == 1 ? PROBE_IGNORED : PROBE_FAILED, PROBE_DEPARTS,
                           "found %zu choices, expected 2", n);
}

/* Requests with one seed, then as many with other seeds: answers of a server that ignores it are the same by
 * chance, and often, where the model has few likely tokens. */
enum { SEED_SAME = 6, SEED_OTHER = 6 };

static void write_seed(const probe_prompt *p, size_t i, char more[128])
{
    (void)p;
    (void)snprintf(more, 128, "{\"seed\":%zu,\"temperature\":2}", i < SEED_SAME ? (size_t)11 : 100 + i);
}

static void judge_seed(probe_run *r, const char *check, const part *p)
{
    size_t other = 1, n_same = 0; /* other: the first answer with seed 11 that differs */
    while (other < SEED_SAME && same_text(&p[0], &p[other])) other++;
    for (size_t i = SEED_SAME; i < SEED_SAME + SEED_OTHER; i++) n_same += same_text(&p[0], &p[i]);
    if (other < SEED_SAME)
        (void)probe_report(r, &p[other].x, check, PROBE_IGNORED, PROBE_DEPARTS,
                           "requests with seed 11 have different answers");
    else if (n_same == SEED_OTHER)
        (void)probe_report(r, &p[0].x, check, PROBE_NOT_EXERCISED, PROBE_DEPARTS,
                           "answers at temperature 2 are the same with %d different seeds", SEED_OTHER + 1);
    else
        (void)probe_report(r, &p[0].x, check, PROBE_OK, PROBE_DEPARTS, "the same seed gives the same answer");
}

/* The first token of the answer is made impossible. */
static void write_bias(const probe_prompt *p, size_t i, char more[128])
{
    if (i == 0) (void)strcpy(more, "");
    else (void)snprintf(more, 128, "{\"logit_bias\":{\"%d\":-100}}", (int)p->greedy[0]);
}

static void judge_bias(probe_run *r, const char *check, const part *p)
{
    if (same_text(&p[0], &p[1]))
        (void)probe_report(r, &p[1].x, check, PROBE_IGNORED, PROBE_DEPARTS,
                           "the answer begins with a token whose logit_bias is -100");
    else (void)probe_report(r, &p[1].x, check, PROBE_OK, PROBE_DEPARTS, "the token is not taken");
}

static const effect effects[] = {
    {"n", OPENAI, 1, write_n, false, judge_n},
    {"seed", OPENAI, SEED_SAME + SEED_OTHER, write_seed, true, judge_seed},
    {"logit-bias", OPENAI, 2, write_bias, false, judge_bias},
};

enum { PARTS_MOST = SEED_SAME + SEED_OTHER, ANSWER_TOKENS = 12 };

static assay_status send_parts(probe_run *r, probe_endpoint e, const effect *f, const probe_prompt *p,
                               part *parts, size_t *n_ok, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    *n_ok = 0;
    for (size_t i = 0; i < f->n && rc == ASSAY_OK; i++) {
        char more[128];
        PROBE_LABEL(label, "protocol/%s/effects/%s-%zu", probe_endpoint_name(e), f->name, i);
        f->write(p, i, more);
        const probe_ask ask = {.endpoint = e,
                               .prompt = p,
                               .max_tokens = ANSWER_TOKENS,
                               .logprobs = PROBE_NO_LOGPROBS,
                               .more = more[0] ? more : NULL,
                               .sampled = f->sampled};
        rc = probe_ask_send(r, &ask, label, &parts[i].x, &parts[i].a, err);
        *n_ok += rc == ASSAY_OK && probe_exchange_succeeded(&parts[i].x);
    }
    return rc;
}

/* The first part [n] without an answer; the last one if all have one. */
static const part *first_failed(const part *parts, size_t n)
{
    size_t i = 0;
    while (i + 1 < n && probe_exchange_succeeded(&parts[i].x)) i++;
    return &parts[i];
}

static assay_status check_effect(probe_run *r, probe_endpoint e, const effect *f, const probe_prompt *p,
                                 assay_error *err)
{
    part parts[PARTS_MOST];
    size_t n_ok;
    char why[256];
    memset(parts, 0, sizeof parts);
    PROBE_LABEL(check, "protocol/%s/effects/%s", probe_endpoint_name(e), f->name);
    assay_status rc = send_parts(r, e, f, p, parts, &n_ok, err);
    const part *failed = first_failed(parts, f->n);
    if (rc == ASSAY_OK && n_ok == f->n) f->judge(r, check, parts);
    else if (rc == ASSAY_OK) {
        const bool refused = probe_exchange_refused(&failed->x);
        probe_describe_failure(&failed->x, why, sizeof why);
        (void)probe_report(r, &failed->x, check, refused ? PROBE_NOT_OFFERED : PROBE_FAILED, PROBE_DEPARTS,
                           "%s", why);
    }
    for (size_t i = 0; i < PARTS_MOST; i++) {
        probe_answer_free(&parts[i].a);
        probe_exchange_free(&parts[i].x);
    }
    return rc;
}

/* The largest probability that temperature 2 gives to one of the first tokens of an answer, on average: how
 * certain a sampled answer is. */
static double certainty(const probe_run *r, const probe_prompt *p)
{
    double sum = 0;
    size_t n = 0;
    for (; n < ANSWER_TOKENS && n < p->n_greedy; n++) {
        const double *row = probe_truth_row(p, p->n_prompt + n);
        double most = -INFINITY, all = 0;
        if (!row) break;
        for (size_t v = 0; v < r->truth->n_vocab; v++) most = fmax(most, row[v]);
        for (size_t v = 0; v < r->truth->n_vocab; v++) all += exp((row[v] - most) / 2);
        sum += 1 / all;
    }
    return n ? sum / (double)n : 1;
}

/* The first prompt with an answer, or, for a sampled effect, the one whose answer is least certain. */
static const probe_prompt *choose_prompt(const probe_run *r, probe_endpoint e, bool sampled)
{
    const probe_prompt *found = NULL;
    double least = INFINITY;
    for (size_t i = 0; i < r->truth->n_prompts; i++) {
        const probe_prompt *p = &r->truth->prompts[i];
        if (!probe_can_ask(r, e, p) || p->n_greedy == 0 || (found && !sampled)) continue;
        const double c = sampled ? certainty(r, p) : 0;
        if (c < least) {
            least = c;
            found = p;
        }
    }
    return found;
}

assay_status probe_effects_check(probe_run *r, probe_endpoint e, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; i < sizeof effects / sizeof *effects && rc == ASSAY_OK; i++) {
        const probe_prompt *p = choose_prompt(r, e, effects[i].sampled);
        if (p && effects[i].endpoints & 1U << e) rc = check_effect(r, e, &effects[i], p, err);
    }
    return rc;
}
