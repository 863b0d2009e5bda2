/* The options of a grammar, and its summary of a stream.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_GRAMMAR_OPTIONS_H
#define DIALOGUE_GRAMMAR_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SERVE_GRAMMAR_TEXT_MAX ((size_t)64 << 20)
#define SERVE_MARKER_MAX       64 /* bytes of a marker */

typedef enum serve_endpoint {
    SERVE_CHAT,
    SERVE_MESSAGES,
    SERVE_RESPONSES,
    SERVE_COMPLETIONS,
    SERVE_N_ENDPOINTS
} serve_endpoint;

typedef enum serve_asked { SERVE_ASKED_UNKNOWN, SERVE_ASKED_FOR, SERVE_NOT_ASKED_FOR } serve_asked;

typedef struct serve_grammar_options {
    serve_endpoint endpoint;
    serve_asked usage;          /* chat completions: stream_options.include_usage of the request */
    const char *const *markers; /* [n_markers], each of 1 to SERVE_MARKER_MAX bytes; borrowed */
    size_t n_markers;
} serve_grammar_options;

/* What a stream has said as far as it was read. */
typedef struct serve_grammar_summary {
    size_t n_events, n_bytes;
    size_t content_bytes, reasoning_bytes, n_calls;
    char finish[32];                     /* the protocol's reason for the end; "" if none was given */
    bool failed;                         /* the stream ends with the protocol's error event */
    int64_t input_tokens, output_tokens; /* -1: not reported */
} serve_grammar_summary;

typedef struct serve_grammar serve_grammar;

#endif
