/* Every format of quantization_config against the numbers that the published dequantisers make of the same
 * tensors: numerics/tests/vectors/stored.json, which scripts/record/formats/stored_vectors.py wrote.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/formats/quantization.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/json.h"
#include "base/tests/support.h"
#include "base/text.h"
#include "model/formats/blocks.h"
#include "model/numerics/stored.h"
#include "model/plan/bind_format.h"
#include "model/tests/header.h"

enum { N_VECTORS = 70 };

static json_object *member(json_object *in, const char *name)
{
    json_object *value = NULL;
    return json_object_object_get_ex(in, name, &value) ? value : NULL;
}

static json_object *vectors(void)
{
    static json_object *root;
    const char *top = getenv("top_srcdir");
    char *path = NULL;
    assay_error err = {0};
    if (root) return member(root, "vectors");
    ck_assert_int_ge(asprintf(&path, "%s/lib/model/numerics/tests/vectors/stored.json", top ? top : "."), 0);
    ck_assert_msg(json_read(path, &root, &err) == ASSAY_OK, "%s", err.text);
    free(path);
    return member(root, "vectors");
}

/* The bytes of hexadecimal digits. */
static unsigned char *read_hex(json_object *text, size_t *n)
{
    const char *digits = json_object_get_string(text);
    *n = strlen(digits) / 2;
    unsigned char *bytes = malloc(*n + 1);
    ck_assert_ptr_nonnull(bytes);
    for (size_t i = 0; i < *n; i++) {
        const char pair[] = {digits[2 * i], digits[2 * i + 1], '\0'};
        bytes[i] = (unsigned char)strtoul(pair, NULL, 16);
    }
    return bytes;
}

/* Adds a tensor after the others. */
static void add_tensor(header *h, const char *name, json_object *tensor)
{
    size_t n;
    unsigned char *bytes = read_hex(member(tensor, "data"), &n);
    json_object *entry = json_object_new_object(), *range = json_object_new_array();
    json_object_array_add(range, json_object_new_int64((int64_t)h->n_data));
    json_object_array_add(range, json_object_new_int64((int64_t)(h->n_data + n)));
    json_object_object_add(entry, "dtype", json_object_get(member(tensor, "dtype")));
    json_object_object_add(entry, "shape", json_object_get(member(tensor, "shape")));
    json_object_object_add(entry, "data_offsets", range);
    json_object_object_add(h->object, name, entry);
    h->data = realloc(h->data, h->n_data + n + 1);
    ck_assert_ptr_nonnull(h->data);
    memcpy(h->data + h->n_data, bytes, n);
    h->n_data += n;
    free(bytes);
}

/* Writes the vector's tensors as a checkpoint, with an embedding, which bind_begin looks for. */
static const char *write_checkpoint(json_object *tensors)
{
    const char *dir = support_tmpdir();
    header h = {.object = json_object_new_object()};
    json_object *embedding =
        json_tokener_parse("{\"dtype\": \"F32\", \"shape\": [1], \"data\": \"00000000\"}");
    ck_assert_int_ge(asprintf(&h.path, "%s/model.safetensors", dir), 0);
    struct json_object_iterator at = json_object_iter_begin(tensors), end = json_object_iter_end(tensors);
    for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at))
        add_tensor(&h, json_object_iter_peek_name(&at), json_object_iter_peek_value(&at));
    add_tensor(&h, "model.embed_tokens.weight", embedding);
    json_object_put(embedding);
    header_write(&h);
    header_free(&h);
    return dir;
}

static size_t extent(json_object *tensor, size_t i)
{
    return (size_t)json_object_get_int64(json_object_array_get_idx(member(tensor, "shape"), i));
}

/* The numbers of a vector, as doubles. */
static double *read_values(json_object *vector, size_t n)
{
    json_object *values = member(vector, "values");
    const char *type = json_object_get_string(member(values, "dtype"));
    size_t n_bytes;
    unsigned char *bytes = read_hex(member(values, "data"), &n_bytes);
    double *out = malloc(n * sizeof *out);
    ck_assert_ptr_nonnull(out);
    const assay_dtype dtype = dtype_from_name(type, strlen(type));
    ck_assert_uint_eq(n_bytes, n * dtype_size(dtype));
    dtype_to_f64(out, bytes, dtype, n);
    free(bytes);
    return out;
}

/* Exact numbers are equal; where a scale divides, or is the sum of a product and an offset, the order of
 * roundings may differ. */
