/* ERNIE 4.5, and ERNIE 4.5 VL: both spellings of its config, the names of its tensors, and what is refused.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/tests/support.h"
#include "model/loader.h"
#include "model/tests/checkpoint.h"
#include "model/tests/header.h"
#include "model/tests/weight.h"

static const char *const FIXTURES[] = {"ernie4_5_vl_moe/base", "ernie4_5_vl_moe/new",
                                       "ernie4_5_vl_moe/mlx-8bit"};

START_TEST(every_spelling_has_experts_for_text_and_for_images)
{
    plan *p = checkpoint_open_fixture(FIXTURES[_i]);
    ck_assert(p->layers[0].mlp.present && !p->layers[0].experts.present);
    const plan_layer *layer = &p->layers[1];
    const plan_experts *text = &layer->experts, *own = &layer->own_experts;
    ck_assert(!layer->mlp.present && text->present && own->present);
    ck_assert(text->intermediate != own->intermediate && text->n_experts == own->n_experts);
    ck_assert(text->router.data != own->router.data && text->choice_bias.data != own->choice_bias.data);
    ck_assert_uint_eq(text->choice_bias.cols, text->n_experts);
    ck_assert(text->renormalize && own->renormalize && text->sum_floor == 1e-12);
    ck_assert(text->shared.present && !own->shared.present && !text->shared_gate.data);
    ck_assert(strcmp(text->down[1].name, own->down[1].name) != 0);
    plan_free(p);
}
END_TEST

/* What transformers writes of a model that it has read under the published names, and under its own. */
static const struct {
    const char *fixture, *from, *to;
} SAVED[] = {{"ernie4_5_vl_moe/base", "vision_model.", "model.vision_model."},
             {"ernie4_5_vl_moe/new", "model.language_model.norm.", "model.norm."}};

START_TEST(the_names_that_transformers_saves_give_the_same_plan)
{
    const char *dir = checkpoint_changed(SAVED[_i].fixture, NULL, NULL);
    plan *expected = checkpoint_open_fixture(SAVED[_i].fixture);
    header h = header_read(dir);
    header_rename(&h, SAVED[_i].from, SAVED[_i].to);
    header_write(&h);
    header_free(&h);
    plan *p = checkpoint_open(dir);
    ck_assert_uint_eq(p->n_parameters, expected->n_parameters);
    ck_assert_uint_eq(p->vision.n_layers, expected->vision.n_layers);
    plan_free(p);
    plan_free(expected);
}
END_TEST

/* Routers are stored [D, n_experts], and the experts of images follow those of text. */
START_TEST(published_files_number_both_kinds_of_experts_together)
{
    plan *p = checkpoint_open_fixture("ernie4_5_vl_moe/base");
    const plan_layer *layer = &p->layers[1];
    ck_assert_uint_eq(weight_numbers(&layer->experts.router).row_stride, 1);
    ck_assert_uint_eq(weight_numbers(&layer->own_experts.router).row_stride, 1);
    ck_assert_str_eq(layer->experts.router.name, "model.layers.1.mlp.gate.weight");
    ck_assert_str_eq(layer->own_experts.router.name, "model.layers.1.mlp.gate.weight_1");
    ck_assert_str_eq(layer->experts.up[4].name, "model.layers.1.mlp.experts.4.up_proj.weight");
    ck_assert_str_eq(layer->own_experts.up[0].name, "model.layers.1.mlp.experts.5.up_proj.weight");
    ck_assert_str_eq(layer->experts.choice_bias.name, layer->own_experts.choice_bias.name);
    ck_assert_uint_eq(layer->experts.shared.intermediate, 30);
    plan_free(p);
}
END_TEST

START_TEST(the_marks_of_images_have_the_experts_of_images)
{
    plan *p = checkpoint_open_fixture("ernie4_5_vl_moe/base");
    for (int32_t token = 0; token < 53; token++)
        ck_assert_msg(plan_has_own_experts(p, token) == (token >= 45 && token <= 50), "%d", token);
    ck_assert_int_eq(p->vision.image_token, 50);
    ck_assert_int_eq(p->vision.video_token, -1);
    plan_free(p);
}
END_TEST

