/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"

#include "base/error.h"
#include "base/file.h"
#include "base/json_text.h"
#include "base/utf8.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_SHOWN_MAX 40
#define MEMBER_SHOWN_MAX 80

/* Converts a NUMBER, which strtod could read past the end of the text. */
static assay_status check_number(const char *path, const json_scan *scan, const json_scan_token *token,
                                 assay_error *err)
{
    char near[64];
    char *copy = token->n < sizeof near ? near : malloc(token->n + 1);
    if (!copy) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    memcpy(copy, token->text, token->n);
    copy[token->n] = '\0';
    const bool finite = isfinite(strtod(copy, NULL));
    if (copy != near) free(copy);
    if (finite) return ASSAY_OK;
    size_t n_name = 0;
    const char *name = json_scan_member(scan, &n_name);
    return assay_fail(err, ASSAY_EFORMAT,
                      "%s: %.*s%sfound number %.*s, expected one within the range of a double", path,
                      json_scan_clip(name, n_name, MEMBER_SHOWN_MAX), name ? name : "", name ? ": " : "",
                      json_scan_clip(token->text, token->n, NUMBER_SHOWN_MAX), token->text);
}

/* Whether json-c would print an integer differently from the text: it clamps integers beyond 64 bits,
 * and drops the sign of -0. */
static bool is_respelled(const json_scan_token *token)
{
    for (size_t i = 0; i < token->n; i++)
        if (strchr(".eE", token->text[i])) return false;
    return token->n > 18 || (token->n == 2 && memcmp(token->text, "-0", 2) == 0);
}

static bool is_value(json_scan_kind kind)
{
    return kind != JSON_SCAN_END && kind != JSON_SCAN_NAME && kind != JSON_SCAN_OBJECT_END &&
           kind != JSON_SCAN_ARRAY_END;
}

/* json_check with a limit of `most` values. *respelled: whether json-c would print a number differently
 * from the text. */
static assay_status check_syntax(const char *path, const char *text, size_t n, size_t most, bool *respelled,
                                 assay_error *err)
{
    json_scan *scan = NULL;
    json_scan_token token = {JSON_SCAN_NULL, NULL, 0};
    size_t n_values = 0;
    assay_status rc = json_scan_open(path, text, n, &scan, err);
    while (rc == ASSAY_OK && token.kind != JSON_SCAN_END) {
        rc = json_scan_next(scan, &token, err);
        if (rc != ASSAY_OK) break;
        if (token.kind == JSON_SCAN_NUMBER) {
            rc = check_number(path, scan, &token, err);
            if (is_respelled(&token)) *respelled = true;
        }
        if (is_value(token.kind) && ++n_values > most)
            rc = assay_fail(err, ASSAY_EUNSUPPORTED, "%s: found more than %zu values, expected no more", path,
                            most);
    }
    json_scan_free(scan);
    return rc;
}

assay_status json_check(const char *path, const char *text, size_t n, assay_error *err)
{
    bool respelled = false;
    return check_syntax(path, text, n, SIZE_MAX, &respelled, err);
}

assay_status json_parse(const char *path, const char *text, size_t n, json_object **out, assay_error *err)
{
    const json_limits limits = {.bytes = JSON_SIZE_MAX, .values = JSON_VALUES_MAX};
    return json_parse_within(path, text, n, &limits, out, err);
}

/* Whether an escape, text[0..n), begins a surrogate pair. */
static bool begins_pair(const char *text, size_t n)
{
    return n >= 12 && text[1] == 'u' && (text[2] == 'd' || text[2] == 'D') && strchr("89abAB", text[3]);
}

