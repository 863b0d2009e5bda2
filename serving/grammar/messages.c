/* The grammar of /v1/messages (Anthropic API reference, "Streaming messages").
 *
 *     messages-start   message_start comes first, once: an empty message of the assistant without a
 * stop_reason messages-index   blocks are numbered 0, 1, 2…; later events refer to the open block
 *     messages-block   one block is open at a time: it starts empty, has a published type, and stops
 *     messages-delta   deltas are of a type that fits the block; nothing follows a signature of thinking
 *     messages-input   the joined input of a tool is a JSON object, unless generation was cut short
 *     messages-end     message_delta, with a published stop_reason that fits the message, then message_stop,
 *                      and nothing after it; a stop_sequence exactly if it is the stop_reason
 *     messages-usage   input tokens are reported at the start or at the end, and are more than 0;
 *                      output tokens are reported at the end, and are more than 0
 *
 * ping may come anywhere.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "serving/grammar/checks.h"

#include <string.h>

typedef enum phase { BEFORE_START, IN_MESSAGE, IN_BLOCK, BEFORE_STOP, STOPPED } phase;

typedef struct block_type {
    const char *name;
    const char *text;   /* a member that starts as an empty string; NULL: none */
    const char *object; /* a member that starts as an empty object; NULL: none */
    const char *delta;  /* the type of its deltas; NULL: it has no deltas */
} block_type;

static const block_type block_types[] = {
    {"text", "text", NULL, "text_delta"},
    {"thinking", "thinking", NULL, "thinking_delta"},
    {"redacted_thinking", NULL, NULL, NULL},
    {"tool_use", NULL, "input", "input_json_delta"},
    {"server_tool_use", NULL, "input", "input_json_delta"},
    {"mcp_tool_use", NULL, "input", "input_json_delta"},
    {"web_search_tool_result", NULL, NULL, NULL},
    {"web_fetch_tool_result", NULL, NULL, NULL},
    {"code_execution_tool_result", NULL, NULL, NULL},
    {"bash_code_execution_tool_result", NULL, NULL, NULL},
    {"text_editor_code_execution_tool_result", NULL, NULL, NULL},
    {"mcp_tool_result", NULL, NULL, NULL},
    {"container_upload", NULL, NULL, NULL},
};

typedef struct messages {
    phase phase;
    const block_type *block; /* the open block */
    int64_t n_blocks;
    bool is_signed;    /* the open thinking block has its signature */
    bool has_tool;     /* a block was tool_use */
    bool input_broken; /* the input of the latest block is no object, which is allowed if generation was cut
                          short */
    buffer input;      /* the joined deltas of the open block */
    serve_tail tail;
} messages;

static assay_status check_usage(serve_grammar *g, json_object *usage, bool at_end)
{
    static const char *const cached[] = {"cache_creation_input_tokens", "cache_read_input_tokens"};
    int64_t input = 0, output = 0, more;
    json_object *value;
    assay_status rc =
        serve_grammar_optional(g, "messages-usage", "usage", usage, "input_tokens", json_type_int, &value);
    if (rc == ASSAY_OK && (value || !at_end))
        rc = serve_grammar_count(g, "messages-usage", "usage", usage, "input_tokens", 0, &input);
    for (size_t i = 0; rc == ASSAY_OK && i < 2; i++) {
        json_object *part;
        rc = serve_grammar_optional(g, "messages-usage", "usage", usage, cached[i], json_type_int, &part);
        if (rc != ASSAY_OK || !part) continue;
        rc = serve_grammar_count(g, "messages-usage", "usage", usage, cached[i], 0, &more);
        if (rc == ASSAY_OK && more < INT64_MAX - input) input += more;
    }
    if (rc == ASSAY_OK)
        rc = serve_grammar_count(g, "messages-usage", "usage", usage, "output_tokens", 0, &output);
    if (rc != ASSAY_OK) return rc;
    if (input > g->summary.input_tokens) g->summary.input_tokens = input;
    g->summary.output_tokens = output;
    if (!at_end || g->summary.input_tokens > 0) return ASSAY_OK;
    return serve_grammar_fail(
        g, "messages-usage",
        "found 0 input_tokens in message_start and no others here, expected their number");
}

