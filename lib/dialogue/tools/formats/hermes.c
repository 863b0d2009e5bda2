/* hermes: <tool_call>{"name": …, "arguments": {…}}</tool_call>; <function=NAME>…</function> between the same
 * tags, or without them until the first <tool_call>.
 *
 * A </function> without a function turns the next function into content.
 *
 * A block ends at the first end tag that follows '}' (or </function>), so an end tag within a string, for
 * example, does not end it. A block that the end of the text cuts off is a call if its object is complete,
 * even with other text between the tag and the object. That text may contain another tag, so content from a
 * tag on that another one follows is withheld until a call or the end of the text.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/tools/formats.h"
#include "dialogue/tools/function.h"
#include "dialogue/tools/object.h"
#include "dialogue/tools/output.h"
#include "dialogue/tools/state.h"
#include "dialogue/tools/thoughts.h"

#include <string.h>

#define TAG          "<tool_call>"
#define TAG_END      "</tool_call>"
#define FUNCTION     "<function="
#define FUNCTION_END "</function>"

enum { TAGGED, BARE, STRAY }; /* openers */

typedef struct hermes_state {
    int n_stray; /* how many </function> had no function */
} hermes_state;

/* What is between the tags, as far as it is known. */
enum { UNKNOWN, OBJECT, FUNCTIONS, OTHER };

static int classify_body(assay_text body)
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

/* A body of another kind reaches to its end tag or to the next tag. */
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
        t->scan.phase = classify_body(serve_span_from(text, t->scan.seen));
        t->scan.mark[0] = t->scan.seen;
    }
    switch (t->scan.phase) {
    case OBJECT: return find_object_end(t, text, n);
    case FUNCTIONS: return serve_function_find_tagged_end(&t->scan, text, n);
    case OTHER: return find_other_end(t, text, n);
    default: return false;
    }
}

static serve_tools_found scan_block(serve_tools *t, assay_text text, bool ended, size_t *n)
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

/* Emits the call of the object in text, if only white space and an end tag follow it. */
static bool read_object(serve_tools *t, assay_text text)
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

static serve_tools_found read_function(serve_tools *t, assay_text text)
{
    size_t end = serve_span_find(text, 0, FUNCTION_END);
    for (size_t at = end; at != SERVE_NOWHERE; at = serve_span_find(text, at + 1, FUNCTION_END)) end = at;
    if (end == SERVE_NOWHERE || serve_function_name_end(text) >= end) return SERVE_FOUND_CONTENT;
    const bool called = serve_function_call(t, text, end, SERVE_FUNCTION_TRIMMED);
    return called ? SERVE_FOUND_NOTHING : SERVE_FOUND_CONTENT;
}

static serve_tools_found read_block(serve_tools *t, assay_text block)
{
    if (t->opener == BARE) return read_function(t, block);
    t->disabled |= 1U << BARE;
    const bool closed = serve_span_ends(block, TAG_END);
    if (t->withheld && !closed) return SERVE_FOUND_CONTENT; /* finish searches for the object */
    const assay_text body = serve_span_trim(serve_span_from(block, strlen(TAG)));
    if (serve_span_starts(body, FUNCTION)) {
        const serve_tools_found found = read_function(t, body);
        if (found == SERVE_FOUND_NOTHING || closed) return found;
    }
    if (read_object(t, body)) return SERVE_FOUND_NOTHING;
    t->withheld |= !closed && t->n_calls == 0;
    /* Both answers of the published server drop invalid text in the shape of a call. */
    const bool shaped = t->scan.phase == OBJECT && closed;
    return shaped ? SERVE_FOUND_NOTHING : SERVE_FOUND_CONTENT;
}

/* Both answers of the published server drop the text before a </think>. After an open tag its stream emits
 * nothing more except a call at the end of the text, so text is withheld. */
static void absorb_thought(serve_tools *t, assay_text text)
{
    hermes_state *own = t->own;
    t->withheld |= text.n > strlen(SERVE_THINK_END);
    t->disabled = 0;
    own->n_stray = 0;
    t->tail.n = 0;
}

/* Emits the call of an object at the end of text that only a tag, which may be incomplete, precedes. */
static void read_last(serve_tools *t, assay_text text)
{
    text = serve_span_trim(text);
    if (serve_span_starts(text, "{") || serve_span_starts(text, "<tool_call")) read_object(t, text);
}

static void finish_hermes(serve_tools *t)
{
    if (!t->withheld) return;
    if (t->n_calls == 0) serve_tools_read_tail(t, read_last);
    serve_tools_release(t);
}

const serve_tools_format serve_tools_hermes = {
    .names = {"hermes", "nous"},
    .openers = {TAG, FUNCTION, FUNCTION_END},
    .inner = {TAG_END, "<parameter=", "</parameter>"},
    .ends = 1U << STRAY,
    .after = SERVE_AFTER_KEPT,
    .drops_thoughts = true,
    .scan_block = scan_block,
    .read_block = read_block,
    .releases = true,
    .absorb = absorb_thought,
    .finish = finish_hermes,
    .own_bytes = sizeof(hermes_state),
};
