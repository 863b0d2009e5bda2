/* SPDX-License-Identifier: Apache-2.0 */
#include "template/values/methods.h"

#include <string.h>

#include "base/utf8.h"
#include "template/values/format.h"
#include "template/values/split.h"
#include "template/values/strings.h"
#include "template/values/text.h"

typedef struct method_row {
    tpl_kind of;
    const char *name;
    const char *parameters; /* of tpl_bind; NULL: `call` binds */
    tpl_value (*call)(tpl *t, const tpl_function *method, const tpl_value *at, const tpl_arguments *args);
} method_row;

#define METHOD(name)                                                                                         \
    static tpl_value name(tpl *t, const tpl_function *method, const tpl_value *at, const tpl_arguments *args)
#define UNUSED (void)t, (void)method, (void)at, (void)args

METHOD(strip)
{
    const bool left = method->name[0] != 'r', right = method->name[0] != 'l';
    assay_text text = method->self.text;
    UNUSED;
    if (at[0].kind != TPL_MISSING && at[0].kind != TPL_NONE)
        text = tpl_strip_chars(t, text, tpl_argument_text(t, at[0], ""), left, right);
    else {
        if (left) text = tpl_strip_left(text);
        if (right) text = tpl_strip_right(text);
    }
    return tpl_text(text.at, text.n);
}

METHOD(change_case)
{
    UNUSED;
    const char c = method->name[0];
    return tpl_change_case(t, method->self.text,
                           c == 'u'   ? TPL_UPPER
                           : c == 'l' ? TPL_LOWER
                           : c == 't' ? TPL_TITLE
                                      : TPL_CAPITALIZE);
}

METHOD(has_class)
{
    UNUSED;
    return tpl_bool(tpl_has_class(method->self.text, method->name + 2));
}

METHOD(split)
{
    UNUSED;
    const bool words = at[0].kind == TPL_MISSING || at[0].kind == TPL_NONE;
    assay_text by = {0};
    if (!words) by = tpl_argument_text(t, at[0], "");
    return tpl_split(t, method->self.text, words ? NULL : &by, tpl_argument_whole(t, at[1], -1),
                     method->name[0] == 'r');
}

METHOD(split_lines)
{
    UNUSED;
    return tpl_split_lines(t, method->self.text, tpl_argument_truth(at[0], false));
}

static bool has_end(tpl *t, assay_text text, tpl_value end, bool starts)
{
    if (end.kind != TPL_STRING) {
        (void)tpl_fail_type(t, end, "startswith or endswith");
        return false;
    }
    return end.text.n <= text.n &&
           memcmp(starts ? text.at : text.at + text.n - end.text.n, end.text.at, end.text.n) == 0;
}

METHOD(has_affix)
{
    const bool starts = method->name[0] == 's';
    const assay_text text = method->self.text;
    UNUSED;
    if (!tpl_is_list_of(at[0], TPL_TUPLE)) return tpl_bool(has_end(t, text, at[0], starts));
    bool any = false;
    for (size_t i = 0; !any && i < at[0].list->n; i++) any = has_end(t, text, at[0].list->items[i], starts);
    return tpl_bool(any);
}

METHOD(remove_affix)
{
    const bool starts = method->name[6] == 'p';
    assay_text text = method->self.text;
    UNUSED;
    if (has_end(t, text, at[0], starts)) {
        if (starts) text.at += at[0].text.n;
        text.n -= at[0].text.n;
    }
    return tpl_text(text.at, text.n);
}

METHOD(replace)
{
    UNUSED;
    return tpl_replace(t, method->self.text, tpl_argument_text(t, at[0], ""), tpl_argument_text(t, at[1], ""),
                       tpl_argument_whole(t, at[2], -1));
}

METHOD(join)
{
    const tpl_list *items = tpl_elements(t, at[0]);
    tpl_builder b = {.t = t};
    UNUSED;
    for (size_t i = 0; i < items->n && tpl_step(t, 1); i++) {
        if (i > 0) tpl_add(&b, method->self.text.at, method->self.text.n);
        if (items->items[i].kind != TPL_STRING) return tpl_fail_type(t, items->items[i], "join");
        tpl_add(&b, items->items[i].text.at, items->items[i].text.n);
    }
    return tpl_built(&b);
}

