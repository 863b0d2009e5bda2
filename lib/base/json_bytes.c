/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_bytes.h"

#include "base/base64.h"
#include "base/error.h"
#include "base/utf8.h"

#include <stdio.h>

enum { NAME_MAX_BYTES = 64 };

static void print_other_name(char other[NAME_MAX_BYTES], const char *name)
{
    (void)snprintf(other, NAME_MAX_BYTES, "%s_base64", name);
}

static bool add_member(json_object *object, const char *name, json_object *value)
{
    if (value && json_object_object_add(object, name, value) == 0) return true;
    (void)json_object_put(value);
    return false;
}

bool json_bytes_add(json_object *object, const char *name, const char *bytes, size_t n)
{
    char other[NAME_MAX_BYTES];
    if (n == 0) return add_member(object, name, json_object_new_string(""));
    if (utf8_valid_prefix(bytes, n) == n)
        return add_member(object, name, json_object_new_string_len(bytes, (int)n));
    buffer digits = {0};
    print_other_name(other, name);
    const bool added = base64_append(&digits, bytes, n) &&
                       add_member(object, other, json_object_new_string_len(digits.data, (int)digits.n));
    buffer_free(&digits);
    return added;
}

static assay_status read_base64(const char *place, const char *name, json_object *value, buffer *out,
                                assay_error *err)
{
    const size_t n = (size_t)json_object_get_string_len(value);
    const assay_status rc = base64_decode(json_object_get_string(value), n, out);
    if (rc != ASSAY_EINVAL) return rc;
    return assay_fail(
        err, ASSAY_EFORMAT,
        "%s: %s: found %zu characters that are not base64, expected padded base64 without white space", place,
        name, n);
}

assay_status json_bytes_read(const char *place, json_object *object, const char *name, buffer *out,
                             assay_error *err)
{
    char other[NAME_MAX_BYTES];
    json_object *text = NULL, *digits = NULL;
    print_other_name(other, name);
    const bool has_text = json_object_object_get_ex(object, name, &text);
    const bool has_digits = json_object_object_get_ex(object, other, &digits);
    if (has_text == has_digits)
        return assay_fail(err, ASSAY_EFORMAT, "%s: found %s %s %s %s, expected one of them", place,
                          has_text ? "both" : "neither", name, has_text ? "and" : "nor", other);
    json_object *value = has_text ? text : digits;
    if (!json_object_is_type(value, json_type_string))
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s: found %s, expected a string", place,
                          has_text ? name : other, json_type_to_name(json_object_get_type(value)));
    assay_status rc = ASSAY_OK;
    if (has_digits) rc = read_base64(place, other, value, out, err);
    else if (!buffer_append(out, json_object_get_string(value), (size_t)json_object_get_string_len(value)))
        rc = ASSAY_ENOMEM;
    return rc == ASSAY_ENOMEM ? assay_fail(err, rc, "%s: %s: out of memory", place, name) : rc;
}
