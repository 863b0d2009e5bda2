/* Plans of checkpoints that MLX has quantised.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/tests/support.h"
#include "model/formats/quantization.h"
#include "model/loader.h"
#include "model/plan/print.h"
#include "model/tests/checkpoint.h"
#include "model/tests/reading.h"
#include "model/tests/weight.h"

static void expect_groups(const plan_weight *w, size_t bits, size_t group, assay_dtype dtype)
{
    const affine a = weight_affine(w);
    ck_assert_msg(a.bits == bits && a.group == group, "%s: %zu bits in groups of %zu", w->name, a.bits,
                  a.group);
    ck_assert_int_eq(a.scale_dtype, dtype);
    ck_assert_int_eq(a.bias_dtype, dtype);
}

START_TEST(matrices_are_quantised_and_vectors_are_not)
{
    plan *p = checkpoint_open_fixture("llama/mlx-4bit");
    const plan_layer *layer = &p->layers[1];
    expect_groups(&p->embedding, 4, 64, ASSAY_BF16);
    expect_groups(&p->head, 4, 64, ASSAY_BF16);
    expect_groups(&layer->mixer.attention.v.weight, 4, 64, ASSAY_BF16);
    expect_groups(&layer->mlp.down.weight, 4, 64, ASSAY_BF16);
    ck_assert(layer->mlp.down.weight.rows == 64 && layer->mlp.down.weight.cols == 192);
    ck_assert_int_eq(weight_numbers(&layer->mlp_in.weight).dtype, ASSAY_BF16);
    plan_free(p);
}
END_TEST

START_TEST(a_tied_head_shares_the_groups_of_the_embedding)
{
    plan *p = checkpoint_open_fixture("qwen3/mlx-3bit");
    expect_groups(&p->head, 3, 64, ASSAY_BF16);
    ck_assert(p->head.data == p->embedding.data);
    ck_assert_ptr_eq(weight_affine(&p->head).scales, weight_affine(&p->embedding).scales);
    plan_free(p);
}
END_TEST

START_TEST(a_matrix_that_mlx_did_not_quantise_is_read_unchanged)
{
    plan *p = checkpoint_open_fixture("llama/mlx-2bit"); /* o_proj: rows of 48, groups of 128 */
    const plan_attention *a = &p->layers[0].mixer.attention;
    ck_assert_int_eq(weight_numbers(&a->o.weight).dtype, ASSAY_F32);
    expect_groups(&a->q.weight, 2, 128, ASSAY_F32);
    ck_assert_int_eq(weight_numbers(&a->q.bias).dtype, ASSAY_F32);
    plan_free(p);
}
END_TEST

START_TEST(a_module_that_is_named_has_its_own_groups)
{
    plan *p = checkpoint_open_fixture("qwen3/mlx-5bit");
    expect_groups(&p->embedding, 6, 32, ASSAY_F32);
    expect_groups(&p->layers[0].mixer.attention.q.weight, 8, 64, ASSAY_F32);
    expect_groups(&p->layers[1].mixer.attention.q.weight, 5, 32, ASSAY_F32);
    expect_groups(&p->layers[1].mlp.up.weight, 3, 32, ASSAY_F32);
    expect_groups(&p->layers[1].mlp.gate.weight, 5, 64, ASSAY_F32);
    ck_assert_uint_eq(weight_affine(&p->layers[1].mixer.attention.k.weight).bits, 0);
    plan_free(p);
}
END_TEST

START_TEST(every_expert_has_its_own_rows_of_a_stack)
{
    plan *p = checkpoint_open_fixture("qwen3_moe/mlx-6bit");
    const plan_experts *x = &p->layers[0].experts;
    const size_t row = 64 / 32 * 6 * 4, scales = 64 / 32 * 2; /* bytes of a row of gate */
    for (size_t e = 0; e < x->n_experts; e++) {
        expect_groups(&x->gate[e], 6, 32, ASSAY_BF16);
        ck_assert(x->gate[e].rows == 32 && x->gate[e].cols == 64 && x->down[e].cols == 32);
        ck_assert_ptr_eq((const char *)x->gate[0].data + e * 32 * row, x->gate[e].data);
        const affine first = weight_affine(&x->gate[0]), own = weight_affine(&x->gate[e]);
        ck_assert_ptr_eq((const char *)first.scales + e * 32 * scales, own.scales);
        ck_assert_ptr_eq((const char *)first.biases + e * 32 * scales, own.biases);
    }
    expect_groups(&x->router, 8, 64, ASSAY_BF16);
    plan_free(p);
    p = checkpoint_open_fixture("qwen3_moe/mlx-4bit-mixed");
    x = &p->layers[0].experts;
    expect_groups(&x->down[1], 8, 32, ASSAY_F32);
    expect_groups(&x->gate[1], 4, 32, ASSAY_F32);
    const stored_numbers numbers = weight_numbers(&x->up[1]);
    ck_assert_int_eq(numbers.dtype, ASSAY_F32);
    ck_assert_ptr_eq((const char *)weight_numbers(&x->up[0]).data + 32 * 64 * sizeof(float), numbers.data);
    plan_free(p);
}
END_TEST