METHOD(find)
{
    const assay_text text = method->self.text, needle = tpl_argument_text(t, at[0], "");
    const size_t found =
        method->name[0] == 'r' ? tpl_find_last(t, text, needle, text.n) : tpl_find(t, text, needle, 0);
    UNUSED;
    if (found != SIZE_MAX) return tpl_int((int64_t)tpl_length((assay_text){.at = text.at, .n = found}));
    if (strstr(method->name, "index")) (void)tpl_fail(t, ASSAY_EFORMAT, "index: the text is not found");
    return tpl_int(-1);
}

METHOD(count)
{
    const assay_text text = method->self.text, needle = tpl_argument_text(t, at[0], "");
    int64_t n = 0;
    UNUSED;
    if (needle.n == 0) return tpl_int((int64_t)tpl_length(text) + 1);
    for (size_t from = 0; (from = tpl_find(t, text, needle, from)) != SIZE_MAX; from += needle.n) n++;
    return tpl_int(n);
}

METHOD(pad)
{
    const assay_text text = method->self.text;
    const assay_text fill = tpl_argument_text(t, at[1], method->name[0] == 'z' ? "0" : " ");
    const int64_t more = tpl_argument_whole(t, at[0], 0) - (int64_t)tpl_length(text);
    const size_t n = more > 0 ? (size_t)more : 0;
    const bool sign = method->name[0] == 'z' && text.n > 0 && strchr("+-", text.at[0]);
    size_t left = method->name[0] == 'l' ? 0 : n;
    tpl_builder b = {.t = t};
    UNUSED;
    if (tpl_length(fill) != 1) (void)tpl_fail(t, ASSAY_EFORMAT, "%s: expected one character", method->name);
    /* str.center puts the larger half to the left if both the width and the padding are odd. */
    if (method->name[0] == 'c') left = n / 2 + (n & (tpl_length(text) + n) & 1);
    if (sign) tpl_add(&b, text.at, 1);
    tpl_add_repeated(&b, fill, left);
    tpl_add(&b, text.at + sign, text.n - sign);
    tpl_add_repeated(&b, fill, n - left);
    return tpl_built(&b);
}

METHOD(partition)
{
    const bool last = method->name[0] == 'r';
    const assay_text text = method->self.text, by = tpl_argument_text(t, at[0], "");
    const size_t found = last ? tpl_find_last(t, text, by, text.n) : tpl_find(t, text, by, 0);
    tpl_value list = tpl_list_new(t, TPL_TUPLE);
    UNUSED;
    if (by.n == 0) (void)tpl_fail(t, ASSAY_EFORMAT, "partition: found an empty separator");
    const bool has = found != SIZE_MAX;
    const size_t before = has ? found : last ? 0 : text.n, after = has ? found + by.n : last ? 0 : text.n;
    tpl_list_add(t, list, tpl_text(text.at, before));
    tpl_list_add(t, list, has ? tpl_text(by.at, by.n) : tpl_string(""));
    tpl_list_add(t, list, tpl_text(text.at + after, text.n - after));
    return list;
}

METHOD(format)
{
    UNUSED;
    return tpl_format_braces(t, method->self.text, args);
}

METHOD(list_index)
{
    const tpl_list *list = method->self.list;
    const bool counts = method->name[0] == 'c';
    int64_t n = 0;
    UNUSED;
    for (size_t i = 0; i < list->n && tpl_step(t, 1); i++) {
        if (!tpl_equals(t, list->items[i], at[0])) continue;
        if (!counts) return tpl_int((int64_t)i);
        n++;
    }
    if (!counts) (void)tpl_fail(t, ASSAY_EFORMAT, "index: the list does not have the value");
    return tpl_int(n);
}

METHOD(copy)
{
    UNUSED;
    return method->self;
}

METHOD(get)
{
    const tpl_value *found = tpl_dict_find(t, method->self, at[0], true);
    UNUSED;
    return found ? *found : at[1].kind == TPL_MISSING ? tpl_none() : at[1];
}

