/* Discovery: which models, endpoints and log-probabilities a server offers. "Ready" alone proves nothing:
 * every endpoint gets a real request under the time limit.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "conformance/probe/checks/offer.h"
#include "conformance/probe/checks/twins.h"
#include "conformance/probe/groups/groups.h"
#include "conformance/probe/run/ask.h"

static assay_status get(probe_run *r, const char *label, const char *path, probe_exchange *x,
                        assay_error *err)
{
    probe_exchange_begin(x, label, path);
    x->get = true;
    return probe_send(r, x, err);
}

/* The id of entry i of a list of models; NULL if it has none. */
static const char *model_id(json_object *document, size_t i, size_t *n)
{
    json_object *data = NULL, *id = NULL;
    *n = 0;
    if (!json_object_is_type(document, json_type_object) ||
        !json_object_object_get_ex(document, "data", &data) || !json_object_is_type(data, json_type_array))
        return NULL;
    *n = json_object_array_length(data);
    if (i >= *n) return NULL;
    json_object *model = json_object_array_get_idx(data, i);
    if (!json_object_is_type(model, json_type_object) || !json_object_object_get_ex(model, "id", &id))
        return NULL;
    return json_text(id);
}

/* The positions of the model with this id, as vllm and other servers list them; 0: not there. */
static size_t model_positions(json_object *document, const char *id)
{
    size_t n = 0;
    const char *other;
    json_object *data = NULL, *most = NULL;
    for (size_t i = 0; (other = model_id(document, i, &n)); i++) {
        if (strcmp(other, id) != 0) continue;
        (void)json_object_object_get_ex(document, "data", &data);
        if (json_object_object_get_ex(json_object_array_get_idx(data, i), "max_model_len", &most) &&
            json_object_is_type(most, json_type_int) && json_object_get_int64(most) > 0)
            return (size_t)json_object_get_int64(most);
    }
    return 0;
}

/* Whether a model's id is, or ends with, the name of the checkpoint's directory. */
static bool names_checkpoint(const char *id, const char *dir)
{
    char *real = realpath(dir, NULL);
    const char *place = real ? real : dir, *base = strrchr(place, '/');
    base = base ? base + 1 : place;
    const size_t n_id = strlen(id), n = strlen(base);
    const bool is = strcmp(id, place) == 0 ||
                    (n_id >= n && strcmp(id + n_id - n, base) == 0 && (n_id == n || id[n_id - n - 1] == '/'));
    free(real);
    return is;
}

/* Chooses the model to ask for, if the user named none: the one with the checkpoint's name, else the first.
 */
static const char *choose_model(const probe_run *r, json_object *document, size_t *n)
{
    const char *first = model_id(document, 0, n), *id;
    for (size_t i = 0; i < *n; i++) {
        size_t same;
        if ((id = model_id(document, i, &same)) && names_checkpoint(id, r->truth->model)) return id;
    }
    return first;
}

/* Of several models with other names any may be that of the checkpoint. */
static assay_status ask_for_name(const probe_run *r, json_object *document, size_t n, assay_error *err)
{
    char names[256] = "";
    size_t length = 0;
    for (size_t i = 0; i < n && length < sizeof names; i++) {
        size_t same;
        const char *id = model_id(document, i, &same);
        length +=
            (size_t)snprintf(names + length, sizeof names - length, "%s%s", i ? ", " : "", id ? id : "?");
    }
    return assay_fail(err, ASSAY_EINVAL,
                      "%s: found %zu models, none with the name of the checkpoint's directory: name one with "
                      "--model: %s",
                      probe_wire_url(r->wire), n, names);
}

