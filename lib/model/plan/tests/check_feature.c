/* Which parts a plan needs, and that an engine without one of them refuses it.
 *
 * Names families: a row has the features of a checkpoint, as its publisher describes the model.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/feature.h"

#include <string.h>

#include "base/tests/support.h"
#include "model/loader.h"
#include "model/tests/checkpoint.h"

#define NEEDS(...) ((const plan_feature[]){__VA_ARGS__})

static const struct {
    const char *fixture;
    const plan_feature *needed; /* PLAN_N_FEATURES ends it */
} NEEDED[] = {
    {"llama/base", NEEDS(PLAN_N_FEATURES)},
    {"qwen2/base", NEEDS(FEATURE_BIASES, PLAN_N_FEATURES)},
    {"qwen3/window", NEEDS(FEATURE_SLIDING_WINDOW, FEATURE_HEAD_NORMS, PLAN_N_FEATURES)},
    {"qwen3_moe/base", NEEDS(FEATURE_HEAD_NORMS, FEATURE_EXPERTS, PLAN_N_FEATURES)},
    {"olmo2/base",
     NEEDS(FEATURE_PROJECTION_NORMS, FEATURE_POST_NORMS, FEATURE_NO_PRE_NORMS, PLAN_N_FEATURES)},
    {"granite/base",
     NEEDS(FEATURE_EMBEDDING_SCALE, FEATURE_RESIDUAL_MULTIPLIER, FEATURE_LOGIT_SCALE, PLAN_N_FEATURES)},
    {"gemma/base", NEEDS(FEATURE_NORM_OFFSET, FEATURE_EMBEDDING_SCALE, PLAN_N_FEATURES)},
    {"gemma2/base",
     NEEDS(FEATURE_SLIDING_WINDOW, FEATURE_NORM_OFFSET, FEATURE_ATTENTION_SOFTCAP, FEATURE_LOGIT_SOFTCAP,
           FEATURE_POST_NORMS, FEATURE_EMBEDDING_SCALE, PLAN_N_FEATURES)},
    {"gemma3n/text", NEEDS(FEATURE_SLIDING_WINDOW, FEATURE_KV_SHARING, FEATURE_HEAD_NORMS, FEATURE_POST_NORMS,
                           FEATURE_EMBEDDING_SCALE, FEATURE_LOGIT_SOFTCAP, FEATURE_ACTIVATION_SPARSITY,
                           FEATURE_PER_LAYER_EMBEDDINGS, FEATURE_LAUREL, FEATURE_ALTUP, PLAN_N_FEATURES)},
    {"gemma3n/images-epsilons",
     NEEDS(FEATURE_SLIDING_WINDOW, FEATURE_KV_SHARING, FEATURE_HEAD_NORMS, FEATURE_POST_NORMS,
           FEATURE_EMBEDDING_SCALE, FEATURE_LOGIT_SOFTCAP, FEATURE_ACTIVATION_SPARSITY,
           FEATURE_PER_LAYER_EMBEDDINGS, FEATURE_LAUREL, FEATURE_ALTUP, FEATURE_VISION, FEATURE_ID_TABLE,
           FEATURE_TOWER_RASTER, FEATURE_TOWER_POST_NORMS, FEATURE_TOWER_POOLING, FEATURE_TOWER_MERGER_NORMS,
           FEATURE_TOWER_CONV, FEATURE_TOWER_CONV_ATTENTION, FEATURE_TOWER_CONV_KEYS,
           FEATURE_TOWER_CONV_SCALES, PLAN_N_FEATURES)},
    {"gemma4/k-eq-v",
     NEEDS(FEATURE_SLIDING_WINDOW, FEATURE_VALUE_IS_KEY, FEATURE_HEAD_NORMS, FEATURE_POST_NORMS,
           FEATURE_EMBEDDING_SCALE, FEATURE_LAYER_SCALAR, PLAN_N_FEATURES)},
    {"gemma4/blocks", NEEDS(FEATURE_SLIDING_WINDOW, FEATURE_KV_SHARING, FEATURE_HEAD_NORMS,
                            FEATURE_POST_NORMS, FEATURE_EMBEDDING_SCALE, FEATURE_PER_LAYER_EMBEDDINGS,
                            FEATURE_LAYER_SCALAR, FEATURE_PLACEHOLDERS, FEATURE_BLOCKS, PLAN_N_FEATURES)},
    {"qwen2_vl/base", NEEDS(FEATURE_BIASES, FEATURE_MROPE, FEATURE_VISION, FEATURE_GRID_POSITIONS,
                            FEATURE_TOWER_ROPE, FEATURE_TOWER_VIDEOS, PLAN_N_FEATURES)},
    {"qwen2_5_vl/base",
     NEEDS(FEATURE_BIASES, FEATURE_MROPE, FEATURE_VISION, FEATURE_GRID_POSITIONS, FEATURE_TOWER_ROPE,
           FEATURE_TOWER_WINDOWS, FEATURE_TOWER_VIDEOS, PLAN_N_FEATURES)},
    {"qwen3_5/base", NEEDS(FEATURE_HEAD_NORMS, FEATURE_NORM_OFFSET, FEATURE_MROPE, FEATURE_DELTA,
                           FEATURE_OUTPUT_GATE, PLAN_N_FEATURES)},
    {"qwen3_5_moe/base", NEEDS(FEATURE_HEAD_NORMS, FEATURE_NORM_OFFSET, FEATURE_MROPE, FEATURE_DELTA,
                               FEATURE_OUTPUT_GATE, FEATURE_EXPERTS, FEATURE_SHARED_EXPERT, PLAN_N_FEATURES)},
    {"qwen3_5/tower",
     NEEDS(FEATURE_HEAD_NORMS, FEATURE_NORM_OFFSET, FEATURE_MROPE, FEATURE_DELTA, FEATURE_OUTPUT_GATE,
           FEATURE_VISION, FEATURE_GRID_POSITIONS, FEATURE_TOWER_BILINEAR, FEATURE_TOWER_ROPE,
           FEATURE_TOWER_VIDEOS, PLAN_N_FEATURES)},
    {"qwen3_vl/base",
     NEEDS(FEATURE_HEAD_NORMS, FEATURE_MROPE, FEATURE_VISION, FEATURE_GRID_POSITIONS, FEATURE_TOWER_BILINEAR,
           FEATURE_TOWER_ROPE, FEATURE_TOWER_DEEPSTACK, FEATURE_TOWER_VIDEOS, PLAN_N_FEATURES)},
    {"qwen3_vl_moe/base", NEEDS(FEATURE_HEAD_NORMS, FEATURE_MROPE, FEATURE_EXPERTS, FEATURE_VISION,
                                FEATURE_GRID_POSITIONS, FEATURE_TOWER_BILINEAR, FEATURE_TOWER_ROPE,
                                FEATURE_TOWER_DEEPSTACK, FEATURE_TOWER_VIDEOS, PLAN_N_FEATURES)},
    {"qwen3_omni_moe/base",
     NEEDS(FEATURE_HEAD_NORMS, FEATURE_MROPE, FEATURE_EXPERTS, FEATURE_VISION, FEATURE_AUDIO,
           FEATURE_GRID_POSITIONS, FEATURE_TOWER_BILINEAR, FEATURE_TOWER_ROPE, FEATURE_TOWER_DEEPSTACK,
           FEATURE_TOWER_VIDEOS, FEATURE_TOWER_RASTER, FEATURE_TOWER_WINDOWS, FEATURE_TOWER_POST_NORMS,
           FEATURE_TOWER_SPECTROGRAM, FEATURE_TOWER_SINUSOIDS, PLAN_N_FEATURES)},
    {"paddleocr_vl/base",
     NEEDS(FEATURE_MROPE, FEATURE_VISION, FEATURE_GRID_POSITIONS, FEATURE_TOWER_RASTER,
           FEATURE_TOWER_BILINEAR, FEATURE_TOWER_ROPE, FEATURE_TOWER_POST_NORMS, PLAN_N_FEATURES)},
    {"glm4v/base", NEEDS(FEATURE_POST_NORMS, FEATURE_BIASES, FEATURE_MROPE, FEATURE_VISION,
                         FEATURE_GRID_POSITIONS, FEATURE_TOWER_IN_NORM, FEATURE_TOWER_BICUBIC,
                         FEATURE_TOWER_ROPE, FEATURE_TOWER_POST_NORMS, FEATURE_TOWER_MERGER_CONVOLUTION,
                         FEATURE_TOWER_MERGER_NORMS, FEATURE_TOWER_MERGER_MLP, PLAN_N_FEATURES)},
    {"glm4v_moe/base",
     NEEDS(FEATURE_BIASES, FEATURE_MROPE, FEATURE_VISION, FEATURE_GRID_POSITIONS, FEATURE_EXPERTS,
           FEATURE_SHARED_EXPERT, FEATURE_SELECTION_BIAS, FEATURE_SIGMOID_ROUTING, FEATURE_GROUP_ROUTING,
           FEATURE_ROUTING_SUM_OFFSET, FEATURE_ROUTING_SCALE, FEATURE_TOWER_IN_NORM, FEATURE_TOWER_BICUBIC,
           FEATURE_TOWER_ROPE, FEATURE_TOWER_POST_NORMS, FEATURE_TOWER_MERGER_CONVOLUTION,
           FEATURE_TOWER_MERGER_NORMS, FEATURE_TOWER_MERGER_MLP, PLAN_N_FEATURES)},
    {"glm_ocr/base",
     NEEDS(FEATURE_POST_NORMS, FEATURE_MROPE, FEATURE_VISION, FEATURE_GRID_POSITIONS, FEATURE_TOWER_ROPE,
           FEATURE_TOWER_POST_NORMS, FEATURE_TOWER_HEAD_NORMS, FEATURE_TOWER_MERGER_CONVOLUTION,
           FEATURE_TOWER_MERGER_NORMS, FEATURE_TOWER_MERGER_MLP, PLAN_N_FEATURES)},
    {"ernie4_5_vl_moe/base", NEEDS(FEATURE_MROPE, FEATURE_VISION, FEATURE_GRID_POSITIONS, FEATURE_EXPERTS,
                                   FEATURE_SHARED_EXPERT, FEATURE_SELECTION_BIAS, FEATURE_ROUTING_SUM_FLOOR,
                                   FEATURE_MODALITY_EXPERTS, FEATURE_TOWER_ROPE, FEATURE_TOWER_POST_NORMS,
                                   FEATURE_TOWER_MERGER_NORMS, FEATURE_TOWER_MERGER_REPEAT, PLAN_N_FEATURES)},
    {"hunyuan_vl/base", NEEDS(FEATURE_HEAD_NORMS, FEATURE_NORMS_AFTER_ROPE, FEATURE_MROPE, FEATURE_XDROPE,
                              FEATURE_VISION, FEATURE_XDROPE_POSITIONS, FEATURE_TOWER_RASTER,
                              FEATURE_TOWER_BILINEAR, FEATURE_TOWER_MERGER_CONVOLUTION,
                              FEATURE_TOWER_MERGER_NORMS, FEATURE_TOWER_MERGER_VECTORS, PLAN_N_FEATURES)},
    {"falcon_ocr/base", NEEDS(FEATURE_HEAD_NORMS, FEATURE_BLOCKS, FEATURE_VISION, FEATURE_SQUARED_GATE,
                              FEATURE_ATTENTION_SINKS, FEATURE_PLANE_ROPE, FEATURE_KV_REPEATS,
                              FEATURE_BLOCK_POSITIONS, FEATURE_TOWER_RASTER, PLAN_N_FEATURES)},
    {"mllama/base",
     NEEDS(FEATURE_NOPE, FEATURE_HEAD_NORMS, FEATURE_VISION, FEATURE_CROSS_ATTENTION, FEATURE_RESIDUAL_GATES,
           FEATURE_MORE_EMBEDDINGS, FEATURE_TOWER_RASTER, FEATURE_TOWER_IN_NORM, FEATURE_TOWER_TILES,
           FEATURE_TOWER_GATES, FEATURE_TOWER_COLLECTED, FEATURE_TOWER_GLOBAL, PLAN_N_FEATURES)},
    {"cohere2/base", NEEDS(FEATURE_LAYER_NORM, FEATURE_SLIDING_WINDOW, FEATURE_NOPE, FEATURE_LOGIT_SCALE,
                           FEATURE_PARALLEL, PLAN_N_FEATURES)},
    {"cohere/options", NEEDS(FEATURE_LAYER_NORM, FEATURE_HEAD_NORMS, FEATURE_HEAD_NORM_WEIGHTS,
                             FEATURE_BIASES, FEATURE_LOGIT_SCALE, FEATURE_PARALLEL, PLAN_N_FEATURES)},
    {"phi/base", NEEDS(FEATURE_LAYER_NORM, FEATURE_HEAD_NORMS, FEATURE_BIASES, FEATURE_PLAIN_MLP,
                       FEATURE_HEAD_BIAS, FEATURE_PARALLEL, PLAN_N_FEATURES)},
    {"moondream3/base",
     NEEDS(FEATURE_LAYER_NORM, FEATURE_BIASES, FEATURE_BLOCKS, FEATURE_VISION, FEATURE_EXPERTS,
           FEATURE_PLAIN_MLP, FEATURE_HEAD_BIAS, FEATURE_UP_OFFSET, FEATURE_ROUTER_BIAS, FEATURE_PARALLEL,
           FEATURE_HEAD_SCALES, FEATURE_TOWER_RASTER, FEATURE_TOWER_BILINEAR, FEATURE_TOWER_POST_NORMS,
           FEATURE_TOWER_LEADING, FEATURE_TOWER_CROPS, PLAN_N_FEATURES)},
    {"ministral3/base", NEEDS(FEATURE_QUERY_FACTOR, PLAN_N_FEATURES)},
    {"gpt_oss/base", NEEDS(FEATURE_BIASES, FEATURE_SLIDING_WINDOW, FEATURE_ATTENTION_SINKS, FEATURE_EXPERTS,
                           FEATURE_UP_OFFSET, FEATURE_ROUTER_BIAS, FEATURE_GATE_LIMIT, FEATURE_GATE_SLOPE,
                           FEATURE_EXPERT_BIASES, PLAN_N_FEATURES)},
    {"gemma4/tower-clipped",
     NEEDS(FEATURE_SLIDING_WINDOW, FEATURE_KV_SHARING, FEATURE_HEAD_NORMS, FEATURE_POST_NORMS,
           FEATURE_EMBEDDING_SCALE, FEATURE_PER_LAYER_EMBEDDINGS, FEATURE_LAYER_SCALAR, FEATURE_PLACEHOLDERS,
           FEATURE_VISION, FEATURE_TOWER_RASTER, FEATURE_TOWER_PIXEL_SCALE, FEATURE_TOWER_AXES_TABLE,
           FEATURE_TOWER_ROPE, FEATURE_TOWER_ROPE_QUARTERS, FEATURE_TOWER_POST_NORMS,
           FEATURE_TOWER_HEAD_NORMS, FEATURE_TOWER_POOLING, FEATURE_TOWER_CLAMPS, PLAN_N_FEATURES)},
    {"gemma4/multimodal-old",
     NEEDS(FEATURE_SLIDING_WINDOW, FEATURE_KV_SHARING, FEATURE_HEAD_NORMS, FEATURE_POST_NORMS,
           FEATURE_LOGIT_SOFTCAP, FEATURE_EMBEDDING_SCALE, FEATURE_PER_LAYER_EMBEDDINGS, FEATURE_LAYER_SCALAR,
           FEATURE_PLACEHOLDERS, FEATURE_VISION, FEATURE_TOWER_RASTER, FEATURE_TOWER_PIXEL_SCALE,
           FEATURE_TOWER_AXES_TABLE, FEATURE_TOWER_ROPE, FEATURE_TOWER_ROPE_QUARTERS,
           FEATURE_TOWER_POST_NORMS, FEATURE_TOWER_HEAD_NORMS, FEATURE_TOWER_POOLING, PLAN_N_FEATURES)},
};

