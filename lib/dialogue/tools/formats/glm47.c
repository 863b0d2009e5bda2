/* glm47: <tool_call>NAME<arg_key>KEY</arg_key><arg_value>VALUE</arg_value>…</tool_call>. If the request names
 * tools, other names are not calls. poolside_v1: the same, but a value that the request declares a string is
 * copied verbatim, and of a duplicate key the first value is used.
 *
 * From the first tag on, text between <think> and </think> is dropped, and no call ends within it. A </think>
 * without <think> absorbs the text before it, but not what was already emitted, and not a call if the text
 * has a complete thinking block and no call before the end of that block.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/json_escape.h"
#include "dialogue/tools/formats.h"
#include "dialogue/tools/output.h"
#include "dialogue/tools/state.h"
#include "dialogue/tools/thoughts.h"
#include "dialogue/values/arguments.h"

#include <string.h>

#define TAG       "<tool_call>"
#define TAG_END   "</tool_call>"
#define KEY       "<arg_key>"
#define KEY_END   "</arg_key>"
#define VALUE     "<arg_value>"
#define VALUE_END "</arg_value>"

/* t->scan.phase: scan.seen is within a thinking block, where end tags are ignored. mark[0]: the offset after
 * the blocks before it. */
enum { THINKING = 1 };

/* The call that a </think> has absorbed. */
typedef struct glm47_state {
    bool is_kept;
    buffer name, arguments;
} glm47_state;

/* Values of t->opener; <think> opens a block only after the first tag. */
enum { CALL, THOUGHT };

/* Whether a thinking block that begins in text[mark[0]..end) is open at `end`; the search for its end starts
 * then. */
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

/* Searches for the first end tag outside of thinking blocks. */
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
        if (t->thoughts.endless || !is_within_thought(t, text, end)) return true;
    }
}

static serve_tools_found scan_call(serve_tools *t, assay_text text, bool ended, size_t *n)
{
    if (t->scan.seen == 0) t->scan.seen = strlen(TAG);
    bool found = find_end(t, text);
    if (!found && ended && t->scan.phase == THINKING) {
        t->thoughts.endless = true;
        t->scan = (serve_tools_scan){.seen = strlen(TAG)};
        found = find_end(t, text);
    }
    *n = t->scan.seen;
    if (found) return SERVE_FOUND_BLOCK;
    if (t->scan.phase == 0) serve_tools_wait_for(t, text, "<");
    if (!ended) return SERVE_FOUND_MORE;
    t->disabled |= 1U << t->opener;
    serve_tools_content(t, serve_span_part(text, 0, strlen(TAG)));
    *n = strlen(TAG);
    return SERVE_FOUND_CHAIN;
}

static void emit_call(serve_tools *t, assay_text name, assay_text arguments)
{
    glm47_state *own = t->own;
    own->is_kept = false;
    if (!t->failed) serve_tools_call(t, name, arguments);
}

static void pass_thought(serve_tools *t)
{
    const glm47_state *own = t->own;
    t->thoughts.had = SERVE_THOUGHT_WHOLE;
    if (own->is_kept) emit_call(t, buffer_text(&own->name), buffer_text(&own->arguments));
}

/* Whether a </think> absorbs the text before it, which has been held at most. */
static bool absorbs_text(serve_tools *t)
{
    if (t->thoughts.had != SERVE_THOUGHT_NONE) return false;
    t->thoughts.had = SERVE_THOUGHT_STRAY;
    if (t->n_calls == 0) t->tail.n = 0;
    return t->n_calls == 0;
}

static serve_tools_found scan_thought(serve_tools *t, assay_text text, bool ended, size_t *n)
{
    if (t->scan.seen == 0) t->scan.seen = strlen(SERVE_THINK);
    const bool found = serve_span_find_next(text, &t->scan.seen, SERVE_THINK_END) != SERVE_NOWHERE;
    if (!found && !ended) return SERVE_FOUND_MORE;
    *n = found ? t->scan.seen : strlen(SERVE_THINK);
    if (found) {
        pass_thought(t);
    } else {
        t->thoughts.endless = true;
        serve_tools_content(t, serve_span_part(text, 0, *n));
    }
    return SERVE_FOUND_CHAIN;
}

