/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/tools/types.h"

#include "base/json.h"
#include "base/json_escape.h"
#include "dialogue/text/span.h"
#include "dialogue/values/json_value.h"
#include "dialogue/values/python_literal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Types as bits; an integer is also a number. */
enum { STRING = 1, INTEGER = 2, NUMBER = 4, BOOLEAN = 8, ARRAY = 16, OBJECT = 32, NOTHING = 64 };

typedef struct call {
    json_object *properties;
    buffer *out, name, value;
    bool changed;
} call;

/* The type that a schema names; 0 if it is unknown. */
static unsigned type_of(json_object *name)
{
    static const struct {
        const char *name;
        unsigned bits;
    } TYPES[] = {{"string", STRING}, {"integer", INTEGER}, {"number", NUMBER}, {"boolean", BOOLEAN},
                 {"array", ARRAY},   {"object", OBJECT},   {"null", NOTHING}};
    const char *text = json_text(name);
    for (size_t i = 0; text && i < sizeof TYPES / sizeof *TYPES; i++)
        if (strcmp(text, TYPES[i].name) == 0) return TYPES[i].bits;
    return 0;
}

/* The bits of one type name, or of a list of them. */
static unsigned types_of(json_object *schema)
{
    json_object *type = NULL;
    unsigned bits = 0;
    if (!json_object_is_type(schema, json_type_object) || !json_object_object_get_ex(schema, "type", &type))
        return 0;
    if (!json_object_is_type(type, json_type_array)) return type_of(type);
    for (size_t i = 0; i < json_object_array_length(type); i++)
        bits |= type_of(json_object_array_get_idx(type, i));
    return bits;
}

/* The bits of all types that a value has. value: JSON text without white space around it. */
static unsigned types_of_value(assay_text value)
{
    switch (value.at[0]) {
    case '"': return STRING;
    case '[': return ARRAY;
    case '{': return OBJECT;
    case 't':
    case 'f': return BOOLEAN;
    case 'n': return NOTHING;
    default:
        for (size_t i = 0; i < value.n; i++)
            if (strchr(".eE", value.at[i])) return NUMBER;
        return INTEGER | NUMBER;
    }
}

/* Writes a number as Python does after reading it; false if it is infinite. */
static bool add_number(buffer *out, buffer *scratch, assay_text number)
{
    scratch->n = 0;
    buffer_append(scratch, number.at, number.n);
    buffer_append(scratch, "", 1);
    if (scratch->failed) return false;
    if (types_of_value(number) & INTEGER) {
        buffer_append_string(out, strcmp(scratch->data, "-0") == 0 ? "0" : scratch->data);
        return true;
    }
    const double value = strtod(scratch->data, NULL);
    if (isfinite(value)) serve_append_python_float(out, value);
    return isfinite(value);
}

static bool add_token(buffer *out, const json_scan_token *token, buffer *scratch)
{
    static const char *const WORDS[] = {
        [JSON_SCAN_OBJECT] = "{",    [JSON_SCAN_OBJECT_END] = "}", [JSON_SCAN_ARRAY] = "[",
        [JSON_SCAN_ARRAY_END] = "]", [JSON_SCAN_TRUE] = "true",    [JSON_SCAN_FALSE] = "false",
        [JSON_SCAN_NULL] = "null"};
    if (token->kind == JSON_SCAN_NUMBER) return add_number(out, scratch, (assay_text){token->text, token->n});
    if (token->kind != JSON_SCAN_NAME && token->kind != JSON_SCAN_STRING) {
        buffer_append_string(out, WORDS[token->kind]);
        return true;
    }
    scratch->n = 0;
    serve_json_unquote(scratch, (assay_text){token->text - 1, token->n + 2});
    json_append_quoted(out, buffer_text(scratch));
    if (token->kind == JSON_SCAN_NAME) buffer_append_string(out, ":");
    return !scratch->failed;
}

/* Adds a valid value without white space to out. False if it has a number that Python cannot write, or on a
 * failed allocation, which shows in out->failed. */
