/* The grammar of /v1/responses (OpenAI API reference, "Responses: streaming events").
 *
 *     responses-sequence  sequence_number is 0 or 1 at first, and grows by one in each event
 *     responses-start     response.created comes first, once; the response has no output yet
 *     responses-progress  then, optionally, response.queued, and response.in_progress, once
 *     responses-id        the response in events has the same id in all
 *     responses-response  the same model, and its status and its output fit the event
 *     responses-end       response.completed, response.incomplete or response.failed comes
 *     responses-after     once, and last
 *     responses-usage     the token counts of a finished response are there, and add up
 *
 * and those of items.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/grammar/items.h"

typedef enum phase { BEFORE_CREATED, BEFORE_PROGRESS, IN_PROGRESS, OVER } phase;

typedef struct responses {
    phase phase;
    bool has_sequence;
    int64_t sequence;
    buffer id, model;
    serve_items items;
} responses;

static assay_status check_sequence(serve_grammar *g, responses *r, json_object *event)
{
    static const char rule[] = "responses-sequence";
    int64_t number = 0;
    assay_status rc = serve_grammar_count(g, rule, "the event", event, "sequence_number", 0, &number);
    if (rc != ASSAY_OK) return rc;
    if (!r->has_sequence && number > 1) {
        r->has_sequence = true;
        r->sequence = number < INT64_MAX ? number : 0;
        return serve_grammar_fail(g, rule, "found sequence_number %lld first, expected 0 or 1",
                                  (long long)number);
    }
    const bool follows = !r->has_sequence || number == r->sequence + 1;
    const int64_t expected = r->has_sequence ? r->sequence + 1 : 0;
    r->has_sequence = true;
    r->sequence = number < INT64_MAX ? number : 0;
    if (follows) return ASSAY_OK;
    return serve_grammar_fail(g, rule, "found sequence_number %lld, expected %lld", (long long)number,
                              (long long)expected);
}

static assay_status read_response(serve_grammar *g, responses *r, json_object *event, const char *status,
                                  json_object **out, json_object **output)
{
    static const char rule[] = "responses-response", where[] = "response";
    assay_status rc = serve_grammar_member(g, rule, "the event", event, where, json_type_object, out);
    if (rc != ASSAY_OK) return rc;
    rc = serve_grammar_go_on(serve_grammar_same(g, "responses-id", where, *out, "id", &r->id));
    if (rc == ASSAY_OK)
        rc = serve_grammar_go_on(serve_grammar_same(g, rule, where, *out, "model", &r->model));
    if (rc == ASSAY_OK)
        rc = serve_grammar_go_on(serve_grammar_exactly(g, rule, where, *out, "object", "response"));
    if (rc == ASSAY_OK)
        rc = serve_grammar_go_on(serve_grammar_exactly(g, rule, where, *out, "status", status));
    return rc == ASSAY_OK ? serve_grammar_member(g, rule, where, *out, "output", json_type_array, output)
                          : rc;
}

static assay_status read_begin(serve_grammar *g, responses *r, json_object *event, const char *status)
{
    json_object *response, *output;
    assay_status rc = read_response(g, r, event, status, &response, &output);
    if (rc != ASSAY_OK || json_object_array_length(output) == 0) return rc;
    return serve_grammar_fail(g, "responses-start", "response: found output at its beginning, expected []");
}

static assay_status read_created(serve_grammar *g, responses *r, json_object *event)
{
    json_object *response = json_object_object_get(event, "response");
    const bool queued = json_object_is_type(response, json_type_object) &&
                        json_object_object_get(response, "status") &&
                        serve_text_is(serve_string(json_object_object_get(response, "status")), "queued");
    if (r->phase != BEFORE_CREATED)
        return serve_grammar_fail(g, "responses-start", "found response.created again, expected it once");
    r->phase = BEFORE_PROGRESS;
    return read_begin(g, r, event, queued ? "queued" : "in_progress");
}

static assay_status read_progress(serve_grammar *g, responses *r, json_object *event)
{
    const phase before = r->phase;
    r->phase = IN_PROGRESS;
    if (before != BEFORE_PROGRESS)
        return serve_grammar_fail(g, before == BEFORE_CREATED ? "responses-start" : "responses-progress",
                                  "found response.in_progress, expected it once, after response.created");
    return read_begin(g, r, event, "in_progress");
}

static assay_status read_queued(serve_grammar *g, responses *r, json_object *event)
{
    if (r->phase != BEFORE_PROGRESS)
        return serve_grammar_fail(g, r->phase == BEFORE_CREATED ? "responses-start" : "responses-progress",
                                  "found response.queued, expected it right after response.created");
    return read_begin(g, r, event, "queued");
}

static assay_status check_usage(serve_grammar *g, json_object *response)
{
    static const char rule[] = "responses-usage";
    int64_t input = 0, output = 0, total = 0;
    json_object *usage;
    assay_status rc = serve_grammar_member(g, rule, "response", response, "usage", json_type_object, &usage);
    if (rc == ASSAY_OK) rc = serve_grammar_count(g, rule, "usage", usage, "input_tokens", 1, &input);
    if (rc == ASSAY_OK) rc = serve_grammar_count(g, rule, "usage", usage, "output_tokens", 0, &output);
    if (rc == ASSAY_OK) rc = serve_grammar_count(g, rule, "usage", usage, "total_tokens", 0, &total);
    if (rc == ASSAY_OK && (input > INT64_MAX - output || total != input + output))
        rc = serve_grammar_fail(g, rule, "usage: found total_tokens %lld, expected %lld + %lld",
                                (long long)total, (long long)input, (long long)output);
    if (rc != ASSAY_OK) return rc;
    g->summary.input_tokens = input;
    g->summary.output_tokens = output;
    return ASSAY_OK;
}

static assay_status read_completed(serve_grammar *g, responses *r, json_object *event)
{
    json_object *response, *output;
    r->phase = OVER;
    serve_grammar_finish(g, (assay_text){"completed", 9});
    assay_status rc = read_response(g, r, event, "completed", &response, &output);
    if (rc == ASSAY_OK) rc = serve_grammar_go_on(serve_items_check_output(g, &r->items, output));
    return rc == ASSAY_OK ? check_usage(g, response) : rc;
}

static assay_status read_incomplete(serve_grammar *g, responses *r, json_object *event)
{
    static const char rule[] = "responses-response";
    json_object *response, *output, *details;
    assay_text reason;
    r->phase = OVER;
    serve_grammar_finish(g, (assay_text){"incomplete", 10});
    assay_status rc = read_response(g, r, event, "incomplete", &response, &output);
    if (rc != ASSAY_OK) return rc;
    rc =
        serve_grammar_member(g, rule, "response", response, "incomplete_details", json_type_object, &details);
    if (rc == ASSAY_OK) rc = serve_grammar_name(g, rule, "incomplete_details", details, "reason", &reason);
    if (rc == ASSAY_OK && !serve_text_is(reason, "max_output_tokens") &&
        !serve_text_is(reason, "content_filter"))
        rc = serve_grammar_fail(
            g, rule, "incomplete_details: found reason %s, expected max_output_tokens or content_filter",
            serve_quote(reason).at);
    rc = serve_grammar_go_on(rc);
    if (rc == ASSAY_OK) rc = serve_grammar_go_on(serve_items_check_output(g, &r->items, output));
    return rc == ASSAY_OK ? check_usage(g, response) : rc;
}

static assay_status read_failed(serve_grammar *g, responses *r, json_object *event)
{
    static const char rule[] = "responses-response";
    json_object *response, *output, *error = NULL;
    assay_text text;
    r->phase = OVER;
    g->failed = true;
    assay_status rc = read_response(g, r, event, "failed", &response, &output);
    if (rc == ASSAY_OK)
        rc = serve_grammar_member(g, rule, "response", response, "error", json_type_object, &error);
    if (rc == ASSAY_OK) rc = serve_grammar_name(g, rule, "error", error, "code", &text);
    return rc == ASSAY_OK ? serve_grammar_name(g, rule, "error", error, "message", &text) : rc;
}

static assay_status read_error(serve_grammar *g, responses *r, json_object *event)
{
    assay_text text;
    r->phase = OVER;
    g->failed = true;
    return serve_grammar_name(g, "event", "the event", event, "message", &text);
}

/* rc: of an event that adds to an item. */
static assay_status note_loss(responses *r, assay_status rc)
{
    if (rc == ASSAY_EFORMAT) r->items.lost = true;
    return rc;
}