static plan_feature_set set_of(const plan_feature *features)
{
    plan_feature_set set = {0};
    for (; *features != PLAN_N_FEATURES; features++) set.has[*features] = true;
    return set;
}

static void expect_features(const plan *p, const plan_feature_set *expected, const char *label)
{
    const plan_feature_set found = plan_features(p);
    for (size_t i = 0; i < PLAN_N_FEATURES; i++)
        ck_assert_msg(found.has[i] == expected->has[i], "%s: %s: found %d, expected %d", label,
                      plan_feature_name((plan_feature)i), found.has[i], expected->has[i]);
}

/* Expects a refusal of each feature that is needed, and of these alone. */
static void expect_refusals(const plan *p, const plan_feature_set *needed)
{
    plan_feature_set rest;
    for (size_t i = 0; i < PLAN_N_FEATURES; i++) {
        assay_error err = {0};
        plan_feature_set lacked = {0};
        lacked.has[i] = true;
        rest.has[i] = !needed->has[i];
        if (!needed->has[i]) continue;
        ck_assert_int_eq(plan_check_features(p, &lacked, "mine", &err), ASSAY_EUNSUPPORTED);
        support_expect_error(&err, ASSAY_EUNSUPPORTED, p->dir,
                             i < FEATURE_TOWER_RASTER ? "the model has " : "the model's tower has ",
                             plan_feature_name((plan_feature)i), ", which mine does not implement", NULL);
    }
    ck_assert_int_eq(plan_check_features(p, &rest, "mine", NULL), ASSAY_OK);
}

