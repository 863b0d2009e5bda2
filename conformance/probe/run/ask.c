/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/run/ask.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/probe/run/convert.h"
#include "conformance/support/json_add.h"

/* The positions that the server has for a prompt and its answer; SIZE_MAX: unknown. */
static size_t count_positions(const probe_run *r)
{
    const size_t model = r->truth->n_positions, server = r->server.n_positions;
    const size_t least = model && (!server || model < server) ? model : server;
    return least ? least : SIZE_MAX;
}

size_t probe_ids_most(const probe_run *r, const probe_prompt *p)
{
    const size_t n = count_positions(r);
    return p->n_ids < n ? p->n_ids : n - 1;
}

bool probe_can_ask(const probe_run *r, probe_endpoint endpoint, const probe_prompt *p)
{
    if (p->n_prompt + p->n_greedy + p->ends > count_positions(r)) return false;
    if (endpoint != PROBE_COMPLETIONS) return p->chat && (p->implied || !r->server.at[endpoint].bare);
    if (r->server.takes_ids) return true;
    return p->readable && (p->adds || !r->server.adds_first || p->ids[0] == r->server.first);
}

static json_object *new_text(const buffer *b)
{
    return json_object_new_string_len(b->n ? b->data : "", (int)b->n);
}

static json_object *new_ids(const int32_t *ids, size_t n)
{
    json_object *list = json_object_new_array();
    bool ok = list != NULL;
    for (size_t i = 0; ok && i < n; i++) ok = conf_json_append(list, json_object_new_int(ids[i]));
    if (ok) return list;
    json_object_put(list);
    return NULL;
}

static bool add_prompt(const probe_run *r, const probe_ask *ask, json_object *to)
{
    const probe_prompt *p = ask->prompt;
    const size_t n = ask->n_before ? ask->n_before : p->n_prompt;
    if (r->server.takes_ids) return conf_json_add(to, "prompt", new_ids(p->ids, n));
    if (n == p->n_prompt && (p->adds || !r->server.adds_first))
        return conf_json_add(to, "prompt", new_text(&p->text));
    buffer text = {0};
    const size_t skip = p->adds || r->server.adds_first ? 1 : 0;
    bool ok = probe_vocab_decode(r->truth->vocab, p->ids + skip, n - skip, false, &text, NULL) == ASSAY_OK;
    ok = ok && conf_json_add(to, "prompt", new_text(&text));
    buffer_free(&text);
    return ok;
}

static bool add_messages(const probe_run *r, const probe_ask *ask, json_object *to)
{
    const probe_prompt *p = ask->prompt;
    if (!probe_convert(p->chat, ask->endpoint, to)) return false;
    if (p->thinking == PROBE_THINKING_UNSET || r->server.at[ask->endpoint].bare) return true;
    json_object *arguments = json_object_new_object();
    return conf_json_add(to, "chat_template_kwargs", arguments) &&
           conf_json_add(arguments, "enable_thinking",
                         json_object_new_boolean(p->thinking == PROBE_THINKING_ON));
}

/* At most as many tokens as the model has positions for: servers refuse more. */
static bool add_limit(const probe_run *r, const probe_ask *ask, json_object *to)
{
    const char *name = ask->endpoint == PROBE_RESPONSES ? "max_output_tokens" : "max_tokens";
    const size_t n_before = ask->n_before ? ask->n_before : ask->prompt->n_prompt;
    const size_t n = count_positions(r), left = n > n_before ? n - n_before : SIZE_MAX;
    return conf_json_add_count(to, name, ask->max_tokens < left ? ask->max_tokens : left) &&
           conf_json_add(to, "temperature", json_object_new_int(ask->sampled ? 1 : 0));
}

static bool add_stream(const probe_ask *ask, json_object *to)
{
    if (!ask->stream) return true;
    if (!conf_json_add(to, "stream", json_object_new_boolean(true))) return false;
    if (!ask->usage || ask->endpoint == PROBE_RESPONSES || ask->endpoint == PROBE_MESSAGES) return true;
    json_object *options = json_object_new_object();
    return conf_json_add(to, "stream_options", options) &&
           conf_json_add(options, "include_usage", json_object_new_boolean(true));
}

static bool add_logprobs(const probe_run *r, const probe_ask *ask, json_object *to)
{
    const bool by_flag = ask->endpoint == PROBE_CHAT || r->server.at[ask->endpoint].by_flag;
    if (ask->logprobs == PROBE_NO_LOGPROBS || ask->endpoint == PROBE_MESSAGES) return true;
    if (ask->endpoint == PROBE_COMPLETIONS && !by_flag)
        return conf_json_add_count(to, "logprobs", ask->logprobs);
    if (!conf_json_add_count(to, "top_logprobs", ask->logprobs)) return false;
    if (by_flag) return conf_json_add(to, "logprobs", json_object_new_boolean(true));
    json_object *include = json_object_new_array();
    return conf_json_add(to, "include", include) &&
           conf_json_append(include, json_object_new_string("message.output_text.logprobs"));
}

/* Adds the members of `more`, a JSON object of this program. */
static bool add_more(const char *more, json_object *to)
{
    if (!more) return true;
    json_object *members = json_tokener_parse(more);
    assert(members && json_object_is_type(members, json_type_object));
    bool ok = true;
    json_object_object_foreach(members, name, value)
    {
        if (!value) json_object_object_del(to, name);
        else ok = ok && conf_json_add(to, name, json_object_get(value));
    }
    json_object_put(members);
    return ok;
}

assay_status probe_ask_begin(const probe_run *r, const probe_ask *ask, const char *label, probe_exchange *x,
                             assay_error *err)
{
    json_object *body = json_object_new_object();
    probe_exchange_begin(x, label, probe_endpoint_path(ask->endpoint));
    bool ok = body && conf_json_add_text(body, "model", r->model) &&
              (ask->endpoint == PROBE_COMPLETIONS ? add_prompt(r, ask, body) : add_messages(r, ask, body)) &&
              add_limit(r, ask, body) && add_stream(ask, body) && add_logprobs(r, ask, body) &&
              add_more(ask->more, body);
    const char *text =
        ok ? json_object_to_json_string_ext(body, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE)
           : NULL;
    ok = text && buffer_append_string(&x->request, text);
    json_object_put(body);
    return ok ? ASSAY_OK : assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", label);
}

assay_status probe_ask_send(probe_run *r, const probe_ask *ask, const char *label, probe_exchange *x,
                            probe_answer *a, assay_error *err)
{
    *a = (probe_answer){.input = -1, .output = -1, .cached = -1, .thoughts = -1};
    assay_status rc = probe_ask_begin(r, ask, label, x, err);
    if (rc == ASSAY_OK) rc = probe_send(r, x, err);
    if (rc == ASSAY_OK && probe_answer_read(ask->endpoint, x, a) != ASSAY_OK)
        rc = assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", label);
    return rc;
}
