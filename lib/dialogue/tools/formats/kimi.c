/* kimi: <|tool_call_begin|>functions.NAME:0<|tool_call_argument_begin|>{…}<|tool_call_end|>, within a section
 * or without one. The arguments are copied, JSON or not.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/tools/formats.h"
#include "dialogue/tools/output.h"
#include "dialogue/tools/state.h"

#include <string.h>

#define CALL      "<|tool_call_begin|>"
#define CALL_END  "<|tool_call_end|>"
#define ARGUMENTS "<|tool_call_argument_begin|>"

enum { CALLED, SECTION, SECTION_ALIKE }; /* openers */

/* mark[0]: the offset of the '<' after the name; mark[1]: the offset after the marker of the arguments. */
static serve_tools_found scan_name(serve_tools_scan *scan, assay_text text)
{
    if (scan->seen == 0) scan->seen = strlen(CALL);
    if (scan->mark[0] == 0) {
        const size_t end = serve_span_find_next(text, &scan->seen, "<");
        if (end == SERVE_NOWHERE) return SERVE_FOUND_MORE;
        scan->mark[0] = end;
    }
    const assay_text rest = serve_span_from(text, scan->mark[0]);
    if (scan->mark[0] == strlen(CALL)) return SERVE_FOUND_CONTENT;
    if (serve_span_begins(rest, ARGUMENTS)) return SERVE_FOUND_MORE;
    if (!serve_span_starts(rest, ARGUMENTS)) return SERVE_FOUND_CONTENT;
    scan->seen = scan->mark[1] = scan->mark[0] + strlen(ARGUMENTS);
    return SERVE_FOUND_BLOCK;
}

static serve_tools_found scan_block(serve_tools *t, assay_text text, bool ended, size_t *n)
{
    serve_tools_found found = SERVE_FOUND_BLOCK;
    *n = strlen(t->format->openers[t->opener]);
    if (t->opener != CALLED) return SERVE_FOUND_CONTENT;
    if (t->scan.mark[1] == 0) found = scan_name(&t->scan, text);
    if (found == SERVE_FOUND_BLOCK) {
        found = serve_span_find_next(text, &t->scan.seen, CALL_END) != SERVE_NOWHERE ? SERVE_FOUND_BLOCK
                                                                                     : SERVE_FOUND_MORE;
        *n = t->scan.seen;
        if (found == SERVE_FOUND_MORE) serve_tools_wait_for(t, text, "<");
    }
    if (found != SERVE_FOUND_MORE || !ended) return found;
    *n = text.n; /* no other call can be complete either */
    return SERVE_FOUND_CONTENT;
}

/* The offset of the last `byte` in text; SERVE_NOWHERE if there is none. */
static size_t find_last(assay_text text, char byte)
{
    for (size_t i = text.n; i > 0; i--)
        if (text.at[i - 1] == byte) return i - 1;
    return SERVE_NOWHERE;
}

/* Removes a colon and a number at the end. */
static assay_text strip_number(assay_text name)
{
    size_t end = name.n;
    while (end > 0 && name.at[end - 1] >= '0' && name.at[end - 1] <= '9') end--;
    const bool numbered = end < name.n && end > 1 && name.at[end - 1] == ':';
    return numbered ? serve_span_part(name, 0, end - 1) : name;
}

/* The name of the tool: the part after the last full stop of the text between the last two colons, or before
 * the only colon. */
static assay_text read_name(assay_text header)
{
    assay_text name = strip_number(serve_span_trim(header));
    const size_t colon = find_last(name, ':');
    if (colon != SERVE_NOWHERE) {
        name = serve_span_part(name, 0, colon);
        const size_t before = find_last(name, ':');
        if (before != SERVE_NOWHERE) name = serve_span_from(name, before + 1);
    }
    const size_t stop = find_last(name, '.');
    return serve_span_trim(stop == SERVE_NOWHERE ? name : serve_span_from(name, stop + 1));
}

static serve_tools_found read_block(serve_tools *t, assay_text block)
{
    const size_t *mark = t->scan.mark;
    const assay_text name = read_name(serve_span_part(block, strlen(CALL), mark[0]));
    if (name.n == 0) return SERVE_FOUND_CONTENT;
    serve_tools_call(t, name, serve_span_trim(serve_span_part(block, mark[1], block.n - strlen(CALL_END))));
    return SERVE_FOUND_NOTHING;
}

const serve_tools_format serve_tools_kimi = {
    .names = {"kimi", "kimi_k2", "moonshot"},
    .openers = {CALL, "<|tool_calls_section_begin|>", "<|tool_call_section_begin|>"},
    .inner = {CALL_END, ARGUMENTS, "<|tool_calls_section_end|>", "<|tool_call_section_end|>"},
    .after = SERVE_AFTER_MARKER_UNCALLED,
    .scan_block = scan_block,
    .read_block = read_block,
};
