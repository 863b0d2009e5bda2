/* FP8 experts that are parameters of their module, as transformers has them: one stack of codes, one of
 * scales.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/bind_experts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tests/support.h"
#include "model/formats/quantization.h"
#include "model/numerics/stored.h"
#include "model/tests/header.h"

enum { N_EXPERTS = 3, INNER = 4, HIDDEN = 32 };

/* Adds a tensor; `data` is copied. */
static void add_tensor(header *h, const char *name, const char *dtype, const char *shape, const void *data,
                       size_t n_bytes)
{
    char text[200];
    (void)snprintf(text, sizeof text, "{\"dtype\": \"%s\", \"shape\": %s, \"data_offsets\": [%zu, %zu]}",
                   dtype, shape, h->n_data, h->n_data + n_bytes);
    json_object_object_add(h->object, name, json_tokener_parse(text));
    h->data = realloc(h->data, h->n_data + n_bytes);
    ck_assert_ptr_nonnull(h->data);
    memcpy(h->data + h->n_data, data, n_bytes);
    h->n_data += n_bytes;
}

/* A stack of codes, whose bytes count from first to first + 7, and its scales 1, 2, 3 …, n of them. */
static void add_stack(header *h, const char *name, const char *shape, size_t n_codes, unsigned char first,
                      const char *scale_shape, size_t n)
{
    char full[80], beside[100];
    unsigned char codes[N_EXPERTS * 2 * INNER * HIDDEN];
    float scales[N_EXPERTS * 2 * INNER * HIDDEN];
    (void)snprintf(full, sizeof full, "model.layers.0.mlp.experts.%s", name);
    (void)snprintf(beside, sizeof beside, "%s_scale_inv", full);
    for (size_t i = 0; i < n_codes; i++) codes[i] = (unsigned char)(first + i % 8);
    for (size_t i = 0; i < n; i++) scales[i] = (float)(i + 1);
    add_tensor(h, full, first ? "F8_E4M3" : "I8", shape, codes, n_codes);
    if (n) add_tensor(h, beside, "F32", scale_shape, scales, n * sizeof *scales);
}

/* 1, 1⅛, 1¼, … in e4m3. */
#define ONE  0x38
#define UP   "[3, 8, 32]"
#define DOWN "[3, 32, 4]"

static const struct stacks {
    const char *settings, *up_shape, *down_shape;  /* of scales */
    size_t n_up, n_down, rows, up_cols, down_cols; /* scales; blocks of the two */
} STACKS[] = {
    {"\"weight_block_size\": [3, 20]", "[3, 3, 2]", "[3, 11, 1]", 18, 33, 3, 20, 20},
    {"\"weight_block_size\": [128, 16], \"activation_scheme\": \"static\"", "[3, 1, 2]", "[3, 1, 1]", 6, 3,
     128, 16, 16},
    {"\"weight_block_size\": null", "[3, 1, 1]", "[3, 1, 1]", 3, 3, 128, 128, 128},
    {"\"activation_scheme\": \"static\"", "[3]", "[3]", 3, 3, 128, 128, 128},
    /* a row of scales for gate, and one for up */
    {"\"weight_block_size\": [128, 16]", "[3, 2, 2]", "[3, 1, 1]", 12, 3, INNER, 16, 16},
    {"\"weight_block_size\": null", "[3, 2, 1]", "[3, 1, 1]", 6, 3, INNER, 128, 128},
};

typedef struct binding {
    header h;
    config_notes notes;
    config c;
    bind b;
    weights *w;
    array_list *arrays;
    layout_list *all;
    json_object *document;
    plan_experts x;
    assay_error err;
} binding;

static void begin(binding *t)
{
    const float one = 1;
    *t = (binding){.h.object = json_object_new_object()};
    add_tensor(&t->h, "model.embed_tokens.weight", "F32", "[1]", &one, sizeof one);
}

/* Binds the experts of what has been added. */
static assay_status finish(binding *t, const char *settings)
{
    char text[300];
    const char *dir = support_tmpdir();
    (void)snprintf(text, sizeof text, "{\"quantization_config\": {\"quant_method\": \"fp8\", %s}}", settings);
    ck_assert_int_ge(asprintf(&t->h.path, "%s/model.safetensors", dir), 0);
    header_write(&t->h);
    t->document = json_tokener_parse(text);
    t->all = layouts_open();
    t->x = (plan_experts){.n_experts = N_EXPERTS, .intermediate = INNER};
    config_begin(&t->c, "config.json", "", t->document, &t->notes, &t->err);
    ck_assert_msg(weights_open(dir, &t->w, &t->err) == ASSAY_OK, "%s", t->err.text);
    ck_assert_int_eq(array_list_open(&t->arrays, NULL), ASSAY_OK);
    bind_begin(&t->b, t->w, t->arrays, t->all, dir, &t->c, &t->err);
    quantization_read(&t->c, &t->b.rules);
    bind_experts(&t->b, &t->x, HIDDEN, 0, "layers.0.mlp.experts", "layers.0.mlp.switch_mlp");
    return t->b.status;
}

static void end(binding *t)
{
    free(t->x.gate);
    free(t->x.up);
    free(t->x.down);
    free(t->b.used);
    free(t->b.storages);
    rules_free(&t->b.rules);
    config_drop(&t->c);
    config_notes_free(&t->notes);
    array_list_free(t->arrays);
    layouts_free(t->all);
    weights_free(t->w);
    json_object_put(t->document);
    header_free(&t->h);
}