START_TEST(a_plan_needs_what_its_model_has)
{
    plan *p = checkpoint_open_fixture(NEEDED[_i].fixture);
    const plan_feature_set needed = set_of(NEEDED[_i].needed);
    expect_features(p, &needed, NEEDED[_i].fixture);
    plan_free(p);
}
END_TEST

START_TEST(an_engine_that_lacks_a_part_refuses_the_plan_by_name)
{
    plan *p = checkpoint_open_fixture(NEEDED[_i].fixture);
    const plan_feature_set needed = set_of(NEEDED[_i].needed);
    expect_refusals(p, &needed);
    plan_free(p);
}
END_TEST

START_TEST(every_feature_has_a_name_of_its_own)
{
    for (size_t i = 0; i < PLAN_N_FEATURES; i++) {
        ck_assert_ptr_nonnull(plan_feature_name((plan_feature)i));
        for (size_t k = i + 1; k < PLAN_N_FEATURES; k++)
            ck_assert_msg(
                (i < FEATURE_TOWER_RASTER) != (k < FEATURE_TOWER_RASTER) ||
                    strcmp(plan_feature_name((plan_feature)i), plan_feature_name((plan_feature)k)) != 0,
                "two features are called %s", plan_feature_name((plan_feature)i));
    }
}
END_TEST