assay_status json_join_pairs(const char *text, size_t n, char **out, size_t *n_out, assay_error *err)
{
    char *joined = NULL;
    const char *end = text + n, *from = text, *at = text;
    size_t n_joined = 0;
    while ((at = memchr(at, '\\', (size_t)(end - at))) != NULL) {
        uint32_t codepoint;
        const char *problem;
        const size_t k = begins_pair(at, (size_t)(end - at))
                             ? json_text_decode(at, (size_t)(end - at), &codepoint, &problem)
                             : 0;
        if (k != 12) {
            at += end - at < 2 ? 1 : 2;
            continue;
        }
        if (!joined) joined = malloc(n);
        if (!joined) return assay_fail(err, ASSAY_ENOMEM, "a text of %zu bytes: out of memory", n);
        memcpy(joined + n_joined, from, (size_t)(at - from));
        n_joined += (size_t)(at - from);
        n_joined += utf8_encode(joined + n_joined, codepoint);
        from = at += k;
    }
    if (joined) {
        memcpy(joined + n_joined, from, (size_t)(end - from));
        *n_out = n_joined + (size_t)(end - from);
    }
    *out = joined;
    return ASSAY_OK;
}

static assay_status parse_object(const char *path, const char *text, size_t n, json_object **out,
                                 assay_error *err)
{
    json_tokener *tokener = json_tokener_new_ex(JSON_DEPTH_MAX + 1);
    if (!tokener) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    json_object *value = json_tokener_parse_ex(tokener, text, (int)n);
    enum json_tokener_error error = json_tokener_get_error(tokener);
    if (error == json_tokener_continue) { /* a number at the top level needs a following character to end */
        value = json_tokener_parse_ex(tokener, " ", 1);
        error = json_tokener_get_error(tokener);
    }
    json_tokener_free(tokener);
    if (error != json_tokener_success)
        return assay_fail(err, ASSAY_EINTERNAL, "%s: strict JSON, but json-c says: %s", path,
                          json_tokener_error_desc(error));
    *out = value;
    return ASSAY_OK;
}

/* Makes json-c print an integer as it is spelled in the text. */
static bool keep_spelling(json_object *value, const json_scan_token *token)
{
    char *text = strndup(token->text, token->n);
    if (!text) return false;
    json_object_set_serializer(value, json_object_userdata_to_json_string, text, json_object_free_userdata);
    return true;
}

/* An object or array around the scanned token. */
typedef struct container {
    json_object *value;
    size_t n_values; /* number of its values that have been visited */
} container;

/* The json-c value at the scanner's position, in the innermost container. name: member name if the
 * container is an object. */
static json_object *next_value(container *inner, const char *name)
{
    if (json_object_is_type(inner->value, json_type_array))
        return json_object_array_get_idx(inner->value, inner->n_values++);
    return json_object_object_get(inner->value, name);
}

/* Traverses the text and json-c's values in parallel. name: buffer for the longest member name. */
static assay_status walk_numbers(json_scan *scan, json_object *root, char *name, assay_error *err)
{
    container stack[JSON_DEPTH_MAX];
    size_t depth = 0;
    json_scan_token token = {JSON_SCAN_NULL, NULL, 0};
    assay_status rc = json_scan_next(scan, &token, err);
    for (; rc == ASSAY_OK && token.kind != JSON_SCAN_END; rc = json_scan_next(scan, &token, err)) {
        if (token.kind == JSON_SCAN_NAME) name[json_scan_unescape(name, &token)] = '\0';
        if (token.kind == JSON_SCAN_OBJECT_END || token.kind == JSON_SCAN_ARRAY_END) depth--;
        if (!is_value(token.kind)) continue;
        json_object *value = depth > 0 ? next_value(&stack[depth - 1], name) : root;
        if (token.kind == JSON_SCAN_OBJECT || token.kind == JSON_SCAN_ARRAY)
            stack[depth++] = (container){.value = value};
        if (token.kind == JSON_SCAN_NUMBER && is_respelled(&token) && !keep_spelling(value, &token))
            return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    }
    return rc;
}

static assay_status keep_spellings(const char *path, const char *text, size_t n, json_object *root,
                                   assay_error *err)
{
    json_scan *scan = NULL;
    char *name = malloc(n + 1);
    if (!name) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    assay_status rc = json_scan_open(path, text, n, &scan, err);
    if (rc == ASSAY_OK) rc = walk_numbers(scan, root, name, err);
    json_scan_free(scan);
    free(name);
    return rc;
}

