/* What a request says of its tools: names, and the types of parameters.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVING_TOOLS_REQUEST_H
#define SERVING_TOOLS_REQUEST_H

#include <assay/serving.h>

#include <stdbool.h>

typedef struct serve_tools_request serve_tools_request;

/* request: the JSON text of a request, or .at NULL; not kept. ASSAY_EFORMAT where it is not a JSON object.
 * Members that are not as they should be are passed over, as the published server does. */
assay_status serve_tools_request_open(assay_text request, serve_tools_request **out, assay_error *err);
void serve_tools_request_free(serve_tools_request *r);

/* Whether there are tools with names at all, and one of this name. */
bool serve_tools_request_names_any(const serve_tools_request *r);
bool serve_tools_request_names(const serve_tools_request *r, assay_text tool);

/* The JSON Schema type of a parameter of a tool: "string" where the request does not say. Parameters that
 * stand in the place of their schema, without `properties`, are taken for those. Borrowed. */
const char *serve_tools_request_type(const serve_tools_request *r, assay_text tool, assay_text parameter);

/* Whether the type of a parameter of a tool is "string" and nothing else. */
bool serve_tools_request_is_string(const serve_tools_request *r, assay_text tool, assay_text parameter);

/* What the request says of the parameters of a tool, by their names: the `properties` of its schema, an
 * object; NULL where there are none. Borrowed. */
struct json_object *serve_tools_request_properties(const serve_tools_request *r, assay_text tool);

#endif
