/* HunYuan and HunYuanVL: the names of its tensors in every spelling, its rope, its merger, and what is
 * refused.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include "base/tests/support.h"
#include "model/loader.h"
#include "model/tests/checkpoint.h"
#include "model/tests/header.h"

/* As it is published, as mlx-vlm writes it, and as transformers does, whose other names are below. */
static const struct {
    const char *tower, *text;
    bool is_own;
} SPELLINGS[] = {{"vit.", "model.", false},
                 {"vision_tower.", "language_model.model.", false},
                 {"model.vision_tower.", "model.language_model.", true}};

static const char *const OWN[][2] = {{"perceive.proj.0.", "patch_merger.proj_conv."},
                                     {"perceive.proj.2.", "patch_merger.proj_out."},
                                     {"perceive.", "patch_merger."},
                                     {"layers.0.input_layernorm.", "layers.0.layer_norm1."},
                                     {"layers.1.input_layernorm.", "layers.1.layer_norm1."},
                                     {"layers.0.post_attention_layernorm.", "layers.0.layer_norm2."},
                                     {"layers.1.post_attention_layernorm.", "layers.1.layer_norm2."},
                                     {"layers.0.mlp.dense_h_to_4h.", "layers.0.mlp.fc1."},
                                     {"layers.1.mlp.dense_h_to_4h.", "layers.1.mlp.fc1."},
                                     {"layers.0.mlp.dense_4h_to_h.", "layers.0.mlp.fc2."},
                                     {"layers.1.mlp.dense_4h_to_h.", "layers.1.mlp.fc2."}};

START_TEST(the_names_of_every_spelling_give_the_same_plan)
{
    char from[96], to[96];
    const char *dir = checkpoint_changed("hunyuan_vl/base", NULL, NULL);
    plan *expected = checkpoint_open(checkpoint_changed("hunyuan_vl/base", NULL, NULL));
    header h = header_read(dir);
    for (size_t i = 0; SPELLINGS[_i].is_own && i < sizeof OWN / sizeof *OWN; i++) {
        (void)snprintf(from, sizeof from, "vit.%s", OWN[i][0]);
        (void)snprintf(to, sizeof to, "vit.%s", OWN[i][1]);
        header_rename(&h, from, to);
    }
    header_rename(&h, "vit.", "<tower>");
    header_rename(&h, "model.", SPELLINGS[_i].text);
    header_rename(&h, "<tower>", SPELLINGS[_i].tower);
    header_write(&h);
    header_free(&h);
    plan *p = checkpoint_open(dir);
    ck_assert_uint_eq(p->n_parameters, expected->n_parameters);
    ck_assert_uint_eq(p->n_ignored, 26); /* image_sep */
    ck_assert_uint_eq(p->vision.n_layers, 2);
    plan_free(p);
    plan_free(expected);
}
END_TEST

START_TEST(alpha_scales_the_base_of_a_rope_of_four_axes)
{
    plan *p = checkpoint_open_fixture("hunyuan_vl/base");
    const rope *r = &p->ropes[0];
    ck_assert_int_eq(r->type, ROPE_DEFAULT);
    ck_assert_int_eq(r->sections, ROPE_SECTIONS_DOUBLED);
    ck_assert_double_eq_tol(r->theta, 10000 * pow(50, 16.0 / 14), 1e-6);
    ck_assert(r->section[0] == 2 && r->section[1] == 2 && r->section[2] == 1 && r->section[3] == 3);
    ck_assert_uint_eq(plan_n_axes(p), 4);
    ck_assert_uint_eq(plan_divisible_length(p), SIZE_MAX);
    ck_assert(plan_layer_attention(&p->layers[1])->norms_after_rope);
    plan_free(p);
    p = checkpoint_open_fixture("hunyuan_vl/merge-3");
    ck_assert(p->ropes[0].theta == 10000);
    plan_free(p);
}
END_TEST