static assay_status read_item_added(serve_grammar *g, responses *r, json_object *event)
{
    return note_loss(r, serve_items_read_added(g, &r->items, event));
}

static assay_status read_item_done(serve_grammar *g, responses *r, json_object *event)
{
    return serve_items_read_done(g, &r->items, event);
}

static assay_status read_part_added(serve_grammar *g, responses *r, json_object *event)
{
    return note_loss(r, serve_items_read_part_added(g, &r->items, event, false));
}

static assay_status read_part_done(serve_grammar *g, responses *r, json_object *event)
{
    return serve_items_read_part_done(g, &r->items, event, false);
}

static assay_status read_summary_added(serve_grammar *g, responses *r, json_object *event)
{
    return note_loss(r, serve_items_read_part_added(g, &r->items, event, true));
}

static assay_status read_summary_done(serve_grammar *g, responses *r, json_object *event)
{
    return serve_items_read_part_done(g, &r->items, event, true);
}

static assay_status read_arguments(serve_grammar *g, responses *r, json_object *event)
{
    return note_loss(r, serve_items_read_arguments(g, &r->items, event, false));
}

static assay_status read_arguments_done(serve_grammar *g, responses *r, json_object *event)
{
    return serve_items_read_arguments(g, &r->items, event, true);
}

