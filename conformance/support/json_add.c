/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/support/json_add.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/support/text.h"

bool conf_json_add(json_object *to, const char *name, json_object *value)
{
    if (to && value && json_object_object_add(to, name, value) == 0) return true;
    (void)json_object_put(value);
    return false;
}

bool conf_json_append(json_object *to, json_object *value)
{
    if (to && value && json_object_array_add(to, value) == 0) return true;
    (void)json_object_put(value);
    return false;
}

bool conf_json_add_null(json_object *to, const char *name)
{
    return to && json_object_object_add(to, name, NULL) == 0;
}

json_object *conf_json_add_object(json_object *to, const char *name)
{
    json_object *object = json_object_new_object();
    return conf_json_add(to, name, object) ? object : NULL;
}

json_object *conf_json_add_array(json_object *to, const char *name)
{
    json_object *array = json_object_new_array();
    return conf_json_add(to, name, array) ? array : NULL;
}

json_object *conf_json_append_object(json_object *array)
{
    json_object *object = json_object_new_object();
    return conf_json_append(array, object) ? object : NULL;
}

bool conf_json_add_string(json_object *to, const char *name, const char *text)
{
    return conf_json_add(to, name, json_object_new_string(text));
}

bool conf_json_add_text(json_object *to, const char *name, const char *text)
{
    char *copy = text ? conf_text_cleaned(text) : NULL;
    if (!copy) return false;
    bool ok = conf_json_add(to, name, json_object_new_string(copy));
    free(copy);
    return ok;
}

bool conf_json_add_count(json_object *to, const char *name, size_t n)
{
    return conf_json_add(to, name, json_object_new_int64((int64_t)n));
}

bool conf_json_add_real(json_object *to, const char *name, double x)
{
    if (!isfinite(x)) return conf_json_add_null(to, name);
    return conf_json_add(to, name, json_object_new_double(x));
}

assay_status conf_json_print_document(json_object *document, bool ok, FILE *out, assay_error *err)
{
    const char *text = ok ? json_object_to_json_string_ext(document, JSON_C_TO_STRING_PRETTY |
                                                                         JSON_C_TO_STRING_NOSLASHESCAPE)
                          : NULL;
    if (text) (void)fprintf(out, "%s\n", text);
    (void)json_object_put(document);
    return text ? ASSAY_OK : assay_fail(err, ASSAY_ENOMEM, "the JSON report: out of memory");
}
