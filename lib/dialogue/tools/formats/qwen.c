/* qwen: <tool_call>{"name": …, "arguments": {…}}</tool_call>, <function=NAME>…</function> with or without
 * those tags around it, [Calling tool: NAME({…})].
 *
 * A call in brackets within a function or an object, or an object within a function, is emitted before it and
 * is no part of it. A marker that begins no call withholds the content after it up to the matching end
 * marker: then the content is emitted, including its markers, except for pairs of tags with nothing left
 * between them. An unclosed block at the end of the text is dropped from its marker on, except for complete
 * calls in it; in an unclosed function, calls in brackets are emitted first.
 *
 * step3p5 is the same, but drops a call that repeats the previous one, and a call in brackets that repeats
 * the previous one in brackets.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/tools/bracket.h"
#include "dialogue/tools/formats.h"
#include "dialogue/tools/function.h"
#include "dialogue/tools/object.h"
#include "dialogue/tools/output.h"
#include "dialogue/tools/repeated.h"
#include "dialogue/tools/state.h"

#include <string.h>

#define TAG          "<tool_call>"
#define TAG_END      "</tool_call>"
#define FUNCTION     "<function="
#define FUNCTION_END "</function>"
#define BRACKET      SERVE_BRACKET
#define BRACKET_END  SERVE_BRACKET_END

enum { TAGGED, TAGGED_END, PLAIN, PLAIN_END, BRACKETED, BRACKETED_END }; /* openers */

/* Phases of a function. */
enum { IN_NAME, IN_BODY, TO_THE_END };

typedef struct qwen_state {
    /* Unclosed markers in the tail; content is withheld as long as there is one. */
    size_t n_tags;
    bool in_function, in_bracket;

    bool stray_end;  /* there was a </function> without <function= */
    buffer outer[3]; /* scratch: a block without the calls of one, two, three kinds */
    /* step3p5: name and arguments of the previous call, and of the previous one in brackets. */
    buffer previous, previous_in_brackets;
} qwen_state;

static const serve_tools_members MEMBERS = {.arguments = {"arguments"}};

/* Searches for the first `end` that follows '}', with or without white space between them. */
static bool find_end(serve_tools *t, assay_text text, const char *end, size_t *n)
{
    for (size_t at; (at = serve_span_find_next(text, &t->scan.seen, end)) != SERVE_NOWHERE;) {
        assay_text before = serve_span_part(text, 0, at);
        if (t->opener == TAGGED) before = serve_span_trim_end(before);
        const bool inner = t->opener == TAGGED && serve_bracket_ends(before, t->scan.mark);
        if (before.at[before.n - 1] != '}' && !inner) continue;
        *n = t->scan.seen;
        return true;
    }
    serve_tools_wait_for(t, text, end[0] == '<' ? "<" : ")<");
    return false;
}

static serve_tools_found withhold_call(serve_tools *t)
{
    qwen_state *own = t->own;
    t->withheld = true;
    if (t->opener == TAGGED) own->n_tags++;
    else *(t->opener == PLAIN ? &own->in_function : &own->in_bracket) = true;
    return SERVE_FOUND_CONTENT;
}

/* Moves scan.seen from after the tag past white space and complete calls in brackets, which are no part of
 * the object between the tags. False if more text may move it further. */
static bool skip_brackets(serve_tools *t, assay_text text, bool ended)
{
    serve_tools_scan *scan = &t->scan;
    size_t *mark = scan->mark, *searched = &scan->mark[2];
    const bool endless = t->disabled & 1U << BRACKETED;
    if (scan->seen == 0) scan->seen = strlen(TAG);
    for (;;) {
        if (*searched == 0) {
            scan->seen = serve_span_skip(text, scan->seen);
            const assay_text rest = serve_span_from(text, scan->seen);
            if (serve_span_begins(rest, BRACKET)) return false;
            if (endless || !serve_span_starts(rest, BRACKET)) return true;
            const serve_bracket found = serve_bracket_read(rest, mark);
            if (found != SERVE_BRACKET_CALL) return found == SERVE_BRACKET_OTHER;
            *searched = scan->seen + mark[1];
        }
        if (serve_span_find_next(text, searched, "}" BRACKET_END) == SERVE_NOWHERE) return ended;
        scan->seen = *searched;
        memset(mark, 0, sizeof scan->mark);
    }
}

