/* A validator for event streams of any server: which events each endpoint may send, in which order.
 *
 * The protocols are the published ones (OpenAI's chat.completion.chunk, text_completion and events of
 * Responses, Anthropic's events of Messages). Where servers differ and clients accept both variants, so does
 * the validator: sequence numbers that begin with 0 or with 1, several open items of Responses, input tokens
 * that are reported at the beginning or at the end of a message.
 *
 * Every breach of a rule is reported, with its grade (grades.h); the validator then goes on with what can
 * still be read. Rules of all endpoints:
 *
 *     sse-…        those of sse.h
 *     json         data is one JSON object, in strict syntax
 *     event-name   the field event equals the member type (chat completions, completions: there is no field
 *                  event)
 *     event        the protocol has such an event
 *     marker       content has none of the markers that a parser should have removed
 *     size         at most SERVE_GRAMMAR_TEXT_MAX bytes of text, and limits on choices, calls, blocks and
 * items; nothing is read after it after-error  nothing follows the event that reports that generation failed
 * ([DONE] may)
 *
 * <endpoint>.c has the rules of each endpoint. Memory: the joined texts, at most SERVE_GRAMMAR_TEXT_MAX, the
 * longest event, and the breaches that are kept. Time: linear, except for sorting the members of an object.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_GRAMMAR_GRAMMAR_H
#define DIALOGUE_GRAMMAR_GRAMMAR_H

#include <assay/serving.h>

#include "dialogue/grammar/breach.h"
#include "dialogue/grammar/options.h"

/* Finds an endpoint by its short name or its path: "chat", "/v1/chat/completions"; "completions", … False if
 * there is none. */
bool serve_endpoint_find(const char *name, serve_endpoint *out);

/* "chat", … */
const char *serve_endpoint_name(serve_endpoint endpoint);

/* The caller owns *out. Fails with ASSAY_ENOMEM. */
assay_status serve_grammar_open(const serve_grammar_options *options, serve_grammar **out);
void serve_grammar_free(serve_grammar *grammar);

/* bytes: [n], cut anywhere. ASSAY_ENOMEM; after it only the breaches and the summary may be read. */
assay_status serve_grammar_feed(serve_grammar *grammar, const char *bytes, size_t n);

/* Ends the stream. Called once. ASSAY_ENOMEM. */
assay_status serve_grammar_end(serve_grammar *grammar);

/* The breaches so far; borrowed until the grammar is fed, ended or freed. */
const serve_breaches *serve_grammar_breaches(const serve_grammar *grammar);

void serve_grammar_summarise(const serve_grammar *grammar, serve_grammar_summary *out);

#endif
