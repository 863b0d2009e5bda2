/* SPDX-License-Identifier: Apache-2.0 */
#include "template/values/braces.h"

#include <string.h>

#include "template/values/casing.h"
#include "template/values/dict.h"
#include "template/values/field.h"
#include "template/values/literal.h"
#include "template/values/strings.h"
#include "template/values/text.h"

#define NESTED_MAX 2 /* fields, and fields of their specifications */

typedef struct formatting {
    tpl *t;
    const tpl_arguments *args;
    const tpl_access *access;
    bool safe;
    bool counted, numbered; /* fields without a number, and with one, were read */
    size_t n_counted;
} formatting;

/* A field while it is read: {name!conversion:specification} */
typedef struct replacement {
    assay_text name, specification;
    char conversion; /* 0: none */
} replacement;

static int shown(assay_text text)
{
    return text.n > 60 ? 60 : (int)text.n;
}

/* The specification at text[at], after the colon, up to the brace that ends the field. Returns the offset
 * after that brace. */
static size_t read_specification(tpl *t, assay_text text, size_t at, assay_text *out)
{
    const size_t from = at;
    for (size_t depth = 1; at < text.n; at++) {
        if (text.at[at] == '{') depth++;
        if (text.at[at] != '}' || --depth > 0) continue;
        *out = (assay_text){.at = text.at + from, .n = at - from};
        return at + 1;
    }
    (void)tpl_fail(t, ASSAY_EFORMAT, "format: found a { without its }");
    return text.n;
}

/* Reads the field after the brace before text[at]; returns the offset after it. */
static size_t read_replacement(tpl *t, assay_text text, size_t at, replacement *out)
{
    const size_t from = at;
    *out = (replacement){.specification = {.at = "", .n = 0}};
    for (; at < text.n; at++) {
        const char c = text.at[at];
        if (c == '{') (void)tpl_fail(t, ASSAY_EFORMAT, "format: found a { within the name of a field");
        if (c == '}' || c == ':' || c == '!') break;
        while (c == '[' && at < text.n && text.at[at] != ']') at++;
    }
    out->name = (assay_text){.at = text.at + from, .n = at - from};
    if (at + 2 < text.n && text.at[at] == '!') {
        out->conversion = text.at[at + 1];
        at += 2;
        if (text.at[at] != '}' && text.at[at] != ':')
            (void)tpl_fail(t, ASSAY_EFORMAT, "format: expected a colon after the conversion of a field");
    }
    if (at < text.n && text.at[at] == ':') return read_specification(t, text, at + 1, &out->specification);
    if (at >= text.n || text.at[at] != '}')
        (void)tpl_fail(t, ASSAY_EFORMAT, "format: found a { without its }");
    return at + 1;
}

static tpl_value fail_field(tpl *t, assay_text field)
{
    (void)tpl_fail(t, ASSAY_EFORMAT, "format: there is no argument for the field {%.*s}", shown(field),
                   field.at);
    return (tpl_value){0};
}

/* The length of the part of a field that begins at `at` and ends before one of two characters. */
static size_t part_length(assay_text field, size_t at, const char *ends)
{
    size_t n = 0;
    while (at + n < field.n && field.at[at + n] != ends[0] && field.at[at + n] != ends[1]) n++;
    return n;
}

/* Digits as an index, any other text as itself. */
static tpl_value index_of(tpl *t, assay_text text)
{
    tpl_value index;
    const bool digits = text.n > 0 && tpl_has_class(t, text, "decimal");
    return digits && tpl_parse_int(t, text, 10, &index) ? index : tpl_text(text.at, text.n);
}

/* The argument that the first part of a field names. */
static tpl_value field_argument(formatting *f, assay_text field, assay_text first)
{
    const bool counted = field.n == 0, numbered = !counted && tpl_has_class(f->t, field, "digit");
    const tpl_value index = counted ? tpl_int((int64_t)f->n_counted++) : index_of(f->t, first);
    f->counted = f->counted || counted;
    f->numbered = f->numbered || numbered;
    if (f->counted && f->numbered)
        (void)tpl_fail(f->t, ASSAY_EFORMAT, "format: found fields with and without numbers");
    if (first.n == 0 && !counted)
        (void)tpl_fail(
            f->t, ASSAY_EUNSUPPORTED,
            "format: the field {%.*s}, which versions of Python read differently, is not supported",
            shown(field), field.at);
    if (index.kind == TPL_STRING) {
        const tpl_value *found = tpl_dict_find_text(f->t, f->args->named, first);
        return found ? *found : fail_field(f->t, field);
    }
    const bool has = tpl_is_whole(index) && (uint64_t)tpl_whole(index) < f->args->n;
    return has ? f->args->at[tpl_whole(index)] : fail_field(f->t, field);
}

