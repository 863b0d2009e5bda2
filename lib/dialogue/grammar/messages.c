/* The grammar of /v1/messages (Anthropic API reference, "Streaming messages").
 *
 *     messages-start       message_start comes first, once
 *     messages-message     it has an empty message of the assistant without a stop_reason
 *     messages-index       blocks are numbered 0, 1, 2…; later events refer to the open block
 *     messages-block       one block is open at a time: it starts empty, and stops
 *     messages-block-type  its type is a published one
 *     messages-tool        a block of a tool has an id and a name
 *     messages-delta       deltas are of a type that fits the block
 *     messages-signature   nothing follows a signature of thinking
 *     messages-input       the joined input of a tool is a JSON object, unless generation was cut short
 *     messages-end         message_delta, with a stop_reason
 *     messages-stop-reason a published one that fits the message; a stop_sequence exactly if it is the
 *                          stop_reason
 *     messages-stop        message_stop comes last, once, and only it follows message_delta
 *     messages-usage       message_start and message_delta have a usage
 *     messages-counts      input tokens are reported at the start or at the end, and are more than 0;
 *                          output tokens are reported at the end
 *
 * ping may come anywhere.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/grammar/blocks.h"

typedef struct messages {
    bool has_start, has_delta, has_stop; /* message_start, message_delta, message_stop */
    serve_blocks blocks;
} messages;

static assay_status check_usage(serve_grammar *g, json_object *usage, bool at_end)
{
    static const char *const cached[] = {"cache_creation_input_tokens", "cache_read_input_tokens"};
    int64_t input = 0, output = 0, more;
    json_object *value;
    assay_status rc =
        serve_grammar_optional(g, "messages-counts", "usage", usage, "input_tokens", json_type_int, &value);
    if (rc == ASSAY_OK && (value || !at_end))
        rc = serve_grammar_count(g, "messages-counts", "usage", usage, "input_tokens", 0, &input);
    for (size_t i = 0; rc == ASSAY_OK && i < 2; i++) {
        json_object *part;
        rc = serve_grammar_optional(g, "messages-counts", "usage", usage, cached[i], json_type_int, &part);
        if (rc != ASSAY_OK || !part) continue;
        rc = serve_grammar_count(g, "messages-counts", "usage", usage, cached[i], 0, &more);
        if (rc == ASSAY_OK && more < INT64_MAX - input) input += more;
    }
    if (rc == ASSAY_OK)
        rc = serve_grammar_count(g, "messages-counts", "usage", usage, "output_tokens", 0, &output);
    if (rc != ASSAY_OK) return rc;
    if (input > g->summary.input_tokens) g->summary.input_tokens = input;
    g->summary.output_tokens = output;
    if (!at_end || g->summary.input_tokens > 0) return ASSAY_OK;
    return serve_grammar_fail(
        g, "messages-counts",
        "found 0 input_tokens in message_start and no others here, expected their number");
}

static assay_status expect_null(serve_grammar *g, const char *rule, const char *where, json_object *object,
                                const char *name)
{
    if (!json_object_object_get(object, name)) return ASSAY_OK;
    return serve_grammar_fail(g, rule, "%s: found a %s, expected null", where, name);
}

static assay_status check_message(serve_grammar *g, json_object *message)
{
    static const char rule[] = "messages-message", where[] = "message";
    json_object *content;
    assay_text text;
    assay_status rc = serve_grammar_go_on(serve_grammar_name(g, rule, where, message, "id", &text));
    if (rc == ASSAY_OK) rc = serve_grammar_go_on(serve_grammar_name(g, rule, where, message, "model", &text));
    if (rc == ASSAY_OK)
        rc = serve_grammar_go_on(serve_grammar_exactly(g, rule, where, message, "type", "message"));
    if (rc == ASSAY_OK)
        rc = serve_grammar_go_on(serve_grammar_exactly(g, rule, where, message, "role", "assistant"));
    if (rc == ASSAY_OK) rc = serve_grammar_go_on(expect_null(g, rule, where, message, "stop_reason"));
    if (rc == ASSAY_OK) rc = serve_grammar_go_on(expect_null(g, rule, where, message, "stop_sequence"));
    if (rc != ASSAY_OK) return rc;
    rc = serve_grammar_member(g, "messages-index", where, message, "content", json_type_array, &content);
    if (rc == ASSAY_OK && json_object_array_length(content) > 0)
        rc = serve_grammar_fail(g, "messages-index", "message: found content, expected an empty list");
    return serve_grammar_go_on(rc);
}

