/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/exec/object.h"

#include "base/error.h"
#include "conformance/support/json_add.h"

void exec_add(exec_message *m, const char *name, json_object *value)
{
    if (!conf_json_add(m->header, name, value)) m->failed = true;
}

void exec_add_number(exec_message *m, const char *name, uint64_t number)
{
    exec_add(m, name, json_object_new_uint64(number));
}

json_object *exec_numbers(exec_message *m, const int32_t *numbers, size_t n)
{
    json_object *list = json_object_new_array();
    bool ok = list != NULL;
    for (size_t i = 0; ok && i < n; i++) ok = conf_json_append(list, json_object_new_int(numbers[i]));
    if (!ok) m->failed = true;
    return list;
}

json_object *exec_number_rows(exec_message *m, const int32_t *numbers, size_t n_axes, size_t n)
{
    json_object *rows = json_object_new_array();
    bool ok = rows != NULL;
    for (size_t i = 0; ok && i < n_axes; i++)
        ok = conf_json_append(rows, exec_numbers(m, numbers + i * n, n));
    if (!ok) m->failed = true;
    return rows;
}

static json_object *item_object(exec_message *m, const assay_item *item)
{
    static const char *const kinds[] = {[ASSAY_ITEM_IMAGE] = "image",
                                        [ASSAY_ITEM_VIDEO] = "video",
                                        [ASSAY_ITEM_AUDIO] = "audio",
                                        [ASSAY_ITEM_EMBEDDING] = "embedding"};
    json_object *object = json_object_new_object(), *tensors = json_object_new_array();
    bool ok = conf_json_add_text(object, "kind", kinds[item->kind]) &&
              conf_json_add(object, "offset", json_object_new_uint64(item->offset)) &&
              conf_json_add(object, "n_tokens", json_object_new_uint64(item->n_tokens));
    for (size_t i = 0; ok && i < item->n_tensors; i++)
        ok = conf_json_append(tensors, exec_message_tensor(m, &item->tensors[i]));
    if (!conf_json_add(object, "tensors", tensors) || !ok) m->failed = true;
    return object;
}

static json_object *outputs_object(exec_message *m, const assay_step *step)
{
    json_object *outputs = json_object_new_array();
    for (size_t i = 0; i < step->n_outputs; i++) {
        json_object *output = json_object_new_object();
        bool ok = conf_json_add_text(output, "name", step->outputs[i].name) &&
                  conf_json_add(output, "n_last", json_object_new_uint64(step->outputs[i].n_last));
        if (!conf_json_append(outputs, output) || !ok) m->failed = true;
    }
    return outputs;
}

json_object *exec_step_object(exec_message *m, const assay_step *step, bool with_outputs)
{
    json_object *object = json_object_new_object(), *items = json_object_new_array();
    bool ok = conf_json_add(object, "sample", json_object_new_uint64(step->sample)) &&
              conf_json_add(object, "tokens", exec_numbers(m, step->tokens, step->n_tokens));
    if (with_outputs) {
        if (step->positions)
            ok = conf_json_add(object, "positions",
                               exec_number_rows(m, step->positions, step->n_axes, step->n_tokens)) &&
                 ok;
        else ok = ok && json_object_object_add(object, "positions", NULL) == 0;
        ok = conf_json_add(object, "outputs", outputs_object(m, step)) && ok;
    }
    for (size_t i = 0; ok && i < step->n_items; i++)
        ok = conf_json_append(items, item_object(m, &step->items[i]));
    if (!conf_json_add(object, "items", items) || !ok) m->failed = true;
    return object;
}

conf_json_at exec_header(const exec_frame *f)
{
    return (conf_json_at){.name = exec_link_name(), .value = f->header};
}

assay_status exec_call_plain(exec_message *m, const char *name, assay_error *err)
{
    exec_frame answer;
    const exec_call call = {.name = name, .message = m};
    const assay_status rc = exec_link_call(&call, &answer, err);
    exec_message_end(m);
    if (rc == ASSAY_OK) exec_frame_free(&answer);
    return rc;
}

assay_status exec_call_whole(exec_message *m, const char *name, const char *member, int64_t most,
                             int64_t *out, assay_error *err)
{
    exec_frame answer;
    assay_error why = {0};
    const exec_call call = {.name = name, .message = m};
    assay_status rc = exec_link_call(&call, &answer, err);
    exec_message_end(m);
    if (rc != ASSAY_OK) return rc;
    const conf_json_at header = exec_header(&answer);
    rc = conf_json_member_whole(&header, member, 0, most, out, &why);
    exec_frame_free(&answer);
    return exec_link_settle(rc, &why, err);
}

assay_status exec_read_numbers(const conf_json_at *at, size_t n, int32_t *out, assay_error *err)
{
    assay_status rc = conf_json_expect(at, json_type_array, err);
    if (rc == ASSAY_OK && json_object_array_length(at->value) != n)
        rc = conf_json_fail(at, err, "found %zu numbers, expected %zu", json_object_array_length(at->value),
                            n);
    for (size_t i = 0; rc == ASSAY_OK && i < n; i++) {
        const conf_json_at element = conf_json_element(at, i);
        int64_t number;
        rc = conf_json_whole(&element, INT32_MIN, INT32_MAX, &number, err);
        if (rc == ASSAY_OK) out[i] = (int32_t)number;
    }
    return rc;
}

assay_status exec_read_number_rows(const conf_json_at *at, size_t n_axes, size_t n, int32_t *out,
                                   assay_error *err)
{
    assay_status rc = conf_json_expect(at, json_type_array, err);
    if (rc == ASSAY_OK && json_object_array_length(at->value) != n_axes)
        rc = conf_json_fail(at, err, "found %zu rows, expected %zu", json_object_array_length(at->value),
                            n_axes);
    for (size_t i = 0; rc == ASSAY_OK && i < n_axes; i++) {
        const conf_json_at row = conf_json_element(at, i);
        rc = exec_read_numbers(&row, n, out + i * n, err);
    }
    return rc;
}
