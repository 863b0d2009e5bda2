/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/reduce/texts/value.h"

#include <stdlib.h>
#include <string.h>

/* Member number i of an object; its name in *name. */
static json_object *member(json_object *object, size_t i, const char **name)
{
    json_object_object_foreach(object, key, value)
    {
        if (i-- > 0) continue;
        *name = key;
        return value;
    }
    *name = NULL;
    return NULL;
}

static json_object *child(json_object *value, size_t i)
{
    const char *name;
    if (json_object_is_type(value, json_type_array)) return json_object_array_get_idx(value, i);
    return json_object_is_type(value, json_type_object) ? member(value, i, &name) : NULL;
}

json_object *conf_value_at(json_object *document, const conf_value_path *path)
{
    for (size_t i = 0; i < path->n && document; i++) document = child(document, path->at[i]);
    return document;
}

json_object *conf_value_replaced(json_object *document, const conf_value_path *path, json_object *value)
{
    json_object *copy = NULL;
    conf_value_path above = *path;
    if (path->n == 0 || json_object_deep_copy(document, &copy, NULL) != 0) return NULL;
    const size_t last = path->at[--above.n];
    json_object *holder = conf_value_at(copy, &above);
    const char *name = NULL;
    int failed = -1;
    if (json_object_is_type(holder, json_type_array))
        failed = json_object_array_put_idx(holder, last, json_object_get(value));
    else if (json_object_is_type(holder, json_type_object) && (member(holder, last, &name), name))
        failed = json_object_object_add(holder, name, json_object_get(value));
    if (failed == 0) return copy;
    (void)json_object_put(copy);
    return NULL;
}

static bool begins_character(char c)
{
    return ((unsigned char)c & 0xc0U) != 0x80U;
}

static size_t count_characters(json_object *value)
{
    const char *text = json_object_get_string(value);
    const size_t n_bytes = (size_t)json_object_get_string_len(value);
    size_t n = 0;
    for (size_t i = 0; i < n_bytes; i++) n += i == 0 || begins_character(text[i]);
    return n;
}

size_t conf_value_children(json_object *value)
{
    if (json_object_is_type(value, json_type_array)) return json_object_array_length(value);
    return json_object_is_type(value, json_type_object) ? (size_t)json_object_object_length(value) : 0;
}

size_t conf_value_units(json_object *value)
{
    return json_object_is_type(value, json_type_string) ? count_characters(value)
                                                        : conf_value_children(value);
}

static json_object *keep_characters(json_object *value, const bool *kept)
{
    const char *text = json_object_get_string(value);
    const size_t n_bytes = (size_t)json_object_get_string_len(value);
    char *some = malloc(n_bytes + 1);
    size_t n = 0, unit = 0;
    if (!some) return NULL;
    for (size_t i = 0; i < n_bytes; i++) {
        if (i > 0 && begins_character(text[i])) unit++;
        if (kept[unit]) some[n++] = text[i];
    }
    json_object *out = json_object_new_string_len(some, (int)n);
    free(some);
    return out;
}

json_object *conf_value_keep(json_object *value, const bool *kept)
{
    const bool is_array = json_object_is_type(value, json_type_array);
    if (json_object_is_type(value, json_type_string)) return keep_characters(value, kept);
    if (!is_array && !json_object_is_type(value, json_type_object)) return NULL;
    json_object *out = is_array ? json_object_new_array() : json_object_new_object();
    for (size_t i = 0; i < conf_value_children(value) && out; i++) {
        const char *name = NULL;
        json_object *one = is_array ? json_object_array_get_idx(value, i) : member(value, i, &name);
        if (!kept[i]) continue;
        const int failed = is_array ? json_object_array_add(out, json_object_get(one))
                                    : json_object_object_add(out, name, json_object_get(one));
        if (failed == 0) continue;
        (void)json_object_put(out);
        out = NULL;
    }
    return out;
}
