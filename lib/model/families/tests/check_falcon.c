/* Falcon-OCR: its names in both spellings, what is resolved, and what is refused.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"
#include "model/loader.h"
#include "model/tests/checkpoint.h"
#include "model/tests/header.h"
#include "model/tests/weight.h"

START_TEST(an_image_is_a_block_that_takes_one_position)
{
    plan *p = checkpoint_open_fixture("falcon_ocr/base");
    const plan_attention *a = plan_layer_attention(&p->layers[1]);
    ck_assert_uint_eq(p->vision.n_layers, 0);
    ck_assert_uint_eq(plan_tower_width(&p->vision), p->hidden);
    ck_assert_int_eq(p->positions, PLAN_POSITIONS_BLOCK);
    ck_assert_uint_eq(p->blocks.n, 6);
    ck_assert_int_eq(p->blocks.id[0], p->vision.image_token);
    ck_assert_int_eq(a->mask, PLAN_MASK_BLOCKS);
    ck_assert_uint_eq(a->n_kv_heads, a->n_heads);
    ck_assert_uint_eq(plan_projected_kv_heads(a), 2);
    ck_assert_uint_eq(p->ropes[a->rope].dim, 6);
    ck_assert_uint_eq(p->plane_rope.first, 6);
    plan_free(p);
}
END_TEST

/* Row 2i of w13 is row i of gate, row 2i + 1 row i of up; mlx-vlm stores gate, then up. */
START_TEST(rows_of_gate_and_up_take_turns_in_published_files)
{
    plan *published = checkpoint_open_fixture("falcon_ocr/base"),
         *mlx = checkpoint_open_fixture("falcon_ocr/converted");
    const plan_mlp *turns = &published->layers[0].mlp, *halves = &mlx->layers[0].mlp;
    const size_t row = published->hidden * 2; /* bytes, of bfloat16 */
    const stored_numbers gate = weight_numbers(&turns->gate.weight), up = weight_numbers(&turns->up.weight),
                         first = weight_numbers(&halves->gate.weight),
                         second = weight_numbers(&halves->up.weight);
    ck_assert_uint_eq(gate.row_stride, 2 * published->hidden);
    ck_assert_uint_eq(up.row_stride, 2 * published->hidden);
    ck_assert_ptr_eq(up.data, (const char *)gate.data + row);
    ck_assert_uint_eq(first.row_stride, published->hidden);
    ck_assert_ptr_eq(second.data, (const char *)first.data + halves->intermediate * row);
    plan_free(published);
    plan_free(mlx);
}
END_TEST

/* The class reads either name of a member. */
START_TEST(both_spellings_of_the_config_give_the_same_plan)
{
    plan *expected = checkpoint_open(checkpoint_changed("falcon_ocr/base", NULL, NULL));
    const char *dir = checkpoint_changed_without("falcon_ocr/base", "hidden_size", "26", "dim");
    plan *p = checkpoint_open(dir);
    checkpoint_expect_plan(p, expected, NULL);
    plan_free(p);
    plan_free(expected);
}
END_TEST

static const struct {
    const char *fixture, *member, *value;
    assay_status status;
    const char *texts[2];
} REFUSED[] = {
    {"falcon_ocr/base", "dim", NULL, ASSAY_EFORMAT, {"dim: missing", ""}},
    {"falcon_ocr/base", "dim", "28", ASSAY_EFORMAT, {"tok_embeddings.weight", "[61, 28]"}},
    {"falcon_ocr/base", "head_dim", "18", ASSAY_EFORMAT, {"head_dim: found 18", "a multiple of 4"}},
    {"falcon_ocr/base", "head_dim", "8", ASSAY_EFORMAT, {"freqs_cis_golden", "[6, 2, 2]"}},
    {"falcon_ocr/base", "n_heads", "5", ASSAY_EFORMAT, {"found 2", "a divisor of the 5 heads"}},
    {"falcon_ocr/base", "n_kv_heads", "3", ASSAY_EFORMAT, {"layers.0.attention.wqkv.weight", "[144, 26]"}},
    {"falcon_ocr/base", "ffn_dim", "34", ASSAY_EFORMAT, {"layers.0.feed_forward.w13.weight", "[68, 26]"}},
    {"falcon_ocr/base", "n_layers", "3", ASSAY_EFORMAT, {"layers.2.", "missing"}},
    {"falcon_ocr/base", "n_layers", "1", ASSAY_EFORMAT, {"layers.1.", "left over"}},
    {"falcon_ocr/base", "n_layers", "99", ASSAY_EFORMAT, {"n_layers: found 99", "tensors"}},
    {"falcon_ocr/base", "spatial_patch_size", "5", ASSAY_EFORMAT, {"img_projector.weight", "[26, 75]"}},
    {"falcon_ocr/base", "channel_size", "1", ASSAY_EFORMAT, {"img_projector.weight", "[26, 16]"}},
    {"falcon_ocr/base",
     "temporal_patch_size",
     "2",
     ASSAY_EUNSUPPORTED,
     {"temporal_patch_size", "expected 1"}},
    {"falcon_ocr/base", "img_id", "61", ASSAY_EFORMAT, {"img_id: found 61", "below vocab_size (61)"}},
    {"falcon_ocr/base", "img_end_id", "52", ASSAY_EUNSUPPORTED, {"img_end_id: found 52", "than img_id"}},
    {"falcon_ocr/base", "tie_word_embeddings", "true", ASSAY_EUNSUPPORTED, {"tie_word_embeddings", ""}},
    {"falcon_ocr/base", "rope_scaling", "{\"type\": \"linear\"}", ASSAY_EUNSUPPORTED, {"rope_scaling", ""}},
    {"falcon_ocr/base", "rope_theta", "0", ASSAY_EFORMAT, {"rope_theta", ""}},
};

START_TEST(what_does_not_fit_is_refused)
{
    checkpoint_expect_refusal(REFUSED[_i].fixture, REFUSED[_i].member, REFUSED[_i].value, REFUSED[_i].status,
                              REFUSED[_i].texts[0], REFUSED[_i].texts[1]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/families/falcon");
    TCase *all = tcase_create("all");
    tcase_add_test(all, an_image_is_a_block_that_takes_one_position);
    tcase_add_test(all, rows_of_gate_and_up_take_turns_in_published_files);
    tcase_add_test(all, both_spellings_of_the_config_give_the_same_plan);
    tcase_add_loop_test(all, what_does_not_fit_is_refused, 0, (int)(sizeof REFUSED / sizeof *REFUSED));
    suite_add_tcase(suite, all);
    return support_run(suite);
}
