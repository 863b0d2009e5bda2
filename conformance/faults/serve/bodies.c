/* Faults of the bodies of requests.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "conformance/faults/serve/fault.h"

enum { KEPT = 4, BODIES_MOST = 16 };

static json_object *messages_of(json_object *body)
{
    json_object *messages = json_object_object_get(body, "messages");
    return json_object_is_type(messages, json_type_array) ? messages : NULL;
}

void served_short_history(json_object *body)
{
    json_object *messages = messages_of(body);
    const size_t n = messages ? json_object_array_length(messages) : 0;
    if (n > KEPT) (void)json_object_array_del_idx(messages, 0, n - KEPT);
}

void served_strip(json_object *body)
{
    json_object *messages = messages_of(body);
    for (size_t i = 0; messages && i < json_object_array_length(messages); i++) {
        json_object *message = json_object_array_get_idx(messages, i),
                    *content = json_object_object_get(message, "content");
        if (!json_object_is_type(content, json_type_string)) continue;
        const char *text = json_object_get_string(content);
        text += strspn(text, " \n");
        size_t n = strlen(text);
        while (n > 0 && strchr(" \n", text[n - 1])) n--;
        json_object_object_add(message, "content", json_object_new_string_len(text, (int)n));
    }
}

void served_one_call(json_object *body)
{
    json_object *messages = messages_of(body);
    for (size_t i = 0; messages && i < json_object_array_length(messages); i++) {
        json_object *calls = json_object_object_get(json_object_array_get_idx(messages, i), "tool_calls");
        const size_t n = json_object_is_type(calls, json_type_array) ? json_object_array_length(calls) : 0;
        if (n > 1) (void)json_object_array_del_idx(calls, 1, n - 1);
    }
}

void served_no_empty_call(json_object *body)
{
    json_object *messages = messages_of(body);
    for (size_t i = 0; messages && i < json_object_array_length(messages); i++) {
        json_object *message = json_object_array_get_idx(messages, i),
                    *calls = json_object_object_get(message, "tool_calls");
        const char *text = calls ? json_object_to_json_string_ext(calls, JSON_C_TO_STRING_PLAIN) : "";
        if (strstr(text, "\"arguments\":\"{}\"")) json_object_object_del(message, "tool_calls");
    }
}

/* Makes the pictures in a value empty: data URLs, and the data of sources. Returns their number. */
static size_t empty_pictures(json_object *value)
{
    size_t n = 0;
    if (json_object_is_type(value, json_type_array))
        for (size_t i = 0; i < json_object_array_length(value); i++)
            n += empty_pictures(json_object_array_get_idx(value, i));
    if (!json_object_is_type(value, json_type_object)) return n;
    json_object_object_foreach(value, name, inner)
    {
        const bool is_text = json_object_is_type(inner, json_type_string);
        const bool is_picture = is_text && (strcmp(name, "data") == 0 ||
                                            strncmp(json_object_get_string(inner), "data:image/", 11) == 0);
        if (is_picture) (void)json_object_set_string(inner, "");
        n += is_picture ? 1 : empty_pictures(inner);
    }
    return n;
}

void served_first_picture(json_object *body)
{
    static json_object *firsts[BODIES_MOST], *texts[BODIES_MOST];
    static size_t n;
    json_object *text = NULL, *first = NULL;
    const char *name = json_object_object_get(body, "messages") ? "messages" : "input";
    size_t i = 0;
    if (json_object_deep_copy(body, &text, NULL) != 0) abort();
    if (empty_pictures(text) == 0) {
        json_object_put(text);
        return;
    }
    while (i < n && !json_object_equal(texts[i], text)) i++;
    if (i < n) {
        if (json_object_deep_copy(json_object_object_get(firsts[i], name), &first, NULL) != 0) abort();
        json_object_object_add(body, name, first);
        json_object_put(text);
    } else if (n < BODIES_MOST) {
        if (json_object_deep_copy(body, &firsts[n], NULL) != 0) abort();
        texts[n++] = text;
    } else {
        json_object_put(text);
    }
}
