/* Thinking blocks (<think>…</think>, "thoughts" in names here) after the first marker of a text.
 *
 * Within a block of calls a thinking block is skipped, and elsewhere it is dropped. The first </think>
 * without <think> absorbs the text before it, as if the text began after it; it does not absorb what has
 * already been emitted, and absorbs nothing once there was a complete thinking block or a call.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_TOOLS_THOUGHTS_H
#define DIALOGUE_TOOLS_THOUGHTS_H

#include "dialogue/tools/state.h"

#define SERVE_THINK     "<think>"
#define SERVE_THINK_END "</think>"

/* The block without its complete thinking blocks: either block itself, or a copy in t->block. */
assay_text serve_tools_drop_thoughts(serve_tools *t, assay_text block);

/* Whether text begins with <think> or </think>, which sets t->opener, or is a proper prefix of one;
 * SERVE_FOUND_CONTENT if the format or the place does not recognise them. */
serve_tools_found serve_tools_match_thought(serve_tools *t, assay_text text);

/* Calls the format's scan_block, and handles thinking blocks. */
serve_tools_found serve_tools_scan_block(serve_tools *t, assay_text text, bool ended, size_t *n);

#endif
