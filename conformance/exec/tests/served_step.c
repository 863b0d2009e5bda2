/* Calls of the program `served` that evaluate.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/dtype.h"
#include "conformance/exec/tests/fault.h"
#include "conformance/exec/tests/served.h"
#include "conformance/support/json_add.h"

#define STEPS_MAX   64
#define OUTPUTS_MAX 4
#define N_LAST_MAX  100000
#define NAMES_MAX   256

static const char who[] = "the reply to a tap";
static served *stepping; /* the step that is evaluated */

static int32_t *numbers(const conf_json_at *list, size_t *n)
{
    *n = json_object_array_length(list->value);
    int32_t *out = calloc(*n + 1, sizeof *out);
    served_require(out, "out of memory");
    for (size_t i = 0; i < *n; i++) out[i] = json_object_get_int(json_object_array_get_idx(list->value, i));
    return out;
}

static int32_t *number_rows(const conf_json_at *rows, size_t *n_rows, size_t *n)
{
    *n_rows = json_object_array_length(rows->value);
    *n = *n_rows ? json_object_array_length(json_object_array_get_idx(rows->value, 0)) : 0;
    int32_t *out = calloc(*n_rows * *n + 1, sizeof *out);
    served_require(out, "out of memory");
    for (size_t i = 0; i < *n_rows * *n; i++)
        out[i] = json_object_get_int(
            json_object_array_get_idx(json_object_array_get_idx(rows->value, i / *n), i % *n));
    return out;
}

/* The items of a step, whose tensors stay in the frame. The caller frees *out with free_items. */
static size_t read_items(const served *s, const conf_json_at *step, assay_item **out)
{
    static const char *const kinds[] = {"", "image", "video", "audio", "embedding"};
    const conf_json_at list = served_member(step, "items");
    const size_t n = json_object_array_length(list.value);
    *out = calloc(n + 1, sizeof **out);
    served_require(*out, "out of memory");
    for (size_t i = 0; i < n; i++) {
        const conf_json_at at = conf_json_element(&list, i), kind = served_member(&at, "kind");
        const conf_json_at tensors = served_member(&at, "tensors");
        assay_item *item = &(*out)[i];
        size_t chosen = 0;
        served_require(conf_json_choose(&kind, kinds, 5, &chosen, NULL) == ASSAY_OK, "kind");
        item->kind = (assay_item_kind)chosen;
        item->offset = served_number(&at, "offset");
        item->n_tokens = served_number(&at, "n_tokens");
        item->n_tensors = json_object_array_length(tensors.value);
        assay_tensor *read = calloc(item->n_tensors + 1, sizeof *read);
        served_require(read, "out of memory");
        for (size_t k = 0; k < item->n_tensors; k++) {
            const conf_json_at tensor = conf_json_element(&tensors, k);
            served_require(exec_frame_tensor(&s->frame, &tensor, &read[k], NULL) == ASSAY_OK, "tensor");
        }
        item->tensors = read;
    }
    return n;
}

static void free_items(assay_item *items, size_t n)
{
    for (size_t i = 0; i < n; i++) free((void *)items[i].tensors);
    free(items);
}

/* outputs [OUTPUTS_MAX] of a step, with their memory. */
static size_t read_outputs(const conf_json_at *step, size_t row_bytes, assay_output *outputs)
{
    const conf_json_at list = served_member(step, "outputs");
    const size_t n = json_object_array_length(list.value);
    served_require(n <= OUTPUTS_MAX, "too many outputs");
    for (size_t i = 0; i < n; i++) {
        const conf_json_at at = conf_json_element(&list, i);
        outputs[i].n_last = served_number(&at, "n_last");
        served_require(conf_json_member_text(&at, "name", &outputs[i].name, NULL) == ASSAY_OK, "name");
        const size_t n_rows =
            outputs[i].n_last < N_LAST_MAX ? outputs[i].n_last : 0; /* the engine refuses others */
        outputs[i].data = calloc(n_rows + 1, row_bytes);
        served_require(outputs[i].data, "out of memory");
    }
    return n;
}