static void expect_numbers(const plan_weight *w, size_t n, const double *expected, const char *name)
{
    double found[STORED_BLOCK];
    for (size_t e = 0; e < n; e++)
        for (size_t r = 0; r < w[e].rows; r++)
            for (size_t k = 0; k < w[e].cols; k += STORED_BLOCK) {
                const size_t left = w[e].cols - k, n_cols = left < STORED_BLOCK ? left : STORED_BLOCK;
                const assay_stored *s = &w[e].stored;
                const double slack = s->scale2_divides || s->offset.layout ? 0x1p-51 : 0;
                stored_block(s, r, 1, k, n_cols, found, n_cols);
                for (size_t i = 0; i < n_cols; i++) {
                    const double x = expected[(e * w[e].rows + r) * w[e].cols + k + i];
                    ck_assert_msg((isnan(x) && isnan(found[i])) || fabs(found[i] - x) <= slack * fabs(x),
                                  "%s: [%zu, %zu, %zu]: %.17g, expected %.17g", name, e, r, k + i, found[i],
                                  x);
                }
            }
}

/* The matrices of a vector: of a stack of n, or 0. */
static matrix_shape shape_of(json_object *vector)
{
    json_object *values = member(vector, "values");
    matrix_shape m = {0, extent(values, 0), extent(values, 1), false};
    json_object *tensors = member(vector, "tensors");
    struct json_object_iterator at = json_object_iter_begin(tensors), end = json_object_iter_end(tensors);
    for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
        json_object *tensor = json_object_iter_peek_value(&at);
        if (string_ends_with(json_object_iter_peek_name(&at), "_blocks")) m.n = extent(tensor, 0);
    }
    if (m.n) m.rows /= m.n;
    return m;
}

START_TEST(numbers_are_those_of_the_published_dequantisers)
{
    ck_assert_uint_eq(json_object_array_length(vectors()), N_VECTORS);
    json_object *vector = json_object_array_get_idx(vectors(), (size_t)_i),
                *settings = member(vector, "settings");
    if (!settings) return; /* of a GGUF file: below */
    const char *name = json_object_get_string(member(vector, "name"));
    config_notes notes = {0};
    assay_error err = {0};
    config c;
    bind b;
    weights *w = NULL;
    array_list *arrays = NULL;
    layout_list *all = layouts_open();
    plan_weight found[4];
    const char *dir = write_checkpoint(member(vector, "tensors"));
    json_object *document = json_object_new_object();
    json_object_object_add(document, "quantization_config", json_object_get(settings));
    config_begin(&c, "config.json", "", document, &notes, &err);
    ck_assert_msg(weights_open(dir, &w, &err) == ASSAY_OK, "%s: %s", name, err.text);
    ck_assert_int_eq(array_list_open(&arrays, NULL), ASSAY_OK);
    bind_begin(&b, w, arrays, all, dir, &c, &err);
    quantization_read(&c, &b.rules);
    const matrix_shape m = shape_of(vector);
    const char *matrix = json_object_get_string(member(vector, "matrix"));
    char full[200];
    (void)snprintf(full, sizeof full, "%s%s", matrix, m.n ? "" : ".weight");
    bind_matrices(&b, full, &m, found);
    ck_assert_msg(b.status == ASSAY_OK, "%s: %s", name, err.text);
    const size_t n = m.n ? m.n : 1;
    double *expected = read_values(vector, n * m.rows * m.cols);
    expect_numbers(found, n, expected, name);
    free(expected);
    free(b.used);
    free(b.storages);
    rules_free(&b.rules);
    config_drop(&c);
    config_notes_free(&notes);
    array_list_free(arrays);
    layouts_free(all);
    weights_free(w);
    json_object_put(document);
}
END_TEST

START_TEST(numbers_of_blocks_are_those_of_ggml)
{
    json_object *vector = json_object_array_get_idx(vectors(), (size_t)_i), *id = member(vector, "type");
    const char *name = json_object_get_string(member(vector, "name"));
    if (!id) return;
    const gguf_type *type = gguf_type_of((uint32_t)json_object_get_int(id));
    if (!blocks_is_coded(type)) return;
    json_object *tensors = member(vector, "tensors"), *values = member(vector, "values");
    json_object *scale = member(tensors, "blk.0.ffn_up.scale");
    size_t n_bytes, n_scale;
    unsigned char *data = read_hex(member(member(tensors, "blk.0.ffn_up.weight"), "data"), &n_bytes);
    unsigned char *factor = scale ? read_hex(member(scale, "data"), &n_scale) : NULL;
    layout_list *all = layouts_open();
    plan_weight w = {.rows = extent(values, 0), .cols = extent(values, 1)};
    ck_assert_msg(blocks_is_known(type), "%s", name);
    ck_assert_uint_eq(n_bytes, w.rows * (w.cols / type->block) * type->n_bytes);
    ck_assert(blocks_describe(type, data, factor, w.rows, w.cols, all, &w.stored));
    double *expected = read_values(vector, w.rows * w.cols);
    expect_numbers(&w, 1, expected, name);
    free(expected);
    free(data);
    free(factor);
    layouts_free(all);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/formats");
    TCase *all = tcase_create("numbers");
    tcase_add_loop_test(all, numbers_are_those_of_the_published_dequantisers, 0, N_VECTORS);
    tcase_add_loop_test(all, numbers_of_blocks_are_those_of_ggml, 0, N_VECTORS);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
