/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/textual/answer.h"

#include "base/error.h"
#include "conformance/support/json_add.h"

static assay_status fail_memory(assay_error *err)
{
    return assay_fail(err, ASSAY_ENOMEM, "out of memory");
}

assay_status conf_answer_set(const conf_json_at *expect, const char *name, json_object *value,
                             assay_error *err)
{
    conf_json_at at;
    if (!conf_json_find(expect, name, &at)) {
        (void)json_object_put(value);
        return ASSAY_OK;
    }
    if (json_object_object_add(expect->value, name, value) == 0) return ASSAY_OK;
    (void)json_object_put(value);
    return fail_memory(err);
}

assay_status conf_answer_text(const conf_json_at *expect, const char *name, assay_text text, assay_error *err)
{
    json_object *value = json_object_new_string_len(text.n ? text.at : "", (int)text.n);
    return value ? conf_answer_set(expect, name, value, err) : fail_memory(err);
}

assay_status conf_answer_field(const conf_json_at *expect, const char *name, const buffer *field,
                               assay_error *err)
{
    if (!field->n) return conf_answer_set(expect, name, NULL, err);
    return conf_answer_text(expect, name, (assay_text){field->data, field->n}, err);
}

assay_status conf_answer_ids(const conf_json_at *expect, const char *name, const int32_t *ids, size_t n,
                             assay_error *err)
{
    json_object *array = json_object_new_array();
    bool ok = array != NULL;
    for (size_t i = 0; i < n && ok; i++) ok = conf_json_append(array, json_object_new_int(ids[i]));
    if (ok) return conf_answer_set(expect, name, array, err);
    (void)json_object_put(array);
    return fail_memory(err);
}

assay_status conf_answer_whole(const conf_json_at *expect, const char *name, int64_t number, assay_error *err)
{
    json_object *value = json_object_new_int64(number);
    return value ? conf_answer_set(expect, name, value, err) : fail_memory(err);
}

/* Adds {name, arguments}: arguments as the JSON value that they are, else as text. */
static bool append_call(json_object *calls, const conf_call *call)
{
    const assay_text text = {call->arguments.n ? call->arguments.data : "", call->arguments.n};
    json_object *one = conf_json_append_object(calls), *arguments = NULL;
    if (!conf_field_parse(text, &arguments)) arguments = json_object_new_string_len(text.at, (int)text.n);
    json_object *name = json_object_new_string_len(call->name.data, (int)call->name.n);
    const bool named = one && conf_json_add(one, "name", name);
    if (named && json_object_object_add(one, "arguments", arguments) == 0) return true;
    (void)json_object_put(arguments);
    return false;
}

assay_status conf_answer_calls(const conf_json_at *expect, const conf_fields *reply, assay_error *err)
{
    json_object *calls = json_object_new_array();
    bool ok = calls != NULL;
    for (size_t i = 0; i < reply->n_calls && ok; i++) ok = append_call(calls, &reply->calls[i]);
    if (ok) return conf_answer_set(expect, "calls", calls, err);
    (void)json_object_put(calls);
    return fail_memory(err);
}

assay_status conf_answer_refused(const conf_json_at *expect, const char *reason, assay_error *err)
{
    return conf_json_fail(expect, err, "the answer has no such members: %s", reason);
}
