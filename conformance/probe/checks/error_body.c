/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/checks/error_body.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"

/* The value at a path; *found is false if there is none. */
static json_object *at_path(json_object *value, const char *path, bool *found)
{
    char name[64];
    *found = true;
    while (*path && *found) {
        const size_t n = strcspn(path, ".");
        (void)snprintf(name, sizeof name, "%.*s", (int)n, path);
        path += n + (path[n] == '.');
        if (json_object_is_type(value, json_type_array)) {
            const size_t i = strtoul(name, NULL, 10);
            *found = i < json_object_array_length(value);
            value = *found ? json_object_array_get_idx(value, i) : NULL;
        } else {
            *found = json_object_is_type(value, json_type_object) &&
                     json_object_object_get_ex(value, name, &value);
        }
    }
    return value;
}

bool probe_error_body_is_valid(probe_endpoint endpoint, const probe_exchange *x, char *text, size_t size)
{
    bool found, has_type;
    assay_error why;
    json_object *body = NULL;
    (void)json_parse("the body", x->body.data ? x->body.data : "", x->body.n, &body, &why);
    json_object *message = at_path(body, "error.message", &found), *type = at_path(body, "type", &has_type);
    const bool has_message = found && json_object_is_type(message, json_type_string);
    const bool typed =
        endpoint != PROBE_MESSAGES || (has_type && json_object_is_type(type, json_type_string) &&
                                       strcmp(json_object_get_string(type), "error") == 0);
    json_object_put(body);
    if (has_message && typed) return true;
    (void)snprintf(text, size, "status %d: found %.*s, expected an object with %serror.message", x->status,
                   (int)(x->body.n < 120 ? x->body.n : 120), x->body.n ? x->body.data : "",
                   endpoint == PROBE_MESSAGES ? "type error and " : "");
    return false;
}
