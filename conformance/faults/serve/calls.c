/* Faults of calls in answers: in the JSON of a whole body, and of each event of a stream.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "conformance/faults/serve/fault.h"

/* Appends a document as it was changed; what is no JSON as it is. */
static void append_document(const char *bytes, size_t n, void (*change)(json_object *document), buffer *out)
{
    json_object *document = NULL;
    if (json_parse("an answer", bytes, n, &document, NULL) != ASSAY_OK) {
        (void)buffer_append(out, bytes, n);
        return;
    }
    change(document);
    (void)buffer_append_string(out, json_object_to_json_string_ext(document, JSON_C_TO_STRING_PLAIN));
    json_object_put(document);
}

static void change_documents(const char *bytes, size_t n, void (*change)(json_object *document), buffer *out)
{
    static const char data[] = "data: ";
    const char *at;
    if (n > 0 && bytes[0] == '{') {
        append_document(bytes, n, change, out);
        return;
    }
    while ((at = memmem(bytes, n, data, sizeof data - 1))) {
        const size_t before = (size_t)(at - bytes) + sizeof data - 1;
        const char *end = memchr(bytes + before, '\n', n - before);
        const size_t length = end ? (size_t)(end - bytes) - before : n - before;
        (void)buffer_append(out, bytes, before);
        append_document(bytes + before, length, change, out);
        bytes += before + length;
        n -= before + length;
    }
    (void)buffer_append(out, bytes, n);
}

static json_object *member(json_object *object, const char *name)
{
    return json_object_is_type(object, json_type_object) ? json_object_object_get(object, name) : NULL;
}

static json_object *element(json_object *list, size_t i)
{
    return json_object_is_type(list, json_type_array) && i < json_object_array_length(list)
               ? json_object_array_get_idx(list, i)
               : NULL;
}

/* The list of calls of chat completions; NULL: there is none. */
static json_object *calls_of(json_object *document)
{
    json_object *choice = element(member(document, "choices"), 0), *message = member(choice, "message");
    return member(message ? message : member(choice, "delta"), "tool_calls");
}

/* Whether an event has the second call of its stream. */
static bool is_second(json_object *calls)
{
    return json_object_get_int(member(element(calls, 0), "index")) == 1;
}

static void drop_call(json_object *document)
{
    json_object *calls = calls_of(document);
    if (element(calls, 1)) (void)json_object_array_del_idx(calls, 1, 1);
    else if (is_second(calls)) (void)json_object_array_del_idx(calls, 0, 1);
}

void served_drop_call(const char *bytes, size_t n, buffer *out)
{
    change_documents(bytes, n, drop_call, out);
}

/* The second call of a stream gets the number of the first, so that clients join both. */
static void merge_calls(json_object *document)
{
    json_object *calls = calls_of(document), *second = member(element(calls, 1), "function"),
                *first = member(element(calls, 0), "function");
    if (is_second(calls)) json_object_object_add(element(calls, 0), "index", json_object_new_int(0));
    if (!second) return;
    char *both = NULL;
    if (asprintf(&both, "%s%s", json_object_get_string(member(first, "arguments")),
                 json_object_get_string(member(second, "arguments"))) < 0)
        abort();
    json_object_object_add(first, "arguments", json_object_new_string(both));
    (void)json_object_array_del_idx(calls, 1, 1);
    free(both);
}

void served_merge_calls(const char *bytes, size_t n, buffer *out)
{
    change_documents(bytes, n, merge_calls, out);
}

static void number_call(json_object *document)
{
    json_object *calls = calls_of(document);
    if (is_second(calls)) json_object_object_add(element(calls, 0), "index", json_object_new_int(2));
}

void served_number_call(const char *bytes, size_t n, buffer *out)
{
    change_documents(bytes, n, number_call, out);
}

static bool is_empty(json_object *arguments)
{
    const char *text = arguments ? json_object_get_string(arguments) : "";
    return strcmp(text, "{}") == 0 || strcmp(text, "{ }") == 0;
}

/* Sets the arguments of calls without arguments, in chat completions and in items of responses. value: owned,
 * may be NULL for null. */
static void set_arguments(json_object *holder, const char *name, json_object *value)
{
    if (is_empty(member(holder, name))) json_object_object_add(holder, name, value);
    else json_object_put(value);
}

static void null_arguments(json_object *document)
{
    json_object *calls = calls_of(document);
    for (size_t i = 0; element(calls, i); i++)
        set_arguments(member(element(calls, i), "function"), "arguments", NULL);
}

void served_null_arguments(const char *bytes, size_t n, buffer *out)
{
    change_documents(bytes, n, null_arguments, out);
}

static void blank_arguments(json_object *document)
{
    json_object *response = member(document, "response"),
                *output = member(response ? response : document, "output");
    for (size_t i = 0; element(output, i); i++)
        set_arguments(element(output, i), "arguments", json_object_new_string(""));
    set_arguments(member(document, "item"), "arguments", json_object_new_string(""));
    set_arguments(document, "arguments", json_object_new_string(""));
    set_arguments(document, "delta", json_object_new_string(""));
}

void served_blank_arguments(const char *bytes, size_t n, buffer *out)
{
    change_documents(bytes, n, blank_arguments, out);
}

/* Of messages; a stream has no JSON that replaces the input with which a call begins. */
static void lose_input(json_object *document)
{
    json_object *content = member(document, "content"), *delta = member(document, "delta"),
                *block = member(document, "content_block");
    for (size_t i = 0; element(content, i); i++)
        if (is_empty(member(element(content, i), "input")))
            json_object_object_del(element(content, i), "input");
    if (is_empty(member(delta, "partial_json"))) json_object_object_del(delta, "partial_json");
    if (member(block, "input")) json_object_object_del(block, "input");
}

void served_lose_input(const char *bytes, size_t n, buffer *out)
{
    change_documents(bytes, n, lose_input, out);
}
