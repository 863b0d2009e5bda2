/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_scan.h"

#include "base/error.h"
#include "base/grow.h"
#include "base/json_text.h"
#include "base/utf8.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_MAX 80 /* maximum bytes of a name or word in a message */

typedef enum scan_state {
    SCAN_VALUE,       /* a value must follow */
    SCAN_FIRST_VALUE, /* after '[': a value or ']' */
    SCAN_FIRST_NAME,  /* after '{': a name or '}' */
    SCAN_AFTER_VALUE
} scan_state;

/* A member name seen in an object that is still open. */
typedef struct scan_name {
    uint64_t hash;
    const char *text; /* after the opening quote */
} scan_name;

typedef struct scan_level {
    bool is_object;
    size_t first_name;
} scan_level;

struct json_scan {
    const char *path;
    const char *begin, *at, *end;
    scan_state state;
    size_t depth;
    scan_level level[JSON_DEPTH_MAX];
    scan_name *names; /* of every open object, innermost last */
    size_t n_names;
};

assay_status json_scan_open(const char *path, const char *text, size_t n, json_scan **out, assay_error *err)
{
    json_scan *s = calloc(1, sizeof *s);
    if (!s) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    s->path = path;
    s->begin = s->at = n > 0 ? text : ""; /* of an empty document, text may be NULL */
    s->end = s->begin + n;
    *out = s;
    return ASSAY_OK;
}

void json_scan_free(json_scan *s)
{
    if (!s) return;
    free(s->names);
    free(s);
}

const char *json_scan_member(const json_scan *s, size_t *n)
{
    if (s->n_names == 0) return NULL;
    const char *text = s->names[s->n_names - 1].text;
    *n = json_text_length(text);
    return text;
}

const char *json_scan_kind_name(json_scan_kind kind)
{
    static const char *const NAMES[] = {"the end of the text",
                                        "an object",
                                        "'}'",
                                        "an array",
                                        "']'",
                                        "a member name",
                                        "a string",
                                        "a number",
                                        "true",
                                        "false",
                                        "null"};
    return NAMES[kind];
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Fails at the current byte, showing it, or the whole word that starts there. */
static assay_status fail_found(const json_scan *s, const char *expected, assay_error *err)
{
    const size_t offset = (size_t)(s->at - s->begin);
    if (s->at == s->end)
        return assay_fail(err, ASSAY_EFORMAT, "%s: byte %zu: found the end of the text, expected %s", s->path,
                          offset, expected);
    if (s->end - s->at >= 3 && memcmp(s->at, "\xef\xbb\xbf", 3) == 0)
        return assay_fail(err, ASSAY_EFORMAT, "%s: byte %zu: found a byte order mark, expected %s", s->path,
                          offset, expected);
    int word = 0;
    while (s->at + word < s->end && word < SHOWN_MAX && is_letter(s->at[word])) word++;
    const unsigned char c = (unsigned char)*s->at;
    if (c <= 0x20 || c >= 0x7f)
        return assay_fail(err, ASSAY_EFORMAT, "%s: byte %zu: found byte 0x%02x, expected %s", s->path, offset,
                          c, expected);
    return assay_fail(err, ASSAY_EFORMAT, "%s: byte %zu: found '%.*s', expected %s", s->path, offset,
                      word ? word : 1, s->at, expected);
}

/* fail_found, with the member in whose value the current byte is. */
static assay_status fail_in_member(const json_scan *s, const char *expected, assay_error *err)
{
    size_t n = 0;
    char text[SHOWN_MAX + 64];
    const char *name = json_scan_member(s, &n);
    if (!name) return fail_found(s, expected, err);
    (void)snprintf(text, sizeof text, "%s in member '%.*s'", expected, json_scan_clip(name, n, SHOWN_MAX),
                   name);
    return fail_found(s, text, err);
}

static void skip_space(json_scan *s)
{
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\n' || *s->at == '\r' || *s->at == '\t')) s->at++;
}

/* Scans the string that starts at s->at, and moves s->at to the byte after its closing quote. */
static assay_status scan_string(json_scan *s, json_scan_token *token, assay_error *err)
{
    const char *text = ++s->at;
    for (;;) {
        s->at = json_text_skip_plain(s->at, s->end);
        if (s->at == s->end) return fail_found(s, "'\"' to end the string", err);
        if (*s->at == '"') break;
        uint32_t codepoint;
        const char *problem;
        const size_t n = json_text_decode(s->at, (size_t)(s->end - s->at), &codepoint, &problem);
        if (n == 0)
            return assay_fail(err, ASSAY_EFORMAT, "%s: byte %zu: found byte 0x%02x in a string: %s", s->path,
                              (size_t)(s->at - s->begin), (unsigned)(unsigned char)*s->at, problem);
        s->at += n;
    }
    token->text = text;
    token->n = (size_t)(s->at++ - text);
    return ASSAY_OK;
}

static assay_status scan_digits(json_scan *s, assay_error *err)
{
    if (s->at == s->end || *s->at < '0' || *s->at > '9') return fail_in_member(s, "a digit", err);
    while (s->at < s->end && *s->at >= '0' && *s->at <= '9') s->at++;
    return ASSAY_OK;
}

static assay_status scan_number(json_scan *s, json_scan_token *token, assay_error *err)
{
    token->kind = JSON_SCAN_NUMBER;
    token->text = s->at;
    assay_status rc = ASSAY_OK;
    if (*s->at == '-') s->at++;
    if (s->at < s->end && *s->at == '0')
        s->at++; /* a digit after a leading zero is then refused as the next token */
    else rc = scan_digits(s, err);
    if (rc == ASSAY_OK && s->at < s->end && *s->at == '.') {
        s->at++;
        rc = scan_digits(s, err);
    }
    if (rc == ASSAY_OK && s->at < s->end && (*s->at == 'e' || *s->at == 'E')) {
        s->at++;
        if (s->at < s->end && (*s->at == '+' || *s->at == '-')) s->at++;
        rc = scan_digits(s, err);
    }
    token->n = (size_t)(s->at - token->text);
    return rc;
}

static assay_status scan_word(json_scan *s, json_scan_token *token, assay_error *err)
{
    static const struct {
        const char *word;
        json_scan_kind kind;
    } WORDS[] = {{"true", JSON_SCAN_TRUE}, {"false", JSON_SCAN_FALSE}, {"null", JSON_SCAN_NULL}};

    size_t n = 0;
    while (s->at + n < s->end && is_letter(s->at[n])) n++;
    for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++) {
        if (strlen(WORDS[i].word) != n || memcmp(WORDS[i].word, s->at, n) != 0) continue;
        *token = (json_scan_token){WORDS[i].kind, s->at, n};
        s->at += n;
        return ASSAY_OK;
    }
    return fail_in_member(s, "a value", err); /* Python writes NaN and Infinity, which are not JSON */
}