static assay_status expect_null(serve_grammar *g, const char *rule, const char *where, json_object *object,
                                const char *name)
{
    if (!json_object_object_get(object, name)) return ASSAY_OK;
    return serve_grammar_fail(g, rule, "%s: found a %s, expected null", where, name);
}

static assay_status read_start(serve_grammar *g, messages *m, json_object *event)
{
    static const char rule[] = "messages-start", where[] = "message";
    json_object *message, *content, *usage;
    assay_text text;
    if (m->phase != BEFORE_START)
        return serve_grammar_fail(g, rule, "found message_start again, expected it once");
    assay_status rc = serve_grammar_member(g, rule, "the event", event, where, json_type_object, &message);
    if (rc == ASSAY_OK) rc = serve_grammar_name(g, rule, where, message, "id", &text);
    if (rc == ASSAY_OK) rc = serve_grammar_name(g, rule, where, message, "model", &text);
    if (rc == ASSAY_OK) rc = serve_grammar_exactly(g, rule, where, message, "type", "message");
    if (rc == ASSAY_OK) rc = serve_grammar_exactly(g, rule, where, message, "role", "assistant");
    if (rc == ASSAY_OK)
        rc = serve_grammar_member(g, rule, where, message, "content", json_type_array, &content);
    if (rc == ASSAY_OK && json_object_array_length(content) > 0)
        rc = serve_grammar_fail(g, rule, "message: found content, expected an empty list");
    if (rc == ASSAY_OK) rc = expect_null(g, rule, where, message, "stop_reason");
    if (rc == ASSAY_OK) rc = expect_null(g, rule, where, message, "stop_sequence");
    if (rc == ASSAY_OK)
        rc = serve_grammar_member(g, "messages-usage", where, message, "usage", json_type_object, &usage);
    m->phase = IN_MESSAGE;
    return rc == ASSAY_OK ? check_usage(g, usage, false) : rc;
}

static assay_status check_index(serve_grammar *g, json_object *event, int64_t expected)
{
    int64_t index = 0;
    assay_status rc = serve_grammar_count(g, "messages-index", "the event", event, "index", 0, &index);
    if (rc != ASSAY_OK || index == expected) return rc;
    return serve_grammar_fail(g, "messages-index", "found index %lld, expected %lld", (long long)index,
                              (long long)expected);
}

/* Checks that a block starts as its type says: without text or input, and a tool with an id and a name. */
static assay_status check_block(serve_grammar *g, const block_type *type, json_object *block)
{
    static const char rule[] = "messages-block", where[] = "content_block";
    json_object *value;
    assay_text text;
    assay_status rc = ASSAY_OK;
    if (type->text) {
        rc = serve_grammar_member(g, rule, where, block, type->text, json_type_string, &value);
        if (rc == ASSAY_OK && serve_string(value).n > 0)
            rc = serve_grammar_fail(g, rule, "%s: found %s in its %s, expected an empty one", where,
                                    serve_quote(serve_string(value)).at, type->text);
    }
    if (!type->object) return rc;
    rc = serve_grammar_member(g, rule, where, block, type->object, json_type_object, &value);
    if (rc == ASSAY_OK && json_object_object_length(value) > 0)
        rc = serve_grammar_fail(g, rule, "%s: found an input with members, expected {}", where);
    if (rc == ASSAY_OK) rc = serve_grammar_name(g, rule, where, block, "id", &text);
    return rc == ASSAY_OK ? serve_grammar_name(g, rule, where, block, "name", &text) : rc;
}