/* Expects that the plan with a vision tower of this kind needs these features beside the others. */
static void expect_kind(plan p, plan_tower_kind kind, plan_feature_set needed, const plan_feature *features)
{
    p.vision.kind = kind;
    for (; *features != PLAN_N_FEATURES; features++) needed.has[*features] = true;
    expect_features(&p, &needed, p.dir);
    expect_refusals(&p, &needed);
}

/* What no bundled model has. */
START_TEST(every_part_of_a_tower_is_a_feature_with_a_name)
{
    static const char bytes[1];
    const plan_norm norm = {.present = true};
    plan_tower_layer layer = {
        .in_windows = true, .mixer_out = norm, .mlp = {.down = {.clamp = {.present = true}}}};
    plan_deepstack deepstack = {0};
    plan_conv_block block = {.kind = PLAN_CONV_ATTENTION, .has_key_units = true, .scale = {.data = bytes}};
    layer.attention.v_norm = norm;
    plan p = {.dir = "by hand",
              .embedding_scale = 1,
              .logit_factor = 1,
              .vision = {
                  .present = true,
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
                  .video_token = 0}};
    static const plan_feature of_kinds[] = {
        FEATURE_TOWER_TILES,       FEATURE_TOWER_COLLECTED,      FEATURE_TOWER_GLOBAL,
        FEATURE_TOWER_CROPS,       FEATURE_TOWER_CONV,           FEATURE_TOWER_CONV_KEYS,
        FEATURE_TOWER_CONV_SCALES, FEATURE_TOWER_CONV_ATTENTION, FEATURE_TOWER_SPECTROGRAM,
        FEATURE_TOWER_GATES,       FEATURE_TOWER_LEADING};
    plan_feature_set needed = {0};
    for (size_t i = FEATURE_TOWER_RASTER; i < PLAN_N_FEATURES; i++) needed.has[i] = true;
    for (size_t i = 0; i < sizeof of_kinds / sizeof *of_kinds; i++) needed.has[of_kinds[i]] = false;
    needed.has[FEATURE_VISION] = true;
    const plan_feature tables[] = {[PLAN_TABLE_NONE] = PLAN_N_FEATURES,
                                   [PLAN_TABLE_BILINEAR] = FEATURE_TOWER_BILINEAR,
                                   [PLAN_TABLE_BICUBIC] = FEATURE_TOWER_BICUBIC,
                                   [PLAN_TABLE_AXES] = FEATURE_TOWER_AXES_TABLE,
                                   [PLAN_TABLE_SINUSOIDS] = FEATURE_TOWER_SINUSOIDS};
    for (int kind = PLAN_TABLE_NONE; kind <= PLAN_TABLE_SINUSOIDS; kind++) {
        p.vision.table.kind = (plan_table_kind)kind;
        for (int k = PLAN_TABLE_BILINEAR; k <= PLAN_TABLE_SINUSOIDS; k++) needed.has[tables[k]] = k == kind;
        expect_features(&p, &needed, p.dir);
        expect_refusals(&p, &needed);
    }
    expect_kind(p, PLAN_TOWER_CROPS, needed, NEEDS(FEATURE_TOWER_CROPS, PLAN_N_FEATURES));
    expect_kind(p, PLAN_TOWER_AUDIO, needed, NEEDS(FEATURE_TOWER_SPECTROGRAM, PLAN_N_FEATURES));
    p.vision.conv = (plan_conv_tower){.blocks = &block, .n_blocks = 1};
    expect_kind(p, PLAN_TOWER_CONV, needed,
                NEEDS(FEATURE_TOWER_CONV, FEATURE_TOWER_CONV_KEYS, FEATURE_TOWER_CONV_SCALES,
                      FEATURE_TOWER_CONV_ATTENTION, PLAN_N_FEATURES));
    p.vision.tiles = (plan_tiles){.n = 1, .n_collected = 1};
    expect_kind(p, PLAN_TOWER_TILES, needed,
                NEEDS(FEATURE_TOWER_TILES, FEATURE_TOWER_COLLECTED, FEATURE_TOWER_GLOBAL, PLAN_N_FEATURES));
    p.vision.present = false;
    expect_features(&p, &(plan_feature_set){0}, p.dir);
}
END_TEST

START_TEST(the_message_names_the_part)
{
    plan *p = checkpoint_open_fixture("gemma2/base");
    assay_error err = {0};
    const plan_feature_set lacked = {{[FEATURE_ATTENTION_SOFTCAP] = true}};
    ck_assert_int_eq(plan_check_features(p, &lacked, "mine", &err), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED,
                         "the model has attention logit softcapping, which mine does not implement", NULL);
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
    tcase_add_test(all, every_feature_has_a_name_of_its_own);
    tcase_add_test(all, every_part_of_a_tower_is_a_feature_with_a_name);
    tcase_add_test(all, the_message_names_the_part);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
