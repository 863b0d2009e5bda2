/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/support/fields.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/json.h"

#define SHOWN 48 /* bytes of a text that a message quotes, from a little before the first difference */

static bool begin_call(conf_fields *f, const char *name, size_t n)
{
    conf_call *calls = grow_by_one(f->calls, f->n_calls, sizeof *calls);
    if (!calls) return false;
    f->calls = calls;
    calls[f->n_calls++] = (conf_call){0};
    return buffer_append(&calls[f->n_calls - 1].name, name, n);
}

static void append_part(void *context, assay_part part, const char *text, size_t n)
{
    conf_fields *f = context;
    bool kept = true;
    if (n == 0 || !text) {
        f->broken = "a piece without text";
        return;
    }
    switch (part) {
    case ASSAY_PART_CONTENT: kept = buffer_append(&f->content, text, n); break;
    case ASSAY_PART_REASONING: kept = buffer_append(&f->reasoning, text, n); break;
    case ASSAY_PART_CALL: kept = begin_call(f, text, n); break;
    case ASSAY_PART_ARGUMENTS:
        if (f->n_calls == 0) f->broken = "arguments before any call";
        else kept = buffer_append(&f->calls[f->n_calls - 1].arguments, text, n);
        break;
    default: f->broken = "a piece of an unknown part";
    }
    if (!kept) f->no_memory = true;
}

assay_sink conf_fields_sink(conf_fields *fields)
{
    return (assay_sink){.take = append_part, .context = fields};
}

void conf_fields_free(conf_fields *f)
{
    free(f->content.data);
    free(f->reasoning.data);
    for (size_t i = 0; i < f->n_calls; i++) {
        free(f->calls[i].name.data);
        free(f->calls[i].arguments.data);
    }
    free(f->calls);
    *f = (conf_fields){0};
}

assay_status conf_field_check(const conf_json_at *expect, const char *name, assay_error *err)
{
    conf_json_at at = {.above = expect, .name = name};
    if (!conf_json_find(expect, name, &at))
        return conf_json_fail(&at, err, "is missing, expected a string or null");
    return at.value ? conf_json_expect(&at, json_type_string, err) : ASSAY_OK;
}

assay_status conf_calls_check(const conf_json_at *expect, assay_error *err)
{
    conf_json_at calls, arguments;
    assay_status rc = conf_json_member(expect, "calls", json_type_array, &calls, err);
    for (size_t i = 0; rc == ASSAY_OK && i < json_object_array_length(calls.value); i++) {
        const conf_json_at call = conf_json_element(&calls, i);
        const char *name;
        rc = conf_json_member_text(&call, "name", &name, err);
        if (rc == ASSAY_OK && !conf_json_find(&call, "arguments", &arguments))
            rc = conf_json_fail(&call, err, "has no member arguments");
    }
    return rc;
}

/* Length in bytes of the white space character that text[0..n) begins with; 0 if it begins with none. */
static size_t space_at(const char *text, size_t n)
{
    static const char *const wide[] = {
        "\xc2\x85", "\u00a0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003", "\u2004", "\u2005", "\u2006",
        "\u2007",   "\u2008", "\u2009", "\u200a", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000",
    };
    if (n == 0) return 0;
    unsigned char c = (unsigned char)text[0];
    if ((c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x20)) return 1;
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
        size_t k = strlen(wide[i]);
        if (n >= k && memcmp(text, wide[i], k) == 0) return k;
    }
    return 0;
}

/* Length in bytes of the white space character that text[0..n) ends with; 0 if it ends with none. */
static size_t space_before(const char *text, size_t n)
{
    for (size_t k = 1; k <= 3 && k <= n; k++)
        if (space_at(text + n - k, k) == k) return k;
    return 0;
}

assay_text conf_field_strip(assay_text text)
{
    for (size_t k; (k = space_at(text.at, text.n)) > 0; text.n -= k) text.at += k;
    for (size_t k; (k = space_before(text.at, text.n)) > 0;) text.n -= k;
    return text;
}

static assay_text strip_blanks(const char *at, size_t n)
{
    return conf_field_strip((assay_text){at, n});
}

/* Writes a text in quotes from byte `from` on, or "null" if it is empty; "…" marks omitted parts. */
static void quote_excerpt(char *out, size_t size, assay_text text, size_t from)
{
    size_t shown = text.n - from < SHOWN ? text.n - from : SHOWN;
    if (text.n == 0) (void)snprintf(out, size, "null");
    else
        (void)snprintf(out, size, "\"%s%.*s%s\"", from ? "…" : "", (int)shown, text.at + from,
                       from + shown < text.n ? "…" : "");
}