assay_status json_parse_within(const char *path, const char *text, size_t n, const json_limits *limits,
                               json_object **out, assay_error *err)
{
    char *joined = NULL;
    json_object *value = NULL;
    bool respelled = false;
    if (n > limits->bytes)
        return assay_fail(err, ASSAY_EUNSUPPORTED, "%s: found %zu bytes, expected at most %zu", path, n,
                          limits->bytes);
    assay_status rc = check_syntax(path, text, n, limits->values, &respelled, err);
    if (rc == ASSAY_OK) rc = json_join_pairs(text, n, &joined, &n, err);
    if (joined) text = joined;
    if (rc == ASSAY_OK) rc = parse_object(path, text, n, &value, err);
    if (rc == ASSAY_OK && respelled) rc = keep_spellings(path, text, n, value, err);
    free(joined);
    if (rc == ASSAY_OK) *out = value;
    else json_object_put(value);
    return rc;
}

assay_status json_read_within(const char *path, const json_limits *limits, json_object **out,
                              assay_error *err)
{
    char *text = NULL;
    size_t n = 0;
    assay_status rc = file_read(path, limits->bytes, &text, &n, err);
    if (rc == ASSAY_OK) rc = json_parse_within(path, text, n, limits, out, err);
    free(text);
    return rc;
}

assay_status json_read(const char *path, json_object **out, assay_error *err)
{
    const json_limits limits = {.bytes = JSON_SIZE_MAX, .values = JSON_VALUES_MAX};
    return json_read_within(path, &limits, out, err);
}

const char *json_text(json_object *value)
{
    if (!json_object_is_type(value, json_type_string)) return NULL;
    const char *text = json_object_get_string(value);
    return strlen(text) == (size_t)json_object_get_string_len(value) ? text : NULL;
}

/* The number as it is spelled in the text. */
static const char *number_text(json_object *number)
{
    return json_object_to_json_string_ext(number, JSON_C_TO_STRING_PLAIN);
}

static bool is_number(json_object *value)
{
    return json_object_is_type(value, json_type_int) || json_object_is_type(value, json_type_double);
}

static bool is_clamped(json_object *integer)
{
    return json_object_get_int64(integer) == INT64_MIN || json_object_get_uint64(integer) == UINT64_MAX;
}

static bool equal_integers(json_object *a, json_object *b)
{
    return json_object_equal(a, b) && (!is_clamped(a) || strcmp(number_text(a), number_text(b)) == 0);
}

static bool equal_arrays(json_object *a, json_object *b, json_numbers numbers)
{
    const size_t n = json_object_array_length(a);
    bool same = n == json_object_array_length(b);
    for (size_t i = 0; same && i < n; i++)
        same = json_equals(json_object_array_get_idx(a, i), json_object_array_get_idx(b, i), numbers);
    return same;
}

static bool equal_objects(json_object *a, json_object *b, json_numbers numbers)
{
    bool same = json_object_object_length(a) == json_object_object_length(b);
    json_object_object_foreach(a, name, value)
    {
        json_object *other;
        same = same && json_object_object_get_ex(b, name, &other) && json_equals(value, other, numbers);
    }
    return same;
}

bool json_equals(json_object *a, json_object *b, json_numbers numbers)
{
    if (json_object_get_type(a) != json_object_get_type(b))
        return numbers == JSON_BY_VALUE && is_number(a) && is_number(b) &&
               strtod(number_text(a), NULL) == strtod(number_text(b), NULL);
    switch (json_object_get_type(a)) {
    case json_type_int: return equal_integers(a, b);
    case json_type_array: return equal_arrays(a, b, numbers);
    case json_type_object: return equal_objects(a, b, numbers);
    default: return json_object_equal(a, b);
    }
}