tpl_value tpl_dict_view(tpl *t, tpl_value dict, tpl_list_kind kind)
{
    tpl_value list = tpl_list_new(t, kind);
    for (size_t i = 0; i < dict.dict->n && t->status == ASSAY_OK; i++) {
        const tpl_entry *entry = &dict.dict->entries[i];
        tpl_value item = kind == TPL_KEYS ? entry->key : entry->value;
        if (kind != TPL_KEYS && kind != TPL_VALUES) {
            item = tpl_list_new(t, TPL_TUPLE);
            tpl_list_add(t, item, entry->key);
            tpl_list_add(t, item, entry->value);
        }
        tpl_list_add(t, list, item);
    }
    return list;
}

METHOD(view)
{
    const char c = method->name[0];
    UNUSED;
    return tpl_dict_view(t, method->self, c == 'k' ? TPL_KEYS : c == 'v' ? TPL_VALUES : TPL_ITEMS);
}

static const method_row methods[] = {
    {TPL_STRING, "strip", "chars", strip},
    {TPL_STRING, "lstrip", "chars", strip},
    {TPL_STRING, "rstrip", "chars", strip},
    {TPL_STRING, "upper", "", change_case},
    {TPL_STRING, "lower", "", change_case},
    {TPL_STRING, "title", "", change_case},
    {TPL_STRING, "capitalize", "", change_case},
    {TPL_STRING, "isupper", "", has_class},
    {TPL_STRING, "islower", "", has_class},
    {TPL_STRING, "isalpha", "", has_class},
    {TPL_STRING, "isdigit", "", has_class},
    {TPL_STRING, "isalnum", "", has_class},
    {TPL_STRING, "isspace", "", has_class},
    {TPL_STRING, "split", "sep maxsplit", split},
    {TPL_STRING, "rsplit", "sep maxsplit", split},
    {TPL_STRING, "splitlines", "keepends", split_lines},
    {TPL_STRING, "startswith", "!prefix", has_affix},
    {TPL_STRING, "endswith", "!suffix", has_affix},
    {TPL_STRING, "removeprefix", "!prefix", remove_affix},
    {TPL_STRING, "removesuffix", "!suffix", remove_affix},
    {TPL_STRING, "replace", "!old !new count", replace},
    {TPL_STRING, "join", "!iterable", join},
    {TPL_STRING, "find", "!sub", find},
    {TPL_STRING, "rfind", "!sub", find},
    {TPL_STRING, "index", "!sub", find},
    {TPL_STRING, "rindex", "!sub", find},
    {TPL_STRING, "count", "!sub", count},
    {TPL_STRING, "center", "!width fillchar", pad},
    {TPL_STRING, "ljust", "!width fillchar", pad},
    {TPL_STRING, "rjust", "!width fillchar", pad},
    {TPL_STRING, "zfill", "!width", pad},
    {TPL_STRING, "partition", "!sep", partition},
    {TPL_STRING, "rpartition", "!sep", partition},
    {TPL_STRING, "format", NULL, format},
    {TPL_LIST, "index", "!value", list_index},
    {TPL_LIST, "count", "!value", list_index},
    {TPL_LIST, "copy", "", copy},
    {TPL_DICT, "get", "!key default", get},
    {TPL_DICT, "keys", "", view},
    {TPL_DICT, "values", "", view},
    {TPL_DICT, "items", "", view},
    {TPL_DICT, "copy", "", copy},
};

/* What Python has besides: refused, so that a template does not silently find nothing. */
static const char *const refused[] = {"encode",       "casefold",   "swapcase",    "expandtabs", "translate",
                                      "maketrans",    "format_map", "isascii",     "isdecimal",  "isnumeric",
                                      "isidentifier", "istitle",    "isprintable", NULL};
static const char *const refused_list[] = {"append", "extend", "insert",  "pop", "remove",
                                           "clear",  "sort",   "reverse", NULL};
static const char *const refused_dict[] = {"pop",   "popitem",  "update", "setdefault",
                                           "clear", "fromkeys", NULL};
