/* SPDX-License-Identifier: Apache-2.0 */
#include "template/values/item.h"

#include "base/utf8.h"
#include "template/values/casing.h"
#include "template/values/dict.h"
#include "template/values/integer.h"
#include "template/values/literal.h"
#include "template/values/loop.h"
#include "template/values/methods.h"
#include "template/values/strings.h"

bool tpl_is_internal(assay_text name)
{
    return name.n > 4 && name.at[0] == '_' && name.at[1] == '_' && name.at[name.n - 1] == '_' &&
           name.at[name.n - 2] == '_';
}

static tpl_value member_of(tpl *t, tpl_value object, assay_text name)
{
    const tpl_value *found = tpl_dict_find_text(t, object, name);
    if (!found) return (tpl_value){0};
    if (tpl_is_internal(name) && object.kind == TPL_DICT)
        (void)tpl_fail(t, ASSAY_EUNSUPPORTED, "the member \"%.*s\" as an attribute is not supported",
                       name.n > 60 ? 60 : (int)name.n, name.at);
    return *found;
}

/* The attributes of a list: grouper and list of a group, start, stop and step of a range. */
static tpl_value list_attribute(const tpl_list *list, assay_text name)
{
    static const char *const of_range[] = {"start", "stop", "step"};
    if (list->is_group && tpl_same_text(name, "grouper")) return list->items[0];
    if (list->is_group && tpl_same_text(name, "list")) return list->items[1];
    for (size_t i = 0; list->kind == TPL_RANGE && i < 3; i++)
        if (tpl_same_text(name, of_range[i])) return list->range[i];
    return (tpl_value){0};
}

/* An attribute that is no method and no member; undefined: there is none. */
static tpl_value plain_attribute(tpl *t, tpl_value object, assay_text name)
{
    if (object.kind == TPL_LOOP) return tpl_loop_attribute(t, object.loop, name);
    if (object.kind == TPL_LIST) return list_attribute(object.list, name);
    if (tpl_is_number(object)) return tpl_number_attribute(t, object, name);
    if (object.kind != TPL_FUNCTION) return (tpl_value){0};
    if (object.function->attribute) return object.function->attribute(t, object.function, name);
    const bool is_dict = object.function->self.kind == TPL_UNDEFINED && object.function->name &&
                         tpl_same_text((assay_text){.at = "dict", .n = 4}, object.function->name);
    return is_dict && tpl_same_text(name, "fromkeys") ? tpl_method(t, tpl_dict_new(t), name) : (tpl_value){0};
}

tpl_value tpl_attribute(tpl *t, tpl_value object, assay_text name)
{
    if (object.kind == TPL_UNDEFINED) {
        (void)tpl_fail(t, tpl_is_internal(name) ? ASSAY_EUNSUPPORTED : ASSAY_EFORMAT,
                       "the attribute \"%.*s\" of an undefined value", name.n > 60 ? 60 : (int)name.n,
                       name.at);
        return (tpl_value){0};
    }
    const tpl_value attribute = plain_attribute(t, object, name);
    if (attribute.kind != TPL_UNDEFINED) return attribute;
    const tpl_value method = tpl_method(t, object, name);
    return method.kind == TPL_FUNCTION ? method : member_of(t, object, name);
}

/* A list or string at index i, from its end if it is negative. */
static tpl_value element(tpl_value object, int64_t i)
{
    const size_t n = object.kind == TPL_STRING ? tpl_length(object.text) : object.list->n;
    uint32_t codepoint;
    if (i < 0) i += (int64_t)n;
    if (i < 0 || (size_t)i >= n) return (tpl_value){0};
    if (object.kind == TPL_LIST) return object.list->items[i];
    const char *at = object.text.at + tpl_offset(object.text, (size_t)i);
    const size_t rest = object.text.n - (size_t)(at - object.text.at);
    tpl_value v = tpl_text(at, utf8_decode(at, rest, &codepoint, NULL));
    v.safe = object.safe;
    return v;
}

static bool has_elements(tpl_value v)
{
    return v.kind == TPL_STRING ||
           (v.kind == TPL_LIST && (v.list->kind <= TPL_TUPLE || v.list->kind == TPL_RANGE));
}

tpl_value tpl_item(tpl *t, tpl_value object, tpl_value key)
{
    if (object.kind == TPL_UNDEFINED) return tpl_fail_type(t, object, "an element of a value");
    if (object.kind == TPL_STRING && !tpl_step(t, object.text.n / 64)) return (tpl_value){0};
    if (has_elements(object) && tpl_is_whole(key)) return element(object, tpl_whole(key));
    const tpl_value *found = object.kind == TPL_DICT ? tpl_dict_find(t, object, key, false) : NULL;
    if (found) return *found;
    return key.kind == TPL_STRING ? tpl_attribute(t, object, key.text) : (tpl_value){0};
}