static assay_status read_models(probe_run *r, const probe_exchange *x, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    json_object *document = NULL;
    assay_error why;
    size_t n = 0;
    if (json_parse("the body", x->body.data ? x->body.data : "", x->body.n, &document, &why) != ASSAY_OK) {
        (void)probe_report(r, x, "discovery/models", PROBE_FAILED, PROBE_BREAKS, "%s", why.text);
    } else {
        const char *id = choose_model(r, document, &n);
        if (n > 1 && !r->model && !names_checkpoint(id ? id : "", r->truth->model))
            rc = ask_for_name(r, document, n, err);
        else if (!id)
            (void)probe_report(r, x, "discovery/models", PROBE_FAILED, PROBE_BREAKS,
                               "found no model with an id, expected a list in data");
        else
            (void)probe_report(r, x, "discovery/models", PROBE_OK, PROBE_BREAKS,
                               "%zu model%s; %s is asked for", n, n == 1 ? "" : "s",
                               r->model ? r->model : id);
        if (rc == ASSAY_OK && id && !r->model && !(r->model = strdup(id)))
            rc = assay_fail(err, ASSAY_ENOMEM, "out of memory");
        if (rc == ASSAY_OK && r->model) r->server.n_positions = model_positions(document, r->model);
    }
    json_object_put(document);
    return rc;
}

static assay_status find_models(probe_run *r, assay_error *err)
{
    probe_exchange x;
    char why[256];
    assay_status rc = get(r, "discovery/models", "/v1/models", &x, err);
    if (rc == ASSAY_OK && probe_exchange_succeeded(&x)) rc = read_models(r, &x, err);
    else if (rc == ASSAY_OK) {
        probe_describe_failure(&x, why, sizeof why);
        const bool lacks = x.end == PROBE_ANSWERED && (x.status == 404 || x.status == 405 || x.status == 501);
        (void)probe_report(r, &x, "discovery/models", lacks ? PROBE_NOT_OFFERED : PROBE_FAILED, PROBE_BREAKS,
                           "%s", why);
    }
    if (rc == ASSAY_OK && x.end == PROBE_NOT_REACHED) {
        r->server.unusable = true;
        rc = assay_fail(err, ASSAY_EIO, "%s: %s", probe_wire_url(r->wire), x.why);
    }
    probe_exchange_free(&x);
    r->server.model_is_guessed = !r->model;
    if (rc == ASSAY_OK && !r->model && !(r->model = strdup("model")))
        rc = assay_fail(err, ASSAY_ENOMEM, "out of memory");
    return rc;
}

/* The first prompt that an endpoint can be asked, one that thinks if there is one; NULL: none. */
static const probe_prompt *first_prompt(const probe_run *r, probe_endpoint e)
{
    const probe_prompt *found = NULL;
    for (size_t i = 0; i < r->truth->n_prompts; i++) {
        const probe_prompt *p = &r->truth->prompts[i];
        if (probe_can_ask(r, e, p) && (!found || (found->thinking && !p->thinking))) found = p;
    }
    return found;
}

static void report_endpoint(probe_run *r, probe_endpoint e, const probe_exchange *x, const probe_answer *a)
{
    char why[256];
    PROBE_LABEL(check, "discovery/%s", probe_endpoint_name(e));
    if (probe_exchange_succeeded(x) && !a->problem[0]) {
        r->server.at[e].is_there = true;
        (void)probe_report(r, x, check, PROBE_OK, PROBE_BREAKS, "answers in %.3f s%s", x->last - x->sent,
                           e == PROBE_COMPLETIONS ? r->server.takes_ids ? "; takes token ids" : "; takes text"
                                                  : "");
        return;
    }
    const bool lacks = x->end == PROBE_ANSWERED && (x->status == 404 || x->status == 405 || x->status == 501);
    probe_describe_failure(x, why, sizeof why);
    if (lacks && r->server.model_is_guessed && x->body.n && x->body.data[0] == '{')
        (void)probe_report(r, x, check, PROBE_FAILED, PROBE_BREAKS,
                           "%s; no model is listed: name one with --model", why);
    else if (probe_exchange_succeeded(x))
        (void)probe_report(r, x, check, PROBE_FAILED, PROBE_BREAKS, "the answer cannot be read: %s",
                           a->problem);
    else (void)probe_report(r, x, check, lacks ? PROBE_NOT_OFFERED : PROBE_FAILED, PROBE_BREAKS, "%s", why);
}

/* Whether an answer refuses the member of requests that tells templates to think. */
static bool refuses_arguments(const probe_exchange *x)
{
    static const char name[] = "chat_template_kwargs";
    return probe_exchange_refused(x) && x->body.n && memmem(x->body.data, x->body.n, name, sizeof name - 1);
}

