/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/exec/step.h"

#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/error.h"
#include "conformance/exec/object.h"
#include "conformance/support/json_add.h"
#include "model/checkpoint/safetensors.h"

#define BODY_OF_TAPS                                                                                         \
    ((size_t)4 << 30) /* the longest body while a tap may send tensors of a width that is not known */

/* The type of outputs and of rope's arrays. */
static assay_dtype output_type(void)
{
    return exec_link_hello()->logits;
}

/* ---- Steps ---- */

/* A tap gets a copy of the tensor that it may change; a changed one is sent back. */
static assay_status pass_tensor(const assay_session *session, size_t sample, const assay_tensor *t,
                                exec_message *reply, assay_error *why)
{
    const bool writes = exec_link_hello()->tap_writes;
    const size_t bytes = safetensors_bytes(t);
    assay_tensor given = *t;
    void *copy = writes ? malloc(bytes + 1) : NULL;
    if (writes && !copy) return assay_fail(why, ASSAY_ENOMEM, "%s: out of memory", exec_link_name());
    if (writes) {
        memcpy(copy, t->data, bytes);
        given.data = copy;
    }
    const bool goes_on = session->tap.fn(session->tap.context, sample, &given, copy);
    exec_add(reply, "go_on", json_object_new_boolean(goes_on));
    if (goes_on && writes && memcmp(copy, t->data, bytes) != 0) {
        memcpy((unsigned char *)t->data, copy, bytes);
        assay_tensor changed = *t;
        changed.name = NULL;
        exec_add(reply, "tensor", exec_message_tensor(reply, &changed));
    }
    free(copy);
    return ASSAY_OK;
}

static assay_status receive_tap(void *context, const exec_frame *f, const conf_json_at *tap,
                                exec_message *reply, assay_error *why)
{
    const assay_session *session = context;
    const char *name;
    int64_t sample;
    conf_json_at described;
    assay_tensor t = {0};
    assay_status rc = conf_json_expect(tap, json_type_object, why);
    if (rc == ASSAY_OK) rc = conf_json_member_whole(tap, "sample", 0, INT64_MAX, &sample, why);
    if (rc == ASSAY_OK) rc = conf_json_member_text(tap, "name", &name, why);
    if (rc == ASSAY_OK) rc = conf_json_member(tap, "tensor", json_type_object, &described, why);
    if (rc == ASSAY_OK) rc = exec_frame_tensor(f, &described, &t, why);
    if (rc == ASSAY_OK && !dtype_is_float(t.dtype))
        rc = conf_json_fail(&described, why, "found %s, expected a floating type", dtype_name(t.dtype));
    if (rc != ASSAY_OK) return rc;
    t.name = name;
    return pass_tensor(session, (size_t)sample, &t, reply, why);
}

static size_t output_bytes(const assay_session *session, const assay_step *steps, size_t n)
{
    const size_t row = session->model->vocab * dtype_size(output_type());
    size_t bytes = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < steps[i].n_outputs; k++) {
            size_t more;
            if (__builtin_mul_overflow(row, steps[i].outputs[k].n_last, &more) ||
                __builtin_add_overflow(bytes, more, &bytes))
                return BODY_OF_TAPS;
        }
    return bytes;
}

/* Checks all outputs, then, with `into`, copies them. */
static assay_status read_outputs(const exec_frame *f, const assay_session *session, const assay_step *steps,
                                 size_t n, bool copies, assay_error *why)
{
    const conf_json_at header = exec_header(f);
    conf_json_at list;
    size_t at = 0, n_wanted = 0;
    for (size_t i = 0; i < n; i++) n_wanted += steps[i].n_outputs;
    if (n_wanted == 0) return ASSAY_OK;
    assay_status rc = conf_json_member(&header, "outputs", json_type_array, &list, why);
    if (rc == ASSAY_OK && json_object_array_length(list.value) != n_wanted)
        rc = conf_json_fail(&list, why, "found %zu outputs, expected %zu",
                            json_object_array_length(list.value), n_wanted);
    for (size_t i = 0; i < n && rc == ASSAY_OK; i++)
        for (size_t k = 0; k < steps[i].n_outputs && rc == ASSAY_OK; k++) {
            const conf_json_at element = conf_json_element(&list, at++);
            const size_t shape[] = {steps[i].outputs[k].n_last, session->model->vocab};
            assay_tensor t;
            rc = exec_frame_tensor_of(f, &element, output_type(), shape, 2, &t, why);
            if (rc == ASSAY_OK && copies) memcpy(steps[i].outputs[k].data, t.data, safetensors_bytes(&t));
        }
    return rc;
}

assay_status exec_step(assay_session *session, const assay_step *steps, size_t n,
                       const assay_step_options *given, assay_error *err)
{
    assay_step_options options;
    exec_message m;
    exec_frame answer;
    assay_error why = {0};
    assay_status rc = assay_options_read(&options, sizeof options, given, "assay_step_options", err);
    if (rc == ASSAY_OK && options.reserved)
        rc = assay_fail(err, ASSAY_EUNSUPPORTED, "assay_step_options: reserved is %u, expected 0",
                        options.reserved);
    if (rc != ASSAY_OK) return rc;
    exec_message_begin(&m);
    exec_add_number(&m, "session", session->number);
    exec_add_number(&m, "padded_width", options.padded_width);
    json_object *list = json_object_new_array();
    for (size_t i = 0; i < n; i++)
        if (!conf_json_append(list, exec_step_object(&m, &steps[i], true))) m.failed = true;
    exec_add(&m, "steps", list);
    const bool tapped = session->tap.fn != NULL;
    const exec_call call = {.name = "step",
                            .message = &m,
                            .body_most = tapped ? BODY_OF_TAPS : output_bytes(session, steps, n),
                            .tap = tapped ? receive_tap : NULL,
                            .context = session};
    rc = exec_link_call(&call, &answer, err);
    exec_message_end(&m);
    if (rc != ASSAY_OK) return rc;
    rc = read_outputs(&answer, session, steps, n, false, &why);
    if (rc == ASSAY_OK) rc = read_outputs(&answer, session, steps, n, true, &why);
    exec_frame_free(&answer);
    return exec_link_settle(rc, &why, err);
}

