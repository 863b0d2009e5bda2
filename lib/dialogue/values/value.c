/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/values/value.h"

#include "base/json_escape.h"
#include "dialogue/text/span.h"
#include "dialogue/values/json_value.h"
#include "dialogue/values/python_literal.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum value_kind { STRING, INTEGER, NUMBER, BOOLEAN, LIST, OBJECT } value_kind;

/* The published type names, and prefixes of type names. */
static value_kind kind_of(const char *type)
{
    static const struct {
        const char *name;
        bool begins;
        value_kind kind;
    } KINDS[] = {
        {"int", true, INTEGER},     {"uint", true, INTEGER},     {"long", true, INTEGER},
        {"short", true, INTEGER},   {"unsigned", true, INTEGER}, {"num", true, NUMBER},
        {"float", true, NUMBER},    {"boolean", false, BOOLEAN}, {"bool", false, BOOLEAN},
        {"binary", false, BOOLEAN}, {"object", false, OBJECT},   {"array", false, LIST},
        {"arr", false, LIST},       {"sequence", false, LIST},   {"dict", true, LIST},
        {"list", true, LIST},
    };
    const assay_text text = {.at = type, .n = strlen(type)};
    for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++) {
        const size_t n = serve_span_alike(text, KINDS[i].name);
        if (KINDS[i].name[n] == '\0' && (KINDS[i].begins || n == text.n)) return KINDS[i].kind;
    }
    return STRING;
}

bool serve_tools_value_is_list(const char *type)
{
    return kind_of(type) == LIST;
}

/* Whether text equals `word`, ignoring case. */
static bool is_word(assay_text text, const char *word)
{
    return text.n == strlen(word) && strncasecmp(text.at, word, text.n) == 0;
}

static assay_status add_json_or_string(buffer *out, assay_text text)
{
    const assay_status rc = serve_json_check(text);
    if (rc == ASSAY_OK) buffer_append(out, text.at, text.n);
    if (rc == ASSAY_EFORMAT) json_append_quoted(out, text);
    return rc == ASSAY_ENOMEM ? rc : ASSAY_OK;
}

static bool is_digit(assay_text text, size_t at)
{
    return at < text.n && text.at[at] >= '0' && text.at[at] <= '9';
}

/* Skips leading zeros, which int() and float() accept and a JSON number must not have. */
static assay_text strip_zeros(assay_text number)
{
    while (number.n > 1 && number.at[0] == '0') {
        const size_t next = number.at[1] == '_' ? 2 : 1;
        if (!is_digit(number, next)) break;
        number = serve_span_from(number, next);
    }
    return number;
}

/* Writes a float without a fraction as an integer with all its digits. */
static void make_whole(buffer *out, size_t begin)
{
    char text[DBL_MAX_10_EXP + 4];
    buffer_append(out, "", 1);
    if (out->failed) return;
    const double value = strtod(out->data + begin, NULL);
    out->n--;
    if (!isfinite(value) || value != trunc(value)) return;
    out->n = begin;
    (void)snprintf(text, sizeof text, "%.0f", value == 0 ? 0.0 : value);
    buffer_append_string(out, text);
}

/* Reads a number as int() and float() do, with white space around it. */
static bool add_number(buffer *out, assay_text text, bool whole)
{
    assay_text number = serve_span_trim(text);
    const size_t begin = out->n;
    for (size_t i = 0; i < number.n; i++)
        if (!strchr(whole ? "+-_0123456789" : "+-_0123456789.eE", number.at[i]) || number.at[i] == '\0')
            return false;
    const bool negative = serve_span_starts(number, "-");
    if (negative || serve_span_starts(number, "+")) number = serve_span_from(number, 1);
    if (!is_digit(number, 0) && !serve_span_starts(number, ".")) return false;
    if (negative) buffer_append_string(out, "-");
    if (!serve_python_literal(out, strip_zeros(number))) {
        out->n = begin;
        return false;
    }
    if (!whole) make_whole(out, begin);
    return true;
}

static assay_status add_object(buffer *out, assay_text text)
{
    const assay_status rc = serve_json_check(text);
    if (rc == ASSAY_EFORMAT && serve_python_literal(out, text)) return ASSAY_OK;
    return add_json_or_string(out, text);
}

assay_status serve_tools_value(buffer *out, assay_text text, const char *type)
{
    const value_kind kind = kind_of(type);
    if ((text.n == 0 && kind != BOOLEAN) || (kind == STRING && is_word(text, "null"))) {
        buffer_append_string(out, "\"\"");
        return ASSAY_OK;
    }
    if (kind == STRING) {
        json_append_quoted(out, text);
        return ASSAY_OK;
    }
    if (kind == LIST) {
        if (!serve_python_literal(out, text)) json_append_quoted(out, text);
        return ASSAY_OK;
    }
    if (is_word(text, "null")) {
        buffer_append_string(out, "null");
        return ASSAY_OK;
    }
    if (kind == BOOLEAN) {
        buffer_append_string(out, is_word(text, "true") ? "true" : "false");
        return ASSAY_OK;
    }
    if (kind == OBJECT) return add_object(out, text);
    return add_number(out, text, kind == INTEGER) ? ASSAY_OK : add_json_or_string(out, text);
}

void serve_tools_value_begun(buffer *out, assay_text text, const char *type)
{
    const value_kind kind = kind_of(type);
    if (kind == STRING) buffer_append(out, "\"", 1);
    if (kind == LIST || text.n == 0 || is_word(text, "null")) return;
    if (kind == STRING) json_append_escaped(out, text);
    else if (kind == BOOLEAN) buffer_append_string(out, is_word(text, "true") ? "true" : "false");
    else if (kind == OBJECT || !add_number(out, text, kind == INTEGER)) buffer_append(out, text.at, text.n);
}
