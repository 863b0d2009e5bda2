/* Emits the content and the calls of a tool parser.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_TOOLS_OUTPUT_H
#define DIALOGUE_TOOLS_OUTPUT_H

#include "dialogue/tools/state.h"

/* For a format that withholds content: emits the tail, and stops withholding. */
void serve_tools_release(serve_tools *t);

/* For a format that withholds content, at the end of the text: `read` searches the tail, without its absorbed
 * bytes, for calls. The tail is dropped if it finds one, and unchanged otherwise. */
void serve_tools_read_tail(serve_tools *t, void (*read)(serve_tools *t, assay_text text));

/* For a format that absorbs: adds text to the tail and marks all of it as absorbed, which is dropped if a
 * call comes. */
void serve_tools_withhold_absorbed(serve_tools *t, assay_text text);

/* Whether content is emitted now: neither dropped nor held. */
bool serve_tools_emits_content(const serve_tools *t);

/* The text has ended: emits content that was held for a call if no call has come. */
void serve_tools_end_content(serve_tools *t);

/* Emits, holds or drops content, as the rules say at this place. */
void serve_tools_content(serve_tools *t, assay_text text);

/* Emits a call. name: not empty. arguments: JSON text, its beginning if the text ends within the call, or
 * what the model wrote if that is not JSON. Neither may overlap t->tail. */
void serve_tools_call(serve_tools *t, assay_text name, assay_text arguments);

#endif