START_TEST(its_merger_adds_a_row_after_each_row_of_blocks_and_around_an_image)
{
    plan *p = checkpoint_open_fixture("hunyuan_vl/base");
    const plan_tower *t = &p->vision;
    ck_assert_uint_eq(t->merger.n_steps, 9);
    ck_assert_int_eq(t->merger.steps[5].kind, PLAN_MERGER_ROW_ENDS);
    ck_assert_uint_eq(t->merger.steps[5].row_end.cols, 40);
    ck_assert_int_eq(t->merger.steps[7].kind, PLAN_MERGER_ENDS);
    ck_assert_uint_eq(t->merger.steps[7].end.cols, 26);
    ck_assert_uint_eq(plan_tower_tokens(t, (const size_t[]){1, 4, 6}), 2 * 4 + 2);
    ck_assert(!t->has_rope && t->video_token == -1 && p->positions == PLAN_POSITIONS_IMAGES);
    ck_assert_uint_eq(t->table.weight.rows, 25); /* without the first */
    plan_free(p);
    p = checkpoint_open_fixture("hunyuan_vl/mlx-8bit");
    ck_assert(p->vision.patches.weights_channels_last && !p->vision.merger.steps[1].channels_first);
    plan_free(p);
    p = checkpoint_open_fixture("hunyuan_vl/merge-3");
    ck_assert_int_eq(p->vision.table.kind, PLAN_TABLE_BICUBIC);
    plan_free(p);
}
END_TEST

START_TEST(a_head_that_is_not_tied_is_bound)
{
    plan *p = checkpoint_open_fixture("hunyuan_vl/new");
    ck_assert_str_eq(p->head.name, "lm_head.weight");
    ck_assert(plan_layer_attention(&p->layers[0])->o.bias.data);
    plan_free(p);
}
END_TEST

static const struct {
    const char *fixture, *member, *value;
    assay_status status;
    const char *holds;
} REFUSED[] = {
    {"base", "rope_scaling.xdrope_section", NULL, ASSAY_EFORMAT,
     "mrope_section: missing, expected a list of 4 sizes"},
    {"base", "rope_scaling.xdrope_section", "[2, 2, 4]", ASSAY_EFORMAT, "xdrope_section"},
    {"base", "rope_scaling.xdrope_section", "[2, 2, 2, 3]", ASSAY_EFORMAT, "found a sum of 9, expected 8"},
    {"base", "rope_scaling.mrope_section", "[2, 2, 2, 2]", ASSAY_EFORMAT, "xdrope_section"},
    {"base", "rope_scaling.alpha", NULL, ASSAY_EFORMAT, "alpha"},
    {"base", "rope_scaling.alpha", "0", ASSAY_EFORMAT, "alpha"},
    {"base", "rope_scaling.type", "\"linear\"", ASSAY_EUNSUPPORTED, "expected default, dynamic or xdrope"},
    {"merge-3", "text_config.rope_parameters.alpha", "50", ASSAY_EUNSUPPORTED, "alpha"},
    {"base", "attention_head_dim", "8", ASSAY_EUNSUPPORTED, "attention_head_dim"},
    {"base", "org_vocab_size", "8", ASSAY_EUNSUPPORTED, "org_vocab_size"},
    {"base", "use_qk_norm", "false", ASSAY_EUNSUPPORTED, "use_qk_norm"},
    {"base", "head_dim", NULL, ASSAY_EFORMAT, "head_dim: missing"},
    {"base", "vision_config.interpolate_mode", "\"nearest\"", ASSAY_EUNSUPPORTED, "interpolate_mode"},
    {"base", "vision_config.max_image_size", "26", ASSAY_EFORMAT, "position_embedding"},
    {"base", "vision_config.max_image_size", "3", ASSAY_EFORMAT, "expected at least patch_size, 4"},
    {"base", "vision_config.spatial_merge_size", "1", ASSAY_EUNSUPPORTED, "spatial_merge_size"},
    {"base", "vision_config.temporal_patch_size", "2", ASSAY_EUNSUPPORTED, "temporal_patch_size"},
    {"base", "vision_config.out_hidden_size", "27", ASSAY_EUNSUPPORTED, "out_hidden_size"},
    {"base", "vision_config.num_key_value_heads", "1", ASSAY_EUNSUPPORTED, "num_key_value_heads"},
    {"base", "vision_config.num_hidden_layers", "3", ASSAY_EFORMAT, "layers.2."},
    {"base", "vision_config.head_dim", "5", ASSAY_EUNSUPPORTED, "vision_config.head_dim"},
    {"base", "image_token_id", "61", ASSAY_EFORMAT, "image_token_id: found 61"},
};

START_TEST(members_that_do_not_fit_are_refused)
{
    char fixture[64];
    (void)snprintf(fixture, sizeof fixture, "hunyuan_vl/%s", REFUSED[_i].fixture);
    checkpoint_expect_refusal(fixture, REFUSED[_i].member, REFUSED[_i].value, REFUSED[_i].status,
                              REFUSED[_i].holds, "");
}
END_TEST

