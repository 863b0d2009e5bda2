/* The tools that a request declares: their names, and the types of their parameters.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_TOOLS_REQUEST_H
#define DIALOGUE_TOOLS_REQUEST_H

#include <assay/serving.h>

#include <stdbool.h>

typedef struct serve_tools_request serve_tools_request;

/* request: the JSON text of a request, not kept, or .at NULL. ASSAY_EFORMAT if it is not a JSON object.
 * Malformed members are ignored, as the published server does. */
assay_status serve_tools_request_open(assay_text request, serve_tools_request **out, assay_error *err);
void serve_tools_request_free(serve_tools_request *r);

/* Whether the request declares any named tool, and one of this name. */
bool serve_tools_request_names_any(const serve_tools_request *r);
bool serve_tools_request_names(const serve_tools_request *r, assay_text tool);

/* The JSON Schema type of a parameter of a tool; "string" if the request does not declare one. A schema
 * without `properties` is itself read as the properties. Borrowed. */
const char *serve_tools_request_type(const serve_tools_request *r, assay_text tool, assay_text parameter);

/* Whether the declared type of a parameter is exactly "string". */
bool serve_tools_request_is_string(const serve_tools_request *r, assay_text tool, assay_text parameter);

/* The `properties` of a tool's parameter schema, an object; NULL if it has none. Borrowed. */
struct json_object *serve_tools_request_properties(const serve_tools_request *r, assay_text tool);

#endif