/* Asks an endpoint for one token. *there: whether it answers. *n_more: for completions, how many tokens more
 * than the prompt has the server counts. */
static assay_status try_endpoint(probe_run *r, probe_endpoint e, const char *label, bool report, bool *there,
                                 int64_t *n_more, assay_error *err)
{
    const probe_prompt *p = first_prompt(r, e);
    probe_exchange x = {0};
    probe_answer a = {0};
    *there = false;
    if (!p) {
        PROBE_LABEL(check, "discovery/%s", probe_endpoint_name(e));
        if (report)
            (void)probe_report(r, NULL, check, PROBE_NOT_EXERCISED, PROBE_BREAKS,
                               "no prompt of the truth can be written as a request of this endpoint");
        return ASSAY_OK;
    }
    const probe_ask ask = {.endpoint = e, .prompt = p, .max_tokens = 1, .logprobs = PROBE_NO_LOGPROBS};
    assay_status rc = probe_ask_send(r, &ask, label, &x, &a, err);
    *there = rc == ASSAY_OK && probe_exchange_succeeded(&x) && !a.problem[0] &&
             (a.input < 0 || (size_t)a.input == p->n_prompt || !r->server.takes_ids);
    if (*there) r->server.seconds = x.last - x.sent;
    if (x.end == PROBE_ANSWERED && (x.status == 401 || x.status == 403)) r->server.refuses_key = true;
    if (rc == ASSAY_OK && refuses_arguments(&x) && !r->server.at[e].bare) {
        PROBE_LABEL(check, "discovery/%s-template-arguments", probe_endpoint_name(e));
        (void)probe_report(r, &x, check, PROBE_NOT_OFFERED, PROBE_BREAKS,
                           "chat_template_kwargs is refused: prompts that need it are not asked");
        probe_answer_free(&a);
        probe_exchange_free(&x);
        r->server.at[e].bare = true;
        PROBE_LABEL(again, "%.100s-bare", label);
        return try_endpoint(r, e, again, report, there, n_more, err);
    }
    if (rc == ASSAY_OK && (report || (*there && !r->server.adds_first))) report_endpoint(r, e, &x, &a);
    if (rc == ASSAY_OK && *there && e == PROBE_COMPLETIONS) *n_more = a.input - (int64_t)p->n_prompt;
    probe_answer_free(&a);
    probe_exchange_free(&x);
    return rc;
}

/* If a text gets one token more than the prompt has, and none more without its first token, the server adds
 * that token to any text. */
static assay_status find_first_token(probe_run *r, int64_t n_more, assay_error *err)
{
    bool there = false;
    const probe_prompt *p = first_prompt(r, PROBE_COMPLETIONS);
    if (n_more != 1 || !p) return ASSAY_OK;
    r->server.adds_first = true;
    r->server.first = p->ids[0];
    assay_status rc =
        try_endpoint(r, PROBE_COMPLETIONS, "discovery/completions-first", false, &there, &n_more, err);
    r->server.adds_first = there && n_more == 0;
    if (rc == ASSAY_OK && r->server.adds_first)
        (void)probe_report(
            r, NULL, "discovery/first-token", PROBE_FAILED, PROBE_HABIT,
            "a text for completions that begins with the first token of prompts gets it again");
    return rc;
}

static assay_status find_endpoints(probe_run *r, assay_error *err)
{
    bool there = false;
    int64_t n_more = 0;
    const bool completes = probe_asks(r, PROBE_COMPLETIONS);
    r->server.takes_ids = true;
    assay_status rc = completes ? try_endpoint(r, PROBE_COMPLETIONS, "discovery/completions-ids", false,
                                               &there, &n_more, err)
                                : ASSAY_OK;
    if (rc == ASSAY_OK && completes && !there) {
        r->server.takes_ids = false;
        rc = try_endpoint(r, PROBE_COMPLETIONS, "discovery/completions", true, &there, &n_more, err);
        if (rc == ASSAY_OK && there) rc = find_first_token(r, n_more, err);
    }
    for (probe_endpoint e = PROBE_CHAT; e < PROBE_N_ENDPOINTS && rc == ASSAY_OK; e++) {
        PROBE_LABEL(label, "discovery/%s", probe_endpoint_name(e));
        if (probe_asks(r, e)) rc = try_endpoint(r, e, label, true, &there, &n_more, err);
    }
    return rc;
}