static assay_status read_block_start(serve_grammar *g, messages *m, json_object *event)
{
    json_object *block;
    assay_text type;
    if (m->phase != IN_MESSAGE)
        return serve_grammar_fail(g, "messages-block", "found content_block_start %s",
                                  m->phase == IN_BLOCK       ? "while a block is open"
                                  : m->phase == BEFORE_START ? "before message_start"
                                                             : "after message_delta");
    assay_status rc = check_index(g, event, m->n_blocks);
    if (rc == ASSAY_OK)
        rc = serve_grammar_member(g, "messages-block", "the event", event, "content_block", json_type_object,
                                  &block);
    if (rc == ASSAY_OK) rc = serve_grammar_name(g, "messages-block", "content_block", block, "type", &type);
    if (rc != ASSAY_OK) return rc;
    m->block = NULL;
    for (size_t i = 0; i < sizeof block_types / sizeof *block_types; i++)
        if (serve_text_is(type, block_types[i].name)) m->block = &block_types[i];
    if (!m->block)
        return serve_grammar_fail(g, "messages-block", "found a block of type %s, expected a published one",
                                  serve_quote(type).at);
    if (serve_text_is(type, "tool_use")) {
        m->has_tool = true;
        g->summary.n_calls++;
    }
    m->phase = IN_BLOCK;
    m->n_blocks++;
    m->is_signed = false;
    m->input.n = m->tail.n = 0;
    return check_block(g, m->block, block);
}

static assay_status expect_open(serve_grammar *g, const messages *m, json_object *event, const char *name)
{
    if (m->phase != IN_BLOCK)
        return serve_grammar_fail(g, "messages-block", "found %s while no block is open", name);
    return check_index(g, event, m->n_blocks - 1);
}

static assay_status add_delta(serve_grammar *g, messages *m, assay_text type, json_object *delta)
{
    static const char rule[] = "messages-delta", where[] = "delta";
    json_object *value;
    assay_status rc;
    if (serve_text_is(type, "text_delta")) {
        rc = serve_grammar_member(g, rule, where, delta, "text", json_type_string, &value);
        return rc == ASSAY_OK ? serve_grammar_content(g, &m->tail, serve_string(value)) : rc;
    }
    if (serve_text_is(type, "thinking_delta")) {
        rc = serve_grammar_member(g, rule, where, delta, "thinking", json_type_string, &value);
        if (rc == ASSAY_OK) g->summary.reasoning_bytes += serve_string(value).n;
        return rc;
    }
    rc = serve_grammar_member(g, rule, where, delta, "partial_json", json_type_string, &value);
    return rc == ASSAY_OK ? serve_grammar_join(g, &m->input, serve_string(value)) : rc;
}

static assay_status read_block_delta(serve_grammar *g, messages *m, json_object *event)
{
    static const char rule[] = "messages-delta";
    json_object *delta;
    assay_text type;
    assay_status rc = expect_open(g, m, event, "content_block_delta");
    if (rc == ASSAY_OK)
        rc = serve_grammar_member(g, rule, "the event", event, "delta", json_type_object, &delta);
    if (rc == ASSAY_OK) rc = serve_grammar_name(g, rule, "delta", delta, "type", &type);
    if (rc != ASSAY_OK) return rc;
    const bool signature = serve_text_is(type, "signature_delta");
    const bool thinking = strcmp(m->block->name, "thinking") == 0;
    if (m->is_signed)
        return serve_grammar_fail(g, rule, "found a delta after the signature, expected content_block_stop");
    if (signature && thinking) {
        m->is_signed = true;
        return serve_grammar_name(g, rule, "delta", delta, "signature", &type);
    }
    if (serve_text_is(type, "citations_delta") && strcmp(m->block->name, "text") == 0) return ASSAY_OK;
    if (!m->block->delta || !serve_text_is(type, m->block->delta))
        return serve_grammar_fail(g, rule, "found %s in a block of type %s, expected %s",
                                  serve_quote(type).at, m->block->name,
                                  m->block->delta ? m->block->delta : "no delta");
    return add_delta(g, m, type, delta);
}

static assay_status read_block_stop(serve_grammar *g, messages *m, json_object *event)
{
    assay_status rc = expect_open(g, m, event, "content_block_stop");
    if (rc != ASSAY_OK) return rc;
    if (m->input_broken)
        return serve_grammar_fail(g, "messages-input", "the input of a block before this one is no object");
    m->phase = IN_MESSAGE;
    if (m->input.n == 0) return ASSAY_OK;
    /* Deferred: max_tokens allows it, and the stop_reason comes later. */
    serve_breach *breach = g->breach, unused;
    g->breach = &unused;
    rc = serve_grammar_joined_json(g, "messages-input", "the input of a tool", &m->input, true);
    g->breach = breach;
    m->input_broken = rc == ASSAY_EFORMAT;
    return m->input_broken ? ASSAY_OK : rc;
}

