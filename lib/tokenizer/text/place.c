/* SPDX-License-Identifier: Apache-2.0 */
#include "tokenizer/text/place.h"

#include "base/choices.h"
#include "base/error.h"
#include "base/json.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_MAX 60

/* Writes the path, such as "decoder.decoders[2]", into out[0..capacity), truncated. Returns its
 * length. */
static size_t write_location(const tokenizer_place *p, char *out, size_t capacity)
{
    size_t at = p->over ? write_location(p->over, out, capacity) : 0;
    if (at + 1 >= capacity) return at;
    const int n = p->name ? snprintf(out + at, capacity - at, "%s%s", at > 0 ? "." : "", p->name)
                          : snprintf(out + at, capacity - at, "[%zu]", p->index);
    if (n > 0) at += (size_t)n < capacity - at ? (size_t)n : capacity - at - 1;
    return at;
}

assay_status tokenizer_place_fail(const tokenizer_place *p, assay_error *err, assay_status status,
                                  const char *format, ...)
{
    char location[256] = "", reason[512];
    (void)write_location(p, location, sizeof location);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    return assay_fail(err, status, "%s: %s: %s", p->path, location, reason);
}

static const char *kind_of(const tokenizer_place *p)
{
    switch (json_object_get_type(p->value)) {
    case json_type_null: return "nothing";
    case json_type_boolean: return "a boolean";
    case json_type_double: return "a fraction";
    case json_type_int: return "an integer";
    case json_type_object: return "an object";
    case json_type_array: return "an array";
    case json_type_string: return "a string";
    }
    return "something else";
}

/* The value as JSON. */
static const char *value_as_json(const tokenizer_place *p)
{
    return json_object_to_json_string_ext(p->value, JSON_C_TO_STRING_PLAIN);
}

static assay_status fail_kind(const tokenizer_place *p, const char *expected, assay_error *err)
{
    return tokenizer_place_fail(p, err, ASSAY_EFORMAT, "found %s, expected %s", kind_of(p), expected);
}

assay_status tokenizer_place_member(const tokenizer_place *p, const char *name, tokenizer_place *out,
                                    assay_error *err)
{
    if (!json_object_is_type(p->value, json_type_object)) return fail_kind(p, "an object", err);
    *out = (tokenizer_place){
        .path = p->path, .over = p, .name = name, .value = json_object_object_get(p->value, name)};
    return ASSAY_OK;
}

tokenizer_place tokenizer_place_element(const tokenizer_place *p, size_t index)
{
    return (tokenizer_place){
        .path = p->path, .over = p, .index = index, .value = json_object_array_get_idx(p->value, index)};
}

assay_status tokenizer_place_length(const tokenizer_place *p, size_t *out, assay_error *err)
{
    if (!json_object_is_type(p->value, json_type_array)) return fail_kind(p, "an array", err);
    *out = json_object_array_length(p->value);
    return ASSAY_OK;
}

assay_status tokenizer_place_list(const tokenizer_place *p, const char *name, tokenizer_place *out, size_t *n,
                                  assay_error *err)
{
    const assay_status rc = tokenizer_place_member(p, name, out, err);
    return rc == ASSAY_OK ? tokenizer_place_length(out, n, err) : rc;
}

assay_status tokenizer_place_text(const tokenizer_place *p, const char **text, size_t *n, assay_error *err)
{
    if (!json_object_is_type(p->value, json_type_string)) return fail_kind(p, "a string", err);
    *text = json_object_get_string(p->value);
    *n = (size_t)json_object_get_string_len(p->value);
    return ASSAY_OK;
}

assay_status tokenizer_place_word(const tokenizer_place *p, const char **text, assay_error *err)
{
    size_t n;
    const assay_status rc = tokenizer_place_text(p, text, &n, err);
    if (rc != ASSAY_OK || json_text(p->value)) return rc;
    return tokenizer_place_fail(p, err, ASSAY_EFORMAT, "found %.*s, expected a string without U+0000",
                                SHOWN_MAX, value_as_json(p));
}

