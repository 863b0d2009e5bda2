/* hermes: <tool_call>{"name": …, "arguments": {…}}</tool_call>; between the same markers, or without them as
 * long as no marker was seen, <function=NAME>…</function>.
 *
 * The end of a function that none was open for takes the next function with it, which is content then.
 *
 * A block ends at the first end marker behind '}' (behind </function>), so that one in a string, say, does
 * not end it. One that the text ends in is a call where its object is whole, whatever stands between it and
 * its tag; that may be another tag, so content from a tag on that is followed by another is withheld until a
 * call or the end of the text.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "serving/tools/formats.h"
#include "serving/tools/function.h"
#include "serving/tools/object.h"
#include "serving/tools/output.h"
#include "serving/tools/state.h"
#include "serving/tools/thoughts.h"

#include <string.h>

#define TAG          "<tool_call>"
#define TAG_END      "</tool_call>"
#define FUNCTION     "<function="
#define FUNCTION_END "</function>"

enum { TAGGED, BARE, STRAY }; /* openers */

typedef struct hermes_state {
    int n_stray; /* ends of functions that none was open for */
} hermes_state;

/* What stands between the tags, as far as it is known. */
enum { UNKNOWN, OBJECT, FUNCTIONS, OTHER };

static int tell_body(assay_text body)
{
    if (serve_span_starts(body, "{")) return OBJECT;
    if (serve_span_starts(body, FUNCTION)) return FUNCTIONS;
    return serve_span_begins(body, FUNCTION) ? UNKNOWN : OTHER;
}

static bool find_object_end(serve_tools *t, assay_text text, size_t *n)
{
    for (size_t at; (at = serve_span_find_next(text, &t->scan.seen, TAG_END)) != SERVE_NOWHERE;) {
        const assay_text body = serve_span_trim_end(serve_span_part(text, strlen(TAG), at));
        if (body.at[body.n - 1] != '}') continue;
        *n = t->scan.seen;
        return true;
    }
    serve_tools_wait_for(t, text, "<");
    return false;
}

/* What is neither reaches to its end marker, or to the next marker. */
static bool find_other_end(serve_tools *t, assay_text text, size_t *n)
{
    size_t *seen = &t->scan.seen, *seen_again = &t->scan.mark[0];
    const size_t again = serve_span_find_next(text, seen_again, TAG);
    const assay_text before = serve_span_part(text, 0, again < text.n ? again : text.n);
    const size_t at = serve_span_find_next(before, seen, TAG_END);
    *n = at < again ? *seen : again;
    return at != SERVE_NOWHERE || again != SERVE_NOWHERE;
}

static bool find_tagged_end(serve_tools *t, assay_text text, size_t *n)
{
    if (t->scan.phase == UNKNOWN) {
        if (t->scan.seen == 0) t->scan.seen = strlen(TAG);
        t->scan.seen = serve_span_skip(text, t->scan.seen);
        if (t->scan.seen == text.n) return false;
        t->scan.phase = tell_body(serve_span_from(text, t->scan.seen));
        t->scan.mark[0] = t->scan.seen;
    }
    switch (t->scan.phase) {
    case OBJECT: return find_object_end(t, text, n);
    case FUNCTIONS: return serve_function_find_tagged_end(&t->scan, text, n);
    case OTHER: return find_other_end(t, text, n);
    default: return false;
    }
}

static serve_tools_found look(serve_tools *t, assay_text text, bool ended, size_t *n)
{
    hermes_state *own = t->own;
    bool whole;
    if (t->opener == STRAY || (t->opener == BARE && own->n_stray > 0)) {
        own->n_stray += t->opener == STRAY ? 1 : -1;
        *n = strlen(t->opener == STRAY ? FUNCTION_END : FUNCTION);
        return SERVE_FOUND_CONTENT;
    }
    if (t->opener == BARE) {
        if (t->scan.seen == 0) t->scan.seen = strlen(FUNCTION);
        whole = serve_span_find_next(text, &t->scan.seen, FUNCTION_END) != SERVE_NOWHERE;
        *n = t->scan.seen;
    } else {
        whole = find_tagged_end(t, text, n);
    }
    if (whole) return SERVE_FOUND_BLOCK;
    if (!ended) return SERVE_FOUND_MORE;
    *n = text.n;
    return SERVE_FOUND_BLOCK;
}