assay_status served_step(served *s, assay_error *err)
{
    static assay_step steps[STEPS_MAX];
    static assay_output outputs[STEPS_MAX][OUTPUTS_MAX];
    const conf_json_at list = served_member(&s->header, "steps");
    const size_t n = json_object_array_length(list.value);
    const size_t vocab = s->engine->model_vocab(served_model_of_session(s, "session"));
    const size_t row_bytes = vocab * dtype_size(s->engine->logits_dtype);
    json_object *described = json_object_new_array();
    served_require(n <= STEPS_MAX, "too many steps");
    for (size_t i = 0; i < n; i++) {
        const conf_json_at at = conf_json_element(&list, i), tokens = served_member(&at, "tokens");
        conf_json_at positions;
        assay_item *items;
        size_t n_positions;
        steps[i] = (assay_step){.sample = served_number(&at, "sample"), .outputs = outputs[i]};
        steps[i].tokens = numbers(&tokens, &steps[i].n_tokens);
        if (conf_json_find(&at, "positions", &positions) && positions.value)
            steps[i].positions = number_rows(&positions, &steps[i].n_axes, &n_positions);
        steps[i].n_items = read_items(s, &at, &items);
        steps[i].items = items;
        steps[i].n_outputs = read_outputs(&at, row_bytes, outputs[i]);
    }
    const assay_step_options options = {.size = sizeof options,
                                        .padded_width = served_number(&s->header, "padded_width")};
    stepping = s;
    const assay_status rc = s->engine->step(served_session(s, "session"), steps, n, &options, err);
    for (size_t i = 0; i < n && rc == ASSAY_OK; i++)
        for (size_t k = 0; k < steps[i].n_outputs; k++) {
            const assay_tensor t = {.dtype = s->engine->logits_dtype,
                                    .rank = 2,
                                    .shape = {outputs[i][k].n_last, vocab},
                                    .data = outputs[i][k].data};
            (void)conf_json_append(described, exec_message_tensor(&s->answer, &t));
        }
    served_add(s, "outputs", described);
    if (rc == ASSAY_OK) {
        served_fault_commit(s);
        served_send(s, &s->answer);
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < steps[i].n_outputs; k++) free(outputs[i][k].data);
        free((void *)steps[i].tokens);
        free((void *)steps[i].positions);
        free_items((assay_item *)steps[i].items, steps[i].n_items);
    }
    return rc;
}

static bool send_tap(served *s, size_t sample, const assay_tensor *tensor, void *data)
{
    exec_message m;
    exec_frame reply;
    conf_json_at at;
    assay_tensor changed;
    json_object *tap = json_object_new_object();
    exec_message_begin(&m);
    (void)conf_json_add_count(tap, "sample", sample);
    (void)conf_json_add_text(tap, "name", tensor->name);
    assay_tensor unnamed = *tensor;
    unnamed.name = NULL;
    (void)conf_json_add(tap, "tensor", exec_message_tensor(&m, &unnamed));
    served_require(conf_json_add(m.header, "tap", tap), "out of memory");
    served_send(s, &m);
    exec_message_end(&m);
    served_require(exec_frame_read(STDIN_FILENO, who, SIZE_MAX / 2, &reply, NULL) == ASSAY_OK,
                   "the reply to a tap");
    const conf_json_at header = {.name = who, .value = reply.header};
    const bool goes_on = json_object_get_boolean(served_member(&header, "go_on").value);
    if (goes_on && data && conf_json_find(&header, "tensor", &at)) {
        served_require(exec_frame_tensor_of(&reply, &at, tensor->dtype, tensor->shape, tensor->rank, &changed,
                                            NULL) == ASSAY_OK,
                       "the tensor of a tap");
        memcpy(data, changed.data, reply.n_body);
    }
    exec_frame_free(&reply);
    return goes_on;
}

