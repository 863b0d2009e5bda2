/* Tests of dialogue/image_size: its options; image/tests and fixtures/serving/preprocess test the sizes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/image_size.h"

#include <string.h>

#include "base/tests/support.h"

static const char config[] = "{\"image_processor_type\":\"Qwen2VLImageProcessor\"}";
static const char video[] = "{\"video_processor_type\":\"Qwen2VLVideoProcessor\"}";

static assay_image_options valid(void)
{
    return (assay_image_options){.size = sizeof(assay_image_options),
                                 .config = {config, sizeof config - 1},
                                 .height = 70,
                                 .width = 98};
}

START_TEST(a_still_image_and_a_video_have_their_own_configs)
{
    assay_image_options o = valid();
    assay_image_size s;
    ck_assert_int_eq(serve_image_size(&o, &s, NULL), ASSAY_OK);
    ck_assert_int_eq(s.height, 56);
    ck_assert_int_eq(s.width, 112);
    ck_assert_int_eq(s.grid_t, 1);
    ck_assert_int_eq(s.grid_h, 4);
    ck_assert_int_eq(s.grid_w, 8);
    ck_assert_int_eq(s.n_tokens, 8);
    o.config = (assay_text){video, sizeof video - 1};
    o.n_frames = 3;
    ck_assert_int_eq(serve_image_size(&o, &s, NULL), ASSAY_OK);
    ck_assert_int_eq(s.grid_t, 2);
}
END_TEST

START_TEST(invalid_options_are_refused_by_name)
{
    assay_image_size s = {.height = -7};
    assay_error err = {0};
    assay_image_options o = valid();
    ck_assert_int_eq(serve_image_size(NULL, &s, &err), ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "config is required", NULL);
    o.height = 0;
    ck_assert_int_eq(serve_image_size(&o, &s, &err), ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "height is required", NULL);
    o = valid();
    o.size = offsetof(assay_image_options, width);
    ck_assert_int_eq(serve_image_size(&o, &s, &err), ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "width is required", NULL);
    o = valid();
    o.reserved = 1;
    ck_assert_int_eq(serve_image_size(&o, &s, &err), ASSAY_EUNSUPPORTED);
    o = valid();
    o.n_frames = -1;
    ck_assert_int_ne(serve_image_size(&o, &s, &err), ASSAY_OK);
    o = valid();
    o.width = 20000;
    ck_assert_int_eq(serve_image_size(&o, &s, &err), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "aspect ratio", NULL);
    ck_assert_int_eq(s.height, -7);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("dialogue/image_size");
    TCase *tests = tcase_create("image_size");
    tcase_add_test(tests, a_still_image_and_a_video_have_their_own_configs);
    tcase_add_test(tests, invalid_options_are_refused_by_name);
    suite_add_tcase(suite, tests);
    return support_run(suite);
}