/* After the tag: an object, nothing, or text of other calls or of no call. */
static serve_tools_found scan_tagged(serve_tools *t, assay_text text, bool ended, size_t *n)
{
    if (t->scan.phase == 0) {
        if (!skip_brackets(t, text, ended)) return SERVE_FOUND_MORE;
        const assay_text rest = serve_span_from(text, t->scan.seen);
        if (serve_span_begins(rest, TAG_END)) return SERVE_FOUND_MORE;
        *n = serve_span_skip(text, strlen(TAG));
        if (*n == t->scan.seen && serve_span_starts(rest, TAG_END)) {
            *n += strlen(TAG_END);
            return SERVE_FOUND_NOTHING;
        }
        if (rest.at[0] != '{') return withhold_call(t);
        memset(t->scan.mark, 0, sizeof t->scan.mark);
        t->scan.phase = 1;
    }
    return find_end(t, text, TAG_END, n) ? SERVE_FOUND_BLOCK : SERVE_FOUND_MORE;
}

static bool has_open_marker(const serve_tools *t)
{
    const qwen_state *own = t->own;
    return own->n_tags > 0 || own->in_function || own->in_bracket;
}

/* Emits what was withheld once no marker is open and nothing is absorbed. */
static void release_closed(serve_tools *t)
{
    if (t->withheld && !has_open_marker(t) && t->n_absorbed == 0) serve_tools_release(t);
}

/* Reads an end marker. Removes a pair of tags with nothing left between them from the tail; other text
 * between markers is content once the last marker is closed. */
static serve_tools_found read_end(serve_tools *t, size_t *n)
{
    qwen_state *own = t->own;
    *n = strlen(t->format->openers[t->opener]);
    const assay_text tail = serve_span_trim_end(buffer_text(&t->tail));
    if (t->opener == TAGGED_END && own->n_tags > 0 && serve_span_ends(tail, TAG)) {
        t->tail.n = tail.n - strlen(TAG);
        own->n_tags--;
        release_closed(t);
        return SERVE_FOUND_NOTHING;
    }
    own->stray_end |= t->opener == PLAIN_END && !own->in_function;
    if (t->opener == TAGGED_END) own->n_tags = 0;
    else *(t->opener == PLAIN_END ? &own->in_function : &own->in_bracket) = false;
    release_closed(t);
    return SERVE_FOUND_CONTENT;
}

/* After the marker: a name, and the end tag. If the numbers of start and end tags differ so far, published
 * streams emit nothing more, and the block reaches to the end of the text. */
static serve_tools_found scan_function(serve_tools *t, assay_text text, size_t *n)
{
    const qwen_state *own = t->own;
    *n = strlen(FUNCTION);
    if (t->scan.seen == 0) t->scan.seen = *n;
    if (t->scan.phase == IN_NAME) {
        const size_t end = serve_span_find_next(text, &t->scan.seen, ">");
        if (end == SERVE_NOWHERE) return SERVE_FOUND_MORE;
        if (end == *n) return withhold_call(t);
        t->scan.phase = IN_BODY;
    }
    if (t->scan.phase == IN_BODY) {
        if (serve_span_find_next(text, &t->scan.seen, FUNCTION_END) == SERVE_NOWHERE) return SERVE_FOUND_MORE;
        const bool nested =
            serve_span_find(serve_span_part(text, 0, t->scan.seen), *n, FUNCTION) != SERVE_NOWHERE;
        *n = t->scan.seen;
        if (!nested && !own->stray_end) return SERVE_FOUND_BLOCK;
        t->scan.phase = TO_THE_END;
    }
    t->scan.seen = text.n;
    serve_tools_wait_for(t, text,
                         "<"); /* of a </think>; otherwise only the end of the text can complete the block */
    return SERVE_FOUND_MORE;
}

static serve_tools_found scan_bracket(serve_tools *t, assay_text text, size_t *n)
{
    *n = strlen(BRACKET);
    const serve_bracket found =
        t->scan.seen > 0 ? SERVE_BRACKET_CALL : serve_bracket_read(text, t->scan.mark);
    if (found == SERVE_BRACKET_OPEN) return SERVE_FOUND_MORE;
    if (found == SERVE_BRACKET_OTHER) return withhold_call(t);
    if (t->scan.seen == 0) t->scan.seen = t->scan.mark[1] + 1;
    return find_end(t, text, BRACKET_END, n) ? SERVE_FOUND_BLOCK : SERVE_FOUND_MORE;
}

