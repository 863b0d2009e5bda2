/* Binding the tensors of towers, from a checkpoint of a few of them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/bind_patches.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tests/support.h"
#include "model/plan/bind_matrix.h"
#include "model/plan/bind_vector.h"
#include "model/tests/weight.h"

/* A checkpoint with an embedding and one float32 tensor `name` of this shape, 0, 1, 2, …; and its bind. */
typedef struct checkpoint {
    json_object *document;
    config_notes notes;
    config config;
    weights *weights;
    array_list *arrays;
    layout_list *layouts;
    bind bind;
    assay_error err;
} checkpoint;

static size_t elements(const char *shape)
{
    size_t n = 1;
    for (const char *at = shape; *at; at++)
        if (*at >= '0' && *at <= '9') {
            char *end;
            n *= strtoul(at, &end, 10);
            at = end - 1;
        }
    return n;
}

static const char *write_tensor(const char *name, const char *shape, float first)
{
    static int count;
    static char bytes[1 << 16];
    char label[16];
    const size_t n = elements(shape);
    (void)snprintf(label, sizeof label, "bind-%d", count++);
    const char *dir = support_mkdir(support_tmpdir(), label);
    const int length =
        sprintf(bytes + 8,
                "{\"model.embed_tokens.weight\": {\"dtype\": \"F32\", \"shape\": [1, 1], \"data_offsets\": "
                "[0, 4]}, \"%s\": {\"dtype\": \"F32\", \"shape\": %s, \"data_offsets\": [4, %zu]}}",
                name, shape, 4 + 4 * n);
    const uint64_t header = (uint64_t)length;
    memcpy(bytes, &header, sizeof header);
    float *value = (float *)(void *)(bytes + 8 + length);
    for (size_t i = 0; i <= n; i++) {
        const float number = i == 0 ? 0 : first + (float)(i - 1);
        memcpy((char *)value + 4 * i, &number, sizeof number);
    }
    (void)support_write(dir, "model.safetensors", bytes, 8 + (size_t)length + 4 * (n + 1));
    return dir;
}

static void begin(checkpoint *c, const char *name, const char *shape, float first)
{
    *c = (checkpoint){.document = json_object_new_object()};
    const char *dir = write_tensor(name, shape, first);
    config_begin(&c->config, "config.json", "", c->document, &c->notes, &c->err);
    ck_assert_msg(weights_open(dir, &c->weights, &c->err) == ASSAY_OK, "%s", c->err.text);
    ck_assert_int_eq(array_list_open(&c->arrays, NULL), ASSAY_OK);
    c->layouts = layouts_open();
    ck_assert_ptr_nonnull(c->layouts);
    bind_begin(&c->bind, c->weights, c->arrays, c->layouts, dir, &c->config, &c->err);
    ck_assert_int_eq(c->bind.status, ASSAY_OK);
}

static void end(checkpoint *c)
{
    free(c->bind.used);
    free(c->bind.storages);
    array_list_free(c->arrays);
    layouts_free(c->layouts);
    weights_free(c->weights);
    config_drop(&c->config);
    config_notes_free(&c->notes);
    json_object_put(c->document);
}

static const struct {
    const char *shape;
    plan_patches patches; /* sizes, and what is expected */
    const char *error;    /* NULL: accepted */
} CONVOLUTIONS[] = {
    {"[5, 3, 2, 4, 4]", {.size = 4, .channels = 3, .frames = 2}, NULL},
    {"[5, 2, 4, 4, 3]", {.size = 4, .channels = 3, .frames = 2, .weights_channels_last = true}, NULL},
    {"[5, 3, 4, 4]", {.size = 4, .channels = 3, .frames = 1}, NULL},
    {"[5, 4, 4, 3]", {.size = 4, .channels = 3, .frames = 1, .weights_channels_last = true}, NULL},
    {"[5, 3, 1, 4, 4]", {.size = 4, .channels = 3, .frames = 1}, NULL},
    {"[5, 1, 4, 4, 3]", {.size = 4, .channels = 3, .frames = 1, .weights_channels_last = true}, NULL},
    {"[5, 3, 2, 3, 3]", {.size = 3, .channels = 3, .frames = 2}, NULL},
    {"[5, 2, 3, 3, 3]", {.size = 3, .channels = 3, .frames = 2, .weights_channels_last = true}, NULL},
    {"[5, 2, 2, 2, 2]",
     {.size = 2, .channels = 2, .frames = 2},
     "is ambiguous: 2 channels, 2 frames and patches of 2"},
    {"[5, 3, 3, 3]", {.size = 3, .channels = 3, .frames = 1}, "is ambiguous"},
    {"[5, 1, 1, 1]", {.size = 1, .channels = 1, .frames = 1}, NULL},
    {"[5, 3, 4, 4, 2]",
     {.size = 4, .channels = 3, .frames = 2},
     "found shape [5, 3, 4, 4, 2], expected [5, 3, 2, 4, 4], or"},
    {"[5, 96]", {.size = 4, .channels = 3, .frames = 2}, "found shape [5, 96], expected [5, 3, 2, 4, 4]"},
    {"[6, 3, 2, 4, 4]", {.size = 4, .channels = 3, .frames = 2}, "expected [5, 3, 2, 4, 4]"},
};

