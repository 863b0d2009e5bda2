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
 * <endpoint>.c has those of its own. Memory: what is joined, at most SERVE_GRAMMAR_TEXT_MAX, and the
 * longest event. Time: linear (sorting the members of an object aside).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVING_GRAMMAR_GRAMMAR_H
#define SERVING_GRAMMAR_GRAMMAR_H

#include <assay/serving.h>

#include "serving/grammar/breach.h"
#include "serving/grammar/options.h"

/* By its short name or by its path: "chat", "/v1/chat/completions". False where there is none. */
bool serve_endpoint_find(const char *name, serve_endpoint *out);

/* "chat", … */
const char *serve_endpoint_name(serve_endpoint endpoint);

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
