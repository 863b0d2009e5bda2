/* SPDX-License-Identifier: Apache-2.0 */
#include "server/request/reading.h"

#include "base/json_scan.h"

#include <stdio.h>
#include <string.h>

server_path server_path_top(const char *name)
{
    server_path path;
    (void)snprintf(path.text, sizeof path.text, "%s", name);
    return path;
}

/* A path that is too long keeps its end, which says most. */
static server_path join(const server_path *parent, const char *more)
{
    static const char cut[] = "...";
    server_path path = {""};
    char text[2 * sizeof path.text];
    const int length = snprintf(text, sizeof text, "%s%s", parent->text, more);
    const size_t n = length > 0 ? strlen(text) : 0;
    if (n < sizeof path.text) {
        memcpy(path.text, text, n + 1);
    } else {
        memcpy(path.text, cut, sizeof cut - 1);
        memcpy(path.text + sizeof cut - 1, text + n + sizeof cut - sizeof path.text,
               sizeof path.text - sizeof cut + 1);
    }
    return path;
}

server_path server_path_member(const server_path *parent, const char *name)
{
    char more[80];
    (void)snprintf(more, sizeof more, "%s%.64s", *parent->text ? "." : "", name);
    return join(parent, more);
}

server_path server_path_element(const server_path *parent, size_t index)
{
    char more[32];
    (void)snprintf(more, sizeof more, "[%zu]", index);
    return join(parent, more);
}

assay_status server_out_of_memory(const server_reading *r)
{
    return server_refuse(r->refusal, 500, "", "out of memory");
}

assay_status server_unexpected(const server_reading *r, const server_path *path, json_object *found,
                               const char *expected)
{
    size_t n = 4;
    const char *text = found ? json_object_to_json_string_length(found, JSON_C_TO_STRING_PLAIN, &n) : "null";
    if (!text) return server_out_of_memory(r);
    const int shown = json_scan_clip(text, n, 80);
    return server_refuse(r->refusal, 400, path->text, "found %.*s%s, expected %s", shown, text,
                         (size_t)shown < n ? "…" : "", expected);
}

static const char *describe(json_type type)
{
    switch (type) {
    case json_type_boolean: return "true or false";
    case json_type_int: return "an integer";
    case json_type_double: return "a number";
    case json_type_string: return "a string";
    case json_type_array: return "a list";
    default: return "an object";
    }
}

assay_status server_optional(const server_reading *r, const server_path *parent, json_object *object,
                             const char *name, json_type type, json_object **out)
{
    json_object *value = NULL;
    *out = NULL;
    if (!json_object_object_get_ex(object, name, &value) || !value) return ASSAY_OK;
    if (json_object_is_type(value, type) ||
        (type == json_type_double && json_object_is_type(value, json_type_int))) {
        *out = value;
        return ASSAY_OK;
    }
    const server_path path = server_path_member(parent, name);
    return server_unexpected(r, &path, value, describe(type));
}

assay_status server_required(const server_reading *r, const server_path *parent, json_object *object,
                             const char *name, json_type type, json_object **out)
{
    const assay_status rc = server_optional(r, parent, object, name, type, out);
    if (rc != ASSAY_OK || *out) return rc;
    const server_path path = server_path_member(parent, name);
    return server_refuse(r->refusal, 400, path.text, "found none, expected %s", describe(type));
}

assay_status server_only(const server_reading *r, const server_path *parent, json_object *object,
                         const char *const *names)
{
    json_object_object_foreach(object, name, value)
    {
        bool known = !value;
        for (size_t i = 0; names[i] && !known; i++) known = strcmp(names[i], name) == 0;
        if (known) continue;
        const server_path path = server_path_member(parent, name);
        return server_refuse(r->refusal, 400, path.text, "found a member that is not supported");
    }
    return ASSAY_OK;
}

bool server_is(json_object *text, const char *expected)
{
    const char *found = json_text(text);
    return found && strcmp(found, expected) == 0;
}

bool server_add(json_object *object, const char *name, json_object *value)
{
    if (value && json_object_object_add(object, name, value) == 0) return true;
    (void)json_object_put(value);
    return false;
}

bool server_append(json_object *list, json_object *value)
{
    if (value && json_object_array_add(list, value) == 0) return true;
    (void)json_object_put(value);
    return false;
}