static assay_status read_start(serve_grammar *g, messages *m, json_object *event)
{
    json_object *message, *usage;
    if (m->has_start)
        return serve_grammar_fail(g, "messages-start", "found message_start again, expected it once");
    m->has_start = true;
    assay_status rc =
        serve_grammar_member(g, "messages-start", "the event", event, "message", json_type_object, &message);
    if (rc == ASSAY_OK) rc = check_message(g, message);
    if (rc == ASSAY_OK)
        rc = serve_grammar_member(g, "messages-usage", "message", message, "usage", json_type_object, &usage);
    return rc == ASSAY_OK ? check_usage(g, usage, false) : rc;
}

static assay_status read_block_start(serve_grammar *g, messages *m, json_object *event)
{
    return serve_blocks_read_start(g, &m->blocks, event);
}

static assay_status read_block_delta(serve_grammar *g, messages *m, json_object *event)
{
    return serve_blocks_read_delta(g, &m->blocks, event);
}

static assay_status read_block_stop(serve_grammar *g, messages *m, json_object *event)
{
    return serve_blocks_read_stop(g, &m->blocks, event);
}

static assay_status check_stop_reason(serve_grammar *g, messages *m, json_object *delta)
{
    static const char rule[] = "messages-stop-reason";
    static const char *const reasons[] = {"end_turn",
                                          "max_tokens",
                                          "stop_sequence",
                                          "tool_use",
                                          "pause_turn",
                                          "refusal",
                                          "model_context_window_exceeded",
                                          NULL};
    static const char *const cuts[] = {"max_tokens", "model_context_window_exceeded", NULL};
    assay_text reason;
    json_object *sequence;
    assay_status rc = serve_grammar_name(g, "messages-end", "delta", delta, "stop_reason", &reason);
    if (rc != ASSAY_OK) return rc;
    serve_grammar_finish(g, reason);
    if (m->blocks.input_broken && !serve_text_is_among(reason, cuts))
        rc = serve_blocks_report_input(g, &m->blocks, "the last tool");
    if (rc == ASSAY_OK)
        rc = serve_grammar_optional(g, rule, "delta", delta, "stop_sequence", json_type_string, &sequence);
    if (rc != ASSAY_OK) return rc;
    if (!serve_text_is_among(reason, reasons))
        return serve_grammar_fail(g, rule, "found stop_reason %s, expected a published one",
                                  serve_quote(reason).at);
    if (serve_text_is(reason, "tool_use") && !m->blocks.has_tool)
        return serve_grammar_fail(g, rule, "found stop_reason tool_use, and no block of that type");
    if (serve_text_is(reason, "stop_sequence") != (sequence != NULL))
        return serve_grammar_fail(g, rule, "found stop_reason %s and %s stop_sequence",
                                  serve_quote(reason).at, sequence ? "a" : "no");
    return ASSAY_OK;
}

static assay_status read_message_delta(serve_grammar *g, messages *m, json_object *event)
{
    json_object *delta, *usage;
    assay_status rc = ASSAY_OK;
    if (m->blocks.is_open)
        rc = serve_grammar_go_on(
            serve_grammar_fail(g, "messages-block", "found message_delta while a block is open"));
    m->blocks.is_open = false;
    m->has_delta = true;
    if (rc == ASSAY_OK)
        rc = serve_grammar_member(g, "messages-end", "the event", event, "delta", json_type_object, &delta);
    if (rc == ASSAY_OK) rc = serve_grammar_go_on(check_stop_reason(g, m, delta));
    if (rc == ASSAY_OK)
        rc = serve_grammar_member(g, "messages-usage", "the event", event, "usage", json_type_object, &usage);
    return rc == ASSAY_OK ? check_usage(g, usage, true) : rc;
}

