/* The markers of a parser, as a list: content must have none of them if that parser has read the reply.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_MARKERS_H
#define DIALOGUE_MARKERS_H

#include <assay/status.h>

#include <stddef.h>

#define SERVE_MARKERS_MAX 16 /* of a parser */

/* Each has at most SERVE_MARKER_MAX bytes (grammar/options.h), and none occurs twice. The texts live as long
 * as the program. */
typedef struct serve_markers {
    const char *at[SERVE_MARKERS_MAX]; /* [n] */
    size_t n;
} serve_markers;

/* The markers that the reasoning parser of this name removes from replies, except for those that can be words
 * of an answer: the lines "thought" and "response" of gemma4. Without the markers of tool calls.
 * ASSAY_EUNSUPPORTED for an unknown name. */
assay_status serve_markers_of_reasoning(const char *name, serve_markers *out, assay_error *err);

/* The markers of a tool-call parser: those that begin a block, and those that occur in one. */
assay_status serve_markers_of_tools(const char *name, serve_markers *out, assay_error *err);

#endif
