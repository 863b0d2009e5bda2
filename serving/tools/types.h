/* The arguments of a call in the types that the request declares, as the published server coerces them where
 * it knows all of them (vllm-mlx 0.6.0, _coerce_tool_arguments of server.py).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVING_TOOLS_TYPES_H
#define SERVING_TOOLS_TYPES_H

#include "serving/text/bytes.h"
#include "serving/tools/request.h"

/* Where `arguments`, JSON text, is an object, and values in it are not of a type that the request names for
 * their parameters of this tool, but can be without loss: a string that says such a value becomes it, and an
 * array or an object for which a string is wanted becomes its text, as Python's json.dumps writes it without
 * white space. True, and the object added to out, where anything has changed. ASSAY_ENOMEM shows in
 * out->failed. */
bool serve_tools_types(const serve_tools_request *request, assay_text tool, assay_text arguments,
                       serve_bytes *out);

#endif
