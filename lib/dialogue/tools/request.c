/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/tools/request.h"

#include "base/error.h"
#include "base/json.h"

#include <stdlib.h>
#include <string.h>

struct serve_tools_request {
    json_object *root;  /* owned */
    json_object *tools; /* an array, or NULL */
};

assay_status serve_tools_request_open(assay_text request, serve_tools_request **out, assay_error *err)
{
    serve_tools_request *r = calloc(1, sizeof *r);
    if (!r) return assay_fail(err, ASSAY_ENOMEM, "request: out of memory");
    if (request.at) {
        assay_status rc = json_parse("request", request.at, request.n, &r->root, err);
        if (rc == ASSAY_OK && !json_object_is_type(r->root, json_type_object)) {
            json_object_put(r->root);
            rc = assay_fail(err, ASSAY_EFORMAT, "request: found %s, expected an object",
                            json_type_to_name(json_object_get_type(r->root)));
        }
        if (rc != ASSAY_OK) {
            free(r);
            return rc;
        }
        json_object *tools;
        if (json_object_object_get_ex(r->root, "tools", &tools) &&
            json_object_is_type(tools, json_type_array))
            r->tools = tools;
    }
    *out = r;
    return ASSAY_OK;
}

void serve_tools_request_free(serve_tools_request *r)
{
    if (!r) return;
    json_object_put(r->root);
    free(r);
}

static json_object *find_member(json_object *object, const char *name)
{
    json_object *value = NULL;
    if (json_object_is_type(object, json_type_object)) json_object_object_get_ex(object, name, &value);
    return value;
}

static bool equals_text(json_object *string, assay_text text)
{
    return json_object_is_type(string, json_type_string) &&
           (size_t)json_object_get_string_len(string) == text.n &&
           memcmp(json_object_get_string(string), text.at, text.n) == 0;
}

/* The `function` object of the tool with this name; NULL if there is none. */
static json_object *find_function(const serve_tools_request *r, assay_text tool)
{
    const size_t n = r->tools ? json_object_array_length(r->tools) : 0;
    for (size_t i = 0; i < n; i++) {
        json_object *function = find_member(json_object_array_get_idx(r->tools, i), "function");
        if (equals_text(find_member(function, "name"), tool)) return function;
    }
    return NULL;
}

bool serve_tools_request_names_any(const serve_tools_request *r)
{
    return r->tools && json_object_array_length(r->tools) > 0;
}

bool serve_tools_request_names(const serve_tools_request *r, assay_text tool)
{
    return find_function(r, tool) != NULL;
}

json_object *serve_tools_request_properties(const serve_tools_request *r, assay_text tool)
{
    json_object *properties = find_member(find_member(find_function(r, tool), "parameters"), "properties");
    return json_object_is_type(properties, json_type_object) ? properties : NULL;
}

bool serve_tools_request_is_string(const serve_tools_request *r, assay_text tool, assay_text parameter)
{
    static const char STRING[] = "string";
    json_object *properties = serve_tools_request_properties(r, tool);
    if (!properties) return false;
    json_object_object_foreach(properties, name, schema)
    {
        if (strlen(name) == parameter.n && memcmp(name, parameter.at, parameter.n) == 0)
            return equals_text(find_member(schema, "type"), (assay_text){STRING, sizeof STRING - 1});
    }
    return false;
}

const char *serve_tools_request_type(const serve_tools_request *r, assay_text tool, assay_text parameter)
{
    json_object *parameters = find_member(find_function(r, tool), "parameters");
    const bool has_schema = json_object_object_get_ex(parameters, "properties", NULL);
    json_object *properties = has_schema ? find_member(parameters, "properties") : parameters;
    if (!json_object_is_type(properties, json_type_object)) return "string";
    json_object_object_foreach(properties, name, schema)
    {
        if (strlen(name) != parameter.n || memcmp(name, parameter.at, parameter.n) != 0) continue;
        json_object *type = find_member(schema, "type");
        return json_object_is_type(type, json_type_string) ? json_object_get_string(type) : "string";
    }
    return "string";
}
