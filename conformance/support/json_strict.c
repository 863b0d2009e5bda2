/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/support/json_strict.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/support/text.h"

assay_status conf_json_only(const conf_json_at *object, const char *const *known, assay_error *err)
{
    json_object_object_foreach(object->value, name, value)
    {
        const conf_json_at at = {.above = object, .name = name, .value = value};
        if (!conf_names_hold(known, name))
            return conf_json_fail(&at, err, "is unknown to this version, expected no such member");
    }
    return ASSAY_OK;
}

assay_status conf_json_clean_text(const conf_json_at *at, const char **out, assay_error *err)
{
    const char *text;
    const assay_status rc = conf_json_text(at, &text, err);
    if (rc != ASSAY_OK) return rc;
    if (!conf_text_is_clean(text))
        return conf_json_fail(at, err, "found a string with control characters, expected one without");
    *out = text;
    return ASSAY_OK;
}

assay_status conf_json_copy_text(const conf_json_at *object, const char *name, char *out, size_t size,
                                 assay_error *err)
{
    conf_json_at at;
    const char *text;
    assay_status rc = conf_json_member(object, name, json_type_string, &at, err);
    if (rc == ASSAY_OK) rc = conf_json_clean_text(&at, &text, err);
    if (rc != ASSAY_OK) return rc;
    const size_t n = strlen(text);
    if (n >= size) return conf_json_fail(&at, err, "found %zu bytes, expected at most %zu", n, size - 1);
    memcpy(out, text, n + 1);
    return ASSAY_OK;
}

/* Finds a member; *is_null: it has no value. */
static assay_status find_member(const conf_json_at *object, const char *name, const char *expected,
                                conf_json_at *out, bool *is_null, assay_error *err)
{
    *out = (conf_json_at){.above = object, .name = name};
    if (!conf_json_find(object, name, out))
        return conf_json_fail(out, err, "is missing, expected %s or null", expected);
    *is_null = out->value == NULL;
    return ASSAY_OK;
}

assay_status conf_json_text_or_null(const conf_json_at *object, const char *name, const char **out,
                                    assay_error *err)
{
    conf_json_at at;
    bool is_null = false;
    const assay_status rc = find_member(object, name, "a string", &at, &is_null, err);
    if (rc != ASSAY_OK || !is_null) return rc == ASSAY_OK ? conf_json_clean_text(&at, out, err) : rc;
    *out = NULL;
    return ASSAY_OK;
}

assay_status conf_json_whole_or_null(const conf_json_at *object, const char *name, assay_error *err)
{
    conf_json_at at;
    bool is_null = false;
    assay_status rc = find_member(object, name, "a whole number", &at, &is_null, err);
    if (rc != ASSAY_OK || is_null) return rc;
    rc = conf_json_expect(&at, json_type_int, err);
    if (rc != ASSAY_OK) return rc;
    /* json-c clamps integers that do not fit 64 bits; the text is the number as written in the file. */
    const char *text = json_object_to_json_string_ext(at.value, JSON_C_TO_STRING_PLAIN);
    errno = 0;
    (void)strtoull(text, NULL, 10);
    if (errno == 0 && text[0] != '-') return ASSAY_OK;
    return conf_json_fail(&at, err, "found %.60s, expected a whole number from 0 to 2^64 - 1", text);
}

assay_status conf_json_boolean(const conf_json_at *object, const char *name, bool *out, assay_error *err)
{
    conf_json_at at;
    const assay_status rc = conf_json_member(object, name, json_type_boolean, &at, err);
    if (rc == ASSAY_OK) *out = json_object_get_boolean(at.value) != 0;
    return rc;
}