START_TEST(parameters_are_counted_as_elements_not_as_words)
{
    plan *p = checkpoint_open_fixture("qwen3/mlx-5bit");
    size_t n_elements = 0, n_affine = 0;
    for (size_t i = 0; i < p->n_storages; i++) {
        n_elements += p->storages[i].n_elements;
        n_affine += p->storages[i].bits ? p->storages[i].n_tensors : 0;
        if (p->storages[i].bits == 3) ck_assert_uint_eq(p->storages[i].n_elements, 96 * 64);
    }
    ck_assert_uint_eq(n_elements, p->n_parameters);
    ck_assert_uint_eq(n_affine, 14); /* 2 × 7 in the layers, but for one; the embedding */
    ck_assert_uint_eq(p->embedding.rows * p->embedding.cols, 61 * 64);
    plan_free(p);
}
END_TEST

START_TEST(the_plan_prints_the_storage)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    plan *p = checkpoint_open_fixture("gemma4/mlx-4bit-experts");
    plan_print(p, NULL, out);
    (void)fclose(out);
    ck_assert_ptr_nonnull(
        strstr(text, "stored       MLX affine, 4 bits in groups of 64, scales in BF16, biases in BF16: "));
    ck_assert_ptr_nonnull(
        strstr(text, "stored       MLX affine, 8 bits in groups of 64, scales in BF16, biases in BF16: "));
    ck_assert_ptr_nonnull(strstr(text, "stored       BF16: "));
    plan_free(p);
    free(text);
}
END_TEST

static bool has_note(const plan *p, const char *note)
{
    for (size_t i = 0; i < p->n_notes; i++)
        if (strstr(p->notes[i], note)) return true;
    return false;
}

static const struct acceptance {
    const char *fixture, *member, *value;
    const char *note; /* an expected note; NULL: any */
} ACCEPTED[] = {
    {"llama/mlx-4bit", "quantization_config", NULL, NULL},
    {"llama/mlx-4bit", "quantization", NULL, NULL},
    {"llama/base", "quantization", "{\"group_size\": 64, \"bits\": 4}", NULL},
    {"llama/base", "quantization", "{\"group_size\": 64, \"bits\": 4, \"lm_head\": false}", NULL},
    {"llama/base", "quantization", "{\"group_size\": 64, \"bits\": 4, \"tower.proj\": {\"bits\": 8}}",
     "quantization.tower.proj.group_size: absent, default 64 taken"},
    {"llama/base", "quantization", "{\"group_size\": 64, \"bits\": 4, \"tower.proj\": {\"group_size\": 32}}",
     "quantization.tower.proj.bits: absent, default 4 taken"},
    {"llama/base", "quantization", "{\"group_size\": 64, \"bits\": 4, \"tower.proj\": true}",
     "quantization.tower.proj: no such tensors, not used"},
    {"gemma4/multimodal", "quantization", "{\"group_size\": 64, \"bits\": 4}", NULL},
};

START_TEST(other_members_of_mlx_are_accepted)
{
    const struct acceptance *a = &ACCEPTED[_i];
    plan *p = checkpoint_open(checkpoint_changed(a->fixture, a->member, a->value));
    ck_assert(!a->note || has_note(p, a->note));
    ck_assert(!has_note(p, "not understood"));
    plan_free(p);
}
END_TEST

START_TEST(the_settings_of_a_module_are_found_by_its_path)
{
    static const struct {
        const char *path;
        bool is_named;
        size_t bits, group;
    } modules[] = {{"other", false, 4, 32}, {"bits", false, 4, 32}, {"off", true, 0, 0},  {"on", true, 4, 32},
                   {"all", true, 8, 128},   {"some", true, 3, 64},  {"none", true, 4, 64}};
    reading r;
    rules all;
    reading_start(
        &r, "{\"quantization\": {\"group_size\": 32, \"bits\": 4, \"off\": false, \"on\": true, \"all\": "
            "{\"bits\": 8, \"group_size\": 128}, \"some\": {\"bits\": 3}, \"none\": {}}}");
    quantization_read(&r.c, &all);
    ck_assert_msg(r.c.status == ASSAY_OK, "%s", r.err.text);
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
        const format_module is = rules_find(&all, modules[i].path);
        ck_assert_int_eq(is.is_named, modules[i].is_named);
        ck_assert_uint_eq(is.bits, modules[i].bits);
        ck_assert_uint_eq(is.group, modules[i].group);
    }
    rules_free(&all);
    reading_finish(&r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/plan/quantized");
    TCase *all = tcase_create("groups");
    tcase_add_test(all, matrices_are_quantised_and_vectors_are_not);
    tcase_add_test(all, a_tied_head_shares_the_groups_of_the_embedding);
    tcase_add_test(all, a_matrix_that_mlx_did_not_quantise_is_read_unchanged);
    tcase_add_test(all, a_module_that_is_named_has_its_own_groups);
    tcase_add_test(all, every_expert_has_its_own_rows_of_a_stack);
    tcase_add_test(all, parameters_are_counted_as_elements_not_as_words);
    tcase_add_test(all, the_plan_prints_the_storage);
    tcase_add_test(all, the_settings_of_a_module_are_found_by_its_path);
    tcase_add_loop_test(all, other_members_of_mlx_are_accepted, 0, (int)(sizeof ACCEPTED / sizeof *ACCEPTED));
    suite_add_tcase(suite, all);
    return support_run(suite);
}