static serve_tools_found scan_block(serve_tools *t, assay_text text, bool ended, size_t *n)
{
    serve_tools_found found;
    switch (t->opener) {
    case TAGGED: found = scan_tagged(t, text, ended, n); break;
    case TAGGED_END:
    case PLAIN_END:
    case BRACKETED_END: return read_end(t, n);
    case PLAIN: found = scan_function(t, text, n); break;
    default: found = scan_bracket(t, text, n); break;
    }
    if (found != SERVE_FOUND_MORE || !ended) return found;
    t->disabled |= 1U << t->opener;
    *n = t->opener == PLAIN ? text.n : strlen(t->format->openers[t->opener]);
    if (t->opener == PLAIN) return SERVE_FOUND_BLOCK;
    t->content_mode = SERVE_CONTENT_DROPPED;
    return SERVE_FOUND_NOTHING;
}

static bool is_repeated(serve_tools *t, buffer *previous, assay_text name, assay_text arguments)
{
    const bool repeated = serve_tools_is_repeated(previous, name, arguments);
    t->failed |= previous->failed;
    return repeated;
}

/* Emits the call [Calling tool: NAME(OBJECT)]. Invalid text in its shape is dropped, as in both answers of
 * the published server; so it is for the other forms. */
static void read_bracket(serve_tools *t, assay_text block, size_t name, size_t name_end)
{
    qwen_state *own = t->own;
    const assay_text arguments = serve_span_part(block, name_end + 1, block.n - strlen(BRACKET_END));
    const assay_text called = serve_span_part(block, name, name_end);
    const assay_status rc = serve_json_check(arguments);
    if (rc == ASSAY_ENOMEM) t->failed = true;
    if (rc != ASSAY_OK) return;
    if (t->format->is_repeated && is_repeated(t, &own->previous_in_brackets, called, arguments)) return;
    serve_tools_call(t, called, arguments);
}

static void read_tagged(serve_tools *t, assay_text block)
{
    const assay_text body = serve_span_part(block, strlen(TAG), block.n - strlen(TAG_END));
    serve_tools_call_object(t, serve_span_trim(body), &MEMBERS);
}

/* Emits the call in brackets that text begins with and sets *n to its length; false if it is incomplete. If
 * its end marker is missing, *n is text.n, since later calls cannot be complete either. */
static bool read_bracket_at(serve_tools *t, assay_text text, size_t *n)
{
    size_t mark[2] = {0};
    if (serve_bracket_read(text, mark) != SERVE_BRACKET_CALL) return false;
    const size_t end = serve_span_find(text, mark[1], "}" BRACKET_END);
    *n = end == SERVE_NOWHERE ? text.n : end + strlen("}" BRACKET_END);
    if (end == SERVE_NOWHERE) return false;
    read_bracket(t, serve_span_part(text, 0, *n), mark[0], mark[1]);
    return true;
}

/* The same for an object between tags. */
static bool read_tagged_at(serve_tools *t, assay_text text, size_t *n)
{
    const size_t open = serve_span_skip(text, strlen(TAG));
    if (!serve_span_starts(serve_span_from(text, open), "{")) return false;
    for (size_t end = open; (end = serve_span_find(text, end, TAG_END)) != SERVE_NOWHERE; end++) {
        if (!serve_span_ends(serve_span_trim_end(serve_span_part(text, open, end)), "}")) continue;
        *n = end + strlen(TAG_END);
        read_tagged(t, serve_span_part(text, 0, *n));
        return true;
    }
    *n = text.n;
    return false;
}

/* The same for a function. */
static bool read_function_at(serve_tools *t, assay_text text, size_t *n)
{
    const size_t name_end = serve_span_find(text, strlen(FUNCTION), ">");
    if (name_end == strlen(FUNCTION)) return false;
    const size_t end = name_end == SERVE_NOWHERE ? name_end : serve_span_find(text, name_end, FUNCTION_END);
    *n = end == SERVE_NOWHERE ? text.n : end + strlen(FUNCTION_END);
    if (end == SERVE_NOWHERE) return false;
    (void)serve_function_call(t, serve_span_part(text, 0, *n), end, SERVE_FUNCTION_FRAMED);
    return true;
}

/* Emits the calls in text that begin with opener. Returns the rest of text, in `scratch`. */
static assay_text read_all(serve_tools *t, assay_text text, const char *opener, buffer *scratch,
                           bool (*read_at)(serve_tools *t, assay_text text, size_t *n))
{
    size_t from = 0, n;
    scratch->n = 0;
    for (size_t at = 0; (at = serve_span_find(text, at, opener)) != SERVE_NOWHERE; at += n) {
        n = strlen(opener);
        if (!read_at(t, serve_span_from(text, at), &n)) continue;
        buffer_append(scratch, text.at + from, at - from);
        from = at + n;
    }
    if (from == 0) return text;
    buffer_append(scratch, text.at + from, text.n - from);
    t->failed |= scratch->failed;
    return buffer_text(scratch);
}