static const serve_tools_members MEMBERS = {.arguments = {"arguments"}};

/* The object that begins in text, and what stands behind it but for white space and an end marker. */
static bool take_object(serve_tools *t, assay_text text)
{
    const size_t at = serve_span_find(text, 0, "{");
    if (at == SERVE_NOWHERE) return false;
    size_t end = at;
    serve_json_balance balance = {0};
    if (!serve_json_balance_run(&balance, text, &end)) return false;
    const assay_text rest = serve_span_trim(serve_span_from(text, end));
    if (rest.n > 0 && !serve_span_equals(rest, TAG_END)) return false;
    return serve_tools_call_object(t, serve_span_part(text, at, end), &MEMBERS);
}

static serve_tools_found take_function(serve_tools *t, assay_text text)
{
    size_t end = serve_span_find(text, 0, FUNCTION_END);
    for (size_t at = end; at != SERVE_NOWHERE; at = serve_span_find(text, at + 1, FUNCTION_END)) end = at;
    if (end == SERVE_NOWHERE || serve_function_name_end(text) >= end) return SERVE_FOUND_CONTENT;
    const bool called = serve_function_call(t, text, end, SERVE_FUNCTION_TRIMMED);
    return called ? SERVE_FOUND_NOTHING : SERVE_FOUND_CONTENT;
}

static serve_tools_found take(serve_tools *t, assay_text block)
{
    if (t->opener == BARE) return take_function(t, block);
    t->dead |= 1U << BARE;
    const bool closed = serve_span_ends(block, TAG_END);
    if (t->withheld && !closed) return SERVE_FOUND_CONTENT; /* finish looks for the object */
    const assay_text body = serve_span_trim(serve_span_from(block, strlen(TAG)));
    if (serve_span_starts(body, FUNCTION)) {
        const serve_tools_found found = take_function(t, body);
        if (found == SERVE_FOUND_NOTHING || closed) return found;
    }
    if (take_object(t, body)) return SERVE_FOUND_NOTHING;
    t->withheld |= !closed && t->n_calls == 0;
    /* Both answers of the published server drop what has the shape of a call and is broken. */
    const bool shaped = t->scan.phase == OBJECT && closed;
    return shaped ? SERVE_FOUND_NOTHING : SERVE_FOUND_CONTENT;
}

/* Both answers of the published server drop what is before the end of a thought. Behind a tag that was open
 * its stream says nothing more, but for a call that the text ends in: the text is withheld. */
static void take_along(serve_tools *t, assay_text text)
{
    hermes_state *own = t->own;
    t->withheld |= text.n > strlen(SERVE_THINK_END);
    t->dead = 0;
    own->n_stray = 0;
    t->tail.n = 0;
}

/* The object that text ends in, if nothing stands before it, or a tag, which need not be whole. */
static void take_last(serve_tools *t, assay_text text)
{
    text = serve_span_trim(text);
    if (serve_span_starts(text, "{") || serve_span_starts(text, "<tool_call")) take_object(t, text);
}

static void finish(serve_tools *t)
{
    if (!t->withheld) return;
    if (t->n_calls == 0) serve_tools_take_tail(t, take_last);
    serve_tools_release(t);
}

const serve_tools_format serve_tools_hermes = {
    .names = {"hermes", "nous"},
    .openers = {TAG, FUNCTION, FUNCTION_END},
    .inner = {TAG_END, "<parameter=", "</parameter>"},
    .ends = 1U << STRAY,
    .after = SERVE_AFTER_KEPT,
    .drops_thoughts = true,
    .look = look,
    .take = take,
    .releases = true,
    .take_along = take_along,
    .finish = finish,
    .own_bytes = sizeof(hermes_state),
};