/* The tag that text begins with, after the first tag. NULL if there is none; *part: text is a proper prefix
 * of one. */
static const char *find_tag(const serve_tools *t, assay_text text, bool *part)
{
    static const char *const TAGS[] = {TAG, SERVE_THINK, SERVE_THINK_END};
    *part = false;
    for (size_t i = 0; i < sizeof TAGS / sizeof *TAGS; i++) {
        if ((i == CALL && t->disabled != 0) || (i == THOUGHT && t->thoughts.endless)) continue;
        if (serve_span_starts(text, TAGS[i])) return TAGS[i];
        *part |= serve_span_begins(text, TAGS[i]);
    }
    return NULL;
}

/* After a block: reads content up to the next tag, or that tag. SERVE_FOUND_BLOCK: the tag opens a block,
 * t->opener. */
static serve_tools_found scan_after(serve_tools *t, assay_text text, bool ended, size_t *n)
{
    const char *tag = NULL;
    bool part;
    *n = 0;
    while ((*n = serve_span_find(text, *n, "<")) != SERVE_NOWHERE) {
        tag = find_tag(t, serve_span_from(text, *n), &part);
        if (tag || (part && !ended)) break;
        ++*n;
    }
    if (*n == SERVE_NOWHERE) *n = text.n;
    if (*n > 0) {
        serve_tools_content(t, serve_span_part(text, 0, *n));
        return SERVE_FOUND_CHAIN;
    }
    if (!tag) return ended ? SERVE_FOUND_NOTHING : SERVE_FOUND_MORE;
    if (strcmp(tag, SERVE_THINK_END) != 0) {
        t->opener = strcmp(tag, TAG) == 0 ? CALL : THOUGHT;
        return SERVE_FOUND_BLOCK;
    }
    *n = strlen(tag);
    if (!absorbs_text(t)) serve_tools_content(t, serve_span_part(text, 0, *n));
    return SERVE_FOUND_CHAIN;
}

static serve_tools_found scan_block(serve_tools *t, assay_text text, bool ended, size_t *n)
{
    serve_tools_found found = SERVE_FOUND_BLOCK;
    if (t->opener == SERVE_CHAINED) found = scan_after(t, text, ended, n);
    if (found != SERVE_FOUND_BLOCK) return found;
    return t->opener == THOUGHT ? scan_thought(t, text, ended, n) : scan_call(t, text, ended, n);
}

/* The offset of the </arg_key> that a value follows, which begins at *value. */
static size_t find_key_end(assay_text text, size_t from, size_t *value)
{
    for (size_t end = from; (end = serve_span_find(text, end, KEY_END)) != SERVE_NOWHERE; end++) {
        const size_t begin = serve_span_skip(text, end + strlen(KEY_END));
        *value = begin + strlen(VALUE);
        if (serve_span_starts(serve_span_from(text, begin), VALUE)) return end;
    }
    return SERVE_NOWHERE;
}

/* poolside_v1: a value that the request declares a string is copied verbatim. */
static bool is_verbatim(const serve_tools *t, assay_text tool, assay_text key)
{
    return t->format == &serve_tools_poolside_v1 && serve_tools_request_is_string(t->request, tool, key);
}

static void add_argument(serve_tools *t, assay_text tool, assay_text key, assay_text value,
                         serve_arguments *out)
{
    if (key.n == 0) return;
    serve_arguments_name(out, key);
    if (is_verbatim(t, tool, key)) json_append_quoted(&out->text, value);
    else serve_json_or_string(&out->text, serve_span_trim(value));
}

static void read_arguments(serve_tools *t, assay_text tool, assay_text text, serve_arguments *out)
{
    out->first_counts = t->format == &serve_tools_poolside_v1;
    for (size_t at = 0, value; (at = serve_span_find(text, at, KEY)) != SERVE_NOWHERE;) {
        const size_t key = at + strlen(KEY), key_end = find_key_end(text, key, &value);
        if (key_end == SERVE_NOWHERE) return;
        const size_t end = serve_span_find(text, value, VALUE_END);
        if (end == SERVE_NOWHERE) return;
        add_argument(t, tool, serve_span_trim(serve_span_part(text, key, key_end)),
                     serve_span_part(text, value, end), out);
        at = end + strlen(VALUE_END);
    }
}

