/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/info/member.h"

#include <stdlib.h>
#include <string.h>

#include "conformance/support/text.h"

bool conf_info_add_flag(json_object *to, const char *name, bool value)
{
    return conf_json_add(to, name, json_object_new_boolean(value));
}

bool conf_info_add_text(json_object *to, const char *name, const char *text)
{
    return text ? conf_json_add_text(to, name, text) : conf_json_add_null(to, name);
}

bool conf_info_add_count(json_object *to, const char *name, size_t n)
{
    return n ? conf_json_add_count(to, name, n) : conf_json_add_null(to, name);
}

bool conf_info_add_real(json_object *to, const char *name, double x)
{
    return x != 0 ? conf_json_add_real(to, name, x) : conf_json_add_null(to, name);
}

bool conf_info_add_id(json_object *to, const char *name, int id)
{
    return id >= 0 ? conf_json_add_count(to, name, (size_t)id) : conf_json_add_null(to, name);
}

bool conf_info_add_counts(json_object *to, const char *name, const size_t *at, size_t n)
{
    json_object *array = conf_json_add_array(to, name);
    bool ok = array;
    for (size_t i = 0; ok && i < n; i++) ok = conf_json_append(array, json_object_new_int64((int64_t)at[i]));
    return ok;
}

bool conf_info_add_reals(json_object *to, const char *name, const double *at, size_t n)
{
    json_object *array = conf_json_add_array(to, name);
    bool ok = array;
    for (size_t i = 0; ok && i < n; i++) ok = conf_json_append(array, json_object_new_double(at[i]));
    return ok;
}

bool conf_info_add_texts(json_object *to, const char *name, const char *const *at, size_t n)
{
    json_object *array = conf_json_add_array(to, name);
    bool ok = array;
    for (size_t i = 0; ok && i < n; i++) {
        char *text = conf_text_cleaned(at[i]);
        ok = text && conf_json_append(array, json_object_new_string(text));
        free(text);
    }
    return ok;
}