/* ---- Positions and ropes ---- */

assay_status exec_positions(const assay_model *model, const assay_step *step, int32_t *out, int32_t *delta,
                            assay_error *err)
{
    exec_message m;
    exec_frame answer;
    assay_error why = {0};
    exec_message_begin(&m);
    exec_add_number(&m, "model", model->number);
    exec_add_number(&m, "n_axes", step->n_axes);
    exec_add(&m, "step", exec_step_object(&m, step, false));
    const exec_call call = {.name = "positions", .message = &m};
    assay_status rc = exec_link_call(&call, &answer, err);
    exec_message_end(&m);
    if (rc != ASSAY_OK) return rc;
    const conf_json_at header = exec_header(&answer);
    conf_json_at rows;
    int64_t found = 0;
    rc = conf_json_member(&header, "positions", json_type_array, &rows, &why);
    if (rc == ASSAY_OK) rc = conf_json_member_whole(&header, "delta", INT32_MIN, INT32_MAX, &found, &why);
    if (rc == ASSAY_OK) rc = exec_read_number_rows(&rows, step->n_axes, step->n_tokens, out, &why);
    if (rc == ASSAY_OK) *delta = (int32_t)found;
    exec_frame_free(&answer);
    return exec_link_settle(rc, &why, err);
}

/* The number of columns of cos, from 1 to head_dim. */
static assay_status read_dim(const exec_frame *f, const assay_rope_request *request, size_t *dim,
                             assay_error *why)
{
    const conf_json_at header = exec_header(f);
    conf_json_at cos;
    assay_tensor t;
    assay_status rc = conf_json_member(&header, "cos", json_type_object, &cos, why);
    if (rc == ASSAY_OK) rc = exec_frame_tensor(f, &cos, &t, why);
    if (rc != ASSAY_OK) return rc;
    *dim = t.rank == 2 ? t.shape[1] : 0;
    if (*dim > 0 && *dim <= request->head_dim) return ASSAY_OK;
    return conf_json_fail(&cos, why, "found rank %zu with %zu columns, expected rank 2 with 1 … %zu", t.rank,
                          *dim, request->head_dim);
}

static assay_status read_rope(const exec_frame *f, const assay_rope_request *request, size_t dim, void *out,
                              void *cos, void *sin, assay_error *why)
{
    const size_t rotated[] = {request->n_positions, request->n_heads, request->head_dim};
    const size_t factors[] = {request->n_positions, dim};
    const struct {
        const char *name;
        const size_t *shape;
        size_t rank;
        void *into;
    } arrays[] = {{"out", rotated, 3, out}, {"cos", factors, 2, cos}, {"sin", factors, 2, sin}};
    const conf_json_at header = exec_header(f);
    assay_tensor found[3];
    for (size_t i = 0; i < 3; i++) {
        conf_json_at at;
        assay_status rc = conf_json_member(&header, arrays[i].name, json_type_object, &at, why);
        if (rc == ASSAY_OK)
            rc = exec_frame_tensor_of(f, &at, output_type(), arrays[i].shape, arrays[i].rank, &found[i], why);
        if (rc != ASSAY_OK) return rc;
    }
    for (size_t i = 0; i < 3; i++) memcpy(arrays[i].into, found[i].data, safetensors_bytes(&found[i]));
    return ASSAY_OK;
}

assay_status exec_rope(const assay_rope_request *request, void *out, void *cos, void *sin, size_t *dim,
                       assay_error *err)
{
    exec_message m;
    exec_frame answer;
    assay_error why = {0};
    size_t columns = 0;
    const size_t n_x = request->n_positions * request->n_heads * request->head_dim;
    const assay_tensor x = {.dtype = output_type(),
                            .rank = 3,
                            .shape = {request->n_positions, request->n_heads, request->head_dim},
                            .data = request->x};
    exec_message_begin(&m);
    exec_add(&m, "config", json_object_new_string(request->config));
    exec_add_number(&m, "head_dim", request->head_dim);
    exec_add(&m, "position", exec_number_rows(&m, request->position, request->n_axes, request->n_positions));
    exec_add(&m, "x", exec_message_tensor(&m, &x));
    const exec_call call = {.name = "rope",
                            .message = &m,
                            .body_most = (n_x + 2 * request->n_positions * request->head_dim) *
                                         dtype_size(output_type())};
    assay_status rc = exec_link_call(&call, &answer, err);
    exec_message_end(&m);
    if (rc != ASSAY_OK) return rc;
    rc = read_dim(&answer, request, &columns, &why);
    if (rc == ASSAY_OK) rc = read_rope(&answer, request, columns, out, cos, sin, &why);
    if (rc == ASSAY_OK) *dim = columns;
    exec_frame_free(&answer);
    return exec_link_settle(rc, &why, err);
}
