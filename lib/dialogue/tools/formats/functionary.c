/* functionary: <|recipient|>NAME, a newline, <|content|>{…}; <function=NAME>{…}</function>; or, as the whole
 * text, a JSON array [{"name": …, "arguments": {…}}, …].
 *
 * The arguments of a recipient end at the first '}' that the end of the text or a marker "<|" follows, those
 * of a function at the first '}' that its end tag follows; they need not be JSON. The recipients `all` and
 * `user` are not tools.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/tools/formats.h"
#include "dialogue/tools/list.h"
#include "dialogue/tools/object.h"
#include "dialogue/tools/output.h"
#include "dialogue/tools/state.h"

#include <string.h>

#define RECIPIENT    "<|recipient|>"
#define CONTENT      "<|content|>"
#define FUNCTION     "<function="
#define FUNCTION_END "</function>"

enum { TO, NAMED }; /* openers */

/* Phases of reading the beginning of a block. BODY: within the arguments. */
enum { BEFORE_NAME, NAME, BEHIND_NAME, BEHIND_CONTENT, BODY };

/* Marks: the offsets of the name and the arguments. */
enum { NAME_BEGIN, NAME_END, ARGUMENTS };

/* Reads one part of the header. SERVE_FOUND_BLOCK: the part is complete. */
static serve_tools_found step_header(serve_tools_scan *scan, assay_text text)
{
    size_t *mark = scan->mark;
    if (scan->phase == NAME) scan->seen += serve_span_word(serve_span_from(text, scan->seen));
    else scan->seen = serve_span_skip(text, scan->seen);
    if (scan->seen == text.n) return SERVE_FOUND_MORE;
    const assay_text rest = serve_span_from(text, scan->seen);
    switch (scan->phase) {
    case BEFORE_NAME: mark[NAME_BEGIN] = scan->seen; return SERVE_FOUND_BLOCK;
    case NAME:
        mark[NAME_END] = scan->seen;
        return mark[NAME_END] > mark[NAME_BEGIN] ? SERVE_FOUND_BLOCK : SERVE_FOUND_CONTENT;
    case BEHIND_NAME:
        if (text.at[scan->seen - 1] != '\n') return SERVE_FOUND_CONTENT;
        if (serve_span_begins(rest, CONTENT)) return SERVE_FOUND_MORE;
        scan->seen += strlen(CONTENT);
        return serve_span_starts(rest, CONTENT) ? SERVE_FOUND_BLOCK : SERVE_FOUND_CONTENT;
    default: mark[ARGUMENTS] = scan->seen; return rest.at[0] == '{' ? SERVE_FOUND_BLOCK : SERVE_FOUND_CONTENT;
    }
}

/* Reads up to the arguments of a recipient. */
static serve_tools_found scan_recipient(serve_tools_scan *scan, assay_text text)
{
    serve_tools_found found = SERVE_FOUND_BLOCK;
    if (scan->seen == 0) scan->seen = strlen(RECIPIENT);
    for (; scan->phase < BODY && found == SERVE_FOUND_BLOCK; scan->phase += found == SERVE_FOUND_BLOCK)
        found = step_header(scan, text);
    return found;
}

/* Reads up to the arguments of a function. */
static serve_tools_found scan_function(serve_tools_scan *scan, assay_text text, size_t *n)
{
    size_t *mark = scan->mark;
    if (scan->seen == 0) scan->seen = mark[NAME_BEGIN] = strlen(FUNCTION);
    if (mark[ARGUMENTS] == 0) {
        const size_t end = serve_span_find_next(text, &scan->seen, ">");
        if (end == SERVE_NOWHERE) return SERVE_FOUND_MORE;
        mark[NAME_END] = end;
        mark[ARGUMENTS] = end + 1;
    }
    *n = mark[ARGUMENTS];
    if (mark[NAME_END] == mark[NAME_BEGIN]) return SERVE_FOUND_CONTENT;
    if (mark[ARGUMENTS] == text.n) return SERVE_FOUND_MORE;
    scan->phase = BODY;
    return text.at[mark[ARGUMENTS]] == '{' ? SERVE_FOUND_BLOCK : SERVE_FOUND_CONTENT;
}

/* Searches for the end of a block. *n: its length. */
static serve_tools_found scan_for_end(serve_tools *t, assay_text text, bool ended, size_t *n)
{
    const char *end = t->opener == TO ? "}<|" : "}" FUNCTION_END;
    const size_t at = serve_span_find_next(text, &t->scan.seen, end);
    *n = text.n;
    if (at != SERVE_NOWHERE) *n = t->opener == TO ? at + 1 : t->scan.seen;
    else if (!ended) serve_tools_wait_for(t, text, "}");
    if (at != SERVE_NOWHERE) return SERVE_FOUND_BLOCK;
    const bool closed = t->opener == TO && (serve_span_ends(text, "}") || serve_span_ends(text, "}\n"));
    return ended && closed ? SERVE_FOUND_BLOCK : SERVE_FOUND_MORE;
}

static serve_tools_found scan_block(serve_tools *t, assay_text text, bool ended, size_t *n)
{
    serve_tools_found found = SERVE_FOUND_BLOCK;
    *n = 1;
    if (t->opener == SERVE_BARE) {
        found = serve_list_find_end(t, text, 0) ? SERVE_FOUND_BLOCK : SERVE_FOUND_MORE;
        if (found == SERVE_FOUND_BLOCK) *n = t->scan.seen;
    } else {
        if (t->scan.phase < BODY)
            found = t->opener == TO ? scan_recipient(&t->scan, text) : scan_function(&t->scan, text, n);
        if (found == SERVE_FOUND_BLOCK) found = scan_for_end(t, text, ended, n);
    }
    if (found != SERVE_FOUND_MORE || !ended) return found;
    *n = 1;
    t->disabled |= 1U << t->opener; /* no other block can be complete either */
    return SERVE_FOUND_CONTENT;
}

static bool is_tool(assay_text recipient)
{
    static const char *const OTHERS[] = {"all", "user"};
    for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++)
        if (recipient.n == strlen(OTHERS[i]) && strncasecmp(recipient.at, OTHERS[i], recipient.n) == 0)
            return false;
    return true;
}

static serve_tools_found read_block(serve_tools *t, assay_text block)
{
    static const serve_tools_members MEMBERS = {.arguments = {"arguments"}};
    if (t->opener == SERVE_BARE)
        return serve_list_read(t, block, &MEMBERS) == SERVE_LIST_CALLS ? SERVE_FOUND_NOTHING
                                                                       : SERVE_FOUND_CONTENT;
    const size_t *mark = t->scan.mark, end = block.n - (t->opener == TO ? 0 : strlen(FUNCTION_END));
    const assay_text name = serve_span_trim(serve_span_part(block, mark[NAME_BEGIN], mark[NAME_END]));
    if (name.n == 0 || (t->opener == TO && !is_tool(name))) return SERVE_FOUND_CONTENT;
    serve_tools_call(t, name, serve_span_trim_end(serve_span_part(block, mark[ARGUMENTS], end)));
    return SERVE_FOUND_NOTHING;
}

const serve_tools_format serve_tools_functionary = {
    .names = {"functionary", "meetkai"},
    .openers = {RECIPIENT, FUNCTION},
    .inner = {"<|from|>", CONTENT, FUNCTION_END},
    .after = SERVE_AFTER_MARKER_UNCALLED,
    .bare = "[",
    .scan_block = scan_block,
    .read_block = read_block,
};
