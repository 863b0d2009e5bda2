/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/grammar/blocks.h"

#include "base/json.h"

#include <string.h>

struct serve_block_type {
    const char *name;
    const char *text;   /* a member that starts as an empty string; NULL: none */
    const char *object; /* a member that starts as an empty object; NULL: none */
    const char *delta;  /* the type of its deltas; NULL: it has no deltas */
};

static const serve_block_type block_types[] = {
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

static assay_status check_index(serve_grammar *g, json_object *event, int64_t expected)
{
    int64_t index = 0;
    assay_status rc = serve_grammar_count(g, "messages-index", "the event", event, "index", 0, &index);
    if (rc != ASSAY_OK || index == expected) return rc;
    return serve_grammar_fail(g, "messages-index", "found index %lld, expected %lld", (long long)index,
                              (long long)expected);
}

/* Checks that a block starts as its type says: without text or input, and a tool with an id and a name. */
static assay_status check_block(serve_grammar *g, const serve_block_type *type, json_object *block)
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
    rc = serve_grammar_go_on(rc);
    if (rc == ASSAY_OK)
        rc = serve_grammar_go_on(serve_grammar_name(g, "messages-tool", where, block, "id", &text));
    return rc == ASSAY_OK ? serve_grammar_name(g, "messages-tool", where, block, "name", &text) : rc;
}

assay_status serve_blocks_report_input(serve_grammar *g, serve_blocks *b, const char *which)
{
    b->input_broken = false;
    return serve_grammar_go_on(serve_grammar_fail(g, "messages-input",
                                                  "the input of %s, joined: found %s, expected a JSON object",
                                                  which, serve_quote(buffer_text(&b->input)).at));
}

static assay_status begin_block(serve_grammar *g, serve_blocks *b, json_object *event)
{
    assay_status rc = ASSAY_OK;
    if (b->is_open)
        rc = serve_grammar_go_on(
            serve_grammar_fail(g, "messages-block", "found content_block_start while a block is open"));
    if (rc == ASSAY_OK && b->input_broken) rc = serve_blocks_report_input(g, b, "the tool before this block");
    if (rc == ASSAY_OK) rc = serve_grammar_go_on(check_index(g, event, b->n));
    b->block = NULL;
    b->is_open = true;
    b->n++;
    b->is_signed = false;
    b->input.n = b->tail.n = 0;
    return rc;
}

assay_status serve_blocks_read_start(serve_grammar *g, serve_blocks *b, json_object *event)
{
    json_object *block;
    assay_text type;
    assay_status rc = begin_block(g, b, event);
    if (rc == ASSAY_OK)
        rc = serve_grammar_member(g, "messages-index", "the event", event, "content_block", json_type_object,
                                  &block);
    if (rc == ASSAY_OK)
        rc = serve_grammar_name(g, "messages-block-type", "content_block", block, "type", &type);
    if (rc != ASSAY_OK) return rc;
    for (size_t i = 0; i < sizeof block_types / sizeof *block_types; i++)
        if (serve_text_is(type, block_types[i].name)) b->block = &block_types[i];
    if (!b->block)
        return serve_grammar_fail(g, "messages-block-type",
                                  "found a block of type %s, expected a published one", serve_quote(type).at);
    if (serve_text_is(type, "tool_use")) {
        b->has_tool = true;
        g->summary.n_calls++;
    }
    return check_block(g, b->block, block);
}

/* Checks that an event refers to the open block; if not, only its place is checked. without_text: the event
 * adds nothing to the block, so that clients may accept it for any block that has started. */
static assay_status expect_open(serve_grammar *g, const serve_blocks *b, json_object *event, const char *name,
                                bool without_text)
{
    int64_t index = 0;
    assay_status rc = serve_grammar_count(g, "messages-index", "the event", event, "index", 0, &index);
    if (rc != ASSAY_OK) return rc;
    if (b->is_open && index == b->n - 1) return ASSAY_OK;
    if (!b->is_open && index < b->n)
        return serve_grammar_fail(g, "messages-block", "found %s while no block is open", name);
    if (without_text && index < b->n)
        return serve_grammar_fail(g, "messages-block", "found %s of index %lld while block %lld is open",
                                  name, (long long)index, (long long)(b->n - 1));
    return serve_grammar_fail(g, "messages-index", "found %s of index %lld, expected %lld", name,
                              (long long)index, (long long)(b->is_open ? b->n - 1 : b->n));
}

