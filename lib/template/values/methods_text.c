/* SPDX-License-Identifier: Apache-2.0 */
#include "template/values/methods_text.h"

#include <string.h>

#include "base/utf8.h"
#include "template/values/braces.h"
#include "template/values/casing.h"
#include "template/values/search.h"
#include "template/values/split.h"
#include "template/values/strings.h"
#include "template/values/text.h"

#define METHOD(name) static tpl_value name(tpl *t, const tpl_method_call_args *m)

static bool is_given(tpl_value v)
{
    return v.kind != TPL_MISSING && v.kind != TPL_NONE;
}

METHOD(strip)
{
    const bool left = m->name[0] != 'r', right = m->name[0] != 'l';
    assay_text text = m->self.text;
    if (is_given(m->at[0])) text = tpl_strip_chars(t, text, tpl_argument_text(t, m->at[0], ""), left, right);
    else {
        if (left) text = tpl_strip_left(text);
        if (right) text = tpl_strip_right(text);
    }
    return tpl_text(text.at, text.n);
}

METHOD(change_case)
{
    static const struct {
        const char *name;
        tpl_case to;
    } cases[] = {{"upper", TPL_UPPER},   {"lower", TPL_LOWER}, {"swapcase", TPL_SWAP},
                 {"casefold", TPL_FOLD}, {"title", TPL_TITLE}, {"capitalize", TPL_CAPITALIZE}};
    size_t i = 0;
    while (strcmp(cases[i].name, m->name) != 0) i++;
    return tpl_change_case(t, m->self.text, cases[i].to);
}

METHOD(has_class)
{
    return tpl_bool(tpl_has_class(t, m->self.text, m->name + strlen("is")));
}

METHOD(split)
{
    assay_text by = {0};
    if (is_given(m->at[0])) by = tpl_argument_text(t, m->at[0], "");
    return tpl_split(t, m->self.text, by.at ? &by : NULL, tpl_argument_whole(t, m->at[1], -1),
                     m->name[0] == 'r');
}

METHOD(split_lines)
{
    return tpl_split_lines(t, m->self.text, tpl_argument_flag(t, m->at[0], "splitlines: keepends"));
}

METHOD(has_affix)
{
    const bool starts = m->name[0] == 's';
    const tpl_window window = tpl_window_of(t, m->self.text, m->at[1], m->at[2]);
    const bool several = tpl_is_list_of(m->at[0], TPL_TUPLE);
    const tpl_value *affixes = several ? m->at[0].list->items : &m->at[0];
    for (size_t i = 0; i < (several ? m->at[0].list->n : 1) && tpl_step(t, 1); i++) {
        if (affixes[i].kind != TPL_STRING) return tpl_fail_type(t, affixes[i], m->name);
        if (tpl_window_has_affix(&window, affixes[i].text, starts)) return tpl_bool(true);
    }
    return tpl_bool(false);
}

METHOD(remove_affix)
{
    const bool starts = m->name[strlen("remove")] == 'p';
    assay_text text = m->self.text;
    const assay_text affix = tpl_argument_text(t, m->at[0], "");
    const tpl_window whole = {.text = text};
    if (tpl_window_has_affix(&whole, affix, starts)) {
        if (starts) text.at += affix.n;
        text.n -= affix.n;
    }
    return tpl_text(text.at, text.n);
}

/* An argument that a safe string escapes, of any type. */
static assay_text escaped(tpl *t, const tpl_method_call_args *m, tpl_value v, const char *missing)
{
    const bool is_text = v.kind == TPL_STRING && v.safe;
    if (!m->self.safe || is_text || v.kind == TPL_MISSING) return tpl_argument_text(t, v, missing);
    return tpl_escape(t, tpl_str(t, v)).text;
}

METHOD(replace)
{
    return tpl_replace(t, m->self.text, tpl_argument_text(t, m->at[0], ""), escaped(t, m, m->at[1], ""),
                       tpl_argument_whole(t, m->at[2], -1));
}

METHOD(join)
{
    const tpl_list *items = tpl_elements(t, m->at[0]);
    tpl_builder b = {.t = t};
    if (m->at[0].kind == TPL_UNDEFINED) return tpl_built(&b);
    for (size_t i = 0; i < items->n && tpl_step(t, 1); i++) {
        const tpl_value item = items->items[i];
        if (i > 0) tpl_add(&b, m->self.text.at, m->self.text.n);
        if (item.kind != TPL_STRING && !m->self.safe) return tpl_fail_type(t, item, "join");
        const assay_text text = tpl_str(t, item);
        const bool escapes = m->self.safe && !(item.kind == TPL_STRING && item.safe);
        const assay_text added = escapes ? tpl_escape(t, text).text : text;
        tpl_add(&b, added.at, added.n);
    }
    return tpl_built(&b);
}

METHOD(find)
{
    const tpl_window window = tpl_window_of(t, m->self.text, m->at[1], m->at[2]);
    const int64_t found = tpl_window_find(t, &window, tpl_argument_text(t, m->at[0], ""), m->name[0] == 'r');
    if (found < 0 && strstr(m->name, "index"))
        (void)tpl_fail(t, ASSAY_EFORMAT, "index: the text is not found");
    return tpl_int(found);
}

METHOD(count)
{
    const tpl_window window = tpl_window_of(t, m->self.text, m->at[1], m->at[2]);
    return tpl_int(tpl_window_count(t, &window, tpl_argument_text(t, m->at[0], "")));
}