const tpl_access tpl_item_access = {tpl_attribute, tpl_item};

/* One end of a slice, limited to 0 … n, or to -1 … n-1 if it runs backwards. */
static int64_t slice_end(tpl_value v, int64_t n, bool backwards, int64_t missing)
{
    if (v.kind == TPL_NONE) return missing;
    int64_t i = tpl_index(v);
    const int64_t low = backwards ? -1 : 0, high = backwards ? n - 1 : n;
    if (i < 0) i = i < -n ? low : i + n;
    return i < low ? low : i > high ? high : i;
}

/* The ends of a slice of a range, which Python computes without limits. */
static void slice_range(tpl *t, tpl_list *out, const tpl_value *range, int64_t first, int64_t end,
                        tpl_value by)
{
    const int64_t ends[] = {first, end};
    tpl_value *made = tpl_alloc(t, 3, sizeof *made);
    if (!made) return;
    for (size_t i = 0; i < 2; i++)
        made[i] = tpl_integer_operate(t, '+', false, range[0],
                                      tpl_integer_operate(t, '*', false, tpl_int(ends[i]), range[2]));
    made[2] = tpl_integer_operate(t, '*', false, by, range[2]);
    out->range = made;
}

/* The elements [first, end) of a list or string, each by-th one. */
static tpl_value pick(tpl *t, tpl_value object, int64_t first, int64_t end, int64_t by)
{
    const tpl_list *items = tpl_elements(t, object);
    const bool is_list = object.kind == TPL_LIST;
    tpl_builder b = {.t = t};
    tpl_value out = is_list ? tpl_list_new(t, object.list->kind) : (tpl_value){0};
    for (int64_t i = first; (by < 0 ? i > end : i < end) && tpl_step(t, 1); i += by) {
        if (is_list) tpl_list_add(t, out, items->items[i]);
        else tpl_add(&b, items->items[i].text.at, items->items[i].text.n);
    }
    if (is_list) return out;
    out = tpl_built(&b);
    out.safe = object.safe;
    return out;
}

static bool is_index(tpl_value v)
{
    return v.kind == TPL_NONE || tpl_is_integer(v);
}

bool tpl_has_slice(tpl_value object, tpl_value from, tpl_value to, tpl_value step)
{
    return has_elements(object) && is_index(from) && is_index(to) && is_index(step);
}

tpl_value tpl_slice(tpl *t, tpl_value object, tpl_value from, tpl_value to, tpl_value step)
{
    const tpl_value ends[] = {from, to, step};
    for (size_t i = 0; i < 3; i++)
        if (!is_index(ends[i])) return tpl_fail_type(t, ends[i], "an index of a slice");
    if (!has_elements(object)) return tpl_fail_type(t, object, "a slice of a value");
    if (step.kind == TPL_NONE) step = tpl_int(1);
    int64_t by = tpl_index(step);
    if (by == 0) {
        (void)tpl_fail(t, ASSAY_EFORMAT, "found a slice with step 0");
        return (tpl_value){0};
    }
    const int64_t n = (int64_t)(object.kind == TPL_STRING ? tpl_length(object.text) : object.list->n);
    if (by > n) by = n + 1;
    if (by < -n) by = -n - 1;
    const int64_t first = slice_end(from, n, by < 0, by < 0 ? n - 1 : 0);
    const int64_t end = slice_end(to, n, by < 0, by < 0 ? -1 : n);
    const tpl_value out = pick(t, object, first, end, by);
    if (tpl_is_list_of(out, TPL_RANGE)) slice_range(t, out.list, object.list->range, first, end, step);
    return out;
}

/* One part of a path, or the default. */
static tpl_value path_item(tpl *t, tpl_value object, tpl_value part, tpl_value missing)
{
    const tpl_value found = tpl_item(t, object, part);
    const bool has_default = missing.kind != TPL_MISSING && missing.kind != TPL_NONE;
    return found.kind == TPL_UNDEFINED && has_default ? missing : found;
}

tpl_value tpl_path(tpl *t, tpl_value object, tpl_value path, tpl_value missing)
{
    if (path.kind == TPL_NONE || path.kind == TPL_MISSING) return object;
    if (path.kind != TPL_STRING) return path_item(t, object, path, missing);
    for (size_t at = 0; at <= path.text.n && t->status == ASSAY_OK;) {
        size_t end = at;
        tpl_value index;
        while (end < path.text.n && path.text.at[end] != '.') end++;
        const assay_text part = {.at = path.text.at + at, .n = end - at};
        const bool digits = tpl_has_class(t, part, "digit") && tpl_parse_int(t, part, 10, &index);
        object = path_item(t, object, digits ? index : tpl_text(part.at, part.n), missing);
        at = end + 1;
    }
    return object;
}
