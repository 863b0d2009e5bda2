/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/grammar/grammar.h"

#include "base/error.h"
#include "base/json.h"
#include "dialogue/grammar/checks.h"

#include <stdlib.h>
#include <string.h>

#define EVENT_VALUES_MAX ((size_t)1 << 17) /* JSON values of one event */

static const serve_grammar_rules *const endpoints[SERVE_N_ENDPOINTS] = {
    [SERVE_CHAT] = &serve_grammar_chat,
    [SERVE_MESSAGES] = &serve_grammar_messages,
    [SERVE_RESPONSES] = &serve_grammar_responses,
    [SERVE_COMPLETIONS] = &serve_grammar_completions};

bool serve_endpoint_find(const char *name, serve_endpoint *out)
{
    for (serve_endpoint e = 0; e < SERVE_N_ENDPOINTS; e++) {
        if (strcmp(name, endpoints[e]->name) != 0 && strcmp(name, endpoints[e]->path) != 0) continue;
        *out = e;
        return true;
    }
    return false;
}

const char *serve_endpoint_name(serve_endpoint endpoint)
{
    return endpoints[endpoint]->name;
}

/* The type of an event is in the field event and in the member type; in chat completions it is in neither. */
static assay_status check_name(serve_grammar *g, json_object *event)
{
    const assay_text said = g->event->type;
    json_object *type;
    if (g->rules->done) {
        if (!said.at || json_object_object_get_ex(event, "error", NULL)) return ASSAY_OK;
        return serve_grammar_fail(g, "event-name", "found event: %s, expected no field event",
                                  serve_quote(said).at);
    }
    assay_status rc = serve_grammar_optional(g, "event", "the event", event, "type", json_type_string, &type);
    if (rc != ASSAY_OK || !type) return rc; /* read_object refuses an event without a type */
    if (said.at && serve_string(type).n == said.n && memcmp(serve_string(type).at, said.at, said.n) == 0)
        return ASSAY_OK;
    return serve_grammar_fail(g, "event-name", "found %s, expected event: %s, as its type says",
                              said.at ? serve_quote(said).at : "no field event",
                              serve_quote(serve_string(type)).at);
}

static assay_status read_object(serve_grammar *g, json_object *event)
{
    if (!json_object_is_type(event, json_type_object))
        return serve_grammar_fail(g, "json", "found %s, expected an object",
                                  json_type_to_name(json_object_get_type(event)));
    assay_status rc = serve_grammar_go_on(check_name(g, event));
    if (rc == ASSAY_OK && g->failed)
        return serve_grammar_fail(g, "after-error", "found another event, expected the end of the stream");
    return rc == ASSAY_OK ? g->rules->read(g, g->state, event) : rc;
}

static assay_status parse_data(serve_grammar *g, assay_text data)
{
    static const json_limits limits = {.bytes = SERVE_SSE_EVENT_MAX, .values = EVENT_VALUES_MAX};
    json_object *value = NULL;
    assay_error err;
    assay_status rc = json_parse_within("data", data.at, data.n, &limits, &value, &err);
    if (rc == ASSAY_ENOMEM) return rc;
    if (rc != ASSAY_OK) return serve_grammar_fail(g, "json", "%s", err.text);
    rc = read_object(g, value);
    json_object_put(value);
    return rc;
}

static assay_status read_data(void *context, const serve_sse_event *event)
{
    serve_grammar *g = context;
    if (g->is_full) return ASSAY_OK;
    g->event = event;
    const assay_status rc = g->rules->done && serve_text_is(event->data, "[DONE]")
                                ? g->rules->done(g, g->state)
                                : parse_data(g, event->data);
    return serve_grammar_go_on(rc);
}

static assay_status read_refusal(void *context, const char *rule, size_t event, size_t offset,
                                 const char *text)
{
    serve_grammar *g = context;
    return serve_grammar_go_on(
        serve_breaches_add(&g->breaches, g->options.endpoint, rule, event, offset, text, NULL));
}

assay_status serve_grammar_open(const serve_grammar_options *options, serve_grammar **out)
{
    serve_grammar *g = calloc(1, sizeof *g);
    const serve_sse_sink sink = {.take = read_data, .refuse = read_refusal, .context = g};
    if (!g) return ASSAY_ENOMEM;
    g->options = *options;
    g->rules = endpoints[options->endpoint];
    g->summary.input_tokens = g->summary.output_tokens = -1;
    g->state = calloc(1, g->rules->state_bytes);
    if (!g->state || serve_sse_open(&sink, &g->sse) != ASSAY_OK) {
        free(g->state);
        free(g);
        return ASSAY_ENOMEM;
    }
    *out = g;
    return ASSAY_OK;
}

void serve_grammar_free(serve_grammar *g)
{
    if (!g) return;
    g->rules->free(g->state);
    free(g->state);
    serve_sse_free(g->sse);
    serve_breaches_free(&g->breaches);
    buffer_free(&g->window);
    free(g);
}

assay_status serve_grammar_feed(serve_grammar *g, const char *bytes, size_t n)
{
    return serve_sse_feed(g->sse, bytes, n);
}

assay_status serve_grammar_end(serve_grammar *g)
{
    assay_status rc = serve_sse_end(g->sse);
    g->event = NULL;
    if (rc != ASSAY_OK || g->failed || g->is_full) return rc;
    return serve_grammar_go_on(g->rules->end(g, g->state));
}

const serve_breaches *serve_grammar_breaches(const serve_grammar *g)
{
    return &g->breaches;
}

void serve_grammar_summarise(const serve_grammar *g, serve_grammar_summary *out)
{
    *out = g->summary;
    out->failed = g->failed;
    out->n_events = serve_sse_events(g->sse);
    out->n_bytes = serve_sse_bytes(g->sse);
}