START_TEST(a_convolution_is_bound_in_the_order_that_its_shape_says)
{
    checkpoint c;
    begin(&c, "model.proj.weight", CONVOLUTIONS[_i].shape, 0);
    plan_patches patches = CONVOLUTIONS[_i].patches;
    patches.weights_channels_last = false;
    bind_patches(&c.bind, 5, &patches, false, "proj");
    if (CONVOLUTIONS[_i].error) {
        ck_assert_int_ne(c.bind.status, ASSAY_OK);
        support_expect_error(&c.err, c.bind.status, "tensor 'model.proj.weight'", CONVOLUTIONS[_i].error,
                             NULL);
    } else {
        ck_assert_msg(c.bind.status == ASSAY_OK, "%s", c.err.text);
        ck_assert_int_eq(patches.weights_channels_last, CONVOLUTIONS[_i].patches.weights_channels_last);
        ck_assert_uint_eq(patches.embed.weight.rows, 5);
        ck_assert_uint_eq(patches.embed.weight.cols, elements(CONVOLUTIONS[_i].shape) / 5);
        ck_assert_int_eq(bind_end(&c.bind), ASSAY_EFORMAT); /* the embedding has not been bound */
    }
    end(&c);
}
END_TEST

START_TEST(a_scalar_is_a_number_that_may_be_infinite)
{
    static const struct {
        const char *shape;
        float value;
        assay_status status;
    } SCALARS[] = {{"[]", 3, ASSAY_OK},        {"[1]", -2, ASSAY_OK},     {"[]", INFINITY, ASSAY_OK},
                   {"[]", NAN, ASSAY_EFORMAT}, {"[2]", 3, ASSAY_EFORMAT}, {"[1, 1]", 3, ASSAY_EFORMAT}};
    for (size_t i = 0; i < sizeof SCALARS / sizeof *SCALARS; i++) {
        checkpoint c;
        begin(&c, "model.q.input_min", SCALARS[i].shape, SCALARS[i].value);
        const double value = bind_scalar(&c.bind, "%s.input_min", "q");
        ck_assert_int_eq(c.bind.status, SCALARS[i].status);
        if (c.bind.status == ASSAY_OK) ck_assert(value == (double)SCALARS[i].value);
        else support_expect_error(&c.err, SCALARS[i].status, "tensor 'model.q.input_min'", NULL);
        end(&c);
    }
}
END_TEST

START_TEST(fused_products_have_the_rows_in_order)
{
    checkpoint c;
    static const size_t ROWS[] = {3, 1, 2};
    plan_linear a, b, d;
    begin(&c, "model.qkv.weight", "[6, 2]", 0);
    bind_fused_linears(&c.bind, 3, ROWS, 2, false, (plan_linear *const[]){&a, &b, &d}, "qkv");
    ck_assert_int_eq(c.bind.status, ASSAY_OK);
    const float *all = weight_numbers(&a.weight).data;
    ck_assert_ptr_eq(weight_numbers(&b.weight).data, all + 6);
    ck_assert_ptr_eq(weight_numbers(&d.weight).data, all + 8);
    ck_assert_uint_eq(b.weight.rows, 1);
    ck_assert_uint_eq(d.weight.rows, 2);
    ck_assert_ptr_null(a.bias.data);
    end(&c);
    begin(&c, "model.qkv.weight", "[5, 2]", 0);
    bind_fused_linears(&c.bind, 3, ROWS, 2, true, (plan_linear *const[]){&a, &b, &d}, "qkv");
    support_expect_error(&c.err, ASSAY_EFORMAT, "'model.qkv.weight'", "found shape [5, 2], expected [6, 2]",
                         NULL);
    end(&c);
}
END_TEST

START_TEST(a_tower_is_bound_below_its_own_prefix)
{
    static const char *const PREFIXES[] = {"model.visual.", "visual.", "vision_tower."};
    checkpoint c;
    bind_place old;
    begin(&c, "vision_tower.std_bias", "[2]", 7);
    bind_enter(&c.bind, PREFIXES, 3, "std_bias", &old);
    ck_assert_str_eq(c.bind.prefix, "vision_tower.");
    ck_assert_uint_eq(bind_vector(&c.bind, 2, "std_bias").cols, 2);
    bind_leave(&c.bind, &old);
    ck_assert_str_eq(c.bind.prefix, "model.");
    bind_enter(&c.bind, PREFIXES, 3, "std_scale", &old);
    support_expect_error(&c.err, ASSAY_EFORMAT, "tensor 'model.visual.std_scale' is missing",
                         "(looked below visual., vision_tower. as well)", NULL);
    end(&c);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/plan/bind_tower");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, a_convolution_is_bound_in_the_order_that_its_shape_says, 0,
                        (int)(sizeof CONVOLUTIONS / sizeof *CONVOLUTIONS));
    tcase_add_test(all, a_scalar_is_a_number_that_may_be_infinite);
    tcase_add_test(all, fused_products_have_the_rows_in_order);
    tcase_add_test(all, a_tower_is_bound_below_its_own_prefix);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
