/* Members of a config.json as values of a type.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/config_value.h"

#include "model/checkpoint/config.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef enum value_kind {
    VALUE_SIZE,
    VALUE_COUNT,
    VALUE_REAL,
    VALUE_POSITIVE,
    VALUE_NOT_NEGATIVE
} value_kind;

static const char *const EXPECTED[] = {
    [VALUE_SIZE] = "a positive integer",
    [VALUE_COUNT] = "an integer of at least 0",
    [VALUE_REAL] = "a finite number",
    [VALUE_POSITIVE] = "a number above 0",
    [VALUE_NOT_NEGATIVE] = "a number of at least 0",
};

static const char TEXT[] = "a string";

static bool is_number(json_object *value)
{
    return json_object_is_type(value, json_type_double) || json_object_is_type(value, json_type_int);
}

/* json_parse has checked that every number is finite. */
static bool is_kind(json_object *value, value_kind kind)
{
    if (kind == VALUE_SIZE || kind == VALUE_COUNT)
        return json_object_is_type(value, json_type_int) &&
               json_object_get_int64(value) >= (kind == VALUE_SIZE ? 1 : 0) &&
               json_object_get_int64(value) <= INT32_MAX;
    if (!is_number(value)) return false;
    const double number = json_object_get_double(value);
    return isfinite(number) && (kind != VALUE_POSITIVE || number > 0) &&
           (kind != VALUE_NOT_NEGATIVE || number >= 0);
}

/* Whether an integer of the kind is refused for its size alone. */
static bool is_too_large(json_object *value, value_kind kind)
{
    return (kind == VALUE_SIZE || kind == VALUE_COUNT) && json_object_is_type(value, json_type_int) &&
           json_object_get_int64(value) > INT32_MAX;
}

/* Fails unless the value is of the kind. */
static bool check_value(config *c, const char *name, json_object *value, value_kind kind)
{
    if (is_kind(value, kind)) return true;
    if (is_too_large(value, kind))
        config_fail_member(c, ASSAY_EFORMAT, name, "larger than %" PRId32 ", the largest that is supported",
                           INT32_MAX);
    else config_fail_member(c, ASSAY_EFORMAT, name, "expected %s", EXPECTED[kind]);
    return false;
}

static bool check_element(config *c, const char *name, size_t i, json_object *value, value_kind kind)
{
    if (is_kind(value, kind)) return true;
    if (is_too_large(value, kind))
        config_fail_element(c, ASSAY_EFORMAT, name, i,
                            "larger than %" PRId32 ", the largest that is supported", INT32_MAX);
    else config_fail_element(c, ASSAY_EFORMAT, name, i, "expected %s", EXPECTED[kind]);
    return false;
}

static json_object *required_member(config *c, const char *name, const char *expected)
{
    json_object *value = config_member(c, name);
    if (!value) config_fail(c, ASSAY_EFORMAT, "%s: missing, expected %s", name, expected);
    return value;
}

static size_t read_integer(config *c, const char *name, value_kind kind)
{
    json_object *value = required_member(c, name, EXPECTED[kind]);
    return value && check_value(c, name, value, kind) ? (size_t)json_object_get_int64(value) : 0;
}

static double read_real(config *c, const char *name, value_kind kind)
{
    json_object *value = required_member(c, name, EXPECTED[kind]);
    return value && check_value(c, name, value, kind) ? json_object_get_double(value) : 0;
}

static size_t integer_or(config *c, const char *name, size_t fallback, value_kind kind)
{
    if (config_has(c, name)) return read_integer(c, name, kind);
    if (c->status == ASSAY_OK)
        config_note(c->notes, "%s%s: absent, default %zu taken", c->prefix, name, fallback);
    return fallback;
}

size_t config_size(config *c, const char *name)
{
    return read_integer(c, name, VALUE_SIZE);
}

size_t config_size_or(config *c, const char *name, size_t fallback)
{
    return integer_or(c, name, fallback, VALUE_SIZE);
}

size_t config_count_or(config *c, const char *name, size_t fallback)
{
    return integer_or(c, name, fallback, VALUE_COUNT);
}

double config_real(config *c, const char *name)
{
    return read_real(c, name, VALUE_REAL);
}

double config_positive(config *c, const char *name)
{
    return read_real(c, name, VALUE_POSITIVE);
}