static assay_status add_delta(serve_grammar *g, serve_blocks *b, assay_text type, json_object *delta)
{
    static const char rule[] = "messages-delta", where[] = "delta";
    json_object *value;
    assay_status rc;
    if (serve_text_is(type, "text_delta")) {
        rc = serve_grammar_member(g, rule, where, delta, "text", json_type_string, &value);
        return rc == ASSAY_OK ? serve_grammar_content(g, &b->tail, serve_string(value)) : rc;
    }
    if (serve_text_is(type, "thinking_delta")) {
        rc = serve_grammar_member(g, rule, where, delta, "thinking", json_type_string, &value);
        if (rc == ASSAY_OK) g->summary.reasoning_bytes += serve_string(value).n;
        return rc;
    }
    rc = serve_grammar_member(g, rule, where, delta, "partial_json", json_type_string, &value);
    return rc == ASSAY_OK ? serve_grammar_join(g, &b->input, serve_string(value)) : rc;
}

assay_status serve_blocks_read_delta(serve_grammar *g, serve_blocks *b, json_object *event)
{
    static const char rule[] = "messages-delta";
    json_object *delta = json_object_object_get(event, "delta");
    const assay_text said = json_object_is_type(delta, json_type_object)
                                ? serve_string(json_object_object_get(delta, "type"))
                                : (assay_text){0};
    assay_text type;
    assay_status rc =
        expect_open(g, b, event, "content_block_delta", said.at && serve_text_is(said, "signature_delta"));
    if (rc == ASSAY_OK)
        rc = serve_grammar_member(g, rule, "the event", event, "delta", json_type_object, &delta);
    if (rc == ASSAY_OK) rc = serve_grammar_name(g, rule, "delta", delta, "type", &type);
    if (rc != ASSAY_OK) return rc;
    if (!b->block) return ASSAY_OK;
    const bool signature = serve_text_is(type, "signature_delta");
    const bool thinking = strcmp(b->block->name, "thinking") == 0;
    if (b->is_signed) {
        rc = serve_grammar_go_on(serve_grammar_fail(
            g, "messages-signature", "found a delta after the signature, expected content_block_stop"));
        if (rc != ASSAY_OK) return rc;
    }
    if (signature && thinking) {
        b->is_signed = true;
        return serve_grammar_name(g, "messages-signature", "delta", delta, "signature", &type);
    }
    if (serve_text_is(type, "citations_delta") && strcmp(b->block->name, "text") == 0) return ASSAY_OK;
    if (!b->block->delta || !serve_text_is(type, b->block->delta))
        return serve_grammar_fail(g, rule, "found %s in a block of type %s, expected %s",
                                  serve_quote(type).at, b->block->name,
                                  b->block->delta ? b->block->delta : "no delta");
    return add_delta(g, b, type, delta);
}

/* An input that is no object is allowed where max_tokens cut it, and the stop_reason comes later. */
assay_status serve_blocks_read_stop(serve_grammar *g, serve_blocks *b, json_object *event)
{
    assay_status rc = expect_open(g, b, event, "content_block_stop", true);
    if (rc != ASSAY_OK) return rc;
    b->is_open = false;
    if (b->input.n == 0) return ASSAY_OK;
    rc = json_check("input", b->input.data, b->input.n, NULL);
    const char *at = b->input.data;
    while (rc == ASSAY_OK && strchr(" \t\r\n", *at)) at++;
    b->input_broken = rc != ASSAY_OK || *at != '{';
    return rc == ASSAY_ENOMEM ? rc : ASSAY_OK;
}
