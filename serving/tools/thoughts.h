/* Thoughts behind the first marker of a text: what stands between <think> and </think>.
 *
 * Within a block they are no part of its calls, and outside of blocks no content. The first end of one that
 * has no beginning takes along what is before it, as if the text began behind it: but not what was told
 * already, and nothing at all once there was a whole thought, or a call.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVING_TOOLS_THOUGHTS_H
#define SERVING_TOOLS_THOUGHTS_H

#include "serving/tools/state.h"

#define SERVE_THINK     "<think>"
#define SERVE_THINK_END "</think>"

/* The block without what stands between <think> and </think> in it, and without those: it, or in t->block. */
assay_text serve_tools_drop_thoughts(serve_tools *t, assay_text block);

/* Whether text begins with either, t->opener, or is a beginning of one; where that matters. */
serve_tools_found serve_tools_match_thought(serve_tools *t, assay_text text);

/* The format's look, with regard to thoughts. */
serve_tools_found serve_tools_look(serve_tools *t, assay_text text, bool ended, size_t *n);

#endif