static assay_status check_stop_reason(serve_grammar *g, const messages *m, json_object *delta)
{
    static const char rule[] = "messages-end";
    static const char *const reasons[] = {"end_turn",
                                          "max_tokens",
                                          "stop_sequence",
                                          "tool_use",
                                          "pause_turn",
                                          "refusal",
                                          "model_context_window_exceeded"};
    assay_text reason;
    json_object *sequence;
    bool known = false;
    assay_status rc = serve_grammar_name(g, rule, "delta", delta, "stop_reason", &reason);
    if (rc == ASSAY_OK)
        rc = serve_grammar_optional(g, rule, "delta", delta, "stop_sequence", json_type_string, &sequence);
    if (rc != ASSAY_OK) return rc;
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        known = known || serve_text_is(reason, reasons[i]);
    serve_grammar_finish(g, reason);
    if (!known)
        return serve_grammar_fail(g, rule, "found stop_reason %s, expected a published one",
                                  serve_quote(reason).at);
    if (serve_text_is(reason, "tool_use") && !m->has_tool)
        return serve_grammar_fail(g, rule, "found stop_reason tool_use, and no block of that type");
    if (serve_text_is(reason, "stop_sequence") != (sequence != NULL))
        return serve_grammar_fail(g, rule, "found stop_reason %s and %s stop_sequence",
                                  serve_quote(reason).at, sequence ? "a" : "no");
    if (m->input_broken && !serve_text_is(reason, "max_tokens") &&
        !serve_text_is(reason, "model_context_window_exceeded"))
        return serve_grammar_fail(g, "messages-input",
                                  "the input of the last tool, joined: found %s, expected a JSON object",
                                  serve_quote(buffer_text(&m->input)).at);
    return ASSAY_OK;
}

static assay_status read_message_delta(serve_grammar *g, messages *m, json_object *event)
{
    json_object *delta, *usage;
    if (m->phase != IN_MESSAGE)
        return serve_grammar_fail(g, "messages-end", "found message_delta %s",
                                  m->phase == IN_BLOCK       ? "while a block is open"
                                  : m->phase == BEFORE_START ? "before message_start"
                                                             : "again, expected one stop_reason");
    assay_status rc =
        serve_grammar_member(g, "messages-end", "the event", event, "delta", json_type_object, &delta);
    if (rc == ASSAY_OK) rc = check_stop_reason(g, m, delta);
    if (rc == ASSAY_OK)
        rc = serve_grammar_member(g, "messages-usage", "the event", event, "usage", json_type_object, &usage);
    if (rc == ASSAY_OK) rc = check_usage(g, usage, true);
    m->phase = BEFORE_STOP;
    return rc;
}

static assay_status read_stop(serve_grammar *g, messages *m, json_object *event)
{
    (void)event;
    if (m->phase != BEFORE_STOP)
        return serve_grammar_fail(g, "messages-end", "found message_stop, expected message_delta before it");
    m->phase = STOPPED;
    return ASSAY_OK;
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
    const assay_text type = serve_string(json_object_object_get(event, "type"));
    if (m->phase == STOPPED)
        return serve_grammar_fail(g, "messages-end", "found %s after message_stop", serve_quote(type).at);
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        if (serve_text_is(type, events[i].type)) return events[i].read(g, m, event);
    return serve_grammar_fail(g, "event", "found type %s, expected an event of messages",
                              serve_quote(type).at);
}

static assay_status end_stream(serve_grammar *g, void *state)
{
    const messages *m = state;
    if (m->phase == STOPPED) return ASSAY_OK;
    return serve_grammar_fail(g, m->phase == BEFORE_START ? "messages-start" : "messages-end",
                              "found the end of the stream, expected %s",
                              m->phase == BEFORE_START ? "message_start" : "message_stop");
}

static void free_state(void *state)
{
    messages *m = state;
    buffer_free(&m->input);
}

const serve_grammar_rules serve_grammar_messages = {
    .name = "messages",
    .path = "/v1/messages",
    .state_bytes = sizeof(messages),
    .read = read_event,
    .end = end_stream,
    .free = free_state,
};
