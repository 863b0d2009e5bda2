/* Faults of the bodies of requests.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "conformance/faults/serve/fault.h"

enum { KEPT = 4 };

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
