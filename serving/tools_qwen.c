/* qwen: <tool_call>{"name": …, "arguments": {…}}</tool_call>, <function=NAME>…</function> with or without
 * those tags around it, [Calling tool: NAME({…})].
 *
 * A marker that begins no call withholds the content behind it until its end: then that is content, markers
 * and all, but for tags with nothing left between them. What the text ends in is dropped from its marker on,
 * but for whole calls in it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "serving/tools_function.h"

#include <string.h>

#define TAG          "<tool_call>"
#define TAG_END      "</tool_call>"
#define FUNCTION     "<function="
#define FUNCTION_END "</function>"
#define BRACKET      "[Calling tool:"
#define BRACKET_END  ")]"

enum { TAGGED, TAGGED_END, PLAIN, PLAIN_END, BRACKETED, BRACKETED_END }; /* openers */
enum { IN_BRACKET = 1, IN_FUNCTION = 2 };                                /* t->state, bits */

static const serve_tools_members MEMBERS = {.arguments = {"arguments"}};

/* To the first `end` behind '}', with or without white space between them. */
static bool find_end(serve_tools *t, assay_text text, const char *end, size_t *n)
{
    for (size_t at; (at = serve_span_find_next(text, &t->scan.seen, end)) != SERVE_NOWHERE;) {
        assay_text before = serve_span_part(text, 0, at);
        if (t->opener == TAGGED) before = serve_span_trim_end(before);
        if (before.at[before.n - 1] != '}') continue;
        *n = t->scan.seen;
        return true;
    }
    serve_tools_wait_for(t, text, end[0] == '<' ? "<" : ")<");
    return false;
}

static serve_tools_found withhold(serve_tools *t)
{
    t->withheld = true;
    if (t->opener == TAGGED) t->n_tags++;
    else t->state |= t->opener == PLAIN ? IN_FUNCTION : IN_BRACKET;
    return SERVE_FOUND_CONTENT;
}

/* Behind the tag: an object, nothing, or what belongs to other calls or to none. */
static serve_tools_found look_tagged(serve_tools *t, assay_text text, size_t *n)
{
    if (t->scan.phase == 0) {
        t->scan.seen = serve_span_skip(text, t->scan.seen > 0 ? t->scan.seen : strlen(TAG));
        const assay_text rest = serve_span_from(text, t->scan.seen);
        *n = t->scan.seen;
        if (serve_span_begins(rest, TAG_END)) return SERVE_FOUND_MORE;
        if (serve_span_starts(rest, TAG_END)) {
            *n += strlen(TAG_END);
            return SERVE_FOUND_NOTHING;
        }
        if (rest.at[0] != '{') return withhold(t);
        t->scan.phase = 1;
    }
    return find_end(t, text, TAG_END, n) ? SERVE_FOUND_BLOCK : SERVE_FOUND_MORE;
}

/* What was withheld, once no marker is open any more and nothing waits for a call. */
static void release_closed(serve_tools *t)
{
    if (t->withheld && t->n_tags == 0 && t->state == 0 && t->n_taken == 0) serve_tools_release(t);
}

/* The end of a tag, or of a bracket. Tags with nothing left between them are taken back; what else is between
 * markers is content with the last of them. */
static serve_tools_found look_end(serve_tools *t, size_t *n)
{
    *n = strlen(t->format->openers[t->opener]);
    const assay_text tail = serve_span_trim_end(serve_bytes_text(&t->tail));
    if (t->opener == TAGGED_END && t->n_tags > 0 && serve_span_ends(tail, TAG)) {
        t->tail.n = tail.n - strlen(TAG);
        t->n_tags--;
        release_closed(t);
        return SERVE_FOUND_NOTHING;
    }
    if (t->opener == TAGGED_END) t->n_tags = 0;
    else t->state &= t->opener == PLAIN_END ? ~IN_FUNCTION : ~IN_BRACKET;
    release_closed(t);
    return SERVE_FOUND_CONTENT;
}

/* Behind the marker: a name, and the end of a function that has one. */
static serve_tools_found look_function(serve_tools *t, assay_text text, size_t *n)
{
    *n = strlen(FUNCTION);
    if (t->scan.seen == 0) t->scan.seen = *n;
    if (t->scan.phase == 0) {
        const size_t end = serve_span_find_next(text, &t->scan.seen, ">");
        if (end == SERVE_NOWHERE) return SERVE_FOUND_MORE;
        if (end == *n) return withhold(t);
        t->scan.phase = 1;
    }
    if (serve_span_find_next(text, &t->scan.seen, FUNCTION_END) == SERVE_NOWHERE) return SERVE_FOUND_MORE;
    *n = t->scan.seen;
    return SERVE_FOUND_BLOCK;
}

/* What stands behind the bracket: a call, what may become one, or neither. */
typedef enum found_bracket { BRACKET_CALL, BRACKET_OPEN, BRACKET_OTHER } found_bracket;

