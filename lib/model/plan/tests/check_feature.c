/* Which parts a plan needs, and that an engine without one of them refuses it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/feature.h"

#include <inttypes.h>

#include "base/tests/support.h"
#include "model/loader.h"
#include "model/tests/checkpoint.h"

static const struct {
    const char *fixture;
    uint64_t needed, tower_needed;
} NEEDED[] = {
    {"llama/base", 0, 0},
    {"qwen2/base", PLAN_BIASES, 0},
    {"qwen3/window", PLAN_WINDOW | PLAN_HEAD_NORMS, 0},
    {"qwen3_moe/base", PLAN_HEAD_NORMS | PLAN_EXPERTS, 0},
    {"olmo2/base", PLAN_PROJECTION_NORMS | PLAN_POST_NORMS | PLAN_NO_PRE_NORMS, 0},
    {"granite/base", PLAN_EMBEDDING_SCALE | PLAN_RESIDUAL_FACTOR | PLAN_LOGIT_FACTOR, 0},
    {"gemma/base", PLAN_NORM_OFFSET | PLAN_EMBEDDING_SCALE, 0},
    {"gemma2/base",
     PLAN_WINDOW | PLAN_NORM_OFFSET | PLAN_SCORE_CAP | PLAN_LOGIT_CAP | PLAN_POST_NORMS |
         PLAN_EMBEDDING_SCALE,
     0},
    {"gemma3n/text",
     PLAN_WINDOW | PLAN_SHARED_KEYS | PLAN_HEAD_NORMS | PLAN_POST_NORMS | PLAN_EMBEDDING_SCALE |
         PLAN_LOGIT_CAP | PLAN_SPARSE_MLP | PLAN_LAYER_INPUTS | PLAN_LAUREL | PLAN_STREAMS,
     0},
    {"gemma3n/images-epsilons",
     PLAN_WINDOW | PLAN_SHARED_KEYS | PLAN_HEAD_NORMS | PLAN_POST_NORMS | PLAN_EMBEDDING_SCALE |
         PLAN_LOGIT_CAP | PLAN_SPARSE_MLP | PLAN_LAYER_INPUTS | PLAN_LAUREL | PLAN_STREAMS | PLAN_TOWER |
         PLAN_ID_TABLE,
     PLAN_TOWER_RASTER | PLAN_TOWER_POST_NORMS | PLAN_TOWER_POOLING | PLAN_TOWER_MERGER_NORMS |
         PLAN_TOWER_CONV | PLAN_TOWER_CONV_ATTENTION | PLAN_TOWER_CONV_KEYS | PLAN_TOWER_CONV_SCALES},
    {"gemma4/k-eq-v",
     PLAN_WINDOW | PLAN_VALUE_IS_KEY | PLAN_HEAD_NORMS | PLAN_POST_NORMS | PLAN_EMBEDDING_SCALE |
         PLAN_LAYER_SCALAR,
     0},
    {"gemma4/blocks",
     PLAN_WINDOW | PLAN_SHARED_KEYS | PLAN_HEAD_NORMS | PLAN_POST_NORMS | PLAN_EMBEDDING_SCALE |
         PLAN_LAYER_INPUTS | PLAN_LAYER_SCALAR | PLAN_PLACEHOLDERS | PLAN_BLOCKS,
     0},
    {"qwen2_vl/base", PLAN_BIASES | PLAN_ROPE_AXES | PLAN_TOWER | PLAN_GRID_POSITIONS,
     PLAN_TOWER_ROPE | PLAN_TOWER_VIDEOS},
    {"qwen2_5_vl/base", PLAN_BIASES | PLAN_ROPE_AXES | PLAN_TOWER | PLAN_GRID_POSITIONS,
     PLAN_TOWER_ROPE | PLAN_TOWER_WINDOWS | PLAN_TOWER_VIDEOS},
    {"qwen3_5/base", PLAN_HEAD_NORMS | PLAN_NORM_OFFSET | PLAN_ROPE_AXES | PLAN_DELTA | PLAN_OUTPUT_GATE, 0},
    {"qwen3_5_moe/base",
     PLAN_HEAD_NORMS | PLAN_NORM_OFFSET | PLAN_ROPE_AXES | PLAN_DELTA | PLAN_OUTPUT_GATE | PLAN_EXPERTS |
         PLAN_SHARED_EXPERT,
     0},
    {"qwen3_5/tower",
     PLAN_HEAD_NORMS | PLAN_NORM_OFFSET | PLAN_ROPE_AXES | PLAN_DELTA | PLAN_OUTPUT_GATE | PLAN_TOWER |
         PLAN_GRID_POSITIONS,
     PLAN_TOWER_BILINEAR | PLAN_TOWER_ROPE | PLAN_TOWER_VIDEOS},
    {"qwen3_vl/base", PLAN_HEAD_NORMS | PLAN_ROPE_AXES | PLAN_TOWER | PLAN_GRID_POSITIONS,
     PLAN_TOWER_BILINEAR | PLAN_TOWER_ROPE | PLAN_TOWER_DEEPSTACK | PLAN_TOWER_VIDEOS},
    {"qwen3_vl_moe/base", PLAN_HEAD_NORMS | PLAN_ROPE_AXES | PLAN_EXPERTS | PLAN_TOWER | PLAN_GRID_POSITIONS,
     PLAN_TOWER_BILINEAR | PLAN_TOWER_ROPE | PLAN_TOWER_DEEPSTACK | PLAN_TOWER_VIDEOS},
    {"qwen3_omni_moe/base",
     PLAN_HEAD_NORMS | PLAN_ROPE_AXES | PLAN_EXPERTS | PLAN_TOWER | PLAN_AUDIO | PLAN_GRID_POSITIONS,
     PLAN_TOWER_BILINEAR | PLAN_TOWER_ROPE | PLAN_TOWER_DEEPSTACK | PLAN_TOWER_VIDEOS | PLAN_TOWER_RASTER |
         PLAN_TOWER_WINDOWS | PLAN_TOWER_POST_NORMS | PLAN_TOWER_SOUND | PLAN_TOWER_SINUSOIDS},
    {"paddleocr_vl/base", PLAN_ROPE_AXES | PLAN_TOWER | PLAN_GRID_POSITIONS,
     PLAN_TOWER_RASTER | PLAN_TOWER_BILINEAR | PLAN_TOWER_ROPE | PLAN_TOWER_POST_NORMS},
    {"glm4v/base", PLAN_POST_NORMS | PLAN_BIASES | PLAN_ROPE_AXES | PLAN_TOWER | PLAN_GRID_POSITIONS,
     PLAN_TOWER_IN_NORM | PLAN_TOWER_BICUBIC | PLAN_TOWER_ROPE | PLAN_TOWER_POST_NORMS |
         PLAN_TOWER_MERGER_CONVOLUTION | PLAN_TOWER_MERGER_NORMS | PLAN_TOWER_MERGER_MLP},
    {"glm4v_moe/base",
     PLAN_BIASES | PLAN_ROPE_AXES | PLAN_TOWER | PLAN_GRID_POSITIONS | PLAN_EXPERTS | PLAN_SHARED_EXPERT |
         PLAN_CHOICE_BIAS | PLAN_SIGMOIDS | PLAN_GROUPS | PLAN_SUM_OFFSET | PLAN_SHARE_FACTOR,
     PLAN_TOWER_IN_NORM | PLAN_TOWER_BICUBIC | PLAN_TOWER_ROPE | PLAN_TOWER_POST_NORMS |
         PLAN_TOWER_MERGER_CONVOLUTION | PLAN_TOWER_MERGER_NORMS | PLAN_TOWER_MERGER_MLP},
    {"glm_ocr/base", PLAN_POST_NORMS | PLAN_ROPE_AXES | PLAN_TOWER | PLAN_GRID_POSITIONS,
     PLAN_TOWER_ROPE | PLAN_TOWER_POST_NORMS | PLAN_TOWER_HEAD_NORMS | PLAN_TOWER_MERGER_CONVOLUTION |
         PLAN_TOWER_MERGER_NORMS | PLAN_TOWER_MERGER_MLP},
    {"ernie4_5_vl_moe/base",
     PLAN_ROPE_AXES | PLAN_TOWER | PLAN_GRID_POSITIONS | PLAN_EXPERTS | PLAN_SHARED_EXPERT |
         PLAN_CHOICE_BIAS | PLAN_SUM_FLOOR | PLAN_OWN_EXPERTS,
     PLAN_TOWER_ROPE | PLAN_TOWER_POST_NORMS | PLAN_TOWER_MERGER_NORMS | PLAN_TOWER_MERGER_REPEAT},
    {"hunyuan_vl/base",
     PLAN_HEAD_NORMS | PLAN_NORMS_AFTER_ROPE | PLAN_ROPE_AXES | PLAN_DOUBLED_ROPE | PLAN_TOWER |
         PLAN_IMAGE_POSITIONS,
     PLAN_TOWER_RASTER | PLAN_TOWER_BILINEAR | PLAN_TOWER_MERGER_CONVOLUTION | PLAN_TOWER_MERGER_NORMS |
         PLAN_TOWER_MERGER_VECTORS},
    {"falcon_ocr/base",
     PLAN_HEAD_NORMS | PLAN_BLOCKS | PLAN_TOWER | PLAN_SQUARED_GATE | PLAN_SINKS | PLAN_PLANE_ROPE |
         PLAN_KV_REPEATS | PLAN_BLOCK_POSITIONS,
     PLAN_TOWER_RASTER},
    {"mllama/base",
     PLAN_NO_ROPE | PLAN_HEAD_NORMS | PLAN_TOWER | PLAN_CROSS | PLAN_RESIDUAL_GATES | PLAN_MORE_EMBEDDINGS,
     PLAN_TOWER_RASTER | PLAN_TOWER_IN_NORM | PLAN_TOWER_TILES | PLAN_TOWER_GATES | PLAN_TOWER_COLLECTED |
         PLAN_TOWER_SECOND},
    {"moondream3/base",
     PLAN_LAYER_NORMS | PLAN_BIASES | PLAN_BLOCKS | PLAN_TOWER | PLAN_EXPERTS | PLAN_PLAIN_MLP |
         PLAN_HEAD_BIAS | PLAN_UP_OFFSET | PLAN_ROUTER_BIAS | PLAN_PARALLEL | PLAN_HEAD_SCALES,
     PLAN_TOWER_RASTER | PLAN_TOWER_BILINEAR | PLAN_TOWER_POST_NORMS | PLAN_TOWER_LEADING | PLAN_TOWER_CROPS},
    {"gemma4/tower-clipped",
     PLAN_WINDOW | PLAN_SHARED_KEYS | PLAN_HEAD_NORMS | PLAN_POST_NORMS | PLAN_EMBEDDING_SCALE |
         PLAN_LAYER_INPUTS | PLAN_LAYER_SCALAR | PLAN_PLACEHOLDERS | PLAN_TOWER,
     PLAN_TOWER_RASTER | PLAN_TOWER_PIXEL_SCALE | PLAN_TOWER_AXES_TABLE | PLAN_TOWER_ROPE |
         PLAN_TOWER_ROPE_QUARTERS | PLAN_TOWER_POST_NORMS | PLAN_TOWER_HEAD_NORMS | PLAN_TOWER_POOLING |
         PLAN_TOWER_CLIPS},
    {"gemma4/multimodal-old",
     PLAN_WINDOW | PLAN_SHARED_KEYS | PLAN_HEAD_NORMS | PLAN_POST_NORMS | PLAN_LOGIT_CAP |
         PLAN_EMBEDDING_SCALE | PLAN_LAYER_INPUTS | PLAN_LAYER_SCALAR | PLAN_PLACEHOLDERS | PLAN_TOWER,
     PLAN_TOWER_RASTER | PLAN_TOWER_PIXEL_SCALE | PLAN_TOWER_AXES_TABLE | PLAN_TOWER_ROPE |
         PLAN_TOWER_ROPE_QUARTERS | PLAN_TOWER_POST_NORMS | PLAN_TOWER_HEAD_NORMS | PLAN_TOWER_POOLING},
};

START_TEST(a_plan_needs_what_its_model_has)
{
    plan *p = checkpoint_open_fixture(NEEDED[_i].fixture);
    ck_assert_msg(plan_features(p) == NEEDED[_i].needed, "%s: found %#" PRIx64 ", expected %#" PRIx64,
                  NEEDED[_i].fixture, plan_features(p), NEEDED[_i].needed);
    const uint64_t towers = plan_tower_features(&p->vision) | plan_tower_features(&p->audio);
    ck_assert_msg(towers == NEEDED[_i].tower_needed, "%s: found %#" PRIx64 ", expected %#" PRIx64,
                  NEEDED[_i].fixture, towers, NEEDED[_i].tower_needed);
    plan_free(p);
}
END_TEST

START_TEST(an_engine_that_lacks_a_part_refuses_the_plan_by_name)
{
    plan *p = checkpoint_open_fixture(NEEDED[_i].fixture);
    assay_error err = {0};
    const uint64_t tower = NEEDED[_i].tower_needed;
    ck_assert_int_eq(plan_check_features(p, NEEDED[_i].needed, tower, "mine", &err), ASSAY_OK);
    for (uint64_t lacking = 1; lacking && lacking <= NEEDED[_i].needed; lacking <<= 1) {
        if (!(lacking & NEEDED[_i].needed)) continue;
        ck_assert_int_eq(plan_check_features(p, ~lacking, tower, "mine", &err), ASSAY_EUNSUPPORTED);
        support_expect_error(&err, ASSAY_EUNSUPPORTED, NEEDED[_i].fixture, "the model has ",
                             ", which mine does not implement", NULL);
    }
    for (uint64_t lacking = 1; lacking && lacking <= tower; lacking <<= 1) {
        if (!(lacking & tower)) continue;
        ck_assert_int_eq(plan_check_features(p, NEEDED[_i].needed, ~lacking, "mine", &err),
                         ASSAY_EUNSUPPORTED);
        support_expect_error(&err, ASSAY_EUNSUPPORTED, NEEDED[_i].fixture, "the model's tower has ",
                             ", which mine does not implement", NULL);
    }
    plan_free(p);
}
END_TEST

/* What no bundled model has. */
START_TEST(every_part_of_a_tower_is_a_feature_with_a_name)
{
    static const char bytes[1];
    const plan_norm norm = {.present = true};
    plan_tower_layer layer = {
        .in_windows = true, .mixer_out = norm, .mlp = {.down = {.clip = {.present = true}}}};
    plan_deepstack deepstack = {0};
    plan_conv_block block = {.kind = PLAN_CONV_ATTENTION, .has_key_units = true, .scale = {.data = bytes}};
    layer.attention.v_norm = norm;
    plan p = {.dir = "by hand",
              .embedding_scale = 1,
              .logit_factor = 1,
              .vision = {
                  .present = true,
                  .sound = {.present = true},
                  .patches = {.order = PLAN_PATCHES_RASTER, .weights_channels_last = true, .pixel_factor = 2},
                  .in_norm = norm,
                  .has_rope = true,
                  .rope = {.pairing = ROPE_PAIRS_QUARTER},
                  .layers = &layer,
                  .n_layers = 1,
                  .pooling = {.side = 2, .factor = 1, .scale = {.data = bytes}},
                  .deepstack = &deepstack,
                  .n_deepstack = 1,
                  .merger = {6,
                             {{PLAN_MERGER_CONCATENATE, .channels_first = true},
                              {.kind = PLAN_MERGER_LINEAR},
                              {PLAN_MERGER_NORM, .norm = norm},
                              {.kind = PLAN_MERGER_MLP},
                              {.kind = PLAN_MERGER_REPEAT},
                              {.kind = PLAN_MERGER_ENDS}}},
                  .conv = {.present = true, .blocks = &block, .n_blocks = 1},
                  .video_token = 0}};
    const uint64_t tables =
        PLAN_TOWER_BILINEAR | PLAN_TOWER_BICUBIC | PLAN_TOWER_AXES_TABLE | PLAN_TOWER_SINUSOIDS;
    uint64_t all = 0;
    for (int kind = PLAN_TABLE_NONE; kind <= PLAN_TABLE_SINUSOIDS; kind++) {
        p.vision.table.kind = (plan_table_kind)kind;
        all |= plan_tower_features(&p.vision);
    }
    ck_assert_uint_eq(all, (2 * PLAN_TOWER_LAST - 1) | PLAN_TOWER_MERGER_VECTORS | PLAN_TOWER_SOUND |
                               PLAN_TOWER_SINUSOIDS | PLAN_TOWER_CONV | PLAN_TOWER_CONV_ATTENTION |
                               PLAN_TOWER_CONV_KEYS | PLAN_TOWER_CONV_SCALES);
    for (uint64_t lacking = 1; lacking; lacking <<= 1) {
        assay_error err;
        if (!(lacking & all)) continue; /* a bit without a feature */
        p.vision.table.kind = lacking == PLAN_TOWER_BILINEAR    ? PLAN_TABLE_BILINEAR
                              : lacking == PLAN_TOWER_BICUBIC   ? PLAN_TABLE_BICUBIC
                              : lacking == PLAN_TOWER_SINUSOIDS ? PLAN_TABLE_SINUSOIDS
                                                                : PLAN_TABLE_AXES;
        ck_assert_uint_eq(plan_tower_features(&p.vision) & ~tables, all & ~tables);
        ck_assert_int_eq(plan_check_features(&p, PLAN_TOWER, ~lacking, "mine", &err), ASSAY_EUNSUPPORTED);
    }
    ck_assert_int_eq(plan_check_features(&p, PLAN_TOWER, all, "mine", NULL), ASSAY_OK);
    p.vision.present = false;
    ck_assert_uint_eq(plan_tower_features(&p.vision), 0);
}
END_TEST

START_TEST(the_message_names_the_part)
{
    plan *p = checkpoint_open_fixture("gemma2/base");
    assay_error err = {0};
    ck_assert_int_eq(plan_check_features(p, ~(uint64_t)PLAN_SCORE_CAP, 0, "mine", &err), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "a cap of attention scores, which mine does not implement",
                         NULL);
    plan_free(p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/plan/feature");
    TCase *all = tcase_create("features");
    tcase_add_loop_test(all, a_plan_needs_what_its_model_has, 0, sizeof NEEDED / sizeof *NEEDED);
    tcase_add_loop_test(all, an_engine_that_lacks_a_part_refuses_the_plan_by_name, 0,
                        sizeof NEEDED / sizeof *NEEDED);
    tcase_add_test(all, every_part_of_a_tower_is_a_feature_with_a_name);
    tcase_add_test(all, the_message_names_the_part);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
