/* SigLIP's tower as PaddleOCR-VL has it: the names of its tensors in every spelling, and what is left out.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/tests/support.h"
#include "model/loader.h"
#include "model/tests/checkpoint.h"
#include "model/tests/header.h"

/* The three spellings of PaddleOCR-VL: as transformers writes it, as it is published, as mlx-vlm writes it.
 */
static const struct {
    const char *tower, *layers, *projector, *text, *head;
} PADDLEOCR[] = {
    {"model.visual.vision_model.", "encoder.", "model.projector.", "model.language_model.", "lm_head."},
    {"visual.vision_model.", "encoder.", "mlp_AR.", "model.", "lm_head."},
    {"visual.", "", "visual.projector.", "language_model.model.", "language_model.lm_head."}};

START_TEST(the_names_of_every_spelling_of_paddleocr_give_the_same_plan)
{
    char layers[64];
    const char *dir = checkpoint_changed("paddleocr_vl/base", NULL, NULL);
    plan *expected = checkpoint_open(checkpoint_changed("paddleocr_vl/base", NULL, NULL));
    header h = header_read(dir);
    header_rename(&h, "visual.vision_model.encoder.", "<layers>");
    header_rename(&h, "visual.vision_model.", "<tower>");
    header_rename(&h, "mlp_AR.", "<projector>");
    header_rename(&h, "lm_head.", "<head>");
    header_rename(&h, "model.", "<text>");
    (void)snprintf(layers, sizeof layers, "%s%s", PADDLEOCR[_i].tower, PADDLEOCR[_i].layers);
    header_rename(&h, "<layers>", layers);
    header_rename(&h, "<tower>", PADDLEOCR[_i].tower);
    header_rename(&h, "<projector>", PADDLEOCR[_i].projector);
    header_rename(&h, "<head>", PADDLEOCR[_i].head);
    header_rename(&h, "<text>", PADDLEOCR[_i].text);
    header_write(&h);
    header_free(&h);
    plan *p = checkpoint_open(dir);
    checkpoint_expect_plan(p, expected, "language_model.");
    plan_free(p);
    plan_free(expected);
}
END_TEST

/* The published files hold both, and the published class loads neither. */
START_TEST(parts_of_siglip_that_paddleocr_does_not_load_are_left_out)
{
    static const char LAYER[] = "visual.vision_model.encoder.layers.1.";
    char mlp[64];
    const char *dir = checkpoint_changed("paddleocr_vl/base", "vision_config.num_hidden_layers", "1");
    header h = header_read(dir);
    (void)snprintf(mlp, sizeof mlp, "%smlp.", LAYER);
    header_rename(&h, mlp, "visual.vision_model.embeddings.packing_position_embedding.");
    header_rename(&h, LAYER, "visual.vision_model.head.");
    header_write(&h);
    header_free(&h);
    plan *p = checkpoint_open(dir);
    ck_assert_uint_eq(p->vision.n_layers, 1);
    ck_assert_uint_eq(p->n_ignored, 4 * (16 * 16 + 16) + 2 * 2 * 16 + 2 * 16 * 22 + 16 + 22);
    plan_free(p);
}
END_TEST

/* Queries, keys and values of mlx-vlm's tower are one product. */
START_TEST(a_fused_product_of_paddleocr_is_divided)
{
    plan *p = checkpoint_open_fixture("paddleocr_vl/mlx-8bit");
    const plan_attention *a = &p->vision.layers[0].attention;
    ck_assert_str_eq(a->q.weight.name, a->v.weight.name);
    ck_assert_uint_eq(a->k.weight.rows, 32);
    ck_assert(p->vision.patches.weights_channels_last);
    ck_assert_int_eq(p->vision.patches.order, PLAN_PATCHES_RASTER);
    plan_free(p);
}
END_TEST

START_TEST(paddleocr_takes_images_only)
{
    plan *p = checkpoint_open_fixture("paddleocr_vl/base");
    ck_assert_int_eq(p->vision.image_token, 57);
    ck_assert_int_eq(p->vision.video_token, -1);
    ck_assert(p->vision.out_norm.epsilon == 1e-6 && p->vision.merger.steps[0].norm.epsilon == 1e-5);
    ck_assert_uint_eq(p->vision.table.side, 5);
    plan_free(p);
}
END_TEST

/* The class reads a flat false as true, and does not tie a head that differs (modeling_utils.py). */
START_TEST(a_stored_head_of_paddleocr_is_bound_and_an_absent_one_is_the_embedding)
{
    plan *p = checkpoint_open_fixture("paddleocr_vl/base");
    ck_assert_str_eq(p->head.name, "lm_head.weight");
    plan_free(p);
    p = checkpoint_open_fixture("paddleocr_vl/old");
    ck_assert_str_eq(p->head.name, p->embedding.name);
    ck_assert(p->ropes[0].theta == 500000 && p->norm.epsilon == 1e-5);
    plan_free(p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/families/siglip");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, the_names_of_every_spelling_of_paddleocr_give_the_same_plan, 0,
                        (int)(sizeof PADDLEOCR / sizeof *PADDLEOCR));
    tcase_add_test(all, parts_of_siglip_that_paddleocr_does_not_load_are_left_out);
    tcase_add_test(all, a_fused_product_of_paddleocr_is_divided);
    tcase_add_test(all, paddleocr_takes_images_only);
    tcase_add_test(all, a_stored_head_of_paddleocr_is_bound_and_an_absent_one_is_the_embedding);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
