/* deepseek_v4: <｜DSML｜tool_calls><｜DSML｜invoke name="NAME">
 * <｜DSML｜parameter name="KEY" string="true">VALUE</｜DSML｜parameter>…</｜DSML｜invoke>…
 * </｜DSML｜tool_calls>. string="false": the value is JSON. The text may end before any of the end tags.
 *
 * Only the first block is read.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/tools/formats.h"
#include "dialogue/tools/invoke.h"
#include "dialogue/tools/state.h"

#include <string.h>

#define TAG       "<｜DSML｜tool_calls>"
#define TAG_END   "</｜DSML｜tool_calls>"
#define INVOKE    "<｜DSML｜invoke"
#define PARAMETER "<｜DSML｜parameter"

static serve_tools_found scan_block(serve_tools *t, assay_text text, bool ended, size_t *n)
{
    return serve_invoke_find_end(t, text, TAG_END, n) || ended ? SERVE_FOUND_BLOCK : SERVE_FOUND_MORE;
}

static serve_tools_found read_block(serve_tools *t, assay_text block)
{
    static const serve_invoke_style STYLE = {.invoke = INVOKE,
                                             .invoke_end = "</｜DSML｜invoke>",
                                             .parameter = PARAMETER,
                                             .parameter_end = "</｜DSML｜parameter>",
                                             .typed = true,
                                             .unclosed = true,
                                             .empty = true};
    const size_t end = serve_span_ends(block, TAG_END) ? block.n - strlen(TAG_END) : block.n;
    serve_invoke_calls(t, serve_span_part(block, strlen(TAG), end), &STYLE);
    t->disabled = 1U;
    return t->n_calls > 0 ? SERVE_FOUND_NOTHING : SERVE_FOUND_CONTENT;
}

const serve_tools_format serve_tools_deepseek_v4 = {
    .names = {"deepseek_v4", "dsml"},
    .openers = {TAG},
    .inner = {TAG_END, INVOKE, "</｜DSML｜invoke>", PARAMETER, "</｜DSML｜parameter>"},
    .after = SERVE_AFTER_MARKER_UNCALLED,
    .scan_block = scan_block,
    .read_block = read_block,
};