static assay_status read_stop(serve_grammar *g, messages *m, json_object *event)
{
    (void)event;
    m->has_stop = true;
    if (m->has_delta) return ASSAY_OK;
    return serve_grammar_fail(g, "messages-end", "found message_stop, expected message_delta before it");
}

static assay_status read_error(serve_grammar *g, messages *m, json_object *event)
{
    json_object *error;
    assay_text text;
    (void)m;
    g->failed = true;
    assay_status rc = serve_grammar_member(g, "event", "the event", event, "error", json_type_object, &error);
    if (rc == ASSAY_OK) rc = serve_grammar_name(g, "event", "error", error, "type", &text);
    return rc == ASSAY_OK ? serve_grammar_name(g, "event", "error", error, "message", &text) : rc;
}

static assay_status read_ping(serve_grammar *g, messages *m, json_object *event)
{
    (void)g, (void)m, (void)event;
    return ASSAY_OK;
}

/* The order of the whole message; what is out of order is read all the same. */
static assay_status check_order(serve_grammar *g, messages *m, assay_text type)
{
    static const char *const any[] = {"message_start", "ping", "error", NULL};
    assay_status rc = ASSAY_OK;
    if (!m->has_start && !serve_text_is_among(type, any)) {
        m->has_start = true; /* reported once */
        rc = serve_grammar_go_on(serve_grammar_fail(
            g, "messages-start", "found %s, expected message_start before it", serve_quote(type).at));
    }
    if (rc == ASSAY_OK && m->has_delta && !serve_text_is(type, "message_stop") &&
        !serve_text_is_among(type, any))
        rc = serve_grammar_go_on(serve_grammar_fail(
            g, "messages-stop", "found %s after message_delta, expected message_stop", serve_quote(type).at));
    return rc;
}

static assay_status read_event(serve_grammar *g, void *state, json_object *event)
{
    static const struct {
        const char *type;
        assay_status (*read)(serve_grammar *g, messages *m, json_object *event);
    } events[] = {
        {"message_start", read_start},
        {"content_block_start", read_block_start},
        {"content_block_delta", read_block_delta},
        {"content_block_stop", read_block_stop},
        {"message_delta", read_message_delta},
        {"message_stop", read_stop},
        {"ping", read_ping},
        {"error", read_error},
    };
    messages *m = state;
    json_object *name;
    assay_status rc = serve_grammar_member(g, "event", "the event", event, "type", json_type_string, &name);
    if (rc != ASSAY_OK) return rc;
    const assay_text type = serve_string(name);
    if (m->has_stop)
        return serve_grammar_fail(g, "messages-stop", "found %s after message_stop", serve_quote(type).at);
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        if (!serve_text_is(type, events[i].type)) continue;
        rc = check_order(g, m, type);
        return rc == ASSAY_OK ? events[i].read(g, m, event) : rc;
    }
    return serve_grammar_fail(g, "event", "found type %s, expected an event of messages",
                              serve_quote(type).at);
}

static assay_status end_stream(serve_grammar *g, void *state)
{
    const messages *m = state;
    if (m->has_stop) return ASSAY_OK;
    if (!m->has_start)
        return serve_grammar_fail(g, "messages-start", "found the end of the stream, expected message_start");
    assay_status rc = ASSAY_OK;
    if (!m->has_delta)
        rc = serve_grammar_go_on(serve_grammar_fail(
            g, "messages-end", "found the end of the stream, expected message_delta with a stop_reason"));
    return rc == ASSAY_OK
               ? serve_grammar_fail(g, "messages-stop", "found the end of the stream, expected message_stop")
               : rc;
}

static void free_state(void *state)
{
    messages *m = state;
    buffer_free(&m->blocks.input);
}

const serve_grammar_rules serve_grammar_messages = {
    .name = "messages",
    .path = "/v1/messages",
    .state_bytes = sizeof(messages),
    .read = read_event,
    .end = end_stream,
    .free = free_state,
};
