/* The content and the calls that a tool parser hands out.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVING_TOOLS_OUTPUT_H
#define SERVING_TOOLS_OUTPUT_H

#include "serving/tools/state.h"

/* For a format that withholds: hands out the tail as content, and the content behind it. */
void serve_tools_release(serve_tools *t);

/* For a format that withholds, when the text has ended: `take` reads calls from the tail, but for what was
 * taken along. Where it finds one, the tail is dropped. */
void serve_tools_take_tail(serve_tools *t, void (*take)(serve_tools *t, assay_text text));

/* For a format that takes along: withholds the text, which is none if a call comes. */
void serve_tools_withhold_taken(serve_tools *t, assay_text text);

/* Whether content is handed out at this place: it is neither dropped nor held for what comes. */
bool serve_tools_hands_out(const serve_tools *t);

/* The text has ended: content that was held for a call is content where none has come. */
void serve_tools_end_content(serve_tools *t);

/* Content, with what holds for it at this place. */
void serve_tools_content(serve_tools *t, assay_text text);

/* Hands a call out. name is not empty; arguments: JSON text, its beginning where the text ends in the call,
 * or what the model wrote that is not JSON. Neither may lie in t->tail. */
void serve_tools_call(serve_tools *t, assay_text name, assay_text arguments);

#endif