/* The argument that a field names, and of that the attributes and elements. */
static tpl_value field_value(formatting *f, assay_text field)
{
    size_t at = part_length(field, 0, ".[");
    tpl_value v = field_argument(f, field, (assay_text){.at = field.at, .n = at});
    while (at < field.n && tpl_step(f->t, 1)) {
        const bool is_item = field.at[at++] == '[';
        const assay_text part = {.at = field.at + at, .n = part_length(field, at, is_item ? "]]" : ".[")};
        at += part.n + is_item;
        const bool ends = at == field.n || (at < field.n && (field.at[at] == '.' || field.at[at] == '['));
        if (part.n == 0 || !ends)
            (void)tpl_fail(f->t, ASSAY_EFORMAT, "format: the field {%.*s} is not a name with .name or [key]",
                           shown(field), field.at);
        if (f->t->status != ASSAY_OK) return (tpl_value){0};
        v = is_item ? f->access->item(f->t, v, index_of(f->t, part)) : f->access->attribute(f->t, v, part);
    }
    return v;
}

/* The value after !s, !r or !a. */
static tpl_value converted(tpl *t, tpl_value v, char conversion)
{
    tpl_builder b = {.t = t};
    if (conversion == 0) return v;
    if (conversion == 's') tpl_add_str(&b, v);
    else if (conversion == 'r' || conversion == 'a') tpl_add_repr(&b, v);
    else (void)tpl_fail(t, ASSAY_EFORMAT, "format: found the conversion !%c, expected s, r or a", conversion);
    const assay_text text = tpl_built(&b).text;
    return conversion == 'a' ? (tpl_value){.kind = TPL_STRING, .text = tpl_ascii(t, text)}
                             : tpl_text(text.at, text.n);
}

static assay_text format_within(formatting *f, assay_text format, unsigned depth);

static void add_replacement(formatting *f, tpl_builder *b, const replacement *field, unsigned depth)
{
    tpl_builder made = {.t = f->t};
    const tpl_value v = converted(f->t, field_value(f, field->name), field->conversion);
    const assay_text specification = format_within(f, field->specification, depth + 1);
    const bool is_safe = f->safe && v.kind == TPL_STRING && v.safe;
    if (f->t->status != ASSAY_OK) return;
    if (is_safe && specification.n > 0)
        (void)tpl_fail(f->t, ASSAY_EFORMAT, "format: found a specification of a safe text in a safe format");
    tpl_add_field(&made, v, specification);
    assay_text text = tpl_built(&made).text;
    if (f->safe && !is_safe) text = tpl_escape(f->t, text).text;
    tpl_add(b, text.at, text.n);
}

static assay_text format_within(formatting *f, assay_text format, unsigned depth)
{
    tpl_builder b = {.t = f->t};
    replacement field;
    if (depth > NESTED_MAX)
        (void)tpl_fail(f->t, ASSAY_EFORMAT, "format: found a field within a field of a field");
    for (size_t at = 0; at < format.n && tpl_step(f->t, 1);) {
        const char c = format.at[at++];
        const bool twice = at < format.n && format.at[at] == c;
        if ((c == '{' || c == '}') && twice) at++;
        else if (c == '{') {
            at = read_replacement(f->t, format, at, &field);
            if (f->t->status == ASSAY_OK) add_replacement(f, &b, &field, depth);
            continue;
        } else if (c == '}') (void)tpl_fail(f->t, ASSAY_EFORMAT, "format: found a } without its {");
        tpl_add(&b, &c, 1);
    }
    return tpl_built(&b).text;
}

tpl_value tpl_format_braces(tpl *t, tpl_value format, const tpl_arguments *args, const tpl_access *access)
{
    formatting f = {.t = t, .args = args, .access = access, .safe = format.safe};
    const assay_text text = format_within(&f, format.text, 0);
    tpl_value v = tpl_text(text.at, text.n);
    v.safe = format.safe;
    return v;
}
