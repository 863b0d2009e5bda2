/* SPDX-License-Identifier: Apache-2.0 */
#include "template/filters/markup.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "template/filters/wrap.h"
#include "template/values/dict.h"
#include "template/values/integer.h"
#include "template/values/literal.h"
#include "template/values/split.h"
#include "template/values/text.h"
#include "template/values/unicode.h"

#define FILTER TPL_FILTER
#define UNUSED TPL_FILTER_UNUSED

FILTER(filter_forceescape)
{
    UNUSED;
    return tpl_escape(t, tpl_str(t, v));
}

/* The offset after the comment or tag that begins at text[at]; SIZE_MAX: it has no end. */
static size_t tag_end(tpl *t, assay_text text, size_t at)
{
    const assay_text comment = {.at = "<!--", .n = 4};
    const bool is_comment = text.n - at >= 4 && memcmp(text.at + at, comment.at, 4) == 0;
    const assay_text end = {.at = is_comment ? "-->" : ">", .n = is_comment ? 3 : 1};
    const size_t found = tpl_find(t, text, end, at + (is_comment ? 4 : 0));
    return found == SIZE_MAX ? SIZE_MAX : found + end.n;
}

/* The text without comments and tags, as markupsafe 3.0 finds them: one that has no end ends the search. */
static tpl_value remove_tags(tpl *t, assay_text text)
{
    tpl_builder b = {.t = t};
    size_t at = 0, begin;
    while ((begin = tpl_find(t, text, (assay_text){.at = "<", .n = 1}, at)) != SIZE_MAX) {
        const size_t end = tag_end(t, text, begin);
        if (end == SIZE_MAX) break;
        tpl_add(&b, text.at + at, begin - at);
        at = end;
    }
    tpl_add(&b, text.at + at, text.n - at);
    return tpl_built(&b);
}

FILTER(filter_striptags)
{
    tpl_builder b = {.t = t};
    UNUSED;
    tpl_value text = remove_tags(t, tpl_str(t, v));
    const tpl_value words = tpl_split(t, text.text, NULL, -1, false);
    for (size_t i = 0; words.kind == TPL_LIST && i < words.list->n && tpl_step(t, 1); i++) {
        if (i > 0) tpl_add_string(&b, " ");
        tpl_add(&b, words.list->items[i].text.at, words.list->items[i].text.n);
    }
    text = tpl_built(&b);
    if (text.text.n > 0 && memchr(text.text.at, '&', text.text.n))
        (void)tpl_fail(t, ASSAY_EUNSUPPORTED, "striptags of a text with & is not supported");
    return text;
}

/* Whether RFC 3986 reserves no meaning for a byte. */
static bool is_unreserved(unsigned char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           (c != 0 && strchr("-._~", c));
}

static void add_quoted(tpl_builder *b, assay_text text, bool is_query)
{
    for (size_t i = 0; i < text.n && tpl_step(b->t, 1); i++) {
        const unsigned char c = (unsigned char)text.at[i];
        char code[4];
        (void)snprintf(code, sizeof code, "%%%02X", c);
        if (is_unreserved(c) || (c == '/' && !is_query)) tpl_add(b, &text.at[i], 1);
        else tpl_add_string(b, c == ' ' && is_query ? "+" : code);
    }
}

FILTER(filter_urlencode)
{
    tpl_builder b = {.t = t};
    UNUSED;
    if (v.kind != TPL_LIST && v.kind != TPL_DICT) {
        add_quoted(&b, tpl_str(t, v), false);
        return tpl_built(&b);
    }
    tpl_cursor from = tpl_cursor_open(t, v);
    tpl_value item;
    for (size_t n = 0; tpl_cursor_next(t, &from, &item); n++) {
        const tpl_value *of = v.kind == TPL_DICT ? tpl_dict_find(t, v, item, false) : NULL;
        const tpl_list *pair = of ? NULL : tpl_elements(t, item);
        if (pair && pair->n != 2) return tpl_fail_type(t, item, "urlencode: an element that is no pair");
        if (n > 0) tpl_add_string(&b, "&");
        add_quoted(&b, tpl_str(t, pair ? pair->items[0] : item), true);
        tpl_add_string(&b, "=");
        add_quoted(&b, tpl_str(t, pair ? pair->items[1] : *of), true);
    }
    return tpl_built(&b);
}

/* Text with HTML's special characters escaped, unless it is safe. */
static void add_escaped(tpl_builder *b, tpl_value v)
{
    const assay_text text = tpl_str(b->t, v);
    const tpl_value escaped = v.kind == TPL_STRING && v.safe ? v : tpl_escape(b->t, text);
    tpl_add(b, escaped.text.at, escaped.text.n);
}

