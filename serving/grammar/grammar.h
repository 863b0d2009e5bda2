/* What an event stream of each endpoint may hold, in which order: a validator for anyone's stream.
 *
 * The protocols are the published ones (OpenAI's chat.completion.chunk and events of Responses, Anthropic's
 * events of Messages). Where servers differ and clients accept both, so does the validator: sequence numbers
 * that begin with 0 or with 1, several items of Responses open at a time, input tokens that are told at the
 * beginning or at the end of a message.
 *
 * A stream is sound until a rule is broken, and nothing is read behind that place. Rules of all endpoints:
 *
 *     sse-…        those of sse.h
 *     json         data is one JSON object, strictly
 *     event-name   the field event is the member type (chat completions: there is none)
 *     event        an event that the protocol does not have
 *     marker       content holds a marker that should have been taken out
 *     size         more text than SERVE_GRAMMAR_TEXT_MAX, or more choices, calls, blocks or items than fit
 *     after-error  something follows the event that says that generation failed ([DONE] may)
 *
 * grammar_<endpoint>.c has those of its own. Memory: what is joined, at most SERVE_GRAMMAR_TEXT_MAX, and the
 * longest event. Time: linear (sorting the members of an object aside).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVING_GRAMMAR_GRAMMAR_H
#define SERVING_GRAMMAR_GRAMMAR_H

#include <assay/serving.h>

#include "serving/grammar/breach.h"

#define SERVE_GRAMMAR_TEXT_MAX ((size_t)64 << 20)
#define SERVE_MARKER_MAX       64 /* bytes of a marker */

typedef enum serve_endpoint { SERVE_CHAT, SERVE_MESSAGES, SERVE_RESPONSES, SERVE_N_ENDPOINTS } serve_endpoint;

/* By its short name or by its path: "chat", "/v1/chat/completions". False where there is none. */
bool serve_endpoint_find(const char *name, serve_endpoint *out);

/* "chat", … */
const char *serve_endpoint_name(serve_endpoint endpoint);

typedef enum serve_asked { SERVE_ASKED_UNKNOWN, SERVE_ASKED_FOR, SERVE_NOT_ASKED_FOR } serve_asked;

typedef struct serve_grammar_options {
    serve_endpoint endpoint;
    serve_asked usage;          /* chat completions: stream_options.include_usage of the request */
    const char *const *markers; /* [n_markers], each of 1 to SERVE_MARKER_MAX bytes; borrowed */
    size_t n_markers;
} serve_grammar_options;

/* What a stream says, as far as it was read. */
typedef struct serve_grammar_summary {
    size_t n_events, n_bytes;
    size_t content_bytes, reasoning_bytes, n_calls;
    char finish[32];                     /* why it ended, in the protocol's word; "" where that is not said */
    bool failed;                         /* it ends with the protocol's error event */
    int64_t input_tokens, output_tokens; /* -1: never told */
} serve_grammar_summary;

typedef struct serve_grammar serve_grammar;

/* The caller owns *out. ASSAY_ENOMEM. */
assay_status serve_grammar_open(const serve_grammar_options *options, serve_grammar **out);
void serve_grammar_free(serve_grammar *grammar);

/* bytes: [n], cut anywhere. ASSAY_EFORMAT where a rule is broken: *breach says which; ASSAY_ENOMEM. After a
 * failure only the summary may be asked for. */
assay_status serve_grammar_feed(serve_grammar *grammar, const char *bytes, size_t n, serve_breach *breach);

/* The stream has ended. Once. */
assay_status serve_grammar_end(serve_grammar *grammar, serve_breach *breach);

void serve_grammar_summarise(const serve_grammar *grammar, serve_grammar_summary *out);

#endif
