/* llama: <|python_tag|>{"name": …, "parameters": {…}}, with more objects after ';'; the same without the
 * marker at the beginning of the text if the first member is `name` or `type`; <function=NAME>{…}</function>.
 *
 * Text that is no call hides no call: a function is found after an object that is no call, and a marked
 * object after a function that is no call.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/tools/formats.h"
#include "dialogue/tools/function.h"
#include "dialogue/tools/object.h"
#include "dialogue/tools/output.h"
#include "dialogue/tools/state.h"

#include <string.h>

#define MARKER       "<|python_tag|>"
#define FUNCTION     "<function="
#define FUNCTION_END "</function>"

enum { MARKED, TAGGED, N_HOLLOW }; /* openers */
enum { BEFORE, MEMBER, INSIDE };   /* phases: before the object, before its first member is known, in it */

/* hollow: for each opener, the offset in the text before which it is ignored: objects within an object that
 * is no call, and functions after one that was found to be no call. */
typedef struct llama_state {
    size_t hollow[N_HOLLOW];
} llama_state;

static const serve_tools_members MEMBERS = {
    .arguments = {"parameters", "arguments"}, .required = true, .verbatim = true, .trimmed = true};

/* Reads what precedes the object: the marker or ';', and white space. */
static serve_tools_found scan_before(serve_tools *t, assay_text text, size_t *n)
{
    size_t *seen = &t->scan.seen;
    if (t->opener == MARKED && *seen == 0) *seen = strlen(MARKER);
    *seen = serve_span_skip(text, *seen);
    if (t->opener == SERVE_CHAINED && t->scan.mark[0] == 0 && *seen < text.n) {
        *n = *seen;
        if (text.at[*seen] != ';') return SERVE_FOUND_CONTENT;
        t->scan.mark[0] = 1;
        *seen = serve_span_skip(text, *seen + 1);
    }
    *n = *seen;
    if (*seen == text.n) return SERVE_FOUND_MORE;
    if (text.at[*seen] != '{') return SERVE_FOUND_CONTENT;
    t->scan.phase = t->opener == SERVE_BARE ? MEMBER : INSIDE;
    return SERVE_FOUND_BLOCK;
}

/* Without a marker, an object is a block only if it begins like a call. */
static serve_tools_found scan_member(serve_tools *t, assay_text text, size_t *n)
{
    static const char *const FIRST[] = {"\"name\"", "\"type\""};
    size_t *at = t->scan.mark;
    *at = serve_span_skip(text, *at > 0 ? *at : 1);
    *n = *at;
    serve_tools_found found = SERVE_FOUND_CONTENT;
    for (size_t i = 0; i < 2; i++) {
        const assay_text rest = serve_span_from(text, *at);
        if (serve_span_begins(rest, FIRST[i])) found = SERVE_FOUND_MORE;
        if (!serve_span_starts(rest, FIRST[i])) continue;
        size_t *colon = &t->scan.mark[1];
        *colon = serve_span_skip(text, *colon > 0 ? *colon : *at + strlen(FIRST[i]));
        if (*colon == text.n) found = SERVE_FOUND_MORE;
        if (*colon < text.n && text.at[*colon] == ':') found = SERVE_FOUND_BLOCK;
    }
    if (found == SERVE_FOUND_BLOCK) t->scan.phase = INSIDE;
    return found;
}

/* Ignores this opener before text[until]. */
static serve_tools_found ignore_opener(serve_tools *t, size_t opener, size_t until)
{
    llama_state *own = t->own;
    own->hollow[opener] = t->passed + until;
    return SERVE_FOUND_CONTENT;
}

