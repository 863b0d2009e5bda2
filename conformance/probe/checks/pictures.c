/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/checks/pictures.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "conformance/probe/run/ask.h"
#include "conformance/support/fields.h"
#include "conformance/support/json_add.h"

enum { N_TURNS = 4 };

/* A new element of a list of parts. */
static json_object *new_part(json_object *parts, const char *type)
{
    json_object *part = json_object_new_object();
    return conf_json_append(parts, part) && conf_json_add_string(part, "type", type) ? part : NULL;
}

static json_object *new_url(const probe_picture *p)
{
    buffer url = {0};
    (void)buffer_append_string(&url, "data:image/png;base64,");
    (void)buffer_append_text(&url, buffer_text(&p->base64));
    json_object *text = url.failed ? NULL : json_object_new_string_len(url.data, (int)url.n);
    buffer_free(&url);
    return text;
}

/* Adds the picture as a part of an endpoint's messages. */
static bool add_picture(json_object *parts, probe_endpoint e, const probe_picture *p)
{
    json_object *part = new_part(parts, e == PROBE_CHAT        ? "image_url"
                                        : e == PROBE_RESPONSES ? "input_image"
                                                               : "image");
    if (e == PROBE_RESPONSES) return conf_json_add(part, "image_url", new_url(p));
    json_object *inner = json_object_new_object();
    if (e == PROBE_CHAT)
        return conf_json_add(part, "image_url", inner) && conf_json_add(inner, "url", new_url(p));
    return conf_json_add(part, "source", inner) && conf_json_add_string(inner, "type", "base64") &&
           conf_json_add_string(inner, "media_type", "image/png") &&
           conf_json_add(inner, "data", json_object_new_string_len(p->base64.data, (int)p->base64.n));
}

/* A conversation of one message, which an endpoint takes as it is; NULL: out of memory. */
static json_object *new_chat(const probe_pictures *all, probe_endpoint e, const probe_picture *p)
{
    json_object *chat = json_object_new_object(), *messages = json_object_new_array(),
                *message = json_object_new_object(), *parts = json_object_new_array();
    bool ok = conf_json_add(chat, "messages", messages);
    ok = conf_json_append(ok ? messages : NULL, message) && ok;
    ok = ok && conf_json_add_string(message, "role", "user");
    ok = conf_json_add(ok ? message : NULL, "content", parts) && ok && add_picture(parts, e, p) &&
         conf_json_add_string(new_part(parts, e == PROBE_RESPONSES ? "input_text" : "text"), "text",
                              all->text);
    if (ok) return chat;
    json_object_put(chat);
    return NULL;
}

/* Reports what is wrong with the answer to a picture; false if nothing is. */
static bool report_answer(probe_run *r, const char *check, size_t turn, const probe_exchange *x,
                          const probe_answer *a)
{
    const probe_picture *p = &r->truth->pictures.of[turn % 2],
                        *other = &r->truth->pictures.of[(turn + 1) % 2];
    char text[400];
    if (!probe_exchange_succeeded(x) || a->problem[0]) {
        probe_describe_failure(x, text, sizeof text);
        (void)probe_report(r, x, check, PROBE_FAILED, PROBE_BREAKS, "request %zu, %s: %s", turn + 1, p->name,
                           a->problem[0] ? a->problem : text);
        return true;
    }
    if (text_begins_with(buffer_text(&a->content), buffer_text(&p->answer))) return false;
    const bool is_other = text_begins_with(buffer_text(&a->content), buffer_text(&other->answer));
    (void)conf_field_same("content", buffer_text(&p->answer), buffer_text(&a->content), text, sizeof text);
    (void)probe_report(r, x, check, PROBE_FAILED, PROBE_BREAKS,
                       "request %zu, %s, after %s with the same text: %s%s%s", turn + 1, p->name,
                       turn ? other->name : "no picture", text,
                       is_other ? ": the answer of another picture, " : "", is_other ? other->name : "");
    return true;
}

/* Asks for the answer of a picture. *over: nothing more is to be asked. */
static assay_status ask_picture(probe_run *r, probe_endpoint e, const char *check, size_t turn, bool *over,
                                assay_error *err)
{
    const probe_pictures *all = &r->truth->pictures;
    probe_prompt prompt = {.n_prompt = all->n_prompt, .n_greedy = all->n_answer, .implied = true};
    probe_exchange x = {0};
    probe_answer a = {0};
    char why[256];
    PROBE_LABEL(label, "%s-%zu", check, turn);
    prompt.chat = new_chat(all, e, &all->of[turn % 2]);
    if (!prompt.chat) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", label);
    const probe_ask ask = {
        .endpoint = e, .prompt = &prompt, .max_tokens = all->n_answer, .logprobs = PROBE_NO_LOGPROBS};
    *over = !probe_can_ask(r, e, &prompt);
    if (*over)
        (void)probe_report(r, NULL, check, PROBE_NOT_EXERCISED, PROBE_BREAKS,
                           "the model has fewer positions than the prompt and its answer have tokens");
    assay_status rc = *over ? ASSAY_OK : probe_ask_send(r, &ask, label, &x, &a, err);
    if (!*over && rc == ASSAY_OK) {
        probe_describe_failure(&x, why, sizeof why);
        *over = true;
        if (turn == 0 && probe_exchange_refused(&x))
            (void)probe_report(r, &x, check, PROBE_NOT_EXERCISED, PROBE_BREAKS,
                               "the server refuses a picture: %s", why);
        else *over = report_answer(r, check, turn, &x, &a);
    }
    probe_answer_free(&a);
    probe_exchange_free(&x);
    json_object_put(prompt.chat);
    return rc;
}

static assay_status check_endpoint(probe_run *r, probe_endpoint e, const char *check, assay_error *err)
{
    bool over = false;
    assay_status rc = ASSAY_OK;
    for (size_t turn = 0; turn < N_TURNS && !over && rc == ASSAY_OK; turn++)
        rc = ask_picture(r, e, check, turn, &over, err);
    if (rc == ASSAY_OK && !over)
        (void)probe_report(r, NULL, check, PROBE_OK, PROBE_BREAKS,
                           "two pictures in turn, with the same text, have their own answers");
    return rc;
}

assay_status probe_check_pictures(probe_run *r, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    if (r->truth->pictures.why[0]) {
        if (probe_wants(r, "batching/pictures"))
            (void)probe_report(r, NULL, "batching/pictures", PROBE_NOT_EXERCISED, PROBE_BREAKS, "%s",
                               r->truth->pictures.why);
        return ASSAY_OK;
    }
    for (probe_endpoint e = PROBE_CHAT; e < PROBE_N_ENDPOINTS && rc == ASSAY_OK; e++) {
        PROBE_LABEL(check, "batching/pictures/%s", probe_endpoint_name(e));
        if (r->server.at[e].is_there && probe_wants(r, check)) rc = check_endpoint(r, e, check, err);
    }
    return rc;
}