static const struct {
    const char *type;
    bool within; /* between the beginning and the end only */
    assay_status (*read)(serve_grammar *g, responses *r, json_object *event);
} events[] = {
    {"response.created", false, read_created},
    {"response.queued", false, read_queued},
    {"response.in_progress", false, read_progress},
    {"response.output_item.added", true, read_item_added},
    {"response.output_item.done", true, read_item_done},
    {"response.content_part.added", true, read_part_added},
    {"response.content_part.done", true, read_part_done},
    {"response.reasoning_summary_part.added", true, read_summary_added},
    {"response.reasoning_summary_part.done", true, read_summary_done},
    {"response.function_call_arguments.delta", true, read_arguments},
    {"response.function_call_arguments.done", true, read_arguments_done},
    {"response.completed", true, read_completed},
    {"response.incomplete", true, read_incomplete},
    {"response.failed", false, read_failed},
    {"error", false, read_error},
};

/* Events of items need response.created and response.in_progress before them; each is missed once. */
static assay_status expect_progress(serve_grammar *g, responses *r, assay_text type)
{
    static const char format[] = "found %s, expected response.%s before it";
    const phase before = r->phase;
    r->phase = IN_PROGRESS;
    if (before == BEFORE_CREATED)
        return serve_grammar_go_on(
            serve_grammar_fail(g, "responses-start", format, serve_quote(type).at, "created"));
    if (before == BEFORE_PROGRESS)
        return serve_grammar_go_on(
            serve_grammar_fail(g, "responses-progress", format, serve_quote(type).at, "in_progress"));
    return ASSAY_OK;
}

static assay_status read_named(serve_grammar *g, responses *r, assay_text type, json_object *event)
{
    bool taken = false;
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        if (!serve_text_is(type, events[i].type)) continue;
        if (events[i].within) rc = expect_progress(g, r, type);
        return rc == ASSAY_OK ? events[i].read(g, r, event) : rc;
    }
    rc = expect_progress(g, r, type);
    if (rc == ASSAY_OK) rc = serve_items_read_text(g, &r->items, type, event, &taken);
    if (rc != ASSAY_OK || taken) return rc;
    return serve_grammar_fail(g, "event", "found type %s, expected an event of responses",
                              serve_quote(type).at);
}

static assay_status read_event(serve_grammar *g, void *state, json_object *event)
{
    responses *r = state;
    json_object *name;
    assay_status rc = serve_grammar_member(g, "event", "the event", event, "type", json_type_string, &name);
    if (rc != ASSAY_OK) return rc;
    if (r->phase == OVER)
        return serve_grammar_fail(g, "responses-after", "found %s after the end of the response",
                                  serve_quote(serve_string(name)).at);
    rc = serve_grammar_go_on(check_sequence(g, r, event));
    return rc == ASSAY_OK ? read_named(g, r, serve_string(name), event) : rc;
}

static assay_status end_stream(serve_grammar *g, void *state)
{
    const responses *r = state;
    if (r->phase == OVER) return ASSAY_OK;
    if (r->phase == BEFORE_CREATED)
        return serve_grammar_fail(g, "responses-start",
                                  "found the end of the stream, expected response.created");
    return serve_grammar_fail(
        g, "responses-end",
        "found the end of the stream, expected response.completed, response.incomplete or response.failed");
}

static void free_state(void *state)
{
    responses *r = state;
    serve_items_free(&r->items);
    buffer_free(&r->id);
    buffer_free(&r->model);
}

const serve_grammar_rules serve_grammar_responses = {
    .name = "responses",
    .path = "/v1/responses",
    .state_bytes = sizeof(responses),
    .read = read_event,
    .end = end_stream,
    .free = free_state,
};