static serve_tools_found scan_function(serve_tools *t, assay_text text, size_t *n)
{
    *n = strlen(FUNCTION);
    if (t->scan.seen == 0) t->scan.seen = *n;
    if (t->scan.phase == BEFORE) {
        if (t->scan.mark[0] == 0) t->scan.mark[0] = serve_span_find_next(text, &t->scan.seen, ">") + 1;
        const size_t body = t->scan.mark[0];
        if (body == *n + 1) return SERVE_FOUND_CONTENT; /* no name */
        if (body == 0 || body == text.n) return SERVE_FOUND_MORE;
        if (text.at[body] != '{') return ignore_opener(t, TAGGED, body - 1);
        t->scan.phase = INSIDE;
    }
    const size_t end = serve_span_find_next(text, &t->scan.seen, FUNCTION_END);
    if (end == SERVE_NOWHERE) return SERVE_FOUND_MORE;
    if (text.at[end - 1] != '}') return ignore_opener(t, TAGGED, end);
    *n = t->scan.seen;
    return SERVE_FOUND_BLOCK;
}

/* Emits the call of the object that ends at t->scan.seen; if it is no call, its beginning is content. */
static serve_tools_found read_object(serve_tools *t, assay_text text, size_t *n)
{
    const size_t begin = serve_span_find(text, 0, "{"), end = t->scan.seen;
    *n = end;
    if (serve_tools_call_object(t, serve_span_part(text, begin, end), &MEMBERS)) return SERVE_FOUND_CHAIN;
    *n = begin + 1;
    return t->opener == SERVE_BARE ? SERVE_FOUND_CONTENT : ignore_opener(t, MARKED, end);
}

static serve_tools_found scan_object(serve_tools *t, assay_text text, size_t *n)
{
    if (serve_json_balance_run(&t->scan.balance, text, &t->scan.seen)) return read_object(t, text, n);
    if (serve_json_balance_in_text(&t->scan.balance)) serve_tools_wait_for(t, text, "\"\\");
    return SERVE_FOUND_MORE;
}

static serve_tools_found scan_block(serve_tools *t, assay_text text, bool ended, size_t *n)
{
    const llama_state *own = t->own;
    serve_tools_found found = SERVE_FOUND_BLOCK;
    if (t->opener < N_HOLLOW && t->passed < own->hollow[t->opener]) {
        *n = 1;
        return SERVE_FOUND_CONTENT;
    }
    if (t->opener == TAGGED) {
        found = scan_function(t, text, n);
    } else {
        if (t->scan.phase == BEFORE) found = scan_before(t, text, n);
        if (found == SERVE_FOUND_BLOCK && t->scan.phase == MEMBER) found = scan_member(t, text, n);
        if (found == SERVE_FOUND_BLOCK) found = scan_object(t, text, n);
    }
    if (found != SERVE_FOUND_MORE || !ended) return found;
    /* An unclosed bare object, or function, does not hide the calls in it; after an unclosed function no
     * other one is closed. */
    *n = t->opener == SERVE_BARE ? 1 : text.n;
    if (t->opener == TAGGED) {
        *n = strlen(FUNCTION);
        t->disabled |= 1U << TAGGED;
    }
    /* A ';' at the end of the text is dropped. */
    return t->opener == SERVE_CHAINED && t->scan.phase == BEFORE ? SERVE_FOUND_NOTHING : SERVE_FOUND_CONTENT;
}

/* The arguments are copied, JSON or not. */
static serve_tools_found read_block(serve_tools *t, assay_text block)
{
    const size_t end = serve_function_name_end(block);
    const assay_text name = serve_span_trim(serve_span_part(block, strlen(FUNCTION), end));
    if (name.n == 0) return SERVE_FOUND_CONTENT;
    serve_tools_call(t, name, serve_span_part(block, end + 1, block.n - strlen(FUNCTION_END)));
    return SERVE_FOUND_NOTHING;
}

const serve_tools_format serve_tools_llama = {
    .names = {"llama", "llama3", "llama4"},
    .openers = {MARKER, FUNCTION},
    .inner = {FUNCTION_END},
    .after = SERVE_AFTER_KEPT,
    .bare = "{",
    .scan_block = scan_block,
    .read_block = read_block,
    .own_bytes = sizeof(llama_state),
};