/* Matrix e of a stack of `rows` rows; w: rows `first` on of it. */
static void expect(const plan_weight *w, size_t e, size_t rows, size_t first, size_t block_rows,
                   size_t block_cols)
{
    const size_t down = (rows + block_rows - 1) / block_rows,
                 across = (w->cols + block_cols - 1) / block_cols;
    double found[HIDDEN];
    for (size_t r = 0; r < w->rows; r++) {
        stored_block(&w->stored, r, 1, 0, w->cols, found, w->cols);
        for (size_t k = 0; k < w->cols; k++) {
            const size_t row = first + r, at = (e * rows + row) * w->cols + k;
            const size_t scale = (e * down + row / block_rows) * across + k / block_cols + 1;
            ck_assert_double_eq(found[k], (double)scale * (1 + (double)(at % 8) / 8));
        }
    }
}

START_TEST(a_stack_has_a_stack_of_scales)
{
    const struct stacks *s = &STACKS[_i];
    const float inputs[N_EXPERTS] = {1, 2, 3};
    binding t;
    begin(&t);
    add_stack(&t.h, "gate_up_proj", UP, N_EXPERTS * 2 * INNER * HIDDEN, ONE, s->up_shape, s->n_up);
    add_stack(&t.h, "down_proj", DOWN, N_EXPERTS * INNER * HIDDEN, ONE, s->down_shape, s->n_down);
    if (strstr(s->settings, "static"))
        add_tensor(&t.h, "model.layers.0.mlp.experts.gate_up_proj_activation_scale", "F32", "[3]", inputs,
                   sizeof inputs);
    ck_assert_msg(finish(&t, s->settings) == ASSAY_OK, "%s", t.err.text);
    for (size_t e = 0; e < N_EXPERTS; e++) {
        expect(&t.x.gate[e], e, 2 * INNER, 0, s->rows, s->up_cols);
        expect(&t.x.up[e], e, 2 * INNER, INNER, s->rows, s->up_cols);
        expect(&t.x.down[e], e, HIDDEN, 0, s->rows == INNER ? 128 : s->rows, s->down_cols);
    }
    for (size_t i = 0; i < weights_count(t.w); i++)
        ck_assert_msg(t.b.used[i] || strstr(weights_at(t.w, i)->name, "embed"), "%s",
                      weights_at(t.w, i)->name);
    end(&t);
}
END_TEST

/* Codes 0 to 7 in the low half of a byte, 0 in the high one: 0, ½, 1, 1½, 2, 3, 4, 6. */
START_TEST(a_stack_of_fours_has_a_scale_for_32_inputs)
{
    static const double FOURS[] = {0, .5, 1, 1.5, 2, 3, 4, 6};
    binding t;
    double row[HIDDEN];
    begin(&t);
    add_stack(&t.h, "gate_up_proj", "[3, 8, 16]", N_EXPERTS * INNER * HIDDEN, 0, "[3, 8, 1]", 24);
    add_stack(&t.h, "down_proj", DOWN, N_EXPERTS * INNER * HIDDEN, ONE, "[3, 1, 1]", 3);
    ck_assert_int_ne(finish(&t, "\"weight_block_size\": null, \"expert_dtype\": \"fp4\""), ASSAY_OK);
    ck_assert_msg(strstr(t.err.text, "down_proj"), "%s", t.err.text); /* rows of 4 have no groups of 32 */
    stored_block(&t.x.up[2].stored, 1, 1, 0, HIDDEN, row, HIDDEN);
    for (size_t k = 0; k < HIDDEN; k++) ck_assert_double_eq(row[k], k % 2 ? 0 : 22 * FOURS[k / 2 % 8]);
    end(&t);
}
END_TEST

static const struct refused {
    const char *settings, *up_shape, *fragment;
    size_t n_up;
} REFUSED[] = {
    {"\"weight_block_size\": [4, 32]", "", "'model.layers.0.mlp.experts.gate_up_proj_scale_inv' is missing",
     0},
    {"\"weight_block_size\": [4, 32]", "[3, 1, 2]",
     "gate_up_proj_scale_inv': found shape [3, 1, 2], expected [3, 2, 1]", 6},
    {"\"weight_block_size\": [2, 32]", "[3, 2, 1]", "found shape [3, 2, 1], expected [3, 4, 1]", 6},
    {"\"weight_block_size\": null", "[3, 1, 2]", "found shape [3, 1, 2], expected [3, 1, 1]", 6},
    {"\"modules_to_not_convert\": [\"experts\"]", "[3, 1, 1]", "gate_up_proj': found type F8_E4M3", 3},
};

START_TEST(contradictions_are_refused)
{
    const struct refused *r = &REFUSED[_i];
    binding t;
    begin(&t);
    add_stack(&t.h, "gate_up_proj", UP, N_EXPERTS * 2 * INNER * HIDDEN, ONE, r->up_shape, r->n_up);
    ck_assert_int_ne(finish(&t, r->settings), ASSAY_OK);
    ck_assert_msg(strstr(t.err.text, r->fragment), "%s", t.err.text);
    end(&t);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/plan/stacks");
    TCase *all = tcase_create("fp8");
    tcase_add_loop_test(all, a_stack_has_a_stack_of_scales, 0, sizeof STACKS / sizeof *STACKS);
    tcase_add_test(all, a_stack_of_fours_has_a_scale_for_32_inputs);
    tcase_add_loop_test(all, contradictions_are_refused, 0, sizeof REFUSED / sizeof *REFUSED);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