assay_status tokenizer_place_bool(const tokenizer_place *p, bool *out, assay_error *err)
{
    if (!json_object_is_type(p->value, json_type_boolean)) return fail_kind(p, "true or false", err);
    *out = json_object_get_boolean(p->value);
    return ASSAY_OK;
}

assay_status tokenizer_place_count(const tokenizer_place *p, int64_t most, int64_t *out, assay_error *err)
{
    if (!json_object_is_type(p->value, json_type_int)) return fail_kind(p, "an integer", err);
    const int64_t found = json_object_get_int64(p->value);
    if (found < 0 || found > most)
        return tokenizer_place_fail(p, err, ASSAY_EFORMAT, "found %.*s, expected 0 to %lld", SHOWN_MAX,
                                    value_as_json(p), (long long)most);
    *out = found;
    return ASSAY_OK;
}

assay_status tokenizer_place_char(const tokenizer_place *p, uint32_t *out, assay_error *err)
{
    const char *text;
    size_t n;
    const assay_status rc = tokenizer_place_text(p, &text, &n, err);
    if (rc != ASSAY_OK) return rc;
    uint32_t found = 0;
    if (n == 0 || utf8_decode(text, n, &found, NULL) != n)
        return tokenizer_place_fail(p, err, ASSAY_EFORMAT, "found \"%.*s\", expected one character",
                                    json_scan_clip(text, n, SHOWN_MAX), text);
    *out = found;
    return ASSAY_OK;
}

assay_status tokenizer_place_copy(const tokenizer_place *p, char **text, size_t *n, assay_error *err)
{
    const char *value;
    size_t length;
    const assay_status rc = tokenizer_place_text(p, &value, &length, err);
    if (rc != ASSAY_OK) return rc;
    char *copy = malloc(length + 1);
    if (!copy) return tokenizer_place_fail(p, err, ASSAY_ENOMEM, "out of memory");
    memcpy(copy, value, length + 1);
    *text = copy;
    *n = length;
    return ASSAY_OK;
}

assay_status tokenizer_place_required_bool(const tokenizer_place *p, const char *name, bool *out,
                                           assay_error *err)
{
    tokenizer_place member;
    const assay_status rc = tokenizer_place_member(p, name, &member, err);
    return rc == ASSAY_OK ? tokenizer_place_bool(&member, out, err) : rc;
}

assay_status tokenizer_place_required_copy(const tokenizer_place *p, const char *name, char **text, size_t *n,
                                           assay_error *err)
{
    tokenizer_place member;
    const assay_status rc = tokenizer_place_member(p, name, &member, err);
    return rc == ASSAY_OK ? tokenizer_place_copy(&member, text, n, err) : rc;
}

assay_status tokenizer_place_member_bool(const tokenizer_place *p, const char *name, bool *out,
                                         assay_error *err)
{
    tokenizer_place member;
    const assay_status rc = tokenizer_place_member(p, name, &member, err);
    if (rc != ASSAY_OK || !member.value) return rc;
    return tokenizer_place_bool(&member, out, err);
}

assay_status tokenizer_place_type(const tokenizer_place *p, const char *const *names, size_t n, size_t *out,
                                  assay_error *err)
{
    tokenizer_place type;
    const char *text = NULL;
    assay_status rc = tokenizer_place_member(p, "type", &type, err);
    if (rc == ASSAY_OK) rc = tokenizer_place_word(&type, &text, err);
    if (rc != ASSAY_OK) return rc;
    for (size_t i = 0; i < n; i++)
        if (strcmp(text, names[i]) == 0) {
            *out = i;
            return ASSAY_OK;
        }
    char known[256] = "";
    for (size_t i = 0; i < n; i++) choices_add(known, sizeof known, n - 1 - i, "%s", names[i]);
    return tokenizer_place_fail(&type, err, ASSAY_EUNSUPPORTED, "found \"%.*s\", expected %s",
                                json_scan_clip(text, strlen(text), SHOWN_MAX), text, known);
}
