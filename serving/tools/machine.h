/* The machine that reads a text for tool calls of a given format.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVING_TOOLS_MACHINE_H
#define SERVING_TOOLS_MACHINE_H

#include "serving/tools/format.h"
#include "serving/tools/request.h"

/* t: zeroed. request: borrowed until serve_tools_stop, which is called either way. False: out of memory. */
bool serve_tools_start(serve_tools *t, const serve_tools_format *format, serve_tools_request *request);

/* Frees what t holds, but not t itself. */
void serve_tools_stop(serve_tools *t);

/* delta: [n]. Hands out what is certain: ASSAY_PART_CONTENT, and of each call ASSAY_PART_CALL and, where they
 * are not empty, ASSAY_PART_ARGUMENTS in one piece. Fails with ASSAY_ENOMEM only; then so does all that
 * follows. */
assay_status serve_tools_feed(serve_tools *t, const char *delta, size_t n, const assay_sink *sink,
                              assay_error *err);

/* The text has ended: hands out what was held. Once, and last. */
assay_status serve_tools_end(serve_tools *t, const assay_sink *sink, assay_error *err);

/* For a format that tries others: hands out the calls that `format` finds in the text, which is whole. False
 * where it finds none. */
bool serve_tools_try(serve_tools *t, const serve_tools_format *format, assay_text text);

#endif