static const char *const refused_number[] = {
    "real",     "imag",       "numerator",  "denominator", "conjugate", "bit_length",       "bit_count",
    "to_bytes", "from_bytes", "is_integer", "hex",         "fromhex",   "as_integer_ratio", NULL};

static const char *const *refused_of(tpl_value v)
{
    static const char *const none[] = {NULL};
    if (v.kind == TPL_STRING) return refused;
    if (tpl_is_list_of(v, TPL_PLAIN)) return refused_list;
    if (v.kind == TPL_DICT) return refused_dict;
    return tpl_is_number(v) ? refused_number : none;
}

bool tpl_is_unsupported_method(assay_text name)
{
    for (const char *const *known = refused; *known; known++)
        if (tpl_same_text(name, *known)) return true;
    return false;
}

tpl_value tpl_method(tpl *t, tpl_value object, assay_text name)
{
    const bool list =
        object.kind == TPL_LIST && object.list->kind > TPL_TUPLE && object.list->kind != TPL_RANGE;
    for (size_t i = 0; !list && i < sizeof methods / sizeof *methods; i++) {
        if (methods[i].of != object.kind || !tpl_same_text(name, methods[i].name)) continue;
        tpl_function *bound = tpl_alloc(t, 1, sizeof *bound);
        if (!bound) return (tpl_value){0};
        *bound = (tpl_function){.name = methods[i].name, .self = object};
        return (tpl_value){.kind = TPL_FUNCTION, .function = bound};
    }
    for (const char *const *known = refused_of(object); *known; known++)
        if (tpl_same_text(name, *known))
            (void)tpl_fail(t, ASSAY_EUNSUPPORTED, "the method \"%s\" of a value of type %s is not supported",
                           *known, tpl_type_name(object));
    return (tpl_value){0};
}

/* Calls a method; its row is known to exist. */
static tpl_value call_row(tpl *t, const tpl_function *bound, const tpl_arguments *args)
{
    tpl_value at[TPL_PARAMETERS_MAX];
    const assay_text what = {.at = bound->name, .n = strlen(bound->name)};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        if (methods[i].of != bound->self.kind || strcmp(methods[i].name, bound->name) != 0) continue;
        if (methods[i].parameters && !tpl_bind(t, what, args, methods[i].parameters, at))
            return (tpl_value){0};
        return methods[i].call(t, bound, at, args);
    }
    return (tpl_value){0};
}

/* A method of a safe string (markupsafe.Markup): arguments are escaped, and texts of the result are safe. */
static tpl_value call_safe(tpl *t, const tpl_function *bound, const tpl_arguments *args)
{
    tpl_value escaped[TPL_PARAMETERS_MAX];
    const tpl_arguments pass = {.at = escaped, .n = args->n};
    const bool plain = strstr(bound->name, "with") || strstr(bound->name, "find") ||
                       strstr(bound->name, "index") || strcmp(bound->name, "count") == 0 ||
                       strncmp(bound->name, "is", 2) == 0;
    if (plain) return call_row(t, bound, args);
    if (strcmp(bound->name, "join") == 0 || strcmp(bound->name, "format") == 0 ||
        args->n > TPL_PARAMETERS_MAX || args->named.kind == TPL_DICT) {
        (void)tpl_fail(t, ASSAY_EUNSUPPORTED, "the method \"%s\" of a safe string is not supported",
                       bound->name);
        return (tpl_value){0};
    }
    for (size_t i = 0; i < args->n; i++) {
        escaped[i] = args->at[i];
        if (escaped[i].kind == TPL_STRING && !escaped[i].safe) escaped[i] = tpl_escape(t, escaped[i].text);
    }
    tpl_value v = call_row(t, bound, &pass);
    if (v.kind == TPL_STRING) v.safe = true;
    for (size_t i = 0; v.kind == TPL_LIST && i < v.list->n; i++) v.list->items[i].safe = true;
    return v;
}

tpl_value tpl_method_call(tpl *t, const tpl_function *bound, const tpl_arguments *args)
{
    return bound->self.safe ? call_safe(t, bound, args) : call_row(t, bound, args);
}
