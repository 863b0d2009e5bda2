/* The state machine that reads a text for tool calls of a given format.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_TOOLS_MACHINE_H
#define DIALOGUE_TOOLS_MACHINE_H

#include "dialogue/tools/format.h"
#include "dialogue/tools/request.h"

/* t: zeroed by the caller. request: borrowed until serve_tools_stop, which the caller must call in either
 * case. False: out of memory. */
bool serve_tools_start(serve_tools *t, const serve_tools_format *format, serve_tools_request *request);

/* Frees the buffers of t, but not t. */
void serve_tools_stop(serve_tools *t);

/* delta: [n], borrowed. Emits what is decided: ASSAY_PART_CONTENT, and for each call ASSAY_PART_CALL and, if
 * not empty, ASSAY_PART_ARGUMENTS in one piece. Fails only with ASSAY_ENOMEM; all later calls fail then,
 * too. */
assay_status serve_tools_feed(serve_tools *t, const char *delta, size_t n, const assay_sink *sink,
                              assay_error *err);

/* Ends the text and emits what was held. Called once, last. */
assay_status serve_tools_end(serve_tools *t, const assay_sink *sink, assay_error *err);

/* For a format that tries others: emits the calls that `format` finds in text, which is complete. False if it
 * finds none. */
bool serve_tools_try(serve_tools *t, const serve_tools_format *format, assay_text text);

#endif
