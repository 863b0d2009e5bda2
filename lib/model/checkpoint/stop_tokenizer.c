/* SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/stop_tokenizer.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "gguf/document.h"

/* If the document does not exist, it leaves *out as it is and returns ASSAY_OK. */
static assay_status read_object(const char *dir, const char *name, json_object **out, assay_error *err)
{
    gguf_document d;
    assay_status rc = gguf_document_read(dir, name, JSON_SIZE_MAX, &d, err);
    if (rc == ASSAY_OK && d.text) rc = json_parse(d.label, d.text, d.n, out, err);
    if (rc == ASSAY_OK && *out && !json_object_is_type(*out, json_type_object))
        rc = assay_fail(err, ASSAY_EFORMAT, "%s: expected an object", d.label);
    gguf_document_free(&d);
    return rc;
}

/* A member of a value; NULL if the value is not an object, or lacks the member. */
static json_object *find_member(json_object *object, const char *name)
{
    json_object *found = NULL;
    if (json_object_is_type(object, json_type_object)) (void)json_object_object_get_ex(object, name, &found);
    return found;
}

/* A token is its text, or an object with a member `content`. NULL if it is neither, or if the text
 * contains U+0000. */
static const char *token_text(json_object *token)
{
    if (json_object_is_type(token, json_type_object)) token = find_member(token, "content");
    return json_text(token);
}

static bool has_text(json_object *token, const char *text)
{
    const char *own = token_text(token);
    return own && strcmp(own, text) == 0;
}

/* tokenizer_config.json: {"added_tokens_decoder": {"106": {"content": "<turn|>"}}}. */
static bool find_in_config(json_object *config, stop_token *out)
{
    json_object *decoder = find_member(config, "added_tokens_decoder");
    if (!json_object_is_type(decoder, json_type_object)) return false;
    json_object_object_foreach(decoder, name, token)
    {
        char *end = NULL;
        if (!has_text(token, out->text)) continue;
        out->id = strtoll(name, &end, 10);
        (void)snprintf(out->written, sizeof out->written, "%s", name);
        return *name && !*end;
    }
    return false;
}

static bool read_id(json_object *value, stop_token *out)
{
    if (!json_object_is_type(value, json_type_int)) return false;
    out->id = json_object_get_int64(value);
    (void)snprintf(out->written, sizeof out->written, "%s", json_object_to_json_string(value));
    return true;
}

/* tokenizer.json: {"added_tokens": [{"id": 106, "content": "<turn|>"}], "model": {"vocab": {"</s>":
 * 2}}}. The vocabulary of Unigram is a list of pairs instead; the index of a token is its id. */
static bool find_in_tokenizer(json_object *tokenizer, stop_token *out)
{
    json_object *added = find_member(tokenizer, "added_tokens"),
                *vocab = find_member(find_member(tokenizer, "model"), "vocab");
    size_t n = json_object_is_type(added, json_type_array) ? json_object_array_length(added) : 0;
    for (size_t i = 0; i < n; i++) {
        json_object *token = json_object_array_get_idx(added, i);
        if (has_text(token, out->text)) return read_id(find_member(token, "id"), out);
    }
    n = json_object_is_type(vocab, json_type_array) ? json_object_array_length(vocab) : 0;
    for (size_t i = 0; i < n; i++) {
        json_object *pair = json_object_array_get_idx(vocab, i);
        if (!json_object_is_type(pair, json_type_array) ||
            !has_text(json_object_array_get_idx(pair, 0), out->text))
            continue;
        out->id = (int64_t)i;
        return true;
    }
    return read_id(find_member(vocab, out->text), out);
}

static assay_status find_token(const char *dir, json_object *config, stop_token *out, assay_error *err)
{
    json_object *tokenizer = NULL;
    out->found = find_in_config(config, out);
    if (out->found) return ASSAY_OK;
    assay_status rc = read_object(dir, "tokenizer.json", &tokenizer, err);
    out->found = rc == ASSAY_OK && find_in_tokenizer(tokenizer, out);
    json_object_put(tokenizer);
    return rc;
}

assay_status stop_tokenizer_read(const char *dir, stop_token *out, assay_error *err)
{
    json_object *config = NULL;
    stop_token token = {0};
    assay_status rc = read_object(dir, "tokenizer_config.json", &config, err);
    json_object *eos = find_member(config, "eos_token");
    const char *text = token_text(eos);
    if (rc == ASSAY_OK && eos && !text)
        rc = assay_fail(err, ASSAY_EFORMAT,
                        "%s/tokenizer_config.json: eos_token: found %.80s, expected a token or null", dir,
                        json_object_to_json_string_ext(eos, JSON_C_TO_STRING_PLAIN));
    if (rc == ASSAY_OK && text) {
        token.text = strdup(text);
        rc = token.text ? find_token(dir, config, &token, err)
                        : assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
    }
    json_object_put(config);
    if (rc == ASSAY_OK) *out = token;
    else free(token.text);
    return rc;
}
