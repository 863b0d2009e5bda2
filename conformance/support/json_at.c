/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/support/json_at.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json_scan.h"
#include "base/shown.h"

#define PLACE_MAX  256
#define REASON_MAX 700
#define SHOWN_MAX  60

/* "groups[0].vectors[3].id"; truncated at the end if it does not fit. */
static size_t print_place(char *text, size_t size, const conf_json_at *at)
{
    if (!at->above) {
        text[0] = '\0';
        return 0;
    }
    size_t n = print_place(text, size, at->above);
    if (n >= size) return n;
    if (!at->name) return n + (size_t)snprintf(text + n, size - n, "[%zu]", at->index);
    return n + (size_t)snprintf(text + n, size - n, "%s%s", n ? "." : "", at->name);
}

static const char *path_of(const conf_json_at *at)
{
    while (at->above) at = at->above;
    return at->name;
}

assay_status conf_json_fail(const conf_json_at *at, assay_error *err, const char *format, ...)
{
    char place[PLACE_MAX], reason[REASON_MAX];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    (void)print_place(place, sizeof place, at);
    shown_clean(place, sizeof place);
    shown_clean(reason, sizeof reason);
    return assay_fail(err, ASSAY_EFORMAT, "%s: %s%s%s", path_of(at), place, place[0] ? ": " : "", reason);
}

conf_json_at conf_json_element(const conf_json_at *array, size_t index)
{
    return (conf_json_at){
        .above = array, .index = index, .value = json_object_array_get_idx(array->value, index)};
}

bool conf_json_find(const conf_json_at *object, const char *name, conf_json_at *out)
{
    json_object *value;
    if (!json_object_object_get_ex(object->value, name, &value)) return false;
    *out = (conf_json_at){.above = object, .name = name, .value = value};
    return true;
}

static const char *type_name(enum json_type type)
{
    switch (type) {
    case json_type_null: return "null";
    case json_type_boolean: return "a boolean";
    case json_type_double: return "a number";
    case json_type_int: return "a whole number";
    case json_type_object: return "an object";
    case json_type_array: return "an array";
    case json_type_string: return "a string";
    }
    return "a value";
}

assay_status conf_json_expect(const conf_json_at *at, enum json_type type, assay_error *err)
{
    enum json_type found = json_object_get_type(at->value);
    if (found == type || (type == json_type_double && found == json_type_int)) return ASSAY_OK;
    return conf_json_fail(at, err, "found %s, expected %s", type_name(found), type_name(type));
}

assay_status conf_json_member(const conf_json_at *object, const char *name, enum json_type type,
                              conf_json_at *out, assay_error *err)
{
    conf_json_at at = {.above = object, .name = name};
    assay_status rc = conf_json_expect(object, json_type_object, err);
    if (rc != ASSAY_OK) return rc;
    if (!conf_json_find(object, name, &at))
        return conf_json_fail(&at, err, "is missing, expected %s", type_name(type));
    rc = conf_json_expect(&at, type, err);
    if (rc == ASSAY_OK) *out = at;
    return rc;
}

assay_status conf_json_text(const conf_json_at *at, const char **out, assay_error *err)
{
    assay_status rc = conf_json_expect(at, json_type_string, err);
    if (rc != ASSAY_OK) return rc;
    const char *text = json_object_get_string(at->value);
    if (strlen(text) != (size_t)json_object_get_string_len(at->value))
        return conf_json_fail(at, err, "found a string with U+0000, expected one without");
    *out = text;
    return ASSAY_OK;
}

assay_status conf_json_member_text(const conf_json_at *object, const char *name, const char **out,
                                   assay_error *err)
{
    conf_json_at at;
    assay_status rc = conf_json_member(object, name, json_type_string, &at, err);
    return rc == ASSAY_OK ? conf_json_text(&at, out, err) : rc;
}

assay_status conf_json_optional_text(const conf_json_at *object, const char *name, const char **out,
                                     assay_error *err)
{
    conf_json_at at;
    return conf_json_find(object, name, &at) ? conf_json_text(&at, out, err) : ASSAY_OK;
}

assay_status conf_json_whole(const conf_json_at *at, int64_t least, int64_t most, int64_t *out,
                             assay_error *err)
{
    assay_status rc = conf_json_expect(at, json_type_int, err);
    if (rc != ASSAY_OK) return rc;
    /* json-c clamps integers that do not fit 64 bits; the text is the number as written in the file. */
    const char *text = json_object_to_json_string_ext(at->value, JSON_C_TO_STRING_PLAIN);
    errno = 0;
    const int64_t value = strtoll(text, NULL, 10);
    if (errno != 0 || value < least || value > most)
        return conf_json_fail(at, err, "found %.*s, expected a whole number from %" PRId64 " to %" PRId64,
                              json_scan_clip(text, strlen(text), SHOWN_MAX), text, least, most);
    *out = value;
    return ASSAY_OK;
}

assay_status conf_json_member_whole(const conf_json_at *object, const char *name, int64_t least, int64_t most,
                                    int64_t *out, assay_error *err)
{
    conf_json_at at;
    assay_status rc = conf_json_member(object, name, json_type_int, &at, err);
    return rc == ASSAY_OK ? conf_json_whole(&at, least, most, out, err) : rc;
}

assay_status conf_json_choose(const conf_json_at *at, const char *const *names, size_t n, size_t *out,
                              assay_error *err)
{
    const char *text;
    char all[512] = "";
    assay_status rc = conf_json_text(at, &text, err);
    if (rc != ASSAY_OK) return rc;
    for (size_t i = 0, n_all = 0; i < n; i++) {
        if (strcmp(names[i], text) == 0) {
            *out = i;
            return ASSAY_OK;
        }
        if (n_all < sizeof all)
            n_all += (size_t)snprintf(all + n_all, sizeof all - n_all, "%s%s", i ? ", " : "", names[i]);
    }
    return conf_json_fail(at, err, "found \"%.*s\", expected one of %s",
                          json_scan_clip(text, strlen(text), SHOWN_MAX), text, all);
}

static assay_status note_unknown(const conf_json_at *at, conf_strings *unknown, assay_error *err)
{
    char place[PLACE_MAX];
    (void)print_place(place, sizeof place, at);
    if (conf_strings_add(unknown, place)) return ASSAY_OK;
    return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path_of(at));
}

assay_status conf_json_note_unknown(const conf_json_at *object, const char *const *known,
                                    conf_strings *unknown, assay_error *err)
{
    json_object_object_foreach(object->value, name, value)
    {
        const conf_json_at at = {.above = object, .name = name, .value = value};
        assay_status rc = conf_names_hold(known, name) ? ASSAY_OK : note_unknown(&at, unknown, err);
        if (rc != ASSAY_OK) return rc;
    }
    return ASSAY_OK;
}