/* Reads a name on one line that only arguments follow. body: the text after the tag. A blank is accepted as
 * an empty name. */
static bool read_name(assay_text body, assay_text *name, size_t *arguments)
{
    const size_t begin = serve_span_skip(body, 0);
    size_t end = begin, n_newlines = 0;
    while (n_newlines < begin && body.at[n_newlines] == '\n') n_newlines++;
    while (end < body.n && body.at[end] != '\n' && body.at[end] != '<') end++;
    *arguments = serve_span_skip(body, end);
    *name = serve_span_trim(serve_span_part(body, begin, end));
    const assay_text rest = serve_span_from(body, *arguments);
    return end > n_newlines && (rest.n == 0 || serve_span_starts(rest, KEY));
}

static bool is_known(const serve_tools *t, assay_text name)
{
    return !serve_tools_request_names_any(t->request) || serve_tools_request_names(t->request, name);
}

/* Reads the call of a block, which begins at the first tag that a name follows. False if there is none. */
static bool read_call(serve_tools *t, assay_text block, assay_text *name, serve_arguments *out)
{
    assay_text body = serve_span_part(block, 0, block.n - strlen(TAG_END));
    size_t arguments;
    for (size_t at; (at = serve_span_find(body, 0, TAG)) != SERVE_NOWHERE;) {
        body = serve_span_from(body, at + strlen(TAG));
        if (!read_name(body, name, &arguments)) continue;
        if (name->n == 0 || !is_known(t, *name)) return false;
        read_arguments(t, *name, serve_span_from(body, arguments), out);
        return true;
    }
    return false;
}

/* Stores a call that a </think> absorbs; it is emitted if a complete thinking block follows. */
static void keep_call(serve_tools *t, assay_text name, assay_text arguments)
{
    glm47_state *own = t->own;
    own->name.n = own->arguments.n = 0;
    buffer_append(&own->name, name.at, name.n);
    buffer_append(&own->arguments, arguments.at, arguments.n);
    t->failed |= own->name.failed || own->arguments.failed;
    own->is_kept = true;
}

/* Passes the call of a block to `to`. False if there is none. */
static bool pass_call(serve_tools *t, assay_text block, void (*to)(serve_tools *, assay_text, assay_text))
{
    serve_arguments gathered = {0};
    assay_text name;
    const bool is_one = read_call(t, block, &name, &gathered);
    if (is_one) {
        const assay_text object = serve_arguments_object(&gathered);
        t->failed |= gathered.text.failed || gathered.json.failed;
        to(t, name, object);
    }
    serve_arguments_free(&gathered);
    return is_one;
}

static serve_tools_found read_block(serve_tools *t, assay_text block)
{
    if (t->block.n > 0) pass_thought(t);
    const size_t end = serve_span_find(block, 0, SERVE_THINK_END);
    if (end != SERVE_NOWHERE && absorbs_text(t)) {
        (void)pass_call(t, block, keep_call);
        block = serve_span_from(block, end + strlen(SERVE_THINK_END));
    }
    if (!pass_call(t, block, emit_call)) serve_tools_content(t, block);
    return SERVE_FOUND_CHAIN;
}

static void free_own(void *own)
{
    buffer_free(&((glm47_state *)own)->name);
    buffer_free(&((glm47_state *)own)->arguments);
}

/* Members of both formats. */
#define FORMAT                                                                                               \
    .openers = {TAG}, .inner = {TAG_END, KEY, KEY_END, VALUE, VALUE_END}, .drops_thoughts = true,            \
    .scan_block = scan_block, .read_block = read_block, .own_bytes = sizeof(glm47_state),                    \
    .free_own = free_own

const serve_tools_format serve_tools_glm47 = {
    .names = {"glm47", "glm4"},
    FORMAT,
    .after = SERVE_AFTER_MARKER_UNCALLED,
};

const serve_tools_format serve_tools_poolside_v1 = {
    .names = {"poolside_v1"},
    FORMAT,
    .after = SERVE_AFTER_MARKER_DROPPED,
};