METHOD(pad)
{
    const assay_text text = m->self.text, fill = escaped(t, m, m->at[1], m->name[0] == 'z' ? "0" : " ");
    const int64_t length = (int64_t)tpl_length(text), width = tpl_argument_whole(t, m->at[0], 0);
    const size_t n = width > length ? (size_t)(width - length) : 0;
    const bool sign = m->name[0] == 'z' && text.n > 0 && (text.at[0] == '+' || text.at[0] == '-');
    size_t left = m->name[0] == 'l' ? 0 : n;
    tpl_builder b = {.t = t};
    if (tpl_length(fill) != 1) (void)tpl_fail(t, ASSAY_EFORMAT, "%s: expected one character", m->name);
    /* str.center puts the larger half to the left if both the width and the padding are odd. */
    if (m->name[0] == 'c') left = n / 2 + (n & ((size_t)length + n) & 1);
    if (sign) tpl_add(&b, text.at, 1);
    tpl_add_repeated(&b, fill, left);
    tpl_add(&b, text.at + sign, text.n - sign);
    tpl_add_repeated(&b, fill, n - left);
    return tpl_built(&b);
}

METHOD(partition)
{
    const bool last = m->name[0] == 'r';
    const assay_text text = m->self.text, by = tpl_argument_text(t, m->at[0], "");
    const size_t found = last ? tpl_find_last(t, text, by, text.n) : tpl_find(t, text, by, 0);
    tpl_value list = tpl_list_new(t, TPL_TUPLE);
    if (by.n == 0) (void)tpl_fail(t, ASSAY_EFORMAT, "partition: found an empty separator");
    const bool has = found != SIZE_MAX;
    const size_t before = has ? found : last ? 0 : text.n, after = has ? found + by.n : last ? 0 : text.n;
    tpl_list_add(t, list, tpl_text(text.at, before));
    tpl_list_add(t, list, has ? tpl_text(by.at, by.n) : tpl_string(""));
    tpl_list_add(t, list, tpl_text(text.at + after, text.n - after));
    return list;
}

METHOD(expand_tabs)
{
    const int64_t size = tpl_argument_whole(t, m->at[0], 8);
    const assay_text text = m->self.text, blank = {.at = " ", .n = 1};
    tpl_builder b = {.t = t};
    int64_t column = 0;
    uint32_t c;
    size_t n;
    for (size_t at = 0; at < text.n && tpl_step(t, 1); at += n) {
        n = utf8_decode(text.at + at, text.n - at, &c, NULL);
        const int64_t blanks = c == '\t' && size > 0 ? size - column % size : 0;
        tpl_add_repeated(&b, blank, (size_t)blanks);
        if (c != '\t') tpl_add(&b, text.at + at, n);
        column = c == '\n' || c == '\r' ? 0 : column + (c == '\t' ? blanks : 1);
    }
    return tpl_built(&b);
}

METHOD(format)
{
    return tpl_format_braces(t, m->self, m->args, m->access);
}

METHOD(format_map)
{
    const tpl_arguments named = {.named = m->at[0]};
    if (m->at[0].kind != TPL_DICT) return tpl_fail_type(t, m->at[0], "format_map");
    return tpl_format_braces(t, m->self, &named, m->access);
}

const tpl_method_row tpl_text_methods[] = {
    {"strip", "chars /", strip},
    {"lstrip", "chars /", strip},
    {"rstrip", "chars /", strip},
    {"upper", "", change_case},
    {"lower", "", change_case},
    {"swapcase", "", change_case},
    {"casefold", "", change_case},
    {"title", "", change_case},
    {"capitalize", "", change_case},
    {"isupper", "", has_class},
    {"islower", "", has_class},
    {"istitle", "", has_class},
    {"isalpha", "", has_class},
    {"isdecimal", "", has_class},
    {"isdigit", "", has_class},
    {"isnumeric", "", has_class},
    {"isalnum", "", has_class},
    {"isspace", "", has_class},
    {"isascii", "", has_class},
    {"isidentifier", "", has_class},
    {"isprintable", "", has_class},
    {"split", "sep maxsplit", split},
    {"rsplit", "sep maxsplit", split},
    {"splitlines", "keepends", split_lines},
    {"startswith", "!prefix start end /", has_affix},
    {"endswith", "!suffix start end /", has_affix},
    {"removeprefix", "!prefix /", remove_affix},
    {"removesuffix", "!suffix /", remove_affix},
    {"replace", "!old !new count /", replace},
    {"join", "!iterable /", join},
    {"find", "!sub start end /", find},
    {"rfind", "!sub start end /", find},
    {"index", "!sub start end /", find},
    {"rindex", "!sub start end /", find},
    {"count", "!sub start end /", count},
    {"center", "!width fillchar /", pad},
    {"ljust", "!width fillchar /", pad},
    {"rjust", "!width fillchar /", pad},
    {"zfill", "!width /", pad},
    {"partition", "!sep /", partition},
    {"rpartition", "!sep /", partition},
    {"expandtabs", "tabsize", expand_tabs},
    {"format", NULL, format},
    {"format_map", "!mapping /", format_map},
    {"encode", NULL, NULL},
    {"translate", NULL, NULL},
    {"maketrans", NULL, NULL},
    {0},
};