/* mark: the beginning and the end of the name, as far as they were looked for. */
static found_bracket read_bracket(assay_text text, size_t *mark)
{
    if (mark[1] == 0) {
        mark[0] = serve_span_skip(text, mark[0] > 0 ? mark[0] : strlen(BRACKET));
        mark[1] = mark[0];
    }
    mark[1] += serve_span_word(serve_span_from(text, mark[1]));
    const assay_text rest = serve_span_from(text, mark[1]);
    const bool named = mark[1] > mark[0];
    if (rest.n == 0) {
        if (!named) mark[1] = 0; /* white space may go on */
        return BRACKET_OPEN;
    }
    if (!named) return BRACKET_OTHER;
    return serve_span_begins(rest, "({")   ? BRACKET_OPEN
           : serve_span_starts(rest, "({") ? BRACKET_CALL
                                           : BRACKET_OTHER;
}

static serve_tools_found look_bracket(serve_tools *t, assay_text text, size_t *n)
{
    *n = strlen(BRACKET);
    const found_bracket found = t->scan.seen > 0 ? BRACKET_CALL : read_bracket(text, t->scan.mark);
    if (found == BRACKET_OPEN) return SERVE_FOUND_MORE;
    if (found == BRACKET_OTHER) return withhold(t);
    if (t->scan.seen == 0) t->scan.seen = t->scan.mark[1] + 1;
    return find_end(t, text, BRACKET_END, n) ? SERVE_FOUND_BLOCK : SERVE_FOUND_MORE;
}

static serve_tools_found look(serve_tools *t, assay_text text, bool ended, size_t *n)
{
    serve_tools_found found;
    switch (t->opener) {
    case TAGGED: found = look_tagged(t, text, n); break;
    case TAGGED_END:
    case PLAIN_END:
    case BRACKETED_END: return look_end(t, n);
    case PLAIN: found = look_function(t, text, n); break;
    default: found = look_bracket(t, text, n); break;
    }
    if (found != SERVE_FOUND_MORE || !ended) return found;
    t->dropping = true;
    t->dead |= 1U << t->opener;
    *n = strlen(t->format->openers[t->opener]);
    return SERVE_FOUND_NOTHING;
}

/* What has the shape of a call and is broken is dropped, as by both answers of the published server. */
static serve_tools_found take(serve_tools *t, assay_text block)
{
    if (t->opener == PLAIN) {
        (void)serve_function_call(t, block, block.n - strlen(FUNCTION_END), SERVE_FUNCTION_FRAMED);
    } else if (t->opener == TAGGED) {
        const assay_text body = serve_span_part(block, strlen(TAG), block.n - strlen(TAG_END));
        serve_tools_call_object(t, serve_span_trim(body), &MEMBERS);
    } else {
        const size_t *name = t->scan.mark;
        const assay_text arguments = serve_span_part(block, name[1] + 1, block.n - strlen(BRACKET_END));
        const assay_status rc = serve_json_check(arguments);
        if (rc == ASSAY_ENOMEM) t->failed = true;
        if (rc == ASSAY_OK) serve_tools_call(t, serve_span_part(block, name[0], name[1]), arguments);
    }
    return SERVE_FOUND_NOTHING;
}

/* Whether the last `opener` of a text has no `end` behind it. */
static bool is_open(assay_text text, const char *opener, const char *end)
{
    size_t last = SERVE_NOWHERE;
    for (size_t at = 0; (at = serve_span_find(text, at, opener)) != SERVE_NOWHERE; at++) last = at;
    return last != SERVE_NOWHERE && serve_span_find(text, last, end) == SERVE_NOWHERE;
}

/* The tail is withheld as long as a marker in it has no end. */
static void settle(serve_tools *t)
{
    const assay_text tail = serve_bytes_text(&t->tail);
    t->n_tags = is_open(tail, TAG, TAG_END);
    t->state = (is_open(tail, FUNCTION, FUNCTION_END) ? IN_FUNCTION : 0) |
               (is_open(tail, BRACKET, BRACKET_END) ? IN_BRACKET : 0);
    if (t->n_tags == 0 && t->state == 0) serve_tools_release(t);
}

/* No call any more, but content if none follows. */
static void take_along(serve_tools *t, assay_text text)
{
    serve_tools_withhold_taken(t, text);
    settle(t);
}

const serve_tools_format serve_tools_qwen = {
    .names = {"qwen", "qwen3"},
    .openers = {TAG, TAG_END, FUNCTION, FUNCTION_END, BRACKET, BRACKET_END},
    .inner = {"<parameter=", "</parameter>"},
    .ends = 1U << TAGGED_END | 1U << PLAIN_END | 1U << BRACKETED_END,
    .after = SERVE_AFTER_KEPT,
    .drops_thoughts = true,
    .look = look,
    .take = take,
    .take_along = take_along,
    .settle = settle,
};
