/* xlam: [{"name": …, "arguments": {…}}, …] in a fenced code block, after [TOOL_CALLS] on the same line, or at
 * the beginning of the text. The arguments may be in `parameters`.
 *
 * Only the first array is read. The text after its calls is ignored; an empty array is dropped as well, with
 * the text between the first marker and it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/tools/formats.h"
#include "dialogue/tools/list.h"
#include "dialogue/tools/object.h"
#include "dialogue/tools/state.h"

#include <string.h>

#define FENCE  "```"
#define MARKER "[TOOL_CALLS]"

enum { FENCED, MARKED }; /* openers */

static bool find_end(serve_tools *t, assay_text text)
{
    if (t->opener == SERVE_BARE) return serve_list_find_end(t, text, 0);
    if (t->scan.seen == 0) t->scan.seen = strlen(t->format->openers[t->opener]);
    const char *end = t->opener == FENCED ? FENCE : "\n";
    if (serve_span_find_next(text, &t->scan.seen, end) != SERVE_NOWHERE) return true;
    serve_tools_wait_for(t, text, t->opener == FENCED ? "`" : "\n");
    return false;
}

static serve_tools_found scan_block(serve_tools *t, assay_text text, bool ended, size_t *n)
{
    const bool found = find_end(t, text);
    *n = found ? t->scan.seen : text.n;
    if (found || (ended && t->opener == MARKED)) return SERVE_FOUND_BLOCK;
    if (!ended) return SERVE_FOUND_MORE;
    *n = 1;
    return SERVE_FOUND_CONTENT;
}

/* The text between the marker of a block and its end. */
static assay_text body_of(const serve_tools *t, assay_text block)
{
    if (t->opener == SERVE_BARE) return block;
    if (t->opener == MARKED) return serve_span_trim(serve_span_from(block, strlen(MARKER)));
    const assay_text body = serve_span_part(block, strlen(FENCE), block.n - strlen(FENCE));
    return serve_span_trim(serve_span_from(body, serve_span_starts(body, "json") ? strlen("json") : 0));
}

static serve_tools_found read_block(serve_tools *t, assay_text block)
{
    static const serve_tools_members MEMBERS = {.arguments = {"arguments", "parameters"}};
    const serve_list found = serve_list_read(t, body_of(t, block), &MEMBERS);
    if (found == SERVE_LIST_EMPTY) t->tail.n = 0;
    return found == SERVE_LIST_EMPTY || found == SERVE_LIST_CALLS ? SERVE_FOUND_END : SERVE_FOUND_CONTENT;
}

const serve_tools_format serve_tools_xlam = {
    .names = {"xlam"},
    .openers = {FENCE, MARKER},
    .after = SERVE_AFTER_MARKER_UNCALLED,
    .bare = "[{",
    .scan_block = scan_block,
    .read_block = read_block,
};
