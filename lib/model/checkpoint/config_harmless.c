/* SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/config_harmless.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* Numbers are compared as such: 1 and 1.0 are the same. */
static bool is_value(json_object *value, const char *expected)
{
    if (json_object_is_type(value, json_type_int) || json_object_is_type(value, json_type_double)) {
        char *end;
        const double number = strtod(expected, &end);
        return *end == '\0' && json_object_get_double(value) == number;
    }
    return strcmp(json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN), expected) == 0;
}

static int compare_name(const void *key, const void *member)
{
    return strcmp(key, ((const config_harmless_member *)member)->name);
}

/* Whether the group holds the member with this value. */
static bool group_has_value(const config_harmless_group *g, const char *name, json_object *value)
{
    const config_harmless_member *m = bsearch(name, g->member, g->n, sizeof *m, compare_name);
    return m && (!m->value || is_value(value, m->value));
}

static bool groups_have_value(const config_harmless_group *const *groups, const char *model_type,
                              const char *name, json_object *value)
{
    for (; groups && *groups; groups++) {
        const char *of = (*groups)->of;
        if (of && (!model_type || !string_begins_with(model_type, of))) continue;
        if (group_has_value(*groups, name, value)) return true;
    }
    return false;
}

bool config_is_harmless(const config_harmless_group *const *of_family, const char *model_type,
                        const char *name, json_object *value)
{
    return groups_have_value(config_harmless_of_all, model_type, name, value) ||
           groups_have_value(of_family, model_type, name, value);
}