static assay_status open_level(json_scan *s, bool is_object, json_scan_token *token, assay_error *err)
{
    if (s->depth == JSON_DEPTH_MAX)
        return assay_fail(err, ASSAY_EFORMAT,
                          "%s: byte %zu: found '%c' at level %d, expected at most %d levels", s->path,
                          (size_t)(s->at - s->begin), *s->at, JSON_DEPTH_MAX + 1, JSON_DEPTH_MAX);
    *token = (json_scan_token){is_object ? JSON_SCAN_OBJECT : JSON_SCAN_ARRAY, s->at, 1};
    s->level[s->depth++] = (scan_level){is_object, s->n_names};
    s->state = is_object ? SCAN_FIRST_NAME : SCAN_FIRST_VALUE;
    s->at++;
    return ASSAY_OK;
}

static assay_status scan_value(json_scan *s, json_scan_token *token, assay_error *err)
{
    if (s->at == s->end) return fail_found(s, "a value", err);
    if (*s->at == '{' || *s->at == '[') return open_level(s, *s->at == '{', token, err);
    s->state = SCAN_AFTER_VALUE;
    if (*s->at == '"') {
        token->kind = JSON_SCAN_STRING;
        return scan_string(s, token, err);
    }
    if (*s->at == '-' || (*s->at >= '0' && *s->at <= '9')) return scan_number(s, token, err);
    return scan_word(s, token, err);
}

static assay_status keep_name(json_scan *s, const json_scan_token *token, assay_error *err)
{
    scan_name *names = grow_by_one(s->names, s->n_names, sizeof *names);
    if (!names) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", s->path);
    s->names = names;
    s->names[s->n_names++] = (scan_name){json_text_hash(token->text), token->text};
    return ASSAY_OK;
}

/* Scans a member name and its colon. */
static assay_status scan_member(json_scan *s, json_scan_token *token, assay_error *err)
{
    if (s->at == s->end || *s->at != '"') return fail_found(s, "a member name in '\"'", err);
    token->kind = JSON_SCAN_NAME;
    assay_status rc = scan_string(s, token, err);
    if (rc != ASSAY_OK) return rc;
    if (json_text_has_nul(token->text))
        return assay_fail(
            err, ASSAY_EFORMAT, "%s: byte %zu: found U+0000 in member name '%.*s', expected none", s->path,
            (size_t)(token->text - s->begin), json_scan_clip(token->text, token->n, SHOWN_MAX), token->text);
    skip_space(s);
    if (s->at == s->end || *s->at != ':') return fail_found(s, "':' after the member name", err);
    s->at++;
    s->state = SCAN_VALUE;
    return keep_name(s, token, err);
}