/* A tap outlives the request that set it: it belongs to the step that is evaluated. */
static bool forward_tap(void *context, size_t sample, const assay_tensor *tensor, void *data)
{
    (void)context;
    return send_tap(stepping, sample, tensor, data);
}

assay_status served_tap(served *s, assay_error *err)
{
    static char names[NAMES_MAX][64];
    static const char *at[NAMES_MAX];
    conf_json_at list;
    if (!conf_json_find(&s->header, "names", &list) || !list.value)
        return s->engine->tap(served_session(s, "session"), NULL, err);
    const size_t n = json_object_array_length(list.value);
    served_require(n <= NAMES_MAX, "too many names");
    for (size_t i = 0; i < n; i++) {
        (void)snprintf(names[i], sizeof names[i], "%s",
                       json_object_get_string(json_object_array_get_idx(list.value, i)));
        at[i] = names[i];
    }
    const assay_tap options = {.size = sizeof options, .fn = forward_tap, .names = at, .n_names = n};
    return s->engine->tap(served_session(s, "session"), &options, err);
}

assay_status served_positions(served *s, assay_error *err)
{
    const conf_json_at described = served_member(&s->header, "step"),
                       tokens = served_member(&described, "tokens");
    assay_step one = {.n_axes = served_number(&s->header, "n_axes")};
    assay_item *items;
    int32_t delta = 0;
    int32_t *ids = numbers(&tokens, &one.n_tokens);
    one.tokens = ids;
    one.n_items = read_items(s, &described, &items);
    one.items = items;
    int32_t *out = calloc(one.n_axes * one.n_tokens + 1, sizeof *out);
    served_require(out, "out of memory");
    const assay_status rc = s->engine->positions(served_model(s, "model"), &one, out, &delta, err);
    json_object *rows = json_object_new_array();
    for (size_t i = 0; i < one.n_axes; i++) {
        json_object *row = json_object_new_array();
        for (size_t k = 0; k < one.n_tokens; k++)
            (void)conf_json_append(row, json_object_new_int(out[i * one.n_tokens + k]));
        (void)conf_json_append(rows, row);
    }
    served_add(s, "positions", rows);
    served_add(s, "delta", json_object_new_int(delta));
    free(out);
    free(ids);
    free_items(items, one.n_items);
    return rc;
}

assay_status served_rope(served *s, assay_error *err)
{
    const conf_json_at position = served_member(&s->header, "position"),
                       given = served_member(&s->header, "x");
    const char *config = NULL;
    assay_tensor x;
    size_t n_axes, n, dim = 0;
    served_require(conf_json_member_text(&s->header, "config", &config, NULL) == ASSAY_OK, "config");
    served_require(exec_frame_tensor(&s->frame, &given, &x, NULL) == ASSAY_OK && x.rank == 3, "x");
    int32_t *rows = number_rows(&position, &n_axes, &n);
    const assay_rope_request request = {.config = config,
                                        .n_axes = n_axes,
                                        .n_positions = n,
                                        .n_heads = x.shape[1],
                                        .head_dim = x.shape[2],
                                        .position = rows,
                                        .x = x.data};
    const size_t size = dtype_size(x.dtype), row = n * x.shape[2] * size;
    void *out = calloc(x.shape[1] + 1, row + 1), *cos = calloc(1, row + 1), *sin = calloc(1, row + 1);
    served_require(out && cos && sin, "out of memory");
    const assay_status rc = s->engine->rope(&request, out, cos, sin, &dim, err);
    if (rc == ASSAY_OK) {
        assay_tensor t = x;
        t.name = NULL;
        t.data = out;
        served_add(s, "out", exec_message_tensor(&s->answer, &t));
        t = (assay_tensor){.dtype = x.dtype, .rank = 2, .shape = {n, dim}, .data = cos};
        served_add(s, "cos", exec_message_tensor(&s->answer, &t));
        t.data = sin;
        served_add(s, "sin", exec_message_tensor(&s->answer, &t));
        served_send(s, &s->answer);
    }
    free(rows);
    free(out);
    free(cos);
    free(sin);
    return rc;
}
