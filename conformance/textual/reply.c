/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/textual/reply.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/abi/serving.h"
#include "conformance/support/fields.h"
#include "conformance/textual/answer.h"

/* A parsed vector; borrows the document. */
typedef struct reply_case {
    conf_json_at input, expect, deltas;
    const char *parser;
    bool tools; /* kind tools: the parser is a tool-call parser */
    bool thinking_off;
    assay_text text; /* text.at NULL: the text is in `deltas` */
    assay_text request;
} reply_case;

static assay_status read_text(const conf_json_at *at, assay_text *out, assay_error *err)
{
    assay_status rc = conf_json_expect(at, json_type_string, err);
    if (rc != ASSAY_OK) return rc;
    *out = (assay_text){json_object_get_string(at->value), (size_t)json_object_get_string_len(at->value)};
    return ASSAY_OK;
}

/* Reads thinking_off, which is optional. */
static assay_status read_thinking(reply_case *r, assay_error *err)
{
    conf_json_at off;
    if (!conf_json_find(&r->input, "thinking_off", &off)) return ASSAY_OK;
    assay_status rc = conf_json_expect(&off, json_type_boolean, err);
    if (rc == ASSAY_OK) r->thinking_off = json_object_get_boolean(off.value);
    return rc;
}

/* Reads input; the text is one string, or an array of deltas. */
static assay_status read_input(reply_case *r, assay_error *err)
{
    conf_json_at text, request;
    assay_status rc = conf_json_member_text(&r->input, "parser", &r->parser, err);
    if (rc == ASSAY_OK) rc = read_thinking(r, err);
    if (rc != ASSAY_OK) return rc;
    if (r->tools && conf_json_find(&r->input, "request", &request) && request.value) {
        r->request.at =
            json_object_to_json_string_length(request.value, JSON_C_TO_STRING_PLAIN, &r->request.n);
        if (!r->request.at) return conf_json_fail(&request, err, "out of memory");
        rc = conf_json_expect(&request, json_type_object, err);
        if (rc != ASSAY_OK) return rc;
    }
    if (conf_json_find(&r->input, "text", &text)) return read_text(&text, &r->text, err);
    rc = conf_json_member(&r->input, "deltas", json_type_array, &r->deltas, err);
    for (size_t i = 0; rc == ASSAY_OK && i < json_object_array_length(r->deltas.value); i++) {
        const conf_json_at delta = conf_json_element(&r->deltas, i);
        rc = conf_json_expect(&delta, json_type_string, err);
    }
    return rc;
}

static assay_status read_vector(const conf_json_at *at, bool tools, reply_case *r, assay_error *err)
{
    *r = (reply_case){.tools = tools};
    assay_status rc = conf_json_member(at, "input", json_type_object, &r->input, err);
    if (rc == ASSAY_OK) rc = conf_json_member(at, "expect", json_type_object, &r->expect, err);
    if (rc == ASSAY_OK) rc = read_input(r, err);
    if (rc == ASSAY_OK) rc = conf_field_check(&r->expect, "content", err);
    if (rc != ASSAY_OK) return rc;
    return tools ? conf_calls_check(&r->expect, err) : conf_field_check(&r->expect, "reasoning", err);
}

static assay_status check_vector(const conf_vector *vector, const conf_json_at *at, bool tools,
                                 conf_strings *unknown, assay_error *err)
{
    static const char *const inputs[] = {"parser", "text", "deltas", "thinking_off", NULL};
    static const char *const tools_inputs[] = {"parser", "text", "deltas", "thinking_off", "request", NULL};
    static const char *const expects[] = {"reasoning", "content", NULL};
    static const char *const tools_expects[] = {"calls", "content", NULL};
    reply_case r;
    assay_status rc = read_vector(at, tools, &r, err);
    if (rc == ASSAY_OK && vector->rule == CONF_VECTOR_REJECT)
        rc = conf_json_fail(at, err, "its verdict is reject, which replies cannot have");
    if (rc == ASSAY_OK) rc = conf_json_note_unknown(&r.input, tools ? tools_inputs : inputs, unknown, err);
    return rc == ASSAY_OK ? conf_json_note_unknown(&r.expect, tools ? tools_expects : expects, unknown, err)
                          : rc;
}

assay_status conf_reasoning_check(const conf_vector *vector, const conf_json_at *at, conf_strings *unknown,
                                  assay_error *err)
{
    return check_vector(vector, at, false, unknown, err);
}

assay_status conf_tools_check(const conf_vector *vector, const conf_json_at *at, conf_strings *unknown,
                              assay_error *err)
{
    return check_vector(vector, at, true, unknown, err);
}

const void *conf_reply_open(const char *module, conf_verdict *v)
{
    return conf_serving_offered(module, CONF_SERVING_REPLY, v);
}

/* The ways in which a text is cut. */
typedef enum cut { AS_RECORDED, WHOLE, INTO_CHARACTERS, N_CUTS } cut;

static const char *const cut_names[N_CUTS] = {"", "the text in one piece: ", "one character at a time: "};

/* One reply while it is parsed. */
typedef struct reading {
    const assay_serving *serving;
    const reply_case *r;
    assay_reply *reply;
    conf_fields fields;
    assay_sink sink;
    assay_status status;
    assay_error err;
} reading;

static void feed_text(reading *g, const char *text, size_t n)
{
    if (g->status == ASSAY_OK) g->status = g->serving->reply_feed(g->reply, text, n, &g->sink, &g->err);
}

static void feed_characters(reading *g, const char *text, size_t n)
{
    for (size_t i = 0; i < n;) {
        size_t k = 1;
        while (i + k < n && ((unsigned char)text[i + k] & 0xc0U) == 0x80U) k++;
        feed_text(g, text + i, k);
        i += k;
    }
}

