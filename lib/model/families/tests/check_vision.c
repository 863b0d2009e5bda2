/* Towers as the families read them: members and tensors in every published spelling, and what is refused.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/tests/support.h"
#include "model/loader.h"
#include "model/tests/checkpoint.h"
#include "model/tests/header.h"
#include "model/tests/weight.h"

static assay_error err;

/* Names of a checkpoint: below `tower`, below `text`, and that of the head. */
typedef struct spelling {
    const char *tower, *text, *head;
} spelling;

static const spelling SPELLINGS[] = {
    {"visual.", "model.", "lm_head."},                                      /* before transformers 4.52 */
    {"model.visual.", "model.language_model.", "lm_head."},                 /* since then */
    {"vision_tower.", "language_model.model.", "language_model.lm_head."}}; /* mlx-vlm */

static const char *const FIXTURES[] = {"qwen2_vl/base",     "qwen2_5_vl/base", "qwen3_vl/base",
                                       "qwen3_vl_moe/base", "glm4v/base",      "glm_ocr/base"};
enum { N_SPELLINGS = 3, N_FIXTURES = 6 };

static void respell(header *h, const spelling *to)
{
    for (size_t i = 0; i < N_SPELLINGS; i++) {
        const spelling *from = &SPELLINGS[i];
        char *name = NULL;
        ck_assert_int_ge(asprintf(&name, "%sembed_tokens.weight", from->text), 0);
        const bool is_this = json_object_object_get_ex(h->object, name, NULL);
        free(name);
        if (!is_this) continue;
        /* By names that are no spelling's, so that a name is not respelled twice. */
        header_rename(h, from->tower, "<tower>");
        header_rename(h, from->head, "<head>");
        header_rename(h, from->text, "<text>");
        header_rename(h, "<tower>", to->tower);
        header_rename(h, "<head>", to->head);
        header_rename(h, "<text>", to->text);
        return;
    }
    ck_abort_msg("no spelling fits");
}

START_TEST(names_of_every_spelling_give_the_same_plan)
{
    const char *fixture = FIXTURES[_i / N_SPELLINGS], *dir = checkpoint_changed(fixture, NULL, NULL);
    plan *expected = checkpoint_open(checkpoint_changed(fixture, NULL, NULL));
    header h = header_read(dir);
    respell(&h, &SPELLINGS[_i % N_SPELLINGS]);
    header_write(&h);
    header_free(&h);
    plan *p = checkpoint_open(dir);
    checkpoint_expect_plan(p, expected, "language_model.");
    plan_free(p);
    plan_free(expected);
}
END_TEST

START_TEST(the_names_of_mlx_vlm_give_the_same_tower_of_gemma)
{
    const char *dir = checkpoint_changed("gemma4/tower", NULL, NULL);
    plan *expected = checkpoint_open(checkpoint_changed("gemma4/tower", NULL, NULL));
    ck_assert(expected->vision.present);
    header h = header_read(dir);
    header_rename(&h, "model.language_model.", "language_model.model.");
    header_rename(&h, "model.vision_tower.", "vision_tower.");
    header_rename(&h, "model.embed_vision.", "embed_vision.");
    header_write(&h);
    header_free(&h);
    plan *p = checkpoint_open(dir);
    checkpoint_expect_plan(p, expected, NULL);
    plan_free(p);
    plan_free(expected);
}
END_TEST

START_TEST(a_convolution_with_channels_last_is_bound_as_such)
{
    static const char NAME[] = "model.visual.patch_embed.proj.weight";
    const char *dir = checkpoint_changed("qwen3_vl/base", NULL, NULL);
    header h = header_read(dir);
    plan *p = checkpoint_open(dir);
    ck_assert(!p->vision.patches.weights_channels_last);
    plan_free(p);
    header_reshape(&h, NAME, "[16, 2, 4, 4, 3]");
    header_write(&h);
    p = checkpoint_open(dir);
    ck_assert(p->vision.patches.weights_channels_last);
    ck_assert_uint_eq(p->vision.patches.embed.weight.cols, 96);
    plan_free(p);
    header_free(&h);
}
END_TEST

START_TEST(the_biases_of_a_fused_product_are_divided_with_its_rows)
{
    plan *p = checkpoint_open_fixture("qwen3_vl/base");
    const plan_attention *a = &p->vision.layers[1].attention;
    const plan_linear *const parts[] = {&a->q, &a->k, &a->v};
    const float *weight = a->q.weight.data, *bias = a->q.bias.data;
    for (size_t i = 0; i < 3; i++) {
        ck_assert_uint_eq(parts[i]->weight.rows, 16);
        ck_assert_ptr_eq(weight_numbers(&parts[i]->weight).data, weight + i * 16 * 16);
        ck_assert_uint_eq(parts[i]->bias.cols, 16);
        const double *values = array_data(parts[i]->bias.values);
        for (size_t k = 0; k < 16; k++) ck_assert_double_eq(values[k], (double)bias[i * 16 + k]);
    }
    plan_free(p);
}
END_TEST

