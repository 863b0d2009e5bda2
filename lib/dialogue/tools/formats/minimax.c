/* minimax: <minimax:tool_call><invoke name="NAME"><parameter name="KEY">VALUE</parameter>…</invoke>…
 * </minimax:tool_call>. An <invoke> without parameters is no call, nor is one outside of these tags.
 *
 * A complete block is dropped even without a call, and so is all content after the first one.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/tools/formats.h"
#include "dialogue/tools/invoke.h"
#include "dialogue/tools/state.h"

#include <string.h>

#define TAG     "<minimax:tool_call>"
#define TAG_END "</minimax:tool_call>"

static serve_tools_found scan_block(serve_tools *t, assay_text text, bool ended, size_t *n)
{
    if (serve_invoke_find_end(t, text, TAG_END, n)) return SERVE_FOUND_BLOCK;
    return ended ? SERVE_FOUND_CONTENT : SERVE_FOUND_MORE;
}

static serve_tools_found read_block(serve_tools *t, assay_text block)
{
    static const serve_invoke_style STYLE = {.invoke = "<invoke",
                                             .invoke_end = "</invoke>",
                                             .parameter = "<parameter",
                                             .parameter_end = "</parameter>"};
    serve_invoke_calls(t, serve_span_part(block, strlen(TAG), block.n - strlen(TAG_END)), &STYLE);
    t->content_mode = SERVE_CONTENT_DROPPED;
    return SERVE_FOUND_NOTHING;
}

const serve_tools_format serve_tools_minimax = {
    .names = {"minimax", "minimax_m2"},
    .openers = {TAG},
    .inner = {TAG_END, "<invoke name=\"", "</invoke>", "<parameter name=\"", "</parameter>"},
    .after = SERVE_AFTER_KEPT,
    .scan_block = scan_block,
    .read_block = read_block,
};
