/* timm's MobileNetV5 as Gemma 3n has it: what the reader makes of its list of blocks, and what it refuses.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/tests/support.h"
#include "model/families/parts/mobilenet_blocks.h"
#include "model/loader.h"
#include "model/tests/checkpoint.h"

#define FIXTURE "gemma3n/images-epsilons"
#define ARGS    "vision_config.model_args."

static plan_conv_tower *conv_of(plan *p)
{
    ck_assert_int_eq(p->vision.kind, PLAN_TOWER_CONV);
    return &p->vision.conv;
}

START_TEST(blocks_follow_the_list_of_the_config)
{
    plan *p = checkpoint_open_fixture(FIXTURE);
    const plan_conv_tower *t = conv_of(p);
    static const size_t units[] = {1, 2, 2, 4, 3, 2, 0, 2, 4, 0, 2};
    static const bool residual[] = {false, false, true, false, true, true, true, true, false, true, true};
    ck_assert_uint_eq(t->n_blocks, 11);
    for (size_t i = 0; i < t->n_blocks; i++) {
        ck_assert_uint_eq(t->blocks[i].n_units, units[i]);
        ck_assert_int_eq(t->blocks[i].is_residual, residual[i]);
        ck_assert_int_eq(t->blocks[i].scale.data != NULL, i > 2);
    }
    ck_assert_uint_eq(t->blocks[3].units[0].convolution.stride, 1);
    ck_assert_uint_eq(t->blocks[3].units[2].convolution.stride, 2);
    ck_assert(t->blocks[6].has_key_units && !t->blocks[9].has_key_units);
    ck_assert_double_eq(t->blocks[9].attention.scale, 1 / sqrt(12.0));
    ck_assert(!t->blocks[0].units[0].convolution.channels_last);
    plan_free(p);
}
END_TEST

START_TEST(the_fusion_takes_the_last_blocks_of_the_last_two_stages)
{
    plan *p = checkpoint_open_fixture(FIXTURE);
    const plan_conv_tower *t = conv_of(p);
    ck_assert_uint_eq(t->n_taken, 2);
    ck_assert_uint_eq(t->taken[0], 7);
    ck_assert_uint_eq(t->taken[1], 10);
    ck_assert_uint_eq(t->side, 3);
    ck_assert_uint_eq(p->vision.hidden, 2048);
    ck_assert_double_eq(p->vision.out_norm.epsilon, 1e-6);
    ck_assert_double_eq(p->vision.pooling.factor, sqrt(2048.0));
    plan_free(p);
}
END_TEST

/* 53 ids: audio clips have the last two, and the table of images the five before them. */
START_TEST(ids_of_the_table_of_images_are_text_and_those_of_audio_clips_are_not)
{
    plan *p = checkpoint_open_fixture(FIXTURE);
    ck_assert_uint_eq(p->n_token_ids, 51);
    ck_assert_int_eq(p->id_table.first, 46);
    ck_assert_uint_eq(p->id_table.n, 5);
    ck_assert_int_eq(p->vision.image_token, 47);
    ck_assert_uint_eq(plan_id_table_row(p, 45), SIZE_MAX);
    ck_assert_uint_eq(plan_id_table_row(p, 46), 0);
    ck_assert_uint_eq(plan_id_table_row(p, 51), SIZE_MAX);
    ck_assert_uint_eq(plan_tower_tokens(&p->vision, (const size_t[3]){1, 99, 5}), 9);
    plan_free(p);
}
END_TEST

START_TEST(widths_are_multiples_of_eight_near_a_number)
{
    ck_assert_uint_eq(mobilenet_divisible(3), 8);
    ck_assert_uint_eq(mobilenet_divisible(24), 24);
    ck_assert_uint_eq(mobilenet_divisible(12), 16);
    ck_assert_uint_eq(mobilenet_divisible(11), 16); /* 8 is less than nine tenths of it */
    ck_assert_uint_eq(mobilenet_divisible(19.9), 24);
}
END_TEST

