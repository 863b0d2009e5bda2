/* The markers of a parser, as a list: what content must not hold where that parser has read the reply.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVING_MARKERS_H
#define SERVING_MARKERS_H

#include <assay/status.h>

#include <stddef.h>

#define SERVE_MARKERS_MAX 16 /* of a parser */

/* Each at most SERVE_MARKER_MAX bytes (grammar.h), none twice; the texts live as long as the program. */
typedef struct serve_markers {
    const char *at[SERVE_MARKERS_MAX]; /* [n] */
    size_t n;
} serve_markers;

/* Of the reasoning parser of this name those that it takes out of replies, but for words that an answer may
 * hold, too: not the lines "thought" and "response" of gemma4. Markers of tool calls are not among them.
 * ASSAY_EUNSUPPORTED where there is no such parser. */
assay_status serve_markers_of_reasoning(const char *name, serve_markers *out, assay_error *err);

/* Of the parser of tool calls: those that begin a block, and those that stand in one. */
assay_status serve_markers_of_tools(const char *name, serve_markers *out, assay_error *err);

#endif
