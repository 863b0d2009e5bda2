/* nemotron: <tool_call><function=NAME><parameter=KEY>VALUE</parameter>…</function></tool_call>; instead of
 * the parameters, JSON or any other text, which is the arguments then. An empty function is no call.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/tools/formats.h"
#include "dialogue/tools/function.h"
#include "dialogue/tools/state.h"

#include <string.h>

#define TAG          "<tool_call>"
#define TAG_END      "</tool_call>"
#define FUNCTION     "<function="
#define FUNCTION_END "</function>"

enum { BEFORE, NAME, BODY }; /* phases */

/* Reads up to the '>' after the name. SERVE_FOUND_BLOCK: it is there. */
static serve_tools_found scan_name(serve_tools_scan *scan, assay_text text)
{
    if (scan->phase == BEFORE) {
        scan->seen = serve_span_skip(text, scan->seen > 0 ? scan->seen : strlen(TAG));
        const assay_text rest = serve_span_from(text, scan->seen);
        if (serve_span_begins(rest, FUNCTION)) return SERVE_FOUND_MORE;
        if (!serve_span_starts(rest, FUNCTION)) return SERVE_FOUND_CONTENT;
        scan->seen += strlen(FUNCTION);
        scan->mark[0] = scan->seen;
        scan->phase = NAME;
    }
    const size_t end = serve_span_find_next(text, &scan->seen, ">");
    if (end == SERVE_NOWHERE) return SERVE_FOUND_MORE;
    scan->phase = BODY;
    return end > scan->mark[0] ? SERVE_FOUND_BLOCK : SERVE_FOUND_CONTENT;
}

static serve_tools_found scan_block(serve_tools *t, assay_text text, bool ended, size_t *n)
{
    serve_tools_found found = SERVE_FOUND_BLOCK;
    if (t->scan.phase != BODY) found = scan_name(&t->scan, text);
    *n = strlen(TAG);
    if (found == SERVE_FOUND_BLOCK && !serve_function_find_tagged_end(&t->scan, text, n))
        found = SERVE_FOUND_MORE;
    if (found == SERVE_FOUND_MORE && t->scan.phase == BODY && t->scan.mark[2] == 0)
        serve_tools_wait_for(t, text, "<");
    if (found != SERVE_FOUND_MORE || !ended) return found;
    *n = text.n; /* no other block can be complete either */
    return SERVE_FOUND_CONTENT;
}

static serve_tools_found read_block(serve_tools *t, assay_text block)
{
    const size_t begin = serve_span_find(block, 0, FUNCTION);
    const assay_text inside = serve_span_trim_end(serve_span_part(block, begin, block.n - strlen(TAG_END)));
    const size_t close = inside.n - strlen(FUNCTION_END);
    return serve_function_call(t, inside, close, SERVE_FUNCTION_PLAIN) ? SERVE_FOUND_NOTHING
                                                                       : SERVE_FOUND_CONTENT;
}

const serve_tools_format serve_tools_nemotron = {
    .names = {"nemotron", "nemotron3"},
    .openers = {TAG},
    .inner = {TAG_END, FUNCTION, FUNCTION_END, "<parameter=", "</parameter>"},
    .after = SERVE_AFTER_MARKER_UNCALLED,
    .scan_block = scan_block,
    .read_block = read_block,
};