bool conf_field_same(const char *name, assay_text expected, assay_text found, char *text, size_t size)
{
    char should[SHOWN + 16], is[SHOWN + 16];
    size_t n = expected.n < found.n ? expected.n : found.n, at = 0;
    while (at < n && expected.at[at] == found.at[at]) at++;
    if (at == expected.n && at == found.n) return true;
    size_t from = at < SHOWN / 3 ? 0 : at - SHOWN / 3;
    while (from > 0 && ((unsigned char)expected.at[from] & 0xc0U) == 0x80U) from--;
    quote_excerpt(should, sizeof should, expected, from);
    quote_excerpt(is, sizeof is, found, from);
    (void)snprintf(text, size, "%s: expected %s, found %s (they differ at byte %zu)", name, should, is, at);
    return false;
}

bool conf_field_equals(const char *name, json_object *expected, const buffer *found, char *text, size_t size)
{
    const char *at = expected ? json_object_get_string(expected) : "";
    size_t n = expected ? (size_t)json_object_get_string_len(expected) : 0;
    return conf_field_same(name, strip_blanks(at, n),
                           found->n ? strip_blanks(found->data, found->n) : (assay_text){"", 0}, text, size);
}

/* Parses with json-c alone, which accepts duplicate members and deeper nesting than json_parse, but clamps
 * large integers. */
static bool parse_leniently(assay_text text, json_object **value)
{
    json_tokener *tokener = json_tokener_new();
    if (!tokener) return false;
    *value = json_tokener_parse_ex(tokener, text.at, (int)text.n);
    const bool whole = json_tokener_get_error(tokener) == json_tokener_success &&
                       strip_blanks(text.at + json_tokener_get_parse_end(tokener),
                                    text.n - json_tokener_get_parse_end(tokener))
                               .n == 0;
    json_tokener_free(tokener);
    return whole;
}

bool conf_field_parse(assay_text text, json_object **value)
{
    char *joined;
    size_t n = text.n;
    *value = NULL;
    if (json_parse("", text.at, text.n, value, NULL) == ASSAY_OK) return true;
    if (text.n == 0 || text.n > INT32_MAX) return false;
    if (json_join_pairs(text.at, text.n, &joined, &n, NULL) != ASSAY_OK) return false;
    const bool whole = parse_leniently(joined ? (assay_text){joined, n} : text, value);
    free(joined);
    if (whole) return true;
    json_object_put(*value);
    *value = NULL;
    return false;
}

static bool same_arguments(const char *name, json_object *expected, const buffer *found, char *text,
                           size_t size)
{
    json_object *value;
    const bool same = conf_field_parse((assay_text){found->data, found->n}, &value) &&
                      json_equals(expected, value, JSON_BY_VALUE);
    json_object_put(value);
    if (same) return true;
    if (json_object_is_type(expected, json_type_string))
        return conf_field_equals(name, expected, found, text, size);
    size_t n = 0;
    const char *should = json_object_to_json_string_length(expected, JSON_C_TO_STRING_PLAIN, &n);
    if (!should || conf_field_same(name, (assay_text){should, n},
                                   (assay_text){found->n ? found->data : "", found->n}, text, size))
        (void)snprintf(text, size, "%s: not the value that is expected", name);
    return false;
}

bool conf_calls_equal(json_object *expected, const conf_fields *found, char *text, size_t size)
{
    size_t n = expected ? json_object_array_length(expected) : 0;
    for (size_t i = 0; i < n && i < found->n_calls; i++) {
        char name[64];
        json_object *call = json_object_array_get_idx(expected, i);
        (void)snprintf(name, sizeof name, "calls[%zu].name", i);
        if (!conf_field_equals(name, json_object_object_get(call, "name"), &found->calls[i].name, text, size))
            return false;
        (void)snprintf(name, sizeof name, "calls[%zu].arguments", i);
        if (!same_arguments(name, json_object_object_get(call, "arguments"), &found->calls[i].arguments, text,
                            size))
            return false;
    }
    if (n == found->n_calls) return true;
    (void)snprintf(text, size, "calls: expected %zu, found %zu", n, found->n_calls);
    return false;
}