/* Features leave the tower in the order of its layers; the mergers are in the order of the list. */
START_TEST(mergers_of_earlier_layers_follow_the_list)
{
    plan *p = checkpoint_open(
        checkpoint_changed("qwen3_vl/base", "vision_config.deepstack_visual_indexes", "[2, 0]"));
    ck_assert_uint_eq(p->vision.n_deepstack, 2);
    ck_assert_uint_eq(p->vision.deepstack[0].tower_layer, 0);
    ck_assert_uint_eq(p->vision.deepstack[1].tower_layer, 2);
    ck_assert_ptr_nonnull(
        strstr(p->vision.deepstack[0].merger.steps[2].linear.weight.name, "deepstack_merger_list.1."));
    ck_assert_ptr_nonnull(
        strstr(p->vision.deepstack[1].merger.steps[2].linear.weight.name, "deepstack_merger_list.0."));
    plan_free(p);
}
END_TEST

START_TEST(windows_are_measured_in_blocks_of_patches)
{
    plan *p = checkpoint_open_fixture("qwen2_5_vl/base");
    size_t n_windows = 0;
    for (size_t i = 0; i < p->vision.n_layers; i++) n_windows += p->vision.layers[i].in_windows;
    ck_assert_uint_gt(n_windows, 0);
    ck_assert_uint_lt(n_windows, p->vision.n_layers);
    plan_free(p);
    p = checkpoint_open(checkpoint_changed("qwen2_5_vl/base", "vision_config.window_size", "31"));
    ck_assert_uint_eq(p->vision.window, 3); /* 31 / 2 / 4 */
    plan_free(p);
    p = checkpoint_open(
        checkpoint_changed("qwen2_5_vl/base", "vision_config.fullatt_block_indexes", "[0, 1, 2, 99]"));
    ck_assert_uint_eq(p->vision.window, 0);
    plan_free(p);
}
END_TEST

START_TEST(a_gemma_without_a_tower_reads_no_images)
{
    plan *p = checkpoint_open_fixture("gemma4/multimodal-old");
    ck_assert(p->vision.present);
    ck_assert_int_eq(p->vision.image_token, 258880);
    ck_assert_int_eq(p->vision.video_token, -1);
    plan_free(p);
    p = checkpoint_open(checkpoint_changed("gemma4/multimodal", "vision_config", "{\"hidden_size\": 18}"));
    ck_assert(!p->vision.present);
    bool noted = false;
    for (size_t i = 0; i < p->n_notes; i++) noted = noted || strstr(p->notes[i], "has no tower");
    ck_assert(noted);
    plan_free(p);
}
END_TEST

/* The limits are the scalars beside each product. */
START_TEST(limits_of_products_come_from_the_checkpoint)
{
    plan *p = checkpoint_open_fixture("gemma4/tower-clipped");
    for (size_t i = 0; i < p->vision.n_layers; i++) {
        const plan_tower_layer *l = &p->vision.layers[i];
        const plan_clamp *const clamps[] = {
            &l->attention.q.clamp, &l->attention.k.clamp, &l->attention.v.clamp, &l->attention.o.clamp,
            &l->mlp.gate.clamp,    &l->mlp.up.clamp,      &l->mlp.down.clamp};
        for (size_t k = 0; k < sizeof clamps / sizeof *clamps; k++) {
            ck_assert(clamps[k]->present);
            ck_assert(clamps[k]->input_min < clamps[k]->input_max &&
                      clamps[k]->output_min < clamps[k]->output_max);
        }
    }
    ck_assert(!p->vision.patches.embed.clamp.present && !p->vision.merger.steps[1].linear.clamp.present);
    plan_free(p);
}
END_TEST

/* Members that change nothing, as published files have them. */
static const struct {
    const char *fixture, *member, *value;
} ACCEPTED[] = {
    {"qwen2_vl/base", "vision_config.in_chans", "3"},
    {"qwen2_vl/base", "vision_config.spatial_patch_size", "4"},
    {"qwen2_vl/base", "vision_config.model_type", "\"qwen2_vl\""},
    {"qwen2_vl/base", "vision_token_id", "5"},
    {"qwen2_5_vl/base", "vision_config.torch_dtype", "\"bfloat16\""},
    {"qwen3_vl/base", "vision_config.rope_parameters", "null"},
    {"qwen3_vl/base", "vision_config.rope_parameters",
     "{\"rope_type\": \"default\", \"rope_theta\": 10000.0}"},
    {"qwen3_vl/base", "vision_config.rope_theta", "10000"},
    {"qwen3_vl/base", "vision_config.model_type", "\"qwen3_vl\""},
    {"qwen3_vl_moe/base", "text_config.norm_topk_prob", "true"},
    {"qwen3_vl_moe/base", "generation_config", "{\"eos_token_id\": 3}"},
    {"paddleocr_vl/base", "vision_config.model_type", "\"paddleocr_vl_vision\""},
    {"paddleocr_vl/base", "video_token_id", "57"},
    {"paddleocr_vl/base", "vision_config.layer_norm_eps", NULL},
    {"glm4v/base", "vision_config.model_type", "\"glm4v_vision\""},
    {"glm4v/base", "vision_config.rms_norm_eps", NULL},
    {"glm4v/base", "video_token_id", "57"},
    {"glm_ocr/base", "vision_config.attention_bias", NULL},
    {"glm_ocr/base", "vision_config.image_size", "99"},
    {"gemma4/multimodal-old", "vision_config.default_output_length", "280"},
    {"gemma4/multimodal-old", "vision_config.global_head_dim", "8"},
};

