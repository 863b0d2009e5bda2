/* Tests of image/resize_rule on sizes worked out by hand; fixtures/serving/preprocess has the recorded ones.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "image/resize_rule.h"

#include <fenv.h>
#include <stdio.h>
#include <string.h>

#include "base/tests/support.h"
#include "image/processors.h"

static const image_config *defaults(const char *type, bool is_video)
{
    return &image_processor_find(type, is_video)->defaults;
}

static const struct {
    const char *type;
    int64_t height, width, n_frames;
    image_size expected;
} SIZES[] = {
    /* 56 x 56 is min_pixels exactly. */
    {"Qwen2VLImageProcessor", 56, 56, 0, {56, 56, 1, 4, 4, 4}},
    /* 42/28 = 1.5 and 70/28 = 2.5 are halves: both become 2, and 98/28 = 3.5 becomes 4. */
    {"Qwen2VLImageProcessor", 70, 98, 0, {56, 112, 1, 4, 8, 8}},
    {"Qwen2VLImageProcessor", 70, 70, 0, {56, 56, 1, 4, 4, 4}},
    /* A single pixel is scaled up to min_pixels. */
    {"Qwen2VLImageProcessor", 1, 1, 0, {56, 56, 1, 4, 4, 4}},
    /* 200:1 is allowed. */
    {"Qwen2VLImageProcessor", 1, 200, 0, {28, 812, 1, 2, 58, 29}},
    /* 2000 x 2000: beta = 1.9965, 35.8 units. */
    {"Qwen2VLImageProcessor", 2000, 2000, 0, {980, 980, 1, 70, 70, 1225}},
    /* 10 of 28 pixels: 28 x 56; beta = 9.7, so that both sides become multiples above min_pixels. */
    {"PaddleOCRVLImageProcessor", 10, 20, 0, {280, 560, 1, 20, 40, 200}},
    /* The width after the height: 1 x 1 becomes 28 x 28, 14 units. */
    {"PaddleOCRVLImageProcessor", 1, 1, 0, {392, 392, 1, 28, 28, 196}},
    /* 8 x 9: the width is 31.5, which becomes 32. */
    {"PaddleOCRVLImageProcessor", 8, 9, 0, {364, 420, 1, 26, 30, 195}},
    /* Two frames of 84 x 84 are more than 112 x 112 pixels. */
    {"Glm4vImageProcessor", 84, 84, 0, {84, 84, 1, 6, 6, 9}},
    /* 10 of 28 pixels: 28 x 56, of which two frames have too few: beta = sqrt(4). */
    {"Glm4vImageProcessor", 10, 20, 0, {56, 112, 1, 4, 8, 8}},
    {"Glm46VImageProcessor", 10, 20, 0, {56, 112, 1, 4, 8, 8}},
    /* 3000 x 4000 in two frames: beta = 1.4286, 75 x 100 units. */
    {"Glm4vImageProcessor", 3000, 4000, 0, {2100, 2800, 1, 150, 200, 7500}},
    /* The whole image and 1 x 1, 1 x 5 and 3 x 2 crops. */
    {"Moondream3Processor", 378, 378, 0, {378, 378, 2, 27, 27, 729}},
    {"Moondream3Processor", 100, 700, 0, {378, 378, 6, 27, 27, 729}},
    {"Moondream3Processor", 2000, 1500, 0, {378, 378, 7, 27, 27, 729}},
    /* 40 x 90 is first 64 x 144; 30 x 10 is 192 x 64. */
    {"FalconOCRProcessor", 40, 90, 0, {64, 144, 1, 4, 9, 36}},
    {"FalconOCRProcessor", 30, 10, 0, {192, 64, 1, 12, 4, 48}},
    /* 1040 x 21 is 3169 x 64, then 1024 x 20, whose width is 1.25 units; an aspect ratio of 300 is allowed.
     */
    {"FalconOCRProcessor", 1040, 21, 0, {1024, 16, 1, 64, 1, 64}},
    {"FalconOCRProcessor", 300, 1, 0, {1040, 16, 1, 65, 1, 65}},
    /* 2000 x 2000 is 1024 x 1024, more than 28 * 28 * 1280 pixels: beta = 1.022, 62.6 units. */
    {"FalconOCRProcessor", 2000, 2000, 0, {992, 992, 1, 62, 62, 3844}},
    /* A pixel becomes a tile, the fewest of those with the scale 224. */
    {"MllamaImageProcessor", 1, 1, 0, {224, 224, 1, 1, 1, 1}},
    /* 2 x 2 tiles are the only ones in which 300 x 400 fits (scale 1.12), and it is not enlarged. */
    {"MllamaImageProcessor", 300, 400, 0, {300, 400, 1, 2, 2, 1}},
    /* 1000 fits into no row of 4 tiles: scale 0.896 is the largest, and the height is 89.6. */
    {"MllamaImageProcessor", 100, 1000, 0, {89, 896, 1, 1, 4, 1}},
    {"MllamaImageProcessor", 3000, 1, 0, {896, 1, 1, 4, 1, 1}},
    /* One size for all; as many tokens as the processor of Gemma 3n has by default. */
    {"SiglipImageProcessor", 3, 500, 0, {224, 224, 1, 224, 224, 256}},
    /* 3 frames fill two temporal patches. */
    {"Qwen2VLVideoProcessor", 280, 560, 3, {280, 560, 2, 20, 40, 400}},
    /* 5/2 rounds to 2: 4 frames of 512 x 384 are exactly max_pixels, and 6 would not be. */
    {"Qwen3VLVideoProcessor", 512, 384, 5, {512, 384, 3, 32, 24, 576}},
    /* sqrt(280 * 9 * 256 / 768^2) * 768 = 803.1, 16 units of 48. */
    {"Gemma4ImageProcessor", 768, 768, 0, {768, 768, 1, 48, 48, 256}},
    /* The shorter side becomes one unit, the longer the whole quotient, at most 280 units. */
    {"Gemma4ImageProcessor", 1, 300, 0, {48, 13440, 1, 3, 840, 280}},
};