static bool add_compact(buffer *out, assay_text value)
{
    json_scan *scan = NULL;
    json_scan_token token;
    buffer scratch = {0};
    assay_status rc = json_scan_open("", value.at, value.n, &scan, NULL);
    bool ok = rc == ASSAY_OK, behind = false;
    while (ok && (rc = json_scan_next(scan, &token, NULL)) == ASSAY_OK && token.kind != JSON_SCAN_END) {
        const bool ends = token.kind == JSON_SCAN_OBJECT_END || token.kind == JSON_SCAN_ARRAY_END;
        if (behind && !ends) buffer_append_string(out, ",");
        ok = add_token(out, &token, &scratch);
        behind =
            token.kind != JSON_SCAN_OBJECT && token.kind != JSON_SCAN_ARRAY && token.kind != JSON_SCAN_NAME;
    }
    out->failed = out->failed || scratch.failed || rc == ASSAY_ENOMEM;
    json_scan_free(scan);
    buffer_free(&scratch);
    return ok;
}

/* Trims JSON white space. */
static assay_text trim_blanks(assay_text text)
{
    while (text.n > 0 && memchr(" \t\n\r", text.at[0], 4)) text = serve_span_from(text, 1);
    while (text.n > 0 && memchr(" \t\n\r", text.at[text.n - 1], 4)) text.n--;
    return text;
}

/* Sets c->value to the value converted to one of the types; false if it needs no conversion, or has none. */
static bool convert_value(call *c, assay_text value, unsigned types)
{
    buffer text = {0};
    const unsigned own = types_of_value(value);
    bool ok = false;
    c->value.n = 0;
    if (types == 0 || own & types) return false;
    if (types & STRING && own & (ARRAY | OBJECT)) {
        ok = add_compact(&text, value);
        json_append_quoted(&c->value, buffer_text(&text));
    } else if (own == STRING) {
        serve_json_unquote(&text, value);
        const assay_text said = trim_blanks(buffer_text(&text));
        const bool fits = said.n > 0 && types_of_value(said) & types & ~(unsigned)STRING;
        const assay_status rc = fits ? json_check("", said.at, said.n, NULL) : ASSAY_OK;
        text.failed = text.failed || rc == ASSAY_ENOMEM;
        ok = fits && rc == ASSAY_OK;
        if (ok) buffer_append(&c->value, said.at, said.n);
    }
    c->out->failed = c->out->failed || text.failed || c->value.failed;
    buffer_free(&text);
    return ok;
}

static void write_member(void *context, assay_text name, assay_text value)
{
    call *c = context;
    json_object *schema = NULL;
    c->name.n = 0;
    serve_json_unquote(&c->name, name);
    buffer_append(&c->name, "", 1);
    c->out->failed = c->out->failed || c->name.failed;
    if (c->out->failed) return;
    json_object_object_get_ex(c->properties, c->name.data, &schema);
    if (c->out->data[c->out->n - 1] != '{') buffer_append_string(c->out, ", ");
    buffer_append(c->out, name.at, name.n);
    buffer_append_string(c->out, ": ");
    if (!convert_value(c, value, types_of(schema))) {
        buffer_append(c->out, value.at, value.n);
        return;
    }
    buffer_append(c->out, c->value.data, c->value.n);
    c->changed = true;
}

bool serve_tools_types(const serve_tools_request *request, assay_text tool, assay_text arguments, buffer *out)
{
    const size_t begin = out->n;
    call c = {.properties = serve_tools_request_properties(request, tool), .out = out};
    if (!c.properties) return false;
    buffer_append_string(out, "{");
    const assay_status rc = serve_json_object(arguments, write_member, &c);
    buffer_append_string(out, "}");
    buffer_free(&c.name);
    buffer_free(&c.value);
    if (rc == ASSAY_ENOMEM) out->failed = true;
    if (rc != ASSAY_OK || !c.changed) out->n = begin;
    return rc == ASSAY_OK && c.changed;
}