/* Whether completions return the log-probabilities of a prompt. */
static assay_status find_prompt_logprobs(probe_run *r, assay_error *err)
{
    static const struct {
        const char *check, *more;
        bool echo;
    } ways[] = {{"discovery/echo", "{\"echo\":true}", true},
                {"discovery/prompt-logprobs", "{\"prompt_logprobs\":1}", false}};
    if (!r->server.at[PROBE_COMPLETIONS].is_there) return ASSAY_OK;
    for (size_t i = 0; i < 2; i++) {
        const probe_prompt *p = first_prompt(r, PROBE_COMPLETIONS);
        const bool echo = ways[i].echo;
        probe_exchange x;
        probe_answer a;
        char why[256];
        const probe_ask ask = {.endpoint = PROBE_COMPLETIONS,
                               .prompt = p,
                               .max_tokens = 1,
                               .more = ways[i].more,
                               .logprobs = echo ? 1 : PROBE_NO_LOGPROBS};
        assay_status rc = probe_ask_send(r, &ask, ways[i].check, &x, &a, err);
        const bool ok = rc == ASSAY_OK && probe_exchange_succeeded(&x);
        const bool has = ok && (echo ? a.rows.n >= p->n_prompt : a.prompt_rows.n >= p->n_prompt);
        if (echo) r->server.echo = has;
        else r->server.prompt_logprobs = has;
        probe_describe_failure(&x, why, sizeof why);
        if (has)
            (void)probe_report(r, &x, ways[i].check, PROBE_OK, PROBE_DEPARTS, "of every token of a prompt");
        else if (ok)
            (void)probe_report(
                r, &x, ways[i].check, PROBE_IGNORED, PROBE_DEPARTS,
                "the member is accepted, and the answer has no log-probabilities of the prompt");
        else if (rc == ASSAY_OK)
            (void)probe_report(r, &x, ways[i].check, PROBE_NOT_OFFERED, PROBE_DEPARTS, "%s", why);
        probe_answer_free(&a);
        probe_exchange_free(&x);
        if (rc != ASSAY_OK) return rc;
    }
    return ASSAY_OK;
}

static assay_status find_metrics(probe_run *r, assay_error *err)
{
    probe_exchange x;
    assay_status rc = get(r, "discovery/metrics", "/metrics", &x, err);
    r->server.metrics = rc == ASSAY_OK && probe_exchange_succeeded(&x);
    probe_exchange_free(&x);
    return rc;
}

/* A server that wants another key says nothing of what it computes. */
static assay_status expect_access(probe_run *r, assay_error *err)
{
    for (probe_endpoint e = 0; e < PROBE_N_ENDPOINTS; e++)
        if (r->server.at[e].is_there || !r->server.refuses_key) return ASSAY_OK;
    r->server.unusable = true;
    if (r->key_env)
        return assay_fail(err, ASSAY_EIO, "%s: every endpoint refuses the key in the variable %s",
                          probe_wire_url(r->wire), r->key_env);
    return assay_fail(err, ASSAY_EIO,
                      "%s: found status 401 or 403 from every endpoint, expected a variable with a key: "
                      "--api-key-env VAR",
                      probe_wire_url(r->wire));
}

assay_status probe_discover(probe_run *r, assay_error *err)
{
    assay_status rc = find_models(r, err);
    if (rc == ASSAY_OK) rc = find_endpoints(r, err);
    if (rc == ASSAY_OK) rc = expect_access(r, err);
    for (probe_endpoint e = 0; e < PROBE_N_ENDPOINTS && rc == ASSAY_OK; e++)
        rc = probe_offer_logprobs(r, e, err);
    if (rc == ASSAY_OK) rc = find_prompt_logprobs(r, err);
    if (rc == ASSAY_OK) rc = find_metrics(r, err);
    if (rc == ASSAY_OK) rc = probe_ask_twins(r, err);
    return rc;
}
