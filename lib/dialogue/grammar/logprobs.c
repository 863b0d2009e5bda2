/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/grammar/logprobs.h"

/* A logprob is a number that is at most 0. */
static assay_status check_logprob(serve_grammar *g, const char *rule, json_object *value)
{
    if (!json_object_is_type(value, json_type_double) && !json_object_is_type(value, json_type_int))
        return serve_grammar_fail(g, rule, "found a logprob of type %s, expected a number",
                                  json_type_to_name(json_object_get_type(value)));
    if (json_object_get_double(value) <= 0) return ASSAY_OK;
    return serve_grammar_fail(g, rule, "found logprob %g, expected at most 0", json_object_get_double(value));
}

static assay_status check_bytes(serve_grammar *g, const char *rule, json_object *token)
{
    json_object *bytes;
    assay_status rc = serve_grammar_optional(g, rule, "a token", token, "bytes", json_type_array, &bytes);
    if (rc != ASSAY_OK || !bytes) return rc;
    for (size_t i = 0; i < json_object_array_length(bytes); i++) {
        json_object *byte = json_object_array_get_idx(bytes, i);
        const int64_t value = json_object_get_int64(byte);
        if (!json_object_is_type(byte, json_type_int) || value < 0 || value > 255)
            return serve_grammar_fail(g, rule, "a token: found an element of bytes that is not 0 to 255");
    }
    return ASSAY_OK;
}

static assay_status check_token(serve_grammar *g, json_object *token)
{
    static const char rule[] = "chat-logprobs";
    json_object *text;
    if (!json_object_is_type(token, json_type_object))
        return serve_grammar_fail(g, rule, "found a token of type %s, expected an object",
                                  json_type_to_name(json_object_get_type(token)));
    assay_status rc = serve_grammar_member(g, rule, "a token", token, "token", json_type_string, &text);
    if (rc == ASSAY_OK) rc = check_logprob(g, rule, json_object_object_get(token, "logprob"));
    return rc == ASSAY_OK ? check_bytes(g, rule, token) : rc;
}

assay_status serve_grammar_logprobs_chat(serve_grammar *g, json_object *choice)
{
    static const char rule[] = "chat-logprobs";
    json_object *logprobs, *content, *top;
    assay_status rc =
        serve_grammar_optional(g, rule, "a choice", choice, "logprobs", json_type_object, &logprobs);
    if (rc != ASSAY_OK || !logprobs) return rc;
    rc = serve_grammar_optional(g, rule, "logprobs", logprobs, "content", json_type_array, &content);
    for (size_t i = 0; rc == ASSAY_OK && content && i < json_object_array_length(content); i++) {
        json_object *token = json_object_array_get_idx(content, i);
        rc = check_token(g, token);
        if (rc == ASSAY_OK)
            rc = serve_grammar_member(g, rule, "a token", token, "top_logprobs", json_type_array, &top);
        for (size_t k = 0; rc == ASSAY_OK && k < json_object_array_length(top); k++)
            rc = check_token(g, json_object_array_get_idx(top, k));
    }
    return rc;
}

/* The element of a list; logprobs are null for the first token of a prompt. */
static assay_status check_element(serve_grammar *g, const char *name, json_type type, json_object *value)
{
    static const char rule[] = "completions-logprobs";
    if (type == json_type_double) return value ? check_logprob(g, rule, value) : ASSAY_OK;
    if (json_object_is_type(value, type) || (!value && type == json_type_object)) return ASSAY_OK;
    return serve_grammar_fail(g, rule, "%s: found an element of type %s, expected %s", name,
                              json_type_to_name(json_object_get_type(value)), json_type_to_name(type));
}

assay_status serve_grammar_logprobs_listed(serve_grammar *g, json_object *choice)
{
    static const struct {
        const char *name;
        json_type type;
    } lists[] = {{"tokens", json_type_string},
                 {"token_logprobs", json_type_double},
                 {"top_logprobs", json_type_object},
                 {"text_offset", json_type_int}};
    static const char rule[] = "completions-logprobs";
    json_object *logprobs, *list;
    size_t n = 0;
    assay_status rc =
        serve_grammar_optional(g, rule, "a choice", choice, "logprobs", json_type_object, &logprobs);
    for (size_t i = 0; rc == ASSAY_OK && logprobs && i < sizeof lists / sizeof *lists; i++) {
        rc = i < 2
                 ? serve_grammar_member(g, rule, "logprobs", logprobs, lists[i].name, json_type_array, &list)
                 : serve_grammar_optional(g, rule, "logprobs", logprobs, lists[i].name, json_type_array,
                                          &list);
        if (rc != ASSAY_OK || !list) continue;
        if (i == 0) n = json_object_array_length(list);
        if (json_object_array_length(list) != n)
            rc = serve_grammar_fail(g, rule,
                                    "logprobs: found %zu elements in %s, expected %zu, one for each token",
                                    json_object_array_length(list), lists[i].name, n);
        for (size_t k = 0; rc == ASSAY_OK && k < n; k++)
            rc = check_element(g, lists[i].name, lists[i].type, json_object_array_get_idx(list, k));
    }
    return rc;
}
