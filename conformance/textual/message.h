/* The message that the body of a response says, streamed or not: folded into the members that a case of kind
 * events expects, of chat completions content, reasoning_content, tool_calls and finish_reason, of messages
 * content and stop_reason, of responses output and status. White space is taken off both ends of texts; what
 * is empty then is null, or no block and no item.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TEXTUAL_MESSAGE_H
#define CONFORMANCE_TEXTUAL_MESSAGE_H

#include <assay/serving.h>

#include <json-c/json.h>

#include "serving/grammar/grammar.h"

/* body: [n], of a stream one that its grammar finds sound. The caller owns *out, an object. ASSAY_EFORMAT
 * where a body that is not streamed is no JSON object, ASSAY_ENOMEM. Time: linear, however small deltas are.
 */
assay_status conf_message_fold(serve_endpoint endpoint, bool streamed, const char *body, size_t n,
                               json_object **out, assay_error *err);

/* The members of an endpoint's message, NULL-terminated. */
const char *const *conf_message_members(serve_endpoint endpoint);

#endif
