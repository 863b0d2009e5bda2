/* Input: a line of JSON {"matrix", "rows", "cols", "n", "quantization_config"}, and a safetensors file; or a
 * GGUF file. The matrix is bound in the format that the config states, or every tensor of the GGUF file as
 * its type says, and all numbers are read.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/json.h"
#include "model/formats/quantization.h"
#include "model/numerics/stored.h"
#include "model/plan/bind_format.h"
#include "model/source.h"

enum { EXTENT_MAX = 4096, STACK_MAX = 8 };

/* Reads the last columns of every row. */
static void read_numbers(const plan_weight *w)
{
    double out[STORED_BLOCK];
    const size_t n = w->cols < STORED_BLOCK ? w->cols : STORED_BLOCK;
    for (size_t r = 0; w->data && r < w->rows; r++)
        for (size_t k = 0; k < w->cols; k += n) {
            const size_t left = w->cols - k;
            stored_block(&w->stored, r, 1, k, left < n ? left : n, out, n);
        }
}

/* What a matrix is bound among. */
typedef struct bound {
    config_notes notes;
    config config;
    bind bind;
    array_list *arrays;
    layout_list *layouts;
} bound;

static bool begin(bound *b, const weights *w, json_object *document, assay_error *err)
{
    config_begin(&b->config, "config.json", "", document, &b->notes, err);
    b->layouts = layouts_open();
    if (!b->layouts || array_list_open(&b->arrays, err) != ASSAY_OK) return false;
    bind_begin(&b->bind, w, b->arrays, b->layouts, ".", &b->config, err);
    return true;
}

static void end(bound *b)
{
    free(b->bind.used);
    free(b->bind.storages);
    rules_free(&b->bind.rules);
    config_drop(&b->config);
    config_notes_free(&b->notes);
    array_list_free(b->arrays);
    layouts_free(b->layouts);
}

static void bind_one(bound *b, const char *name, const matrix_shape *m)
{
    plan_weight found[STACK_MAX] = {{0}};
    bind_matrices(&b->bind, name, m, found);
    for (size_t e = 0; b->bind.status == ASSAY_OK && e < (m->n ? m->n : 1); e++) read_numbers(&found[e]);
}

static size_t extent_of(json_object *line, const char *name, size_t most)
{
    json_object *value = NULL;
    const int64_t n = json_object_object_get_ex(line, name, &value) ? json_object_get_int64(value) : 0;
    return n < 0 ? 0 : (size_t)n > most ? most : (size_t)n;
}

static void fuzz_config_line(json_object *line, const uint8_t *data, size_t size)
{
    weights *w = NULL;
    assay_error err = {0};
    json_object *name = NULL;
    const char *path = fuzz_write("model.safetensors", data, size);
    char *dir = strndup(path, (size_t)(strrchr(path, '/') - path));
    const size_t n = extent_of(line, "n", STACK_MAX), rows = extent_of(line, "rows", EXTENT_MAX);
    const matrix_shape m = {n, rows, extent_of(line, "cols", EXTENT_MAX), n > 0 && rows % 2 == 0};
    if (dir && m.rows && m.cols && json_object_object_get_ex(line, "matrix", &name) &&
        weights_open(dir, &w, &err) == ASSAY_OK) {
        bound b = {0};
        if (begin(&b, w, line, &err)) {
            quantization_read(&b.config, &b.bind.rules);
            bind_one(&b, json_object_get_string(name), &m);
        }
        if (b.bind.status != ASSAY_OK) fuzz_require_refusal(b.bind.status, &err, true);
        end(&b);
    }
    weights_free(w);
    free(dir);
}

static size_t keep_name(const void *context, const gguf_tensor *t, weights_place out[WEIGHTS_PLACES_MAX])
{
    (void)context;
    (void)snprintf(out[0].name, sizeof out[0].name, "%s", t->name);
    if (t->n_dims == 2 && t->ne[1] % 4 == 0) out[0].head_rows = 4;
    return 1;
}

static void fuzz_gguf(const uint8_t *data, size_t size)
{
    gguf *file = NULL;
    weights *w = NULL;
    assay_error err = {0};
    const char *path = fuzz_write("model.gguf", data, size);
    json_object *document = json_object_new_object();
    if (gguf_open(path, &file, &err) == ASSAY_OK &&
        weights_open_gguf(file, keep_name, NULL, &w, &err) != ASSAY_OK)
        gguf_free(file);
    for (size_t i = 0; w && i < weights_count(w); i++) {
        const assay_tensor *t = weights_at(w, i);
        const size_t rows = t->rank > 1 ? t->shape[t->rank - 2] : 1, n = t->rank == 3 ? t->shape[0] : 0;
        bound b = {0};
        if (t->rank < 2 || t->rank > 3 || n > STACK_MAX || !begin(&b, w, document, &err)) continue;
        bind_one(&b, t->name, &(matrix_shape){n, rows, t->shape[t->rank - 1], false});
        end(&b);
    }
    weights_free(w);
    json_object_put(document);
    document = NULL;
    const assay_status rc = source_config(path, &document, &err);
    if (rc != ASSAY_OK) fuzz_require_refusal(rc, &err, document == NULL);
    json_object_put(document);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end_of_line = memchr(data, '\n', size);
    json_object *line = NULL;
    if (size >= 4 && memcmp(data, "GGUF", 4) == 0) fuzz_gguf(data, size);
    else if (end_of_line &&
             json_parse("line", (const char *)data, (size_t)(end_of_line - data), &line, NULL) == ASSAY_OK &&
             json_object_is_type(line, json_type_object))
        fuzz_config_line(line, end_of_line + 1, size - (size_t)(end_of_line + 1 - data));
    json_object_put(line);
    return 0;
}
