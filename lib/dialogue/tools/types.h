/* Converts the arguments of a call to the types that the request declares, as the published server does once
 * it has all of them (vllm-mlx 0.6.0, _coerce_tool_arguments of server.py).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_TOOLS_TYPES_H
#define DIALOGUE_TOOLS_TYPES_H

#include "base/buffer.h"
#include "dialogue/tools/request.h"

/* Converts values of `arguments`, a JSON object, whose type is not the one that the request declares for that
 * parameter of the tool, if that loses nothing: a string that contains a value of the type becomes that
 * value, and an array or object becomes its text (as Python's json.dumps without white space) if the type is
 * string. Returns true, and adds the new object to out, if anything has changed. A failed allocation shows in
 * out->failed. */
bool serve_tools_types(const serve_tools_request *request, assay_text tool, assay_text arguments,
                       buffer *out);

#endif
