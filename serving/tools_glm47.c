/* glm47: <tool_call>NAME<arg_key>KEY</arg_key><arg_value>VALUE</arg_value>…</tool_call>. Where the request
 * names tools, only those are called.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "serving/arguments.h"
#include "serving/tools_parts.h"

#include <string.h>

#define TAG       "<tool_call>"
#define TAG_END   "</tool_call>"
#define KEY       "<arg_key>"
#define KEY_END   "</arg_key>"
#define VALUE     "<arg_value>"
#define VALUE_END "</arg_value>"

static serve_tools_found look(serve_tools *t, assay_text text, bool ended, size_t *n)
{
    if (t->scan.seen == 0) t->scan.seen = strlen(TAG);
    const size_t end = serve_span_find_next(text, &t->scan.seen, TAG_END);
    *n = end != SERVE_NOWHERE ? t->scan.seen : text.n;
    if (end != SERVE_NOWHERE) return SERVE_FOUND_BLOCK;
    if (t->scan.seen == text.n) t->scan.until = TAG_END[0];
    return ended ? SERVE_FOUND_CONTENT : SERVE_FOUND_MORE;
}

/* The end of a key: one that a value follows, which begins at *value. */
static size_t find_key_end(assay_text text, size_t from, size_t *value)
{
    for (size_t end = from; (end = serve_span_find(text, end, KEY_END)) != SERVE_NOWHERE; end++) {
        const size_t begin = serve_span_skip(text, end + strlen(KEY_END));
        *value = begin + strlen(VALUE);
        if (serve_span_starts(serve_span_from(text, begin), VALUE)) return end;
    }
    return SERVE_NOWHERE;
}

static void add_argument(serve_tools *t, assay_text key, assay_text value, serve_arguments *out)
{
    if (key.n == 0) return;
    serve_arguments_name(out, key);
    const assay_status rc = serve_json_check(value);
    if (rc == ASSAY_ENOMEM) t->failed = true;
    if (rc == ASSAY_OK) serve_bytes_add(&out->text, value.at, value.n);
    else serve_bytes_add_quoted(&out->text, value);
}

static void read_arguments(serve_tools *t, assay_text text, serve_arguments *out)
{
    for (size_t at = 0, value; (at = serve_span_find(text, at, KEY)) != SERVE_NOWHERE;) {
        const size_t key = at + strlen(KEY), key_end = find_key_end(text, key, &value);
        if (key_end == SERVE_NOWHERE) return;
        const size_t end = serve_span_find(text, value, VALUE_END);
        if (end == SERVE_NOWHERE) return;
        add_argument(t, serve_span_trim(serve_span_part(text, key, key_end)),
                     serve_span_trim(serve_span_part(text, value, end)), out);
        at = end + strlen(VALUE_END);
    }
}

/* A name on one line, and then nothing but arguments: body begins behind the tag. */
static bool read_name(assay_text body, assay_text *name, size_t *arguments)
{
    const size_t begin = serve_span_skip(body, 0);
    size_t end = begin;
    while (end < body.n && body.at[end] != '\n' && body.at[end] != '<') end++;
    *arguments = serve_span_skip(body, end);
    *name = serve_span_trim(serve_span_part(body, begin, end));
    const assay_text rest = serve_span_from(body, *arguments);
    return name->n > 0 && (rest.n == 0 || serve_span_starts(rest, KEY));
}

static bool is_known(const serve_tools *t, assay_text name)
{
    return !serve_tools_request_names_any(t->request) || serve_tools_request_names(t->request, name);
}

/* The end of a thought that has no beginning takes what is before it along, unless that was told already. */
static bool is_thought(const serve_tools *t, assay_text block)
{
    return t->n_calls == 0 && serve_span_find(block, 0, "</think>") != SERVE_NOWHERE;
}

/* The first tag that a name follows is the call's. */
static serve_tools_found take(serve_tools *t, assay_text block)
{
    const size_t n_calls = t->n_calls;
    assay_text name, body = serve_span_part(block, 0, block.n - strlen(TAG_END));
    size_t arguments, at = 0;
    if (is_thought(t, block)) return SERVE_FOUND_CONTENT;
    do {
        body = serve_span_from(body, at + strlen(TAG));
        if (read_name(body, &name, &arguments)) break;
        at = serve_span_find(body, 0, TAG);
    } while (at != SERVE_NOWHERE);
    if (at == SERVE_NOWHERE || !is_known(t, name)) return SERVE_FOUND_CONTENT;

    serve_arguments gathered = {0};
    read_arguments(t, serve_span_from(body, arguments), &gathered);
    const assay_text object = serve_arguments_object(&gathered);
    t->failed |= gathered.text.failed || gathered.json.failed;
    if (!t->failed) serve_tools_call(t, name, object);
    serve_arguments_free(&gathered);
    return t->n_calls > n_calls ? SERVE_FOUND_NOTHING : SERVE_FOUND_CONTENT;
}

const serve_tools_format serve_tools_glm47 = {
    .names = {"glm47", "glm4"},
    .openers = {TAG},
    .inner = {TAG_END, KEY, KEY_END, VALUE, VALUE_END},
    .after = SERVE_AFTER_MARKER_UNCALLED,
    .drops_thoughts = true,
    .look = look,
    .take = take,
};