START_TEST(pairs_of_its_rope_are_adjacent_and_rows_and_columns_take_turns)
{
    plan *p = checkpoint_open_fixture("ernie4_5_vl_moe/base");
    const rope *r = &p->ropes[0];
    ck_assert_int_eq(r->pairing, ROPE_PAIRS_ADJACENT);
    ck_assert_int_eq(r->sections, ROPE_SECTIONS_ALTERNATING);
    ck_assert(rope_axis(r, 0) == 1 && rope_axis(r, 3) == 2 && rope_axis(r, 4) == 0);
    plan_free(p);
}
END_TEST

START_TEST(its_merger_repeats_the_rows_of_a_still_image)
{
    plan *p = checkpoint_open_fixture("ernie4_5_vl_moe/epsilons");
    const plan_merger *m = &p->vision.merger;
    ck_assert_uint_eq(m->n_steps, 12);
    ck_assert_int_eq(m->steps[0].kind, PLAN_MERGER_CONCATENATE);
    ck_assert_int_eq(m->steps[5].kind, PLAN_MERGER_REPEAT);
    ck_assert_uint_eq(m->steps[6].linear.weight.cols, 2 * 64);
    ck_assert(m->steps[4].norm.epsilon == 1e-6 && m->steps[9].norm.epsilon == 1e-6);
    ck_assert(m->steps[11].norm.kind == PLAN_RMS_NORM && m->steps[11].norm.epsilon == 1e-5);
    ck_assert(p->vision.out_norm.present && p->vision.out_norm.epsilon == 1e-6);
    plan_free(p);
}
END_TEST

START_TEST(layers_with_experts_are_those_that_are_listed)
{
    plan *p = checkpoint_open_fixture("ernie4_5_vl_moe/least-sum");
    ck_assert(p->layers[0].experts.present && !p->layers[1].experts.present);
    ck_assert(p->layers[0].own_experts.sum_floor == 0.7);
    plan_free(p);
}
END_TEST

static const struct {
    const char *fixture, *member, *value;
    assay_status status;
    const char *holds;
} REFUSED[] = {
    {"base", "moe_k", "6", ASSAY_EFORMAT, "moe_k: found 6, expected at most the 5 experts"},
    {"base", "moe_num_experts", "[5, 4]", ASSAY_EUNSUPPORTED, "moe_num_experts"},
    {"base", "moe_gate_act", "\"sigmoid\"", ASSAY_EUNSUPPORTED, "moe_gate_act"},
    {"base", "use_temporal_conv", "false", ASSAY_EUNSUPPORTED, "use_temporal_conv"},
    {"base", "pixel_hidden_size", "17", ASSAY_EUNSUPPORTED, "pixel_hidden_size"},
    {"base", "spatial_conv_size", "3", ASSAY_EUNSUPPORTED, "spatial_conv_size"},
    {"base", "temporal_conv_size", "1", ASSAY_EUNSUPPORTED, "temporal_conv_size"},
    {"base", "rope_scaling.mrope_section", "[1, 3, 3]", ASSAY_EFORMAT, "expected equal numbers"},
    {"base", "vision_config.hidden_size", "8", ASSAY_EUNSUPPORTED, "vision_config.hidden_size"},
    {"base", "vision_config.patch_size", "2147483647", ASSAY_EFORMAT, "expected at most 4096"},
    {"base", "vision_config.in_chans", "1", ASSAY_EUNSUPPORTED, "vision_config.in_chans"},
    {"base", "vision_config.model_type", "\"siglip\"", ASSAY_EUNSUPPORTED, "vision_config.model_type"},
    {"base", "im_patch_id", "53", ASSAY_EFORMAT, "im_patch_id: found 53"},
    {"base", "image_token_id", "3", ASSAY_EUNSUPPORTED, "image_token_id"},
    {"new", "vision_config.temporal_merge_size", "1", ASSAY_EUNSUPPORTED, "temporal_merge_size"},
    {"new", "text_config.mlp_layer_types", "[\"dense\"]", ASSAY_EFORMAT, "mlp_layer_types"},
    {"new", "text_config.mlp_layer_types", "[\"dense\", \"wide\"]", ASSAY_EUNSUPPORTED, "mlp_layer_types[1]"},
    {"new", "text_config.moe_intermediate_size", "[15, 15]", ASSAY_EFORMAT, "vision_moe"},
};

START_TEST(members_that_do_not_fit_are_refused)
{
    char fixture[64];
    (void)snprintf(fixture, sizeof fixture, "ernie4_5_vl_moe/%s", REFUSED[_i].fixture);
    checkpoint_expect_refusal(fixture, REFUSED[_i].member, REFUSED[_i].value, REFUSED[_i].status,
                              REFUSED[_i].holds, "");
}
END_TEST