START_TEST(sizes_follow_the_published_rule)
{
    image_size s;
    assay_error err = {0};
    const assay_status rc =
        image_size_resolve(defaults(SIZES[_i].type, SIZES[_i].n_frames > 0), SIZES[_i].height,
                           SIZES[_i].width, SIZES[_i].n_frames, &s, &err);
    ck_assert_msg(rc == ASSAY_OK, "%s", err.text);
    const image_size *e = &SIZES[_i].expected;
    ck_assert_int_eq(s.height, e->height);
    ck_assert_int_eq(s.width, e->width);
    ck_assert_int_eq(s.grid_t, e->grid_t);
    ck_assert_int_eq(s.grid_h, e->grid_h);
    ck_assert_int_eq(s.grid_w, e->grid_w);
    ck_assert_int_eq(s.n_tokens, e->n_tokens);
}
END_TEST

START_TEST(rounding_does_not_depend_on_the_rounding_mode)
{
    image_size s;
    ck_assert_int_eq(fesetround(FE_UPWARD), 0);
    const assay_status rc = image_size_resolve(defaults("Qwen2VLImageProcessor", false), 70, 98, 0, &s, NULL);
    ck_assert_int_eq(fesetround(FE_TONEAREST), 0);
    ck_assert_int_eq(rc, ASSAY_OK);
    ck_assert_int_eq(s.height, 56);
}
END_TEST

static const struct {
    const char *type;
    int64_t height, width, n_frames;
    assay_status status;
    const char *fragment;
} REFUSED[] = {
    {"Qwen2VLImageProcessor", 0, 5, 0, ASSAY_EINVAL, "image of 0 x 5"},
    {"Qwen2VLImageProcessor", 5, -1, 0, ASSAY_EINVAL, "image of 5 x -1"},
    {"Qwen2VLImageProcessor", INT64_MAX, INT64_MAX, 0, ASSAY_EINVAL, "at most 9007199254740991"},
    {"Qwen2VLImageProcessor", 1, 201, 0, ASSAY_EUNSUPPORTED, "aspect ratio is 201, expected at most 200"},
    {"Qwen2VLImageProcessor", 2001, 10, 0, ASSAY_EUNSUPPORTED, "aspect ratio is 200.1"},
    {"PaddleOCRVLImageProcessor", 1, 201, 0, ASSAY_EUNSUPPORTED, "aspect ratio is 201, expected at most 200"},
    {"PaddleOCRVLImageProcessor", (int64_t)1 << 50, 1, 0, ASSAY_EUNSUPPORTED,
     "expected at most 9007199254740991"},
    {"FalconOCRProcessor", 1, 3000, 0, ASSAY_EUNSUPPORTED, "its resized size is 0 x 1024"},
    {"Qwen2VLImageProcessor", 9, 9, 1, ASSAY_EINVAL, "1 frames: expected 0 for a still image"},
    {"Qwen2VLVideoProcessor", 9, 9, 0, ASSAY_EINVAL, "0 frames: expected 1 to 2^20"},
    {"Qwen2VLVideoProcessor", 9, 9, INT64_MAX, ASSAY_EINVAL, "frames: expected 1 to 2^20"},
    {"Qwen3VLVideoProcessor", 90, 90, 1, ASSAY_EUNSUPPORTED, "video of 1 frames: expected at least 2"},
    {"Qwen3VLVideoProcessor", 1 << 26, 1 << 26, 4, ASSAY_EUNSUPPORTED, "in 4 frames: expected at most"},
    {"Qwen3VLVideoProcessor", 1, (int64_t)1 << 50, 4, ASSAY_EUNSUPPORTED, "in 4 frames: expected at most"},
    {"Gemma4ImageProcessor", (int64_t)1 << 26, (int64_t)1 << 26, 0, ASSAY_OK, NULL},
};

