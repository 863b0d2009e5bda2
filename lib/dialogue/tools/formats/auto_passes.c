/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/tools/formats/auto_passes.h"
#include "dialogue/tools/function.h"
#include "dialogue/tools/list.h"
#include "dialogue/tools/object.h"
#include "dialogue/tools/output.h"
#include "dialogue/values/arguments.h"

#include <string.h>

#define TAG          "<tool_call>"
#define TAG_END      "</tool_call>"
#define FUNCTION     "<function="
#define FUNCTION_END "</function>"

/* What was read at an opener. */
typedef enum match {
    MATCH,    /* a call, or text of its shape: text[at..*end) */
    NO_MATCH, /* not a call; none begins before *end */
    NONE_LEFT /* not a call; none begins anywhere after it */
} match;

/* One format: the opener of its calls, and a function that reads a call from text[at..). */
typedef struct pass {
    const char *opener;
    match (*read)(serve_tools *t, assay_text text, size_t at, size_t *end);
} pass;

/* Reads NAME({…})] at text[at..): \w+, then up to the first "})]". */
static match read_bracket(serve_tools *t, assay_text text, size_t at, size_t *end)
{
    const size_t n_name = serve_span_word(serve_span_from(text, at)), brace = at + n_name + 1;
    *end = at + n_name;
    if (n_name == 0 || !serve_span_starts(serve_span_from(text, *end), "({")) return NO_MATCH;
    const size_t close = serve_span_find(text, brace + 1, "})]");
    if (close == SERVE_NOWHERE) return NONE_LEFT;
    serve_tools_call(t, serve_span_part(text, at, *end), serve_span_part(text, brace, close + 1));
    *end = close + strlen("})]");
    return MATCH;
}

static match read_named_bracket(serve_tools *t, assay_text text, size_t at, size_t *end)
{
    return read_bracket(t, text, serve_span_skip(text, at + strlen("[Calling tool:")), end);
}

static match read_bare_bracket(serve_tools *t, assay_text text, size_t at, size_t *end)
{
    return read_bracket(t, text, at + 1, end);
}

/* Emits a call with parameters, all of which are strings. */
static void call_function(serve_tools *t, assay_text name, assay_text body)
{
    serve_arguments arguments = {0};
    serve_function_parameters(body, SERVE_FUNCTION_STRINGS, &arguments);
    const assay_text object = serve_arguments_object(&arguments);
    t->failed |= arguments.text.failed || arguments.json.failed;
    if (!t->failed && name.n > 0) serve_tools_call(t, name, object);
    serve_arguments_free(&arguments);
}

static match read_tagged_function(serve_tools *t, assay_text text, size_t at, size_t *end)
{
    const size_t begin = serve_span_skip(text, at + strlen(TAG));
    *end = begin;
    if (!serve_span_starts(serve_span_from(text, begin), FUNCTION)) return NO_MATCH;
    const size_t name = begin + strlen(FUNCTION), name_end = serve_span_find(text, name, ">");
    if (name_end == SERVE_NOWHERE) return NONE_LEFT;
    *end = name;
    if (name_end == name) return NO_MATCH;
    serve_tools_scan scan = {.seen = name_end + 1};
    if (!serve_function_find_tagged_end(&scan, text, end)) return NONE_LEFT;
    const assay_text body = serve_span_trim_end(serve_span_part(text, name_end + 1, *end - strlen(TAG_END)));
    call_function(t, serve_span_trim(serve_span_part(text, name, name_end)),
                  serve_span_part(body, 0, body.n - strlen(FUNCTION_END)));
    return MATCH;
}

/* Reads up to the first end tag that follows '}' and white space. */
static match read_tagged_object(serve_tools *t, assay_text text, size_t at, size_t *end)
{
    static const serve_tools_members MEMBERS = {.arguments = {"arguments"}};
    const size_t begin = serve_span_skip(text, at + strlen(TAG));
    *end = begin;
    if (begin == text.n || text.at[begin] != '{') return NO_MATCH;
    for (size_t close = begin; (close = serve_span_find(text, close, TAG_END)) != SERVE_NOWHERE; close++) {
        const assay_text object = serve_span_trim_end(serve_span_part(text, begin, close));
        if (object.at[object.n - 1] != '}') continue;
        serve_tools_call_object(t, object, &MEMBERS);
        *end = close + strlen(TAG_END);
        return MATCH;
    }
    return NONE_LEFT;
}

static match read_function(serve_tools *t, assay_text text, size_t at, size_t *end)
{
    const size_t name = at + strlen(FUNCTION), name_end = serve_span_find(text, name, ">");
    if (name_end == SERVE_NOWHERE) return NONE_LEFT;
    *end = name;
    if (name_end == name) return NO_MATCH;
    *end = name_end + 1;
    if (*end == text.n || text.at[*end] != '{') return NO_MATCH;
    const size_t close = serve_span_find(text, *end, "}" FUNCTION_END);
    if (close == SERVE_NOWHERE) return NONE_LEFT;
    const assay_text called = serve_span_trim(serve_span_part(text, name, name_end));
    if (called.n > 0) serve_tools_call(t, called, serve_span_part(text, *end, close + 1));
    *end = close + strlen("}" FUNCTION_END);
    return MATCH;
}

static const pass PASSES[] = {
    {"[Calling tool:", read_named_bracket},
    {"[", read_bare_bracket},
    {TAG, read_tagged_function},
    {TAG, read_tagged_object},
    {FUNCTION, read_function},
};

/* Emits the calls of one format, and sets left to the text without them. */
static void run_pass(serve_tools *t, const pass *p, assay_text text, buffer *left)
{
    size_t from = 0, at = 0, end = 0;
    match found = NO_MATCH;
    left->n = 0;
    while (found != NONE_LEFT && (at = serve_span_find(text, at, p->opener)) != SERVE_NOWHERE) {
        found = p->read(t, text, at, &end);
        if (found == MATCH) {
            buffer_append(left, text.at + from, at - from);
            from = end;
        }
        at = end;
    }
    buffer_append(left, text.at + from, text.n - from);
    t->failed |= left->failed;
}

static const serve_tools_members NAMED_OR_TYPED = {.other_name = "type", .arguments = {"arguments"}};

/* Reads objects that are found by counting braces only. */
static void read_objects(serve_tools *t, assay_text text)
{
    size_t depth = 0, begin = 0;
    for (size_t i = 0; i < text.n; i++) {
        if (text.at[i] == '{' && depth++ == 0) begin = i;
        if (text.at[i] != '}' || depth == 0 || --depth > 0) continue;
        serve_tools_call_object(t, serve_span_part(text, begin, i + 1), &NAMED_OR_TYPED);
    }
}

void serve_auto_read_all(serve_tools *t, assay_text text, bool bare)
{
    const size_t n_calls = t->n_calls;
    buffer left[2] = {{0}, {0}};
    for (size_t i = 0; i < sizeof PASSES / sizeof *PASSES && !t->failed; i++) {
        run_pass(t, &PASSES[i], text, &left[i % 2]);
        text = buffer_text(&left[i % 2]);
    }
    if (bare && !t->failed && t->n_calls == n_calls) {
        text = serve_span_trim(text);
        if (serve_list_read(t, text, &NAMED_OR_TYPED) == SERVE_LIST_NONE) read_objects(t, text);
    }
    buffer_free(&left[0]);
    buffer_free(&left[1]);
}