START_TEST(members_without_effect_are_accepted)
{
    const char *dir = checkpoint_changed(ACCEPTED[_i].fixture, ACCEPTED[_i].member, ACCEPTED[_i].value);
    plan *p = checkpoint_open(dir), *expected = checkpoint_open_fixture(ACCEPTED[_i].fixture);
    ck_assert(p->vision.rope.theta == expected->vision.rope.theta);
    plan_free(expected);
    plan_free(p);
}
END_TEST

/* A tensor that the tower does not have is not passed over as that of a tower left out. */
START_TEST(a_tensor_beside_the_tower_is_left_over)
{
    plan *p = NULL;
    const char *dir = checkpoint_extended("qwen3_vl/base", "vision_config",
                                          "{\"depth\": 2, \"deepstack_visual_indexes\": [0, 1]}");
    header h = header_read(dir);
    respell(&h, &SPELLINGS[2]);
    header_write(&h);
    header_free(&h);
    ck_assert_int_eq(plan_open(dir, &p, &err), ASSAY_EFORMAT);
    support_expect_error(&err, ASSAY_EFORMAT, "tensor 'vision_tower.blocks.2.", "is left over", NULL);
}
END_TEST

/* Of the published files, which have layers 0 to 16. */
START_TEST(glm_ocrs_layer_16_is_not_read)
{
    const char *dir = checkpoint_changed("glm_ocr/base", "text_config.num_hidden_layers", "1");
    header h = header_read(dir);
    header_rename(&h, "model.language_model.layers.1.", "model.language_model.layers.16.");
    header_write(&h);
    header_free(&h);
    plan *p = checkpoint_open(dir);
    bool noted = false;
    ck_assert_uint_eq(p->n_layers, 1);
    for (size_t i = 0; i < p->n_notes; i++) noted = noted || strstr(p->notes[i], "does not load it");
    ck_assert(noted);
    plan_free(p);
}
END_TEST

START_TEST(the_tower_is_printed_for_a_model_card)
{
    static const char *const LINES[] = {
        "positions    512 as trained, those of images by their grids\n",
        "image        token 93 for 2 x 2 patches of 4 x 4 pixels\n",
        "video        token 94, 2 frames a patch, each patch of frames has a run of tokens\n",
        "tower        3 layers, 16 wide\n",
        "patches of 3 channels, 2 frames, 4 x 4 pixels, in blocks, bias\n",
        "learned positions 6 x 6, resampled by two taps, corners aligned\n",
        "rope theta 10000, 8 of 8 elements, row before column\n",
        "tower 00-02  attention 2/2 heads of 8, scale 0.353553, within a frame, rope, bias on q, k, v, bias",
        "features     norm over a patch (LayerNorm, bias), epsilon 1e-06, blocks joined, 64 to 64 with bias, "
        "gelu, "
        "64 to 30 with bias\n",
        "features     of tower 02, added to layer 01: blocks joined, norm over a block (LayerNorm, bias)"};
    plan *p = checkpoint_open_fixture("qwen3_vl/base");
    char *text = checkpoint_text(p);
    for (size_t i = 0; i < sizeof LINES / sizeof *LINES; i++)
        ck_assert_msg(strstr(text, LINES[i]) != NULL, "%s\nis not in\n%s", LINES[i], text);
    free(text);
    plan_free(p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/families/vision");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, names_of_every_spelling_give_the_same_plan, 0, N_FIXTURES * N_SPELLINGS);
    tcase_add_test(all, the_names_of_mlx_vlm_give_the_same_tower_of_gemma);
    tcase_add_test(all, a_convolution_with_channels_last_is_bound_as_such);
    tcase_add_test(all, the_biases_of_a_fused_product_are_divided_with_its_rows);
    tcase_add_test(all, mergers_of_earlier_layers_follow_the_list);
    tcase_add_test(all, glm_ocrs_layer_16_is_not_read);
    tcase_add_test(all, windows_are_measured_in_blocks_of_patches);
    tcase_add_test(all, limits_of_products_come_from_the_checkpoint);
    tcase_add_test(all, a_gemma_without_a_tower_reads_no_images);
    tcase_add_loop_test(all, members_without_effect_are_accepted, 0,
                        (int)(sizeof ACCEPTED / sizeof *ACCEPTED));
    tcase_add_test(all, a_tensor_beside_the_tower_is_left_over);
    tcase_add_test(all, the_tower_is_printed_for_a_model_card);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