START_TEST(a_size_that_the_published_processor_refuses_is_refused)
{
    image_size s = {.height = -7};
    assay_error err = {0};
    const assay_status rc =
        image_size_resolve(defaults(REFUSED[_i].type, strstr(REFUSED[_i].type, "Video")), REFUSED[_i].height,
                           REFUSED[_i].width, REFUSED[_i].n_frames, &s, &err);
    ck_assert_int_eq(rc, REFUSED[_i].status);
    if (rc == ASSAY_OK) return;
    support_expect_error(&err, REFUSED[_i].status, REFUSED[_i].fragment, NULL);
    ck_assert_int_eq(s.height, -7);
}
END_TEST

START_TEST(an_image_that_is_not_resized_must_consist_of_whole_blocks)
{
    image_config c = *defaults("Qwen2VLImageProcessor", false);
    image_size s;
    assay_error err = {0};
    c.do_resize = false;
    ck_assert_int_eq(image_size_resolve(&c, 28, 5600, 0, &s, NULL), ASSAY_OK);
    ck_assert_int_eq(s.width, 5600);
    ck_assert_int_eq(s.n_tokens, 200);
    ck_assert_int_eq(image_size_resolve(&c, 28, 42, 0, &s, &err), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "28 x 42 without do_resize", "multiples of 28", NULL);
}
END_TEST

START_TEST(a_cap_limits_each_frame_of_a_video)
{
    image_config c = *defaults("Qwen3VLVideoProcessor", true);
    image_size s;
    assay_error err = {0};
    ck_assert_int_eq(image_size_resolve(&c, 1024, 1024, 4, &s, NULL), ASSAY_OK);
    ck_assert_int_eq(s.height, 416); /* 786,432 pixels in all frames */
    c.cap_pixels_per_frame = true;
    ck_assert_int_eq(image_size_resolve(&c, 1024, 1024, 4, &s, NULL), ASSAY_OK);
    ck_assert_int_eq(s.height, 416); /* a fourth of that */
    c.max_video_tokens = 64;
    c.min_pixels = 1024;
    ck_assert_int_eq(image_size_resolve(&c, 1024, 1024, 4, &s, NULL), ASSAY_OK);
    ck_assert_int_eq(s.height, 256); /* 64 tokens of 32 * 32 pixels */
    c.min_pixels = IMAGE_PIXELS_MAX;
    ck_assert_int_eq(image_size_resolve(&c, 1024, 1024, 4, &s, &err), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "in 4 frames: expected at most", NULL);
}
END_TEST

START_TEST(too_many_patches_for_an_integer_are_refused)
{
    image_config c = *defaults("Qwen2VLVideoProcessor", true);
    image_size s = {.height = -7};
    assay_error err = {0};
    c.patch_size = c.merge_size = c.temporal_patch_size = 1;
    c.min_pixels = c.max_pixels = IMAGE_PIXELS_MAX;
    ck_assert_int_eq(image_size_resolve(&c, 1, 1, 1 << 20, &s, &err), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "in 1048576 frames", NULL);
    ck_assert_int_eq(s.height, -7);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("image/resize_rule");
    TCase *tests = tcase_create("resize_rule");
    tcase_add_loop_test(tests, sizes_follow_the_published_rule, 0, (int)(sizeof SIZES / sizeof *SIZES));
    tcase_add_test(tests, rounding_does_not_depend_on_the_rounding_mode);
    tcase_add_loop_test(tests, a_size_that_the_published_processor_refuses_is_refused, 0,
                        (int)(sizeof REFUSED / sizeof *REFUSED));
    tcase_add_test(tests, an_image_that_is_not_resized_must_consist_of_whole_blocks);
    tcase_add_test(tests, a_cap_limits_each_frame_of_a_video);
    tcase_add_test(tests, too_many_patches_for_an_integer_are_refused);
    suite_add_tcase(suite, tests);
    return support_run(suite);
}
