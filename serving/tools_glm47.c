/* glm47: <tool_call>NAME<arg_key>KEY</arg_key><arg_value>VALUE</arg_value>…</tool_call>. Where the request
 * names tools, only those are called. No call ends within a thought.
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

/* t->scan.phase: seen is within a thought, which no end of a call is looked for in; mark[0] is behind those
 * before. t->state: there is a thought without an end, so that none counts. */
enum { THINKING = 1 };
enum { NO_THOUGHTS = 1 };

/* Whether a thought that begins in text[mark[0]..end) goes on there; then it is looked for its end. */
static bool is_within_thought(serve_tools *t, assay_text text, size_t end)
{
    size_t *from = &t->scan.mark[0];
    const assay_text before = serve_span_part(text, 0, end);
    for (size_t begin; (begin = serve_span_find(before, *from, SERVE_THINK)) != SERVE_NOWHERE;) {
        const size_t over = serve_span_find(before, begin, SERVE_THINK_END);
        *from = over != SERVE_NOWHERE ? over + strlen(SERVE_THINK_END) : begin + strlen(SERVE_THINK);
        if (over != SERVE_NOWHERE) continue;
        t->scan.phase = THINKING;
        t->scan.seen = *from;
        return true;
    }
    return false;
}

/* To the first end that is not within a thought. */
static bool find_end(serve_tools *t, assay_text text)
{
    for (size_t end;;) {
        if (t->scan.phase == THINKING) {
            if (serve_span_find_next(text, &t->scan.seen, SERVE_THINK_END) == SERVE_NOWHERE) return false;
            t->scan.phase = 0;
            t->scan.mark[0] = t->scan.seen;
        }
        end = serve_span_find_next(text, &t->scan.seen, TAG_END);
        if (end == SERVE_NOWHERE) return false;
        if (t->state == NO_THOUGHTS || !is_within_thought(t, text, end)) return true;
    }
}

static serve_tools_found look(serve_tools *t, assay_text text, bool ended, size_t *n)
{
    if (t->scan.seen == 0) t->scan.seen = strlen(TAG);
    bool found = find_end(t, text);
    if (!found && ended && t->scan.phase == THINKING) {
        t->state = NO_THOUGHTS;
        t->scan = (serve_tools_scan){.seen = strlen(TAG)};
        found = find_end(t, text);
    }
    *n = found ? t->scan.seen : text.n;
    if (found) return SERVE_FOUND_BLOCK;
    if (t->scan.phase == 0) serve_tools_wait_for(t, text, "<");
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
    return t->n_calls == 0 && serve_span_find(block, 0, SERVE_THINK_END) != SERVE_NOWHERE;
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
