/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/values/json_value.h"

#include "base/json_escape.h"
#include "base/json_scan.h"
#include "dialogue/text/span.h"

#include <string.h>

/* Skips a string from text[at] on, including its closing quote. */
static size_t run_string(serve_json_balance *b, assay_text text, size_t at)
{
    for (; at < text.n; at++) {
        const char c = text.at[at];
        if (b->escaped) b->escaped = false;
        else if (c == '\\') b->escaped = true;
        else if (c == '"') break;
    }
    b->in_string = at == text.n;
    return b->in_string ? at : at + 1;
}

bool serve_json_balance_run(serve_json_balance *b, assay_text text, size_t *at)
{
    while (*at < text.n) {
        if (b->in_string) {
            *at = run_string(b, text, *at);
            continue;
        }
        const char c = text.at[(*at)++];
        if (c == '"') b->in_string = true;
        else if (c == '{' || c == '[') b->depth++;
        else if ((c == '}' || c == ']') && --b->depth == 0) return true;
    }
    return false;
}

/* The text of a value that begins with `token` and ends where the scanner is. */
static assay_status read_value(json_scan *scan, json_scan_token token, assay_text *value)
{
    const char *begin = token.kind == JSON_SCAN_STRING ? token.text - 1 : token.text;
    size_t depth = 0;
    for (;;) {
        if (token.kind == JSON_SCAN_OBJECT || token.kind == JSON_SCAN_ARRAY) depth++;
        if (token.kind == JSON_SCAN_OBJECT_END || token.kind == JSON_SCAN_ARRAY_END) depth--;
        if (depth == 0) break;
        assay_status rc = json_scan_next(scan, &token, NULL);
        if (rc != ASSAY_OK) return rc;
    }
    const char *end = token.text + token.n + (token.kind == JSON_SCAN_STRING ? 1 : 0);
    *value = (assay_text){.at = begin, .n = (size_t)(end - begin)};
    return ASSAY_OK;
}

/* Lets `read` read the text after its first token, and expects nothing after that. */
static assay_status read_text(assay_text text,
                              assay_status (*read)(json_scan *scan, json_scan_token first, void *context),
                              void *context)
{
    json_scan *scan;
    json_scan_token token;
    assay_status rc = json_scan_open("", text.at, text.n, &scan, NULL);
    if (rc != ASSAY_OK) return rc;
    rc = json_scan_next(scan, &token, NULL);
    if (rc == ASSAY_OK) rc = read(scan, token, context);
    if (rc == ASSAY_OK) rc = json_scan_next(scan, &token, NULL);
    json_scan_free(scan);
    return rc;
}

static assay_status skip_value(json_scan *scan, json_scan_token first, void *context)
{
    (void)context;
    return read_value(scan, first, &(assay_text){0});
}

assay_status serve_json_check(assay_text text)
{
    return read_text(text, skip_value, NULL);
}

/* Receives members. name: the token, which is part of the text. */
typedef struct member_sink {
    void (*take)(void *context, const json_scan_token *name, assay_text value);
    void *context;
} member_sink;

/* Reads an object to its end. Members before a syntax error have been passed on. context: member_sink. */
static assay_status read_object(json_scan *scan, json_scan_token first, void *context)
{
    const member_sink *sink = context;
    json_scan_token token;
    if (first.kind != JSON_SCAN_OBJECT) return ASSAY_EFORMAT;
    assay_status rc = json_scan_next(scan, &token, NULL);
    while (rc == ASSAY_OK && token.kind == JSON_SCAN_NAME) {
        const json_scan_token name = token;
        assay_text value = {0};
        rc = json_scan_next(scan, &token, NULL);
        if (rc == ASSAY_OK) rc = read_value(scan, token, &value);
        if (rc == ASSAY_OK) sink->take(sink->context, &name, value);
        if (rc == ASSAY_OK) rc = json_scan_next(scan, &token, NULL);
    }
    return rc;
}

/* The members to look up. */
typedef struct wanted {
    const char *const *names; /* [n] */
    size_t n;
    assay_text found[4];
} wanted;

static void receive_member(void *context, const json_scan_token *name, assay_text value)
{
    wanted *w = context;
    for (size_t i = 0; i < w->n; i++)
        if (json_scan_equals(name, w->names[i])) w->found[i] = value;
}

assay_status serve_json_members(assay_text text, const char *const *names, assay_text *values, size_t n)
{
    wanted w = {.names = names, .n = n};
    const assay_status rc = read_text(text, read_object, &(member_sink){receive_member, &w});
    if (rc == ASSAY_OK) memcpy(values, w.found, n * sizeof *values);
    return rc;
}

/* Receives the members of each element that have these names. */
typedef struct element_sink {
    const char *const *names; /* [n] */
    size_t n;
    void (*take)(void *context, const assay_text *values);
    void *context;
} element_sink;

/* Reads an array to its end. context: element_sink. */
static assay_status read_array(json_scan *scan, json_scan_token first, void *context)
{
    const element_sink *sink = context;
    json_scan_token token;
    if (first.kind != JSON_SCAN_ARRAY) return ASSAY_EFORMAT;
    assay_status rc = json_scan_next(scan, &token, NULL);
    while (rc == ASSAY_OK && token.kind != JSON_SCAN_ARRAY_END) {
        wanted w = {.names = sink->names, .n = sink->n};
        assay_text element;
        rc = token.kind == JSON_SCAN_OBJECT ? read_object(scan, token, &(member_sink){receive_member, &w})
                                            : read_value(scan, token, &element);
        if (rc == ASSAY_OK) sink->take(sink->context, w.found);
        if (rc == ASSAY_OK) rc = json_scan_next(scan, &token, NULL);
    }
    return rc;
}

assay_status serve_json_elements_members(assay_text text, const char *const *names, size_t n,
                                         void (*take)(void *context, const assay_text *values), void *context)
{
    return read_text(text, read_array, &(element_sink){names, n, take, context});
}

/* Receives all members, with their names verbatim. */
typedef struct object_sink {
    void (*take)(void *context, assay_text name, assay_text value);
    void *context;
} object_sink;

static void receive_any(void *context, const json_scan_token *name, assay_text value)
{
    const object_sink *sink = context;
    sink->take(sink->context, (assay_text){name->text - 1, name->n + 2}, value);
}

assay_status serve_json_object(assay_text text,
                               void (*take)(void *context, assay_text name, assay_text value), void *context)
{
    return read_text(text, read_object, &(member_sink){receive_any, &(object_sink){take, context}});
}

bool serve_json_is_string(assay_text value)
{
    return value.n >= 2 && value.at[0] == '"';
}

void serve_json_unquote(buffer *out, assay_text string)
{
    const json_scan_token token = {.kind = JSON_SCAN_STRING, .text = string.at + 1, .n = string.n - 2};
    const size_t begin = out->n;
    buffer_append(out, token.text, token.n);
    if (!out->failed && token.n > 0) out->n = begin + json_scan_unescape(out->data + begin, &token);
}

void serve_json_or_string(buffer *out, assay_text value)
{
    const assay_status rc = serve_json_check(value);
    if (rc == ASSAY_ENOMEM) out->failed = true;
    if (rc == ASSAY_OK) buffer_append(out, value.at, value.n);
    else json_append_quoted(out, value);
}
