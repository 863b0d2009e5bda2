/* Tests of image/config: which members of a preprocessor_config.json are read, noted and refused.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "image/config.h"

#include <stdio.h>
#include <string.h>

#include "base/tests/support.h"

#define QWEN   "\"image_processor_type\":\"Qwen2VLImageProcessorFast\""
#define GEMMA  "\"image_processor_type\":\"Gemma4ImageProcessor\""
#define MLLAMA "\"image_processor_type\":\"MllamaImageProcessor\""
#define SIGLIP "\"image_processor_type\":\"SiglipImageProcessor\""
#define VIDEO  "\"video_processor_type\":\"Qwen3VLVideoProcessor\""

static image_config parsed(const char *text, bool is_video)
{
    image_config c;
    assay_error err = {0};
    ck_assert_msg(image_config_parse("p.json", text, strlen(text), is_video, &c, &err) == ASSAY_OK, "%s",
                  err.text);
    return c;
}

static void refused(const char *text, bool is_video, assay_status status, const char *fragment)
{
    image_config c, before;
    memset(&c, 7, sizeof c);
    before = c;
    assay_error err = {0};
    ck_assert_msg(image_config_parse("p.json", text, strlen(text), is_video, &c, &err) != ASSAY_OK, "%s",
                  text);
    support_expect_error(&err, status, "p.json", fragment, NULL);
    ck_assert_mem_eq(&c, &before, sizeof c);
}

START_TEST(members_are_read)
{
    image_config c = parsed("{" QWEN ",\"patch_size\":16,\"merge_size\":3,\"temporal_patch_size\":1,"
                            "\"resample\":2,\"do_resize\":false,\"do_rescale\":false,\"do_normalize\":false,"
                            "\"rescale_factor\":0.5,\"image_mean\":[1,2,3.5],\"image_std\":4,"
                            "\"size\":{\"shortest_edge\":100,\"longest_edge\":200}}",
                            false);
    ck_assert_str_eq(c.type, "Qwen2VLImageProcessor");
    ck_assert_int_eq(c.rule, IMAGE_RULE_FIT);
    ck_assert_int_eq(c.rows, IMAGE_ROWS_BLOCKS);
    ck_assert_int_eq(c.patch_size, 16);
    ck_assert_int_eq(c.merge_size, 3);
    ck_assert_int_eq(c.temporal_patch_size, 1);
    ck_assert_int_eq(c.resample, IMAGE_BILINEAR);
    ck_assert(!c.do_resize && !c.do_rescale && !c.do_normalize);
    ck_assert(c.rescale_factor == 0.5 && c.image_mean[2] == 3.5 && c.image_std[2] == 4);
    ck_assert_int_eq(c.min_pixels, 100);
    ck_assert_int_eq(c.max_pixels, 200);
    ck_assert_uint_eq(c.n_notes, 0);
    image_config_free(&c);
}
END_TEST

START_TEST(absent_and_null_members_take_the_default_of_the_class)
{
    static const char *const texts[] = {
        "{" QWEN "}",
        "{" QWEN ",\"size\":null,\"min_pixels\":null,\"max_pixels\":null,\"patch_size\":null,"
        "\"image_mean\":null,\"rescale_factor\":null,\"do_pad\":null,\"crop_size\":null,\"speed\":null}"};
    for (size_t i = 0; i < 2; i++) {
        image_config c = parsed(texts[i], false);
        ck_assert_int_eq(c.patch_size, 14);
        ck_assert_int_eq(c.merge_size, 2);
        ck_assert_int_eq(c.temporal_patch_size, 2);
        ck_assert_int_eq(c.min_pixels, 3136);
        ck_assert_int_eq(c.max_pixels, 1003520);
        ck_assert_int_eq(c.resample, IMAGE_BICUBIC);
        ck_assert(c.do_resize && c.do_rescale && c.do_normalize);
        ck_assert(c.rescale_factor == 1 / 255.0 && c.image_mean[0] == 0.48145466);
        ck_assert_uint_eq(c.n_notes, 0);
        image_config_free(&c);
    }
    image_config g = parsed("{" GEMMA "}", false);
    ck_assert_int_eq(g.rule, IMAGE_RULE_BUDGET);
    ck_assert_int_eq(g.max_soft_tokens, 280);
    ck_assert_int_eq(g.merge_size, 3);
    ck_assert(!g.do_normalize);
    image_config s = parsed("{\"image_processor_type\":\"PaddleOCRVLImageProcessorFast\"}", false);
    ck_assert_int_eq(s.rule, IMAGE_RULE_FIT_LONG);
    ck_assert_int_eq(s.rows, IMAGE_ROWS_SQUARES);
    ck_assert_int_eq(s.temporal_patch_size, 1);
    ck_assert_int_eq(s.min_pixels, 147456);
    ck_assert_int_eq(s.max_pixels, 2359296);
    image_config e = parsed("{\"image_processor_type\":\"Ernie4_5_VLMoeImageProcessor\"}", false);
    ck_assert_int_eq(e.rule, IMAGE_RULE_FIT);
    ck_assert_int_eq(e.rows, IMAGE_ROWS_BLOCKS);
    ck_assert_int_eq(e.temporal_patch_size, 1);
    ck_assert_int_eq(e.min_pixels, 3136);
    ck_assert_int_eq(e.max_pixels, 4842768);
    image_config h = parsed("{\"image_processor_type\":\"HunYuanVLImageProcessor\",\"resample\":1}", false);
    ck_assert_int_eq(h.rule, IMAGE_RULE_FIT);
    ck_assert_int_eq(h.rows, IMAGE_ROWS_FLAT);
    ck_assert_int_eq(h.resample, IMAGE_BICUBIC);
    ck_assert_int_eq(h.patch_size, 16);
    ck_assert_int_eq(h.min_pixels, 262144);
    ck_assert_int_eq(h.max_pixels, 4194304);
    image_config m = parsed("{" MLLAMA ",\"resample\":null}", false);
    ck_assert_int_eq(m.rule, IMAGE_RULE_TILES);
    ck_assert_int_eq(m.rows, IMAGE_ROWS_TILES);
    ck_assert_int_eq(m.resample, IMAGE_BILINEAR);
    ck_assert_int_eq(m.max_image_tiles, 4);
    ck_assert_int_eq(m.tile_size, 224);
    ck_assert(m.image_mean[0] == 0.5 && m.image_std[2] == 0.5);
    m = parsed("{" MLLAMA ",\"size\":{\"height\":56,\"width\":56},\"max_image_tiles\":6,\"patch_size\":14}",
               false);
    ck_assert_int_eq(m.max_image_tiles, 6);
    ck_assert_int_eq(m.tile_size, 56);
    image_config v = parsed("{" VIDEO "}", true);
    ck_assert_int_eq(v.rule, IMAGE_RULE_FIT_FRAMES);
    ck_assert_int_eq(v.max_pixels, 786432);
}
END_TEST

START_TEST(a_fixed_size_has_a_height_and_a_width)
{
    image_config c = parsed(
        "{" SIGLIP ",\"size\":{\"height\":768,\"width\":512},\"resample\":2,\"patch_size\":14}", false);
    ck_assert_int_eq(c.size_height, 768);
    ck_assert_int_eq(c.size_width, 512);
    ck_assert_int_eq(c.patch_size, 1);
    ck_assert_int_eq(c.resample, IMAGE_BILINEAR);
    ck_assert_uint_eq(c.n_notes, 0);
    image_config_free(&c);
}
END_TEST

START_TEST(null_switches_are_false_and_a_null_filter_is_that_of_the_class)
{
    image_config c = parsed("{" QWEN ",\"do_resize\":null,\"do_rescale\":null,\"do_normalize\":null,"
                            "\"resample\":null}",
                            false);
    ck_assert(!c.do_resize && !c.do_rescale && !c.do_normalize);
    ck_assert_int_eq(c.resample, IMAGE_BICUBIC);
    c = parsed("{" GEMMA ",\"max_soft_tokens\":null,\"resample\":null}", false);
    ck_assert_int_eq(c.resample, IMAGE_BILINEAR);
    ck_assert_int_eq(c.max_soft_tokens, 280);
}
END_TEST

START_TEST(pixel_limits_of_the_file_override_those_of_size)
{
    image_config c = parsed("{" QWEN ",\"size\":{\"shortest_edge\":100,\"longest_edge\":200},"
                            "\"max_pixels\":300}",
                            false);
    ck_assert_int_eq(c.min_pixels, 100);
    ck_assert_int_eq(c.max_pixels, 300);
    c = parsed("{" QWEN ",\"min_pixels\":5,\"max_pixels\":6,\"size\":{\"min_pixels\":1,\"max_pixels\":2}}",
               false);
    ck_assert_int_eq(c.min_pixels, 5);
    ck_assert_int_eq(c.max_pixels, 6);
    c = parsed("{" QWEN ",\"min_pixels\":5}", false);
    ck_assert_int_eq(c.min_pixels, 5);
    ck_assert_int_eq(c.max_pixels, 1003520);
}
END_TEST

START_TEST(members_that_are_not_read_are_noted)
{
    image_config c =
        parsed("{" QWEN ",\"speed\":[1,2],\"max_soft_tokens\":70,\"processor_class\":\"P\"}", false);
    ck_assert_uint_eq(c.n_notes, 2);
    ck_assert_str_eq(c.notes[0], "member speed ([1,2]) is not read by Qwen2VLImageProcessor");
    ck_assert(strstr(c.notes[1], "max_soft_tokens") != NULL);
    image_config_free(&c);
    ck_assert_uint_eq(c.n_notes, 0);
    c = parsed("{" GEMMA ",\"size\":{\"height\":224}}", false);
    ck_assert_uint_eq(c.n_notes, 1);
    image_config_free(&c);
    c = parsed("{" VIDEO ",\"min_pixels\":4}", true);
    ck_assert_uint_eq(c.n_notes, 1);
    ck_assert_int_eq(c.min_pixels, 131072);
    image_config_free(&c);
}
END_TEST

static const struct {
    const char *text;
    bool is_video;
    assay_status status;
    const char *fragment;
} REFUSED[] = {
    {"[", false, ASSAY_EFORMAT, ""},
    {"[]", false, ASSAY_EFORMAT, "expected a JSON object"},
    {"null", false, ASSAY_EFORMAT, "expected a JSON object"},
    {"{}", false, ASSAY_EUNSUPPORTED, "member image_processor_type: found no such member"},
    {"{\"image_processor_type\":\"Other\"}", false, ASSAY_EUNSUPPORTED, "found \"Other\""},
    {"{\"image_processor_type\":7}", false, ASSAY_EUNSUPPORTED, "found 7"},
    {"{" QWEN "}", true, ASSAY_EUNSUPPORTED, "member video_processor_type: found no such member"},
    {"{" VIDEO "}", false, ASSAY_EUNSUPPORTED, "image_processor_type"},
    {"{" QWEN ",\"patch_size\":0}", false, ASSAY_EUNSUPPORTED,
     "member patch_size: found 0, expected a whole number from 1 to 1024"},
    {"{" QWEN ",\"patch_size\":14.0}", false, ASSAY_EFORMAT, "patch_size: found 14.0"},
    {"{" QWEN ",\"patch_size\":{\"height\":14}}", false, ASSAY_EFORMAT, "patch_size"},
    {"{" QWEN ",\"merge_size\":65}", false, ASSAY_EUNSUPPORTED, "merge_size: found 65"},
    {"{" QWEN ",\"min_pixels\":0}", false, ASSAY_EUNSUPPORTED, "min_pixels: found 0"},
    {"{" QWEN ",\"max_pixels\":9007199254740992}", false, ASSAY_EUNSUPPORTED,
     "max_pixels: found 9007199254740992"},
    {"{" QWEN ",\"max_pixels\":99999999999999999999}", false, ASSAY_EUNSUPPORTED, "max_pixels"},
    {"{" QWEN ",\"size\":224}", false, ASSAY_EFORMAT, "member size: found 224"},
    {"{" MLLAMA ",\"size\":224}", false, ASSAY_EFORMAT,
     "member size: found 224, expected an object with height and width"},
    {"{" MLLAMA ",\"size\":{\"height\":56}}", false, ASSAY_EFORMAT, "size.width"},
    {"{" MLLAMA ",\"size\":{\"height\":56,\"width\":28}}", false, ASSAY_EUNSUPPORTED,
     "size.width: found 28, expected the same as size.height"},
    {"{" MLLAMA ",\"size\":{\"height\":5000,\"width\":5000}}", false, ASSAY_EUNSUPPORTED, "size.height"},
    {"{" MLLAMA ",\"size\":{\"height\":56,\"width\":56,\"longest_edge\":56}}", false, ASSAY_EUNSUPPORTED,
     "size.longest_edge"},
    {"{" MLLAMA ",\"max_image_tiles\":65}", false, ASSAY_EUNSUPPORTED, "max_image_tiles: found 65"},
    {"{" MLLAMA ",\"do_resize\":false}", false, ASSAY_EUNSUPPORTED, "do_resize: found false, expected true"},
    {"{" MLLAMA ",\"do_pad\":null}", false, ASSAY_EUNSUPPORTED, "do_pad: found null, expected true"},
    {"{" QWEN ",\"size\":{\"height\":1,\"width\":1}}", false, ASSAY_EUNSUPPORTED,
     "member size.height: found 1"},
    {"{" QWEN ",\"size\":{\"shortest_edge\":9}}", false, ASSAY_EFORMAT,
     "member size.longest_edge: found no such member"},
    {"{" QWEN ",\"size\":{\"min_pixels\":1,\"max_pixels\":2}}", false, ASSAY_EUNSUPPORTED, "size.min_pixels"},
    {"{" VIDEO ",\"size\":{\"min_pixels\":1},\"min_pixels\":1}", true, ASSAY_EUNSUPPORTED, "size.min_pixels"},
    {"{" QWEN ",\"resample\":1}", false, ASSAY_EUNSUPPORTED, "resample: found 1, expected one of 2 3"},
    {"{" QWEN ",\"do_resize\":1}", false, ASSAY_EFORMAT, "do_resize: found 1"},
    {"{" QWEN ",\"do_center_crop\":true}", false, ASSAY_EUNSUPPORTED, "do_center_crop: found true"},
    {"{" QWEN ",\"do_pad\":true}", false, ASSAY_EUNSUPPORTED, "do_pad: found true"},
    {"{" VIDEO ",\"cap_pixels_per_frame\":1}", true, ASSAY_EFORMAT, "cap_pixels_per_frame"},
    {"{" VIDEO ",\"max_video_tokens\":0}", true, ASSAY_EUNSUPPORTED, "max_video_tokens"},
    {"{" QWEN ",\"rescale_factor\":\"x\"}", false, ASSAY_EFORMAT, "rescale_factor: found \"x\""},
    {"{" QWEN ",\"image_mean\":[1,2]}", false, ASSAY_EFORMAT, "image_mean: found [1,2]"},
    {"{" QWEN ",\"image_mean\":[1,2,null]}", false, ASSAY_EFORMAT, "image_mean: found [1,2,null]"},
    {"{" QWEN ",\"image_std\":[1,0,1]}", false, ASSAY_EUNSUPPORTED, "image_std: found [1,0,1]"},
    {"{" SIGLIP ",\"size\":{\"height\":null,\"width\":9}}", false, ASSAY_EFORMAT,
     "size.height: found no such member"},
    {"{" SIGLIP ",\"size\":224}", false, ASSAY_EUNSUPPORTED,
     "size: found 224, expected an object with height"},
    {"{" SIGLIP ",\"size\":{\"shortest_edge\":9}}", false, ASSAY_EUNSUPPORTED, "size.shortest_edge: found 9"},
    {"{" SIGLIP ",\"size\":{\"height\":0,\"width\":9}}", false, ASSAY_EUNSUPPORTED, "size.height: found 0"},
    {"{" SIGLIP ",\"size\":{\"height\":9,\"width\":32769}}", false, ASSAY_EUNSUPPORTED,
     "size.width: found 32769"},
    {"{" GEMMA ",\"max_soft_tokens\":100}", false, ASSAY_EUNSUPPORTED,
     "max_soft_tokens: found 100, expected one of 70 140 280 560 1120"},
};

START_TEST(a_refusal_names_file_member_found_and_expected)
{
    refused(REFUSED[_i].text, REFUSED[_i].is_video, REFUSED[_i].status, REFUSED[_i].fragment);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("image/config");
    TCase *tests = tcase_create("config");
    tcase_add_test(tests, members_are_read);
    tcase_add_test(tests, absent_and_null_members_take_the_default_of_the_class);
    tcase_add_test(tests, a_fixed_size_has_a_height_and_a_width);
    tcase_add_test(tests, null_switches_are_false_and_a_null_filter_is_that_of_the_class);
    tcase_add_test(tests, pixel_limits_of_the_file_override_those_of_size);
    tcase_add_test(tests, members_that_are_not_read_are_noted);
    tcase_add_loop_test(tests, a_refusal_names_file_member_found_and_expected, 0,
                        (int)(sizeof REFUSED / sizeof *REFUSED));
    suite_add_tcase(suite, tests);
    return support_run(suite);
}
