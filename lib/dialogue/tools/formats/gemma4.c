/* gemma4: <|tool_call>call:NAME{key:<|"|>text<|"|>,key:1}<tool_call|>, with any number of calls between the
 * markers.
 *
 * In a block without a call in braces, calls in Python's syntax are recognised: call:NAME(key="text"). A
 * block that the end of the text cuts off is read as if it were closed; but if the text had a call before it,
 * it is dropped.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/tools/formats.h"
#include "dialogue/tools/output.h"
#include "dialogue/tools/state.h"
#include "dialogue/values/arguments.h"
#include "dialogue/values/gemma_object.h"
#include "dialogue/values/python_literal.h"

#include <string.h>

#define TAG     "<|tool_call>"
#define TAG_END "<tool_call|>"
#define CALL    "call:"

/* Limit of the search for closing brackets, which starts anew after each call that is not one: this many
 * times the length of the block. */
#define LOOKS_MAX 16

static serve_tools_found scan_block(serve_tools *t, assay_text text, bool ended, size_t *n)
{
    if (t->scan.seen == 0) t->scan.seen = strlen(TAG);
    if (serve_span_find_next(text, &t->scan.seen, TAG_END) != SERVE_NOWHERE) {
        *n = t->scan.seen;
        return SERVE_FOUND_BLOCK;
    }
    *n = text.n;
    serve_tools_wait_for(t, text, "<");
    if (!ended) return SERVE_FOUND_MORE;
    return t->n_calls > 0 ? SERVE_FOUND_NOTHING : SERVE_FOUND_BLOCK;
}

/* The next call:NAME at or after *at that is followed by `bracket`. *at: the offset after the bracket. */
static bool find_call(assay_text block, char bracket, size_t *at, assay_text *name)
{
    for (size_t begin; (begin = serve_span_find(block, *at, CALL)) != SERVE_NOWHERE;) {
        *at = begin + strlen(CALL);
        const size_t n = serve_span_word(serve_span_from(block, *at));
        const size_t open = serve_span_skip(block, *at + n);
        if (n == 0 || open == block.n || block.at[open] != bracket) continue;
        *name = serve_span_part(block, *at, *at + n);
        *at = open + 1;
        return true;
    }
    return false;
}

static void read_braces(serve_tools *t, assay_text block)
{
    assay_text name;
    size_t n_looked = 0;
    for (size_t at = 0; n_looked <= LOOKS_MAX * block.n && find_call(block, '{', &at, &name);) {
        const size_t open = at - 1, n = serve_gemma_object_length(serve_span_from(block, open));
        n_looked += n > 0 ? n : block.n - open;
        if (n == 0) continue;
        at = open + n;
        t->arguments.n = 0;
        const assay_status rc = serve_gemma_object(&t->arguments, serve_span_part(block, open, at));
        if (rc == ASSAY_ENOMEM) t->failed = true;
        if (rc == ASSAY_OK) serve_tools_call(t, name, buffer_text(&t->arguments));
    }
}

/* Reads a keyword and its '=' before a value. */
static assay_text read_keyword(assay_text text, size_t *at)
{
    const assay_text rest = serve_span_from(text, *at),
                     word = serve_span_part(rest, 0, serve_span_word(rest));
    const size_t equals = serve_span_skip(rest, word.n);
    const bool is_one = word.n > 0 && equals < rest.n && rest.at[equals] == '=' &&
                        !(equals + 1 < rest.n && rest.at[equals + 1] == '=');
    if (!is_one) return (assay_text){0};
    *at += equals + 1;
    return word;
}

/* Reads arguments from text[*at..) to ')'. Keyword arguments are added to out, positional ones are
 * skipped. */
static bool read_keywords(assay_text text, size_t *at, serve_arguments *out)
{
    bool keywords = false;
    for (;;) {
        *at = serve_span_skip(text, *at);
        if (*at < text.n && text.at[*at] == ')') break;
        const assay_text keyword = read_keyword(text, at);
        if (keywords && !keyword.at) return false;
        keywords = keyword.at != NULL;
        serve_arguments_name(out, keyword.at ? keyword : (assay_text){.at = "", .n = 0});
        if (!serve_python_value(&out->text, text, at)) return false;
        if (!keywords) serve_arguments_forget(out);
        if (*at == text.n || (text.at[*at] != ',' && text.at[*at] != ')')) return false;
        *at += text.at[*at] == ',';
    }
    ++*at;
    return true;
}

static void read_parentheses(serve_tools *t, assay_text block)
{
    assay_text name;
    size_t n_looked = 0;
    for (size_t at = 0; n_looked <= LOOKS_MAX * block.n && find_call(block, '(', &at, &name);) {
        serve_arguments arguments = {0};
        size_t end = at;
        const bool is_one = (name.at[0] < '0' || name.at[0] > '9') && read_keywords(block, &end, &arguments);
        const assay_text object = serve_arguments_object(&arguments);
        t->failed |= arguments.text.failed || arguments.json.failed;
        n_looked += end - at;
        if (is_one && !t->failed) {
            serve_tools_call(t, name, object);
            at = end;
        }
        serve_arguments_free(&arguments);
    }
}

static serve_tools_found read_block(serve_tools *t, assay_text block)
{
    const size_t n_calls = t->n_calls;
    const size_t end = serve_span_find(block, 0, TAG_END), from = strlen(TAG);
    const assay_text body = serve_span_part(block, from, end < block.n ? end : block.n);
    read_braces(t, body);
    if (t->n_calls == n_calls) read_parentheses(t, body);
    if (t->n_calls > n_calls) return SERVE_FOUND_NOTHING;
    t->withheld = true; /* finish searches it for calls, and a </think> may absorb it */
    return SERVE_FOUND_CONTENT;
}

/* After a block without a call, calls in Python's syntax are recognised anywhere in the tail. */
static void finish_gemma4(serve_tools *t)
{
    if (t->withheld && t->n_calls == 0) serve_tools_read_tail(t, read_parentheses);
}

const serve_tools_format serve_tools_gemma4 = {
    .names = {"gemma4"},
    .openers = {TAG},
    .inner = {TAG_END},
    .after = SERVE_AFTER_CALL_DROPPED,
    .drops_thoughts = true,
    .releases = true,
    .scan_block = scan_block,
    .read_block = read_block,
    .absorb = serve_tools_withhold_absorbed,
    .finish = finish_gemma4,
};