START_TEST(text_models_have_adjacent_pairs_and_a_range_of_layers_with_experts)
{
    plan *p = checkpoint_open_fixture("ernie4_5/base");
    ck_assert(p->tied && p->ropes[0].pairing == ROPE_PAIRS_ADJACENT && !p->ropes[0].sections);
    plan_free(p);
    p = checkpoint_open_fixture("ernie4_5_moe/options");
    const bool has_experts[] = {false, true, false, false}; /* every second one of 0 … 2 */
    for (size_t i = 0; i < 4; i++) ck_assert(p->layers[i].experts.present == has_experts[i]);
    ck_assert(p->layers[1].experts.sum_floor == 0.7 && !p->layers[1].experts.shared.present);
    plan_free(p);
    p = checkpoint_open_fixture("ernie4_5_moe/base");
    const plan_experts *x = &p->layers[1].experts;
    ck_assert(!p->layers[0].experts.present && x->choice_bias.cols == 5 && x->shared.intermediate == 22);
    ck_assert(x->sum_floor == 1e-12 && !p->head_bias.data);
    plan_free(p);
    p = checkpoint_open_fixture("ernie4_5_moe/bias");
    ck_assert(p->head_bias.cols == p->vocab && p->layers[0].mixer.attention.q.bias.data);
    plan_free(p);
}
END_TEST

START_TEST(the_last_layer_may_be_minus_one)
{
    plan *p = checkpoint_open(checkpoint_changed("ernie4_5_moe/base", "moe_layer_end_index", "-1"));
    ck_assert(p->layers[1].experts.present);
    plan_free(p);
}
END_TEST

static const struct {
    const char *fixture, *member, *value;
    assay_status status;
    const char *holds;
} REFUSED_TEXT[] = {
    {"ernie4_5/base", "use_bias", "true", ASSAY_EFORMAT, "bias' is missing"},
    {"ernie4_5/base", "head_dim", NULL, ASSAY_EFORMAT, "head_dim: missing"},
    {"ernie4_5/base", "moe_norm_gate_logits", "false", ASSAY_EUNSUPPORTED, "moe_norm_gate_logits"},
    {"ernie4_5_moe/base", "moe_k", "6", ASSAY_EFORMAT, "moe_k: found 6, expected at most the 5 experts"},
    {"ernie4_5_moe/base", "moe_layer_end_index", "-2", ASSAY_EFORMAT, "moe_layer_end_index: found -2"},
    {"ernie4_5_moe/base", "moe_intermediate_size", "[11, 11]", ASSAY_EFORMAT, "moe_intermediate_size"},
    {"ernie4_5_moe/bias", "use_bias", "false", ASSAY_EFORMAT, "bias"},
};

START_TEST(members_of_text_models_that_do_not_fit_are_refused)
{
    checkpoint_expect_refusal(REFUSED_TEXT[_i].fixture, REFUSED_TEXT[_i].member, REFUSED_TEXT[_i].value,
                              REFUSED_TEXT[_i].status, REFUSED_TEXT[_i].holds, "");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/families/ernie");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, every_spelling_has_experts_for_text_and_for_images, 0,
                        (int)(sizeof FIXTURES / sizeof *FIXTURES));
    tcase_add_loop_test(all, the_names_that_transformers_saves_give_the_same_plan, 0,
                        (int)(sizeof SAVED / sizeof *SAVED));
    tcase_add_test(all, published_files_number_both_kinds_of_experts_together);
    tcase_add_test(all, the_marks_of_images_have_the_experts_of_images);
    tcase_add_test(all, pairs_of_its_rope_are_adjacent_and_rows_and_columns_take_turns);
    tcase_add_test(all, its_merger_repeats_the_rows_of_a_still_image);
    tcase_add_test(all, layers_with_experts_are_those_that_are_listed);
    tcase_add_loop_test(all, members_that_do_not_fit_are_refused, 0, (int)(sizeof REFUSED / sizeof *REFUSED));
    tcase_add_test(all, text_models_have_adjacent_pairs_and_a_range_of_layers_with_experts);
    tcase_add_test(all, the_last_layer_may_be_minus_one);
    tcase_add_loop_test(all, members_of_text_models_that_do_not_fit_are_refused, 0,
                        (int)(sizeof REFUSED_TEXT / sizeof *REFUSED_TEXT));
    suite_add_tcase(suite, all);
    return support_run(suite);
}