/* The offset of the last `opener` in text if no `end` follows it; otherwise text.n. */
static size_t find_open(assay_text text, const char *opener, const char *end)
{
    size_t last = SERVE_NOWHERE;
    for (size_t at = 0; (at = serve_span_find(text, at, opener)) != SERVE_NOWHERE; at++) last = at;
    return last == SERVE_NOWHERE || serve_span_find(text, last, end) != SERVE_NOWHERE ? text.n : last;
}

static bool is_open(assay_text text, const char *opener, const char *end)
{
    return find_open(text, opener, end) < text.n;
}

/* Adds content up to the first unclosed marker, without pairs of tags that have nothing between them. */
static void emit_rest(serve_tools *t, assay_text text)
{
    const size_t ends[] = {find_open(text, TAG, TAG_END), find_open(text, FUNCTION, FUNCTION_END),
                           find_open(text, BRACKET, BRACKET_END)};
    size_t from = 0;
    for (size_t i = 0; i < 3; i++)
        if (ends[i] < text.n) text.n = ends[i];
    for (size_t at = 0; (at = serve_span_find(text, at, TAG)) != SERVE_NOWHERE; at++) {
        const size_t end = serve_span_skip(text, at + strlen(TAG));
        if (!serve_span_starts(serve_span_from(text, end), TAG_END)) continue;
        serve_tools_content(t, serve_span_part(text, from, at));
        from = end + strlen(TAG_END);
    }
    serve_tools_content(t, serve_span_from(text, from));
}

static serve_tools_found read_block(serve_tools *t, assay_text block)
{
    qwen_state *own = t->own;
    if (t->opener == BRACKETED) {
        read_bracket(t, block, t->scan.mark[0], t->scan.mark[1]);
        return SERVE_FOUND_NOTHING;
    }
    block = read_all(t, block, BRACKET, &own->outer[0], read_bracket_at);
    if (t->opener == TAGGED) {
        if (!t->failed) read_tagged(t, block);
        return SERVE_FOUND_NOTHING;
    }
    block = read_all(t, block, TAG, &own->outer[1], read_tagged_at);
    block = read_all(t, block, FUNCTION, &own->outer[2], read_function_at);
    if (t->disabled & 1U << PLAIN) emit_rest(t, block); /* the block reaches to the end of the text */
    return SERVE_FOUND_NOTHING;
}

/* Withholds the tail as long as it has an unclosed marker. */
static void recheck_tail(serve_tools *t)
{
    const assay_text tail = buffer_text(&t->tail);
    qwen_state *own = t->own;
    own->n_tags = is_open(tail, TAG, TAG_END);
    own->in_function = is_open(tail, FUNCTION, FUNCTION_END);
    own->in_bracket = is_open(tail, BRACKET, BRACKET_END);
    release_closed(t);
}

/* Absorbed text is no call, but is content if no call follows. */
static void absorb_thought(serve_tools *t, assay_text text)
{
    serve_tools_withhold_absorbed(t, text);
    recheck_tail(t);
}

/* Absorbed text is content if no call has come and no marker is open. */
static void finish_qwen(serve_tools *t)
{
    if (t->n_absorbed > 0 && !has_open_marker(t)) serve_tools_release(t);
}

static bool repeats_previous(serve_tools *t, assay_text name, assay_text arguments)
{
    qwen_state *own = t->own;
    return is_repeated(t, &own->previous, name, arguments);
}

static void free_own(void *state)
{
    qwen_state *own = state;
    for (size_t i = 0; i < sizeof own->outer / sizeof *own->outer; i++) buffer_free(&own->outer[i]);
    buffer_free(&own->previous);
    buffer_free(&own->previous_in_brackets);
}

/* Members of both formats. */
#define FORMAT                                                                                               \
    .openers = {TAG, TAG_END, FUNCTION, FUNCTION_END, BRACKET, BRACKET_END},                                 \
    .inner = {"<parameter=", "</parameter>"},                                                                \
    .ends = 1U << TAGGED_END | 1U << PLAIN_END | 1U << BRACKETED_END, .after = SERVE_AFTER_KEPT,             \
    .drops_thoughts = true, .drops_thought_ends = true, .scan_block = scan_block, .read_block = read_block,  \
    .absorb = absorb_thought, .recheck_tail = recheck_tail, .finish = finish_qwen,                           \
    .own_bytes = sizeof(qwen_state), .free_own = free_own

const serve_tools_format serve_tools_qwen = {
    .names = {"qwen", "qwen3"},
    FORMAT,
};

const serve_tools_format serve_tools_step3p5 = {
    .names = {"step3p5", "step"},
    FORMAT,
    .is_repeated = repeats_previous,
};
