/* Folds the body of a response, streamed or not, into the members that a case of kind events expects.
 * These are content, reasoning_content, tool_calls and finish_reason of chat completions; content and
 * stop_reason of messages; output and status of responses. White space is stripped from both ends of texts;
 * an empty text becomes null, and a block or item with an empty text is omitted.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TEXTUAL_MESSAGE_H
#define CONFORMANCE_TEXTUAL_MESSAGE_H

#include <assay/serving.h>

#include <json-c/json.h>

#include "dialogue/grammar/grammar.h"

/* Folds body [n]. An event stream must have passed the grammar of its endpoint. The caller owns *out, a
 * JSON object. Fails with ASSAY_EFORMAT if a body that is not streamed is not a JSON object, and with
 * ASSAY_ENOMEM. Takes time linear in n, however small the deltas are. */
assay_status conf_message_fold(serve_endpoint endpoint, bool streamed, const char *body, size_t n,
                               json_object **out, assay_error *err);

/* The names of the members of an endpoint's folded message, NULL-terminated. */
const char *const *conf_message_members(serve_endpoint endpoint);

#endif