FILTER(filter_xmlattr)
{
    tpl_builder b = {.t = t};
    bool any = false;
    UNUSED;
    if (v.kind != TPL_DICT) return tpl_fail_type(t, v, "xmlattr");
    for (size_t i = 0; i < v.dict->n && tpl_step(t, 1); i++) {
        const tpl_entry *entry = &v.dict->entries[i];
        if (entry->value.kind == TPL_NONE || entry->value.kind == TPL_UNDEFINED) continue;
        if (entry->key.kind != TPL_STRING) return tpl_fail_type(t, entry->key, "xmlattr: a name");
        for (size_t k = 0; k < entry->key.text.n; k++)
            if (entry->key.text.at[k] && strchr(" \t\n\r\f\v/>=", entry->key.text.at[k]))
                (void)tpl_fail(t, ASSAY_EFORMAT, "xmlattr: found a name with white space, /, > or =");
        if (any || tpl_argument_truth(at[0], true)) tpl_add_string(&b, " ");
        any = true;
        add_escaped(&b, entry->key);
        tpl_add_string(&b, "=\"");
        add_escaped(&b, entry->value);
        tpl_add_string(&b, "\"");
    }
    return tpl_built(&b);
}

/* Runs of letters, digits and underscores. */
FILTER(filter_wordcount)
{
    const assay_text text = tpl_str(t, v);
    int64_t n = 0;
    bool in_word = false;
    uint32_t c;
    UNUSED;
    for (size_t i = 0; i < text.n && tpl_step(t, 1);) {
        i += utf8_decode(text.at + i, text.n - i, &c, NULL);
        const bool is_word = c == '_' || tpl_char_has(t, c, TPL_ALNUM);
        n += is_word && !in_word;
        in_word = is_word;
    }
    return tpl_int(n);
}

/* Whether a number is below a power of 1000 or 1024, an integer in Python, where 1e24 is below 1000 ** 8. The
 * 64 bits of a long double hold each power up to the 8th exactly. */
static bool is_below(double x, long double base, size_t power)
{
    long double limit = 1;
    for (size_t i = 0; i < power; i++) limit *= base;
    return (long double)x < limit;
}

FILTER(filter_filesizeformat)
{
    static const char *const units[] = {"kB",  "MB",  "GB",  "TB",  "PB",  "EB",  "ZB",  "YB",
                                        "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"};
    const bool binary = tpl_argument_truth(at[0], false);
    const double base = binary ? 1024 : 1000;
    char text[400];
    double bytes;
    size_t i = 0;
    UNUSED;
    if (tpl_is_number(v)) bytes = tpl_real(t, v);
    else if (v.kind != TPL_STRING || !tpl_parse_float(t, v.text, &bytes))
        return tpl_fail_type(t, v, "filesizeformat");
    if (bytes == 1) return tpl_string("1 Byte");
    if (bytes < base) {
        if (!isfinite(bytes)) return tpl_fail_type(t, v, "filesizeformat of a number that is not finite");
        (void)snprintf(text, sizeof text, "%.0f Bytes", trunc(bytes) + 0.0);
    } else {
        while (i < 7 && !is_below(bytes, base, i + 2)) i++;
        (void)snprintf(text, sizeof text, "%.1f %s", base * bytes / pow(base, (double)i + 2),
                       units[i + (binary ? 8 : 0)]);
    }
    tpl_builder b = {.t = t};
    tpl_add_string(&b, text);
    return tpl_built(&b);
}

FILTER(filter_wordwrap)
{
    if (at[0].kind != TPL_MISSING && !tpl_is_integer(at[0]))
        (void)tpl_fail(t, ASSAY_EUNSUPPORTED, "wordwrap: a width of type %s is not supported",
                       tpl_type_name(at[0]));
    const tpl_wrapping how = {.width = tpl_argument_whole(t, at[0], 79),
                              .breaks_words = tpl_argument_truth(at[1], true),
                              .breaks_hyphens = tpl_argument_truth(at[3], true)};
    const assay_text between =
        at[2].kind == TPL_NONE ? (assay_text){.at = "\n", .n = 1} : tpl_argument_text(t, at[2], "\n");
    tpl_builder b = {.t = t};
    UNUSED;
    if (v.kind != TPL_STRING) return tpl_fail_type(t, v, "wordwrap");
    if (at[2].kind == TPL_STRING && at[2].safe)
        (void)tpl_fail(t, ASSAY_EUNSUPPORTED, "wordwrap with a safe text between lines is not supported");
    const tpl_value lines = tpl_split_lines(t, v.text, false);
    for (size_t i = 0; lines.kind == TPL_LIST && i < lines.list->n && tpl_step(t, 1); i++) {
        if (i > 0) tpl_add(&b, between.at, between.n);
        tpl_wrap(&b, lines.list->items[i].text, &how, between);
    }
    return tpl_built(&b);
}

const tpl_filter_row tpl_markup_filters[] = {
    {"forceescape", "", filter_forceescape},
    {"striptags", "", filter_striptags},
    {"urlencode", "", filter_urlencode},
    {"xmlattr", "autospace", filter_xmlattr},
    {"wordcount", "", filter_wordcount},
    {"filesizeformat", "binary", filter_filesizeformat},
    {"wordwrap", "width break_long_words wrapstring break_on_hyphens", filter_wordwrap},
    {0},
};
