/* mistral: [TOOL_CALLS]NAME[ARGS]{…}, [TOOL_CALLS]NAME{…}, or [TOOL_CALLS][{"name": …, "arguments": {…}}, …].
 *
 * A block reaches to the next marker that is not within a JSON string, or to the end of the text. After
 * [ARGS] the arguments must be JSON, or there is no call; without [ARGS], all text from '{' on is the
 * arguments, JSON or not.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/tools/formats.h"
#include "dialogue/tools/list.h"
#include "dialogue/tools/object.h"
#include "dialogue/tools/output.h"
#include "dialogue/tools/state.h"

#include <string.h>

#define MARKER "[TOOL_CALLS]"
#define ARGS   "[ARGS]"

/* Uses only the string state of the balance: text that is not JSON may have unbalanced brackets. */
static bool find_next_marker(serve_tools *t, assay_text text, size_t *n)
{
    serve_json_balance *in = &t->scan.balance;
    if (t->scan.seen == 0) t->scan.seen = strlen(MARKER);
    for (; t->scan.seen < text.n; t->scan.seen++) {
        const char c = text.at[t->scan.seen];
        if (in->in_string) {
            in->in_string = in->escaped || c != '"';
            in->escaped = !in->escaped && c == '\\';
            continue;
        }
        in->in_string = c == '"';
        if (c != MARKER[0]) continue;
        const assay_text rest = serve_span_from(text, t->scan.seen);
        *n = t->scan.seen;
        if (serve_span_starts(rest, MARKER)) return true;
        if (serve_span_begins(rest, MARKER)) return false;
    }
    return false;
}

static serve_tools_found scan_block(serve_tools *t, assay_text text, bool ended, size_t *n)
{
    if (find_next_marker(t, text, n)) return SERVE_FOUND_BLOCK;
    *n = text.n;
    if (serve_json_balance_in_text(&t->scan.balance)) serve_tools_wait_for(t, text, "\"\\");
    else if (!t->scan.balance.in_string) serve_tools_wait_for(t, text, "\"[");
    return ended ? SERVE_FOUND_BLOCK : SERVE_FOUND_MORE;
}

static bool is_plain_name(assay_text name)
{
    for (size_t i = 0; i < name.n; i++) {
        const char c = name.at[i];
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!letter && c != '_' && c != '.' && c != '-') return false;
    }
    return name.n > 0;
}

static bool read_checked(serve_tools *t, assay_text name, assay_text arguments)
{
    if (!is_plain_name(name)) return false;
    const assay_status rc = serve_json_check(arguments);
    if (rc == ASSAY_ENOMEM) t->failed = true;
    if (rc == ASSAY_OK) serve_tools_call(t, name, serve_span_trim(arguments));
    return rc == ASSAY_OK;
}

/* Reads text as a list, or else what is between its first "[{" and its last "}]". */
static bool read_list(serve_tools *t, assay_text text)
{
    static const serve_tools_members MEMBERS = {.arguments = {"arguments"}};
    const serve_list found = serve_list_read(t, text, &MEMBERS);
    if (found != SERVE_LIST_NONE) return found == SERVE_LIST_CALLS;
    const size_t begin = serve_span_find(text, 0, "[{");
    size_t end = text.n;
    while (end > 1 && memcmp(text.at + end - 2, "}]", 2) != 0) end--;
    return begin < end && serve_list_read(t, serve_span_part(text, begin, end), &MEMBERS) == SERVE_LIST_CALLS;
}

static bool read_body(serve_tools *t, assay_text body)
{
    if (serve_span_starts(body, "[")) return read_list(t, body);
    const size_t args = serve_span_find(body, 0, ARGS), brace = serve_span_find(body, 0, "{");
    if (args < brace)
        return read_checked(t, serve_span_trim(serve_span_part(body, 0, args)),
                            serve_span_from(body, args + strlen(ARGS)));
    if (brace == SERVE_NOWHERE) return false;
    const assay_text name = serve_span_trim(serve_span_part(body, 0, brace));
    if (name.n == 0) return false;
    serve_tools_call(t, name, serve_span_from(body, brace));
    return true;
}

static serve_tools_found read_block(serve_tools *t, assay_text block)
{
    const assay_text body = serve_span_trim(serve_span_from(block, strlen(MARKER)));
    return read_body(t, body) ? SERVE_FOUND_NOTHING : SERVE_FOUND_CONTENT;
}

const serve_tools_format serve_tools_mistral = {
    .names = {"mistral"},
    .openers = {MARKER},
    .inner = {ARGS},
    .after = SERVE_AFTER_MARKER_UNCALLED,
    .scan_block = scan_block,
    .read_block = read_block,
};