START_TEST(alpha_scales_the_base_of_the_first_version)
{
    static const char *const V1[] = {"hunyuan_v1_dense/base", "hunyuan_v1_moe/base"};
    for (size_t k = 0; k < 2; k++) {
        plan *p = checkpoint_open_fixture(V1[k]);
        const plan_attention *a = plan_layer_attention(&p->layers[0]);
        const rope *r = &p->ropes[a->rope];
        ck_assert(r->type == ROPE_DEFAULT && r->sections == ROPE_SECTIONS_NONE && a->norms_after_rope);
        ck_assert_double_eq_tol(r->theta, 10000 * pow(50, 8.0 / 6), 1e-6);
        plan_free(p);
    }
}
END_TEST

START_TEST(each_layer_of_the_first_version_has_its_number_of_experts)
{
    plan *p = checkpoint_open_fixture("hunyuan_v1_moe/options");
    ck_assert(p->layers[0].experts.n_active == 3 && p->layers[1].experts.n_active == 1);
    ck_assert(p->layers[0].experts.shared.intermediate == p->layers[0].experts.intermediate);
    ck_assert(p->layers[0].experts.renormalize && !p->layers[0].experts.shared_gate.data);
    plan_free(p);
    p = checkpoint_open(checkpoint_changed("hunyuan_v1_moe/base", "moe_topk", "1"));
    ck_assert(p->layers[0].experts.n_active == 1 && p->layers[1].experts.n_active == 1);
    plan_free(p);
}
END_TEST

static const struct {
    const char *fixture, *member, *value;
    assay_status status;
    const char *holds;
} REFUSED_V1[] = {
    {"hunyuan_v1_dense/base", "use_qk_norm", "false", ASSAY_EUNSUPPORTED, "use_qk_norm"},
    {"hunyuan_v1_dense/base", "use_cla", "true", ASSAY_EUNSUPPORTED, "use_cla"},
    {"hunyuan_v1_dense/base", "rope_parameters.rope_type", "\"yarn\"", ASSAY_EUNSUPPORTED,
     "expected default, dynamic or xdrope"},
    {"hunyuan_v1_dense/base", "num_experts", "2", ASSAY_EUNSUPPORTED, "num_experts"},
    {"hunyuan_v1_moe/base", "moe_topk", "[2, 6]", ASSAY_EFORMAT,
     "moe_topk: found 6, expected at most the 5 experts"},
    {"hunyuan_v1_moe/base", "moe_topk", "[2]", ASSAY_EFORMAT, "moe_topk: found [2], expected"},
    {"hunyuan_v1_moe/base", "num_experts", "[5, 5]", ASSAY_EFORMAT, "num_experts: found [5,5]"},
    {"hunyuan_v1_moe/base", "norm_topk_prob", "false", ASSAY_EUNSUPPORTED, "norm_topk_prob"},
    {"hunyuan_v1_moe/base", "use_mla", "true", ASSAY_EUNSUPPORTED, "use_mla"},
};

START_TEST(members_of_the_first_version_that_do_not_fit_are_refused)
{
    checkpoint_expect_refusal(REFUSED_V1[_i].fixture, REFUSED_V1[_i].member, REFUSED_V1[_i].value,
                              REFUSED_V1[_i].status, REFUSED_V1[_i].holds, "");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/families/hunyuan");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, the_names_of_every_spelling_give_the_same_plan, 0,
                        (int)(sizeof SPELLINGS / sizeof *SPELLINGS));
    tcase_add_test(all, alpha_scales_the_base_of_a_rope_of_four_axes);
    tcase_add_test(all, its_merger_adds_a_row_after_each_row_of_blocks_and_around_an_image);
    tcase_add_test(all, a_head_that_is_not_tied_is_bound);
    tcase_add_loop_test(all, members_that_do_not_fit_are_refused, 0, (int)(sizeof REFUSED / sizeof *REFUSED));
    tcase_add_test(all, alpha_scales_the_base_of_the_first_version);
    tcase_add_test(all, each_layer_of_the_first_version_has_its_number_of_experts);
    tcase_add_loop_test(all, members_of_the_first_version_that_do_not_fit_are_refused, 0,
                        (int)(sizeof REFUSED_V1 / sizeof *REFUSED_V1));
    suite_add_tcase(suite, all);
    return support_run(suite);
}