/* Joins deltas; the caller frees the text. NULL if out of memory. */
static char *join_deltas(const conf_json_at *deltas, size_t *n)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, n);
    if (!out) return NULL;
    for (size_t i = 0; i < json_object_array_length(deltas->value); i++) {
        json_object *delta = json_object_array_get_idx(deltas->value, i);
        (void)fwrite(json_object_get_string(delta), 1, (size_t)json_object_get_string_len(delta), out);
    }
    return fclose(out) == 0 ? text : NULL;
}

static void feed_all(reading *g, cut how)
{
    const reply_case *r = g->r;
    if (r->text.at && how != INTO_CHARACTERS) {
        feed_text(g, r->text.at, r->text.n);
        return;
    }
    if (how == AS_RECORDED) {
        for (size_t i = 0; i < json_object_array_length(r->deltas.value); i++) {
            json_object *delta = json_object_array_get_idx(r->deltas.value, i);
            feed_text(g, json_object_get_string(delta), (size_t)json_object_get_string_len(delta));
        }
        return;
    }
    size_t n = r->text.n;
    char *joined = r->text.at ? NULL : join_deltas(&r->deltas, &n);
    const char *text = r->text.at ? r->text.at : joined;
    if (!text) g->fields.no_memory = true;
    else if (how == WHOLE) feed_text(g, text, n);
    else feed_characters(g, text, n);
    free(joined);
}

static void read_reply(reading *g, cut how)
{
    const assay_reply_options options = {.size = sizeof options,
                                         .reasoning = g->r->tools ? NULL : g->r->parser,
                                         .tools = g->r->tools ? g->r->parser : NULL,
                                         .request = g->r->request,
                                         .thinking_off = g->r->thinking_off};
    g->status = g->serving->reply_open(&options, &g->reply, &g->err);
    if (g->status != ASSAY_OK) return;
    feed_all(g, how);
    if (g->status == ASSAY_OK) g->status = g->serving->reply_end(g->reply, &g->sink, &g->err);
    g->serving->reply_free(g->reply);
}

static bool fields_match(const reading *g, char *text, size_t size)
{
    json_object *expect = g->r->expect.value, *member;
    (void)json_object_object_get_ex(expect, "content", &member);
    if (!conf_field_equals("content", member, &g->fields.content, text, size)) return false;
    if (g->r->tools) {
        (void)json_object_object_get_ex(expect, "calls", &member);
        return conf_calls_equal(member, &g->fields, text, size);
    }
    (void)json_object_object_get_ex(expect, "reasoning", &member);
    return conf_field_equals("reasoning", member, &g->fields.reasoning, text, size);
}

/* Judges one reading; false if *v was set. */
static bool judge_fields(reading *g, cut how, conf_verdict *v)
{
    char text[CONF_TEXT_MAX - 64];
    if (g->status == ASSAY_EUNSUPPORTED) conf_verdict_set(v, CONF_SKIPPED, "%s", g->err.text);
    else if (g->status == ASSAY_ENOMEM) conf_verdict_fail(v, CONF_CLASS_MEMORY, "%s", g->err.text);
    else if (g->status != ASSAY_OK) conf_verdict_fail(v, CONF_CLASS_REFUSED, "%s", g->err.text);
    else if (g->fields.no_memory) conf_verdict_set(v, CONF_BROKEN, "out of memory");
    else if (g->fields.broken) conf_verdict_fail(v, CONF_CLASS_SHAPE, "%s", g->fields.broken);
    else if (!fields_match(g, text, sizeof text))
        conf_verdict_fail(v, CONF_CLASS_TEXT, "%s%s", cut_names[how], text);
    else return true;
    return false;
}

void conf_reply_replay(const void *offered, const conf_case *c, const conf_vector *vector,
                       const conf_json_at *at, conf_verdict *v)
{
    reply_case r;
    assay_error err = {0};
    (void)vector;
    if (read_vector(at, c->kind == CONF_TOOLS, &r, &err) != ASSAY_OK) {
        conf_verdict_set(v, CONF_BROKEN, "%s", err.text);
        return;
    }
    bool goes_on = true;
    for (cut how = AS_RECORDED; how < N_CUTS && goes_on; how++) {
        reading g = {.serving = offered, .r = &r};
        g.sink = conf_fields_sink(&g.fields);
        read_reply(&g, how);
        goes_on = judge_fields(&g, how, v);
        conf_fields_free(&g.fields);
    }
}

static assay_status set_answer(const reading *g, assay_error *err)
{
    const conf_json_at *expect = &g->r->expect;
    if (g->status != ASSAY_OK) return assay_fail(err, g->status, "%s", g->err.text);
    if (g->fields.no_memory) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    if (g->fields.broken) return conf_json_fail(expect, err, "%s", g->fields.broken);
    assay_status rc = conf_answer_field(expect, "content", &g->fields.content, err);
    if (rc == ASSAY_OK) rc = conf_answer_field(expect, "reasoning", &g->fields.reasoning, err);
    return rc == ASSAY_OK && g->r->tools ? conf_answer_calls(expect, &g->fields, err) : rc;
}

assay_status conf_reply_answer(const void *offered, const conf_case *c, const conf_json_at *at,
                               assay_error *err)
{
    reply_case r;
    assay_status rc = read_vector(at, c->kind == CONF_TOOLS, &r, err);
    if (rc != ASSAY_OK) return rc;
    reading g = {.serving = offered, .r = &r};
    g.sink = conf_fields_sink(&g.fields);
    read_reply(&g, AS_RECORDED);
    rc = set_answer(&g, err);
    conf_fields_free(&g.fields);
    return rc;
}