static const struct {
    const char *member, *value;
    assay_status status;
    const char *texts[2];
} REFUSED[] = {
    {"vision_config.architecture", "\"resnet50\"", ASSAY_EUNSUPPORTED, {"found \"resnet50\"", "mobilenetv5"}},
    {"vision_config.hidden_size", "1024", ASSAY_EUNSUPPORTED, {"hidden_size: found 1024", "2048"}},
    {"vision_config.new_member", "1", ASSAY_EUNSUPPORTED, {"vision_config.new_member", ""}},
    {"vision_config.vocab_size", "4", ASSAY_EUNSUPPORTED, {"found 4 ids from 46", "51"}},
    /* Without a list: the published blocks. */
    {"vision_config.model_args", "null", ASSAY_EFORMAT, {"conv_stem.conv.weight", "[64, 3, 3, 3]"}},
    {ARGS "new_member", "1", ASSAY_EUNSUPPORTED, {"vision_config.model_args.new_member", "block_args"}},
    {ARGS "stem_size", "12", ASSAY_EUNSUPPORTED, {"stem_size: found 12", "a multiple of 8"}},
    {ARGS "stem_size", "16", ASSAY_EFORMAT, {"conv_stem.conv.weight", "[16, 3, 3, 3]"}},
    {ARGS "msfa_output_resolution", "2", ASSAY_EFORMAT, {"vision_soft_tokens_per_image: found 9", "2 x 2"}},
    {ARGS "msfa_indices", "[-1, -2]", ASSAY_EUNSUPPORTED, {"msfa_indices[1]: found -2", "ascending"}},
    {ARGS "msfa_indices", "[9]", ASSAY_EUNSUPPORTED, {"msfa_indices[0]: found 9", "levels of 4"}},
    {ARGS "msfa_indices", "[]", ASSAY_EUNSUPPORTED, {"msfa_indices", "one to"}},
    {ARGS "block_args", "[]", ASSAY_EUNSUPPORTED, {"block_args", "one to four stages"}},
    {ARGS "block_args", "[[]]", ASSAY_EFORMAT, {"block_args[0]", "a list of blocks"}},
    {ARGS "block_args", "[[3]]", ASSAY_EFORMAT, {"block_args[0][0].", "object"}},
    {ARGS "block_args",
     "[[{\"block_type\": \"ir\", \"stride\": 2, \"out_chs\": 8}]]",
     ASSAY_EUNSUPPORTED,
     {"block_args[0][0].block_type: found \"ir\"", "\"mqa\""}},
    {ARGS "block_args",
     "[[{\"block_type\": \"er\", \"stride\": 1, \"out_chs\": 8, \"exp_kernel_size\": 3, \"exp_ratio\": 2}]]",
     ASSAY_EUNSUPPORTED,
     {"block_args[0][0].stride: found 1", "expected 2"}},
    {ARGS "block_args",
     "[[{\"block_type\": \"uir\", \"stride\": 2, \"out_chs\": 8, \"dw_kernel_size_mid\": 0, \"exp_ratio\": "
     "2}]]",
     ASSAY_EFORMAT,
     {"block_args[0][0].stride: found 2", "depthwise"}},
    {ARGS "block_args",
     "[[{\"block_type\": \"er\", \"stride\": 2, \"out_chs\": 9, \"exp_kernel_size\": 3, \"exp_ratio\": 2}]]",
     ASSAY_EUNSUPPORTED,
     {"block_args[0][0].out_chs: found 9", "a multiple of 8"}},
    {"image_token_id", "51", ASSAY_EFORMAT, {"image_token_id: found 51", "below 51"}},
};

START_TEST(an_encoder_that_does_not_fit_is_refused)
{
    plan *p = NULL;
    assay_error err;
    const char *dir = checkpoint_changed(FIXTURE, REFUSED[_i].member, REFUSED[_i].value);
    ck_assert_int_eq(plan_open(dir, &p, &err), REFUSED[_i].status);
    support_expect_error(&err, REFUSED[_i].status, dir, REFUSED[_i].texts[0], REFUSED[_i].texts[1], NULL);
}
END_TEST

/* Of the tower, the file has the stem alone. */
START_TEST(a_part_of_an_encoder_is_left_out)
{
    plan *p = checkpoint_open_fixture("gemma3n/towers");
    ck_assert(!p->vision.present);
    ck_assert_uint_eq(p->id_table.n, 0);
    plan_free(p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/families/mobilenet");
    TCase *all = tcase_create("all");
    tcase_add_test(all, blocks_follow_the_list_of_the_config);
    tcase_add_test(all, the_fusion_takes_the_last_blocks_of_the_last_two_stages);
    tcase_add_test(all, ids_of_the_table_of_images_are_text_and_those_of_audio_clips_are_not);
    tcase_add_test(all, widths_are_multiples_of_eight_near_a_number);
    tcase_add_loop_test(all, an_encoder_that_does_not_fit_is_refused, 0,
                        (int)(sizeof REFUSED / sizeof *REFUSED));
    tcase_add_test(all, a_part_of_an_encoder_is_left_out);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