/* By hash, equal names in the order of the text. */
static int compare_names(const void *a, const void *b)
{
    const scan_name *x = a, *y = b;
    if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
    const int order = json_text_compare(x->text, y->text);
    if (order != 0) return order;
    return (x->text > y->text) - (x->text < y->text);
}

static assay_status check_names(json_scan *s, size_t first, assay_error *err)
{
    const size_t n = s->n_names - first;
    if (n < 2) return ASSAY_OK;
    scan_name *names = s->names + first;
    qsort(names, n, sizeof *names, compare_names);
    for (size_t i = 1; i < n; i++) {
        if (names[i].hash != names[i - 1].hash || json_text_compare(names[i].text, names[i - 1].text) != 0)
            continue;
        const char *text = names[i].text;
        const size_t length = json_text_length(text);
        return assay_fail(
            err, ASSAY_EFORMAT,
            "%s: byte %zu: found member name '%.*s' again (first at byte %zu), expected it once; "
            "the publisher's reader takes the last",
            s->path, (size_t)(text - 1 - s->begin), json_scan_clip(text, length, SHOWN_MAX), text,
            (size_t)(names[i - 1].text - 1 - s->begin));
    }
    return ASSAY_OK;
}

static assay_status close_level(json_scan *s, json_scan_token *token, assay_error *err)
{
    const scan_level *level = &s->level[--s->depth];
    *token = (json_scan_token){level->is_object ? JSON_SCAN_OBJECT_END : JSON_SCAN_ARRAY_END, s->at, 1};
    s->at++;
    s->state = SCAN_AFTER_VALUE;
    const assay_status rc = check_names(s, level->first_name, err);
    s->n_names = level->first_name;
    return rc;
}

static assay_status scan_after_value(json_scan *s, json_scan_token *token, assay_error *err)
{
    if (s->depth == 0) {
        if (s->at < s->end) return fail_found(s, "the end of the text after the value", err);
        *token = (json_scan_token){JSON_SCAN_END, s->at, 0};
        return ASSAY_OK;
    }
    const bool in_object = s->level[s->depth - 1].is_object;
    if (s->at < s->end && *s->at == (in_object ? '}' : ']')) return close_level(s, token, err);
    if (s->at == s->end || *s->at != ',') return fail_found(s, in_object ? "',' or '}'" : "',' or ']'", err);
    s->at++;
    skip_space(s);
    return in_object ? scan_member(s, token, err) : scan_value(s, token, err);
}

assay_status json_scan_next(json_scan *s, json_scan_token *token, assay_error *err)
{
    skip_space(s);
    const char here = '\0';
    const char *next = s->at < s->end ? s->at : &here;
    switch (s->state) {
    case SCAN_FIRST_NAME: return *next == '}' ? close_level(s, token, err) : scan_member(s, token, err);
    case SCAN_FIRST_VALUE: return *next == ']' ? close_level(s, token, err) : scan_value(s, token, err);
    case SCAN_VALUE: return scan_value(s, token, err);
    case SCAN_AFTER_VALUE: break;
    }
    return scan_after_value(s, token, err);
}

size_t json_scan_unescape(char *dst, const json_scan_token *token)
{
    size_t written = 0;
    for (size_t at = 0; at < token->n;) {
        uint32_t codepoint = 0;
        const char *problem;
        at += json_text_decode(token->text + at, token->n - at, &codepoint, &problem);
        written += utf8_encode(dst + written, codepoint);
    }
    return written;
}

bool json_scan_equals(const json_scan_token *token, const char *expected)
{
    size_t at = 0;
    for (; *expected && at < token->n; expected++) {
        uint32_t codepoint = 0;
        const char *problem;
        at += json_text_decode(token->text + at, token->n - at, &codepoint, &problem);
        if (codepoint != (unsigned char)*expected) return false;
    }
    return *expected == '\0' && at == token->n;
}

int json_scan_clip(const char *text, size_t n, int limit)
{
    if (n <= (size_t)limit) return (int)n;
    while (limit > 0 && ((unsigned char)text[limit] & 0xc0) == 0x80) limit--;
    return limit;
}
