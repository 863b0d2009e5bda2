/* Requests in the form of chat completions, as the other endpoints take them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_RUN_CONVERT_H
#define CONFORMANCE_PROBE_RUN_CONVERT_H

#include <json-c/json.h>
#include <stdbool.h>

#include "conformance/probe/answer/form.h"

/* Adds the messages, the system prompt and the tools of `chat` to the body of a request. The arguments of
 * calls are written as a string, spaced as Python's json.dumps writes them, except for Messages, whose
 * protocol has them as an object. False if out of memory. */
bool probe_convert(json_object *chat, probe_endpoint endpoint, json_object *body);

#endif
