/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/answer/answer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/grow.h"
#include "base/json.h"
#include "conformance/probe/answer/body.h"
#include "conformance/support/fields.h"
#include "dialogue/grammar/sse.h"

static const struct {
    const char *name, *path;
} endpoints[PROBE_N_ENDPOINTS] = {{"completions", "/v1/completions"},
                                  {"chat", "/v1/chat/completions"},
                                  {"responses", "/v1/responses"},
                                  {"messages", "/v1/messages"}};

const char *probe_endpoint_name(probe_endpoint e)
{
    return endpoints[e].name;
}

const char *probe_endpoint_path(probe_endpoint e)
{
    return endpoints[e].path;
}

bool probe_answer_is_stream(const probe_exchange *x)
{
    static const char type[] = "text/event-stream";
    return strncasecmp(x->content_type, type, sizeof type - 1) == 0;
}

/* A stream that is read. */
typedef struct fold {
    probe_endpoint endpoint;
    probe_answer *answer;
} fold;

static bool add_step(probe_answer *a)
{
    if (a->n_steps == PROBE_STEPS_MAX) return true;
    probe_step *steps = grow_by_one(a->steps, a->n_steps, sizeof *steps);
    if (!steps) return false;
    a->steps = steps;
    a->steps[a->n_steps++] = (probe_step){a->content.n, a->reasoning.n, a->rows.n};
    return true;
}

static assay_status read_event(void *context, const serve_sse_event *event)
{
    static const json_limits limits = {.bytes = SERVE_SSE_EVENT_MAX, .values = (size_t)1 << 20};
    const fold *f = context;
    json_object *value = NULL;
    assay_error err;
    if (event->data.n == 6 && memcmp(event->data.at, "[DONE]", 6) == 0) return ASSAY_OK;
    const assay_status rc = json_parse_within("data", event->data.at, event->data.n, &limits, &value, &err);
    if (rc == ASSAY_ENOMEM) return rc;
    if (rc != ASSAY_OK) {
        if (!f->answer->problem[0])
            (void)snprintf(f->answer->problem, sizeof f->answer->problem, "event %zu: %.200s", event->number,
                           err.text);
        return ASSAY_OK;
    }
    const bool ok = probe_event_read(f->endpoint, value, f->answer) && add_step(f->answer);
    json_object_put(value);
    return ok ? ASSAY_OK : ASSAY_ENOMEM;
}

static assay_status read_stream(probe_endpoint endpoint, const probe_exchange *x, probe_answer *a)
{
    fold f = {.endpoint = endpoint, .answer = a};
    const serve_sse_sink sink = {.take = read_event, .context = &f};
    serve_sse *sse;
    assay_status rc = serve_sse_open(&sink, &sse);
    if (rc != ASSAY_OK) return rc;
    rc = serve_sse_feed(sse, x->body.data, x->body.n);
    if (rc == ASSAY_OK) rc = serve_sse_end(sse);
    serve_sse_free(sse);
    return rc;
}

/* Parses a body. U+0000 in a member's name, which strict parsing refuses, since names become C strings, is
 * the text of a token in log-probabilities by text. */
static assay_status parse_body(const probe_exchange *x, json_object **out, assay_error *err)
{
    static const char nul[] = "\\u0000\":";
    const assay_status rc = json_parse("the body", x->body.data, x->body.n, out, err);
    if (rc != ASSAY_EFORMAT || !memmem(x->body.data, x->body.n, nul, sizeof nul - 1)) return rc;
    return conf_field_parse((assay_text){x->body.data, x->body.n}, out) ? ASSAY_OK : rc;
}

static assay_status read_whole(probe_endpoint endpoint, const probe_exchange *x, probe_answer *a)
{
    json_object *body = NULL;
    assay_error err;
    if (x->body.n == 0) {
        (void)snprintf(a->problem, sizeof a->problem, "the body is empty");
        return ASSAY_OK;
    }
    const assay_status rc = parse_body(x, &body, &err);
    if (rc == ASSAY_ENOMEM) return rc;
    if (rc != ASSAY_OK) {
        (void)snprintf(a->problem, sizeof a->problem, "%.255s", err.text);
        return ASSAY_OK;
    }
    const bool ok = probe_body_read(endpoint, body, a);
    json_object_put(body);
    return ok ? ASSAY_OK : ASSAY_ENOMEM;
}

assay_status probe_answer_read(probe_endpoint endpoint, const probe_exchange *x, probe_answer *out)
{
    return probe_answer_read_choice(endpoint, x, 0, out);
}

assay_status probe_answer_read_choice(probe_endpoint endpoint, const probe_exchange *x, size_t choice,
                                      probe_answer *out)
{
    *out = (probe_answer){.input = -1, .output = -1, .cached = -1, .thoughts = -1, .choice = choice};
    return probe_answer_is_stream(x) ? read_stream(endpoint, x, out) : read_whole(endpoint, x, out);
}

void probe_answer_free(probe_answer *answer)
{
    for (size_t i = 0; i < answer->n_calls; i++) {
        buffer_free(&answer->calls[i].id);
        buffer_free(&answer->calls[i].name);
        buffer_free(&answer->calls[i].arguments);
    }
    free(answer->calls);
    free(answer->token_ids);
    free(answer->prompt_ids);
    free(answer->steps);
    buffer_free(&answer->content);
    buffer_free(&answer->reasoning);
    probe_rows_free(&answer->rows);
    probe_rows_free(&answer->prompt_rows);
    *answer = (probe_answer){0};
}

probe_finish probe_answer_finish(const probe_answer *answer)
{
    static const struct {
        const char *word;
        probe_finish finish;
    } words[] = {
        {"stop", PROBE_FINISH_STOP},
        {"end_turn", PROBE_FINISH_STOP},
        {"completed", PROBE_FINISH_STOP},
        {"stop_sequence", PROBE_FINISH_STOP},
        {"length", PROBE_FINISH_LENGTH},
        {"max_tokens", PROBE_FINISH_LENGTH},
        {"max_output_tokens", PROBE_FINISH_LENGTH},
        {"tool_calls", PROBE_FINISH_CALLS},
        {"tool_use", PROBE_FINISH_CALLS},
    };
    if (!answer->finish[0]) return PROBE_FINISH_NONE;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(answer->finish, words[i].word) == 0) return words[i].finish;
    return PROBE_FINISH_OTHER;
}