static double real_or(config *c, const char *name, double fallback, value_kind kind)
{
    if (config_has(c, name)) return read_real(c, name, kind);
    if (c->status == ASSAY_OK)
        config_note(c->notes, "%s%s: absent, default %g taken", c->prefix, name, fallback);
    return fallback;
}

double config_positive_or(config *c, const char *name, double fallback)
{
    return real_or(c, name, fallback, VALUE_POSITIVE);
}

double config_not_negative_or(config *c, const char *name, double fallback)
{
    return real_or(c, name, fallback, VALUE_NOT_NEGATIVE);
}

bool config_flag_or(config *c, const char *name, bool fallback)
{
    json_object *value = config_member(c, name);
    if (!value) {
        if (c->status == ASSAY_OK)
            config_note(c->notes, "%s%s: absent, default %s taken", c->prefix, name,
                        fallback ? "true" : "false");
        return fallback;
    }
    if (json_object_is_type(value, json_type_boolean)) return json_object_get_boolean(value);
    config_fail_member(c, ASSAY_EFORMAT, name, "expected true or false");
    return fallback;
}

const char *config_text(config *c, const char *name)
{
    json_object *value = required_member(c, name, TEXT);
    if (!value) return "";
    const char *text = json_text(value);
    if (text) return text;
    const bool has_nul = json_object_is_type(value, json_type_string);
    config_fail_member(c, ASSAY_EFORMAT, name, "expected %s%s", TEXT, has_nul ? " without U+0000" : "");
    return "";
}

const char *config_text_or(config *c, const char *name, const char *fallback)
{
    if (config_has(c, name)) return config_text(c, name);
    if (c->status == ASSAY_OK)
        config_note(c->notes, "%s%s: absent, default %s taken", c->prefix, name, fallback);
    return fallback;
}

/* The i-th number of a list, or the scalar itself. */
static json_object *list_element(json_object *value, size_t i)
{
    return json_object_is_type(value, json_type_array) ? json_object_array_get_idx(value, i) : value;
}

/* The list (or scalar) at name, whose elements are all of the kind; NULL where absent or wrong. */
static json_object *read_list(config *c, const char *name, bool scalar, size_t n, value_kind kind)
{
    json_object *value = config_member(c, name);
    if (!value) return NULL;
    const bool is_list = json_object_is_type(value, json_type_array);
    if (!is_list && scalar) return check_value(c, name, value, kind) ? value : NULL;
    if (!is_list || json_object_array_length(value) != n) {
        config_fail_member(c, ASSAY_EFORMAT, name, "expected %sa list of %zu %s", scalar ? "one or " : "", n,
                           kind == VALUE_SIZE ? "positive integers" : "numbers");
        return NULL;
    }
    for (size_t i = 0; i < n; i++)
        if (!check_element(c, name, i, json_object_array_get_idx(value, i), kind)) return NULL;
    return value;
}

bool config_reals(config *c, const char *name, bool scalar, double *out, size_t n)
{
    json_object *value = read_list(c, name, scalar, n, VALUE_REAL);
    for (size_t i = 0; value && i < n; i++) out[i] = json_object_get_double(list_element(value, i));
    return value != NULL;
}

bool config_sizes(config *c, const char *name, bool scalar, size_t *out, size_t n)
{
    json_object *value = read_list(c, name, scalar, n, VALUE_SIZE);
    for (size_t i = 0; value && i < n; i++) out[i] = (size_t)json_object_get_int64(list_element(value, i));
    return value != NULL;
}

void config_expect_size(config *c, const char *name, size_t value, const char *why)
{
    if (config_has(c, name) && config_size(c, name) != value)
        config_fail_member(c, ASSAY_EUNSUPPORTED, name, "expected %zu, %s", value, why);
}

void config_refuse(config *c, const char *name)
{
    json_object *value = config_member(c, name);
    if (!value) return;
    const bool nothing =
        (json_object_is_type(value, json_type_boolean) && !json_object_get_boolean(value)) ||
        (is_number(value) && json_object_get_double(value) == 0) ||
        (json_object_is_type(value, json_type_array) && json_object_array_length(value) == 0) ||
        (json_object_is_type(value, json_type_object) && json_object_object_length(value) == 0);
    if (!nothing) config_fail_member(c, ASSAY_EUNSUPPORTED, name, "which this family does not implement");
}
