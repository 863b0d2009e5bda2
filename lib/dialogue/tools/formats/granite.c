/* granite: <|tool_call|>[{"name": …, "arguments": {…}}, …], or <tool_call> before the array, only at the
 * beginning of the text. The name may be in `type`.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/tools/formats.h"
#include "dialogue/tools/list.h"
#include "dialogue/tools/object.h"
#include "dialogue/tools/state.h"

#include <string.h>

static serve_tools_found scan_block(serve_tools *t, assay_text text, bool ended, size_t *n)
{
    size_t *at = &t->scan.mark[0]; /* the offset of the array, as far as it has been searched for */
    *at = serve_span_skip(text, *at > 0 ? *at : strlen(t->format->openers[t->opener]));
    const size_t begin = *at;
    *n = begin;
    if (begin < text.n && text.at[begin] != '[') return SERVE_FOUND_CONTENT;
    const bool found = begin < text.n && serve_list_find_end(t, text, begin);
    *n = found ? t->scan.seen : text.n;
    if (found) return SERVE_FOUND_BLOCK;
    return ended ? SERVE_FOUND_CONTENT : SERVE_FOUND_MORE;
}

static serve_tools_found read_block(serve_tools *t, assay_text block)
{
    static const serve_tools_members MEMBERS = {.other_name = "type", .arguments = {"arguments"}};
    const size_t begin = serve_span_find(block, 0, "[");
    const serve_list found = serve_list_read(t, serve_span_from(block, begin), &MEMBERS);
    return found == SERVE_LIST_CALLS ? SERVE_FOUND_NOTHING : SERVE_FOUND_CONTENT;
}

const serve_tools_format serve_tools_granite = {
    .names = {"granite", "granite3"},
    .openers = {"<|tool_call|>", "<tool_call>"},
    .after = SERVE_AFTER_KEPT,
    .leading = true,
    .scan_block = scan_block,
    .read_block = read_block,
};
