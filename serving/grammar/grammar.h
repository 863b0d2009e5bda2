/* A validator for event streams of any server: which events each endpoint may send, in which order.
 *
 * The protocols are the published ones (OpenAI's chat.completion.chunk and events of Responses, Anthropic's
 * events of Messages). Where servers differ and clients accept both variants, so does the validator: sequence
 * numbers that begin with 0 or with 1, several open items of Responses, input tokens that are reported at the
 * beginning or at the end of a message.
 *
 * A stream is valid until it breaks a rule; the validator reads nothing after that. Rules of all endpoints:
 *
 *     sse-…        those of sse.h
 *     json         data is one JSON object, in strict syntax
 *     event-name   the field event equals the member type (chat completions: there is no field event)
 *     event        the protocol has such an event
 *     marker       content has none of the markers that a parser should have removed
 *     size         at most SERVE_GRAMMAR_TEXT_MAX bytes of text, and limits on choices, calls, blocks and
 * items after-error  nothing follows the event that reports that generation failed ([DONE] may)
 *
 * <endpoint>.c has the rules of each endpoint. Memory: the joined texts, at most SERVE_GRAMMAR_TEXT_MAX, and
 * the longest event. Time: linear, except for sorting the members of an object.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVING_GRAMMAR_GRAMMAR_H
#define SERVING_GRAMMAR_GRAMMAR_H

#include <assay/serving.h>

#include "serving/grammar/breach.h"
#include "serving/grammar/options.h"

/* Finds an endpoint by its short name or its path: "chat", "/v1/chat/completions". False if there is none. */
bool serve_endpoint_find(const char *name, serve_endpoint *out);

/* "chat", … */
const char *serve_endpoint_name(serve_endpoint endpoint);

/* The caller owns *out. Fails with ASSAY_ENOMEM. */
assay_status serve_grammar_open(const serve_grammar_options *options, serve_grammar **out);
void serve_grammar_free(serve_grammar *grammar);

/* bytes: [n], cut anywhere. ASSAY_EFORMAT if a rule is broken, which *breach describes; ASSAY_ENOMEM. After a
 * failure only the summary may be read. */
assay_status serve_grammar_feed(serve_grammar *grammar, const char *bytes, size_t n, serve_breach *breach);

/* Ends the stream. Called once. */
assay_status serve_grammar_end(serve_grammar *grammar, serve_breach *breach);

void serve_grammar_summarise(const serve_grammar *grammar, serve_grammar_summary *out);

#endif
