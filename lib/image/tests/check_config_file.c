/* Tests of image/config_file: which file of a checkpoint holds the config of its processor.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "image/config_file.h"

#include <string.h>

#include "base/tests/support.h"

#define IMAGE(size) "{\"image_processor_type\":\"Qwen2VLImageProcessor\",\"patch_size\":" #size "}"
#define VIDEO(size) "{\"video_processor_type\":\"Qwen3VLVideoProcessor\",\"patch_size\":" #size "}"

static const char *checkpoint(const char *name)
{
    return support_mkdir(support_tmpdir(), name);
}

static void put(const char *dir, const char *file, const char *text)
{
    (void)support_write(dir, file, text, strlen(text));
}

static void expect_patch(const char *dir, bool is_video, int64_t patch)
{
    image_config c;
    assay_error err = {0};
    ck_assert_msg(image_config_open(dir, is_video, &c, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_int_eq(c.patch_size, patch);
    image_config_free(&c);
}

static void refused(const char *dir, bool is_video, assay_status status, const char *a, const char *b)
{
    image_config c;
    assay_error err = {0};
    ck_assert_int_ne(image_config_open(dir, is_video, &c, &err), ASSAY_OK);
    support_expect_error(&err, status, dir, a, b, NULL);
}

START_TEST(the_nested_config_precedes_the_file)
{
    const char *dir = checkpoint("nested");
    put(dir, "preprocessor_config.json", IMAGE(3));
    expect_patch(dir, false, 3);
    put(dir, "processor_config.json", "{\"processor_class\":\"Qwen3VLProcessor\"}");
    expect_patch(dir, false, 3);
    put(dir, "processor_config.json", "{\"image_processor\":null}");
    expect_patch(dir, false, 3);
    put(dir, "processor_config.json", "{\"image_processor\":" IMAGE(5) ",\"video_processor\":" VIDEO(6) "}");
    expect_patch(dir, false, 5);
    expect_patch(dir, true, 6);
}
END_TEST

START_TEST(a_video_takes_its_own_file_before_that_of_images)
{
    const char *dir = checkpoint("video");
    put(dir, "preprocessor_config.json", VIDEO(7));
    expect_patch(dir, true, 7);
    put(dir, "video_preprocessor_config.json", VIDEO(8));
    expect_patch(dir, true, 8);
}
END_TEST

START_TEST(a_checkpoint_without_a_config_is_refused_with_the_files)
{
    const char *dir = checkpoint("none");
    refused(dir, false, ASSAY_EIO, "no preprocessor_config.json", "member image_processor");
    refused(dir, true, ASSAY_EIO, "no video_preprocessor_config.json", "member video_processor");
}
END_TEST

/* The processor of Falcon-OCR reads config.json, and no other file. */
START_TEST(falcon_ocr_states_its_patches_in_the_config_of_the_model)
{
    const char *dir = checkpoint("falcon");
    put(dir, "config.json", "{\"model_type\":\"falcon_ocr\",\"spatial_patch_size\":8}");
    put(dir, "preprocessor_config.json", IMAGE(3));
    expect_patch(dir, false, 8);
    put(dir, "config.json", "{\"model_type\":\"falcon_ocr\"}");
    expect_patch(dir, false, 16);
    put(dir, "config.json", "{\"model_type\":\"falcon_ocr\",\"spatial_patch_size\":0}");
    refused(dir, false, ASSAY_EUNSUPPORTED, "config.json", "patch_size");
    put(dir, "config.json", "{\"model_type\":\"qwen3_vl\",\"spatial_patch_size\":8}");
    expect_patch(dir, false, 3);
}
END_TEST

static void expect_tokens(const char *dir, int64_t n)
{
    image_config c;
    assay_error err = {0};
    ck_assert_msg(image_config_open(dir, false, &c, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_int_eq(c.image_seq_length, n);
    image_config_free(&c);
}

START_TEST(an_image_without_patches_has_the_tokens_of_the_processor)
{
    const char *dir = checkpoint("whole");
    put(dir, "preprocessor_config.json", "{\"image_processor_type\":\"SiglipImageProcessor\"}");
    expect_tokens(dir, 256);
    put(dir, "processor_config.json", "{\"processor_class\":\"Gemma3nProcessor\",\"image_seq_length\":7}");
    expect_tokens(dir, 7);
    put(dir, "processor_config.json", "{\"image_seq_length\":0}");
    refused(dir, false, ASSAY_EFORMAT, "/processor_config.json: ", "image_seq_length: found 0");
    put(dir, "processor_config.json", "{\"image_seq_length\":\"7\"}");
    refused(dir, false, ASSAY_EFORMAT, "/processor_config.json: ", "image_seq_length: found \"7\"");
}
END_TEST

static void expect_crops(const char *dir, int64_t size, int64_t most, int64_t margin)
{
    image_config c;
    assay_error err = {0};
    ck_assert_msg(image_config_open(dir, false, &c, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_int_eq(c.crop_size, size);
    ck_assert_int_eq(c.max_crops, most);
    ck_assert_int_eq(c.overlap_margin, margin);
    image_config_free(&c);
}

/* processor_config.json precedes vision_config of config.json. */
START_TEST(moondream_states_its_crops_in_the_config_of_the_model)
{
    const char *dir = checkpoint("moondream");
    put(dir, "config.json", "{\"model_type\":\"moondream3\"}");
    put(dir, "preprocessor_config.json", IMAGE(3));
    expect_crops(dir, 378, 12, 4);
    put(dir, "config.json",
        "{\"model_type\":\"moondream3\",\"vision_config\":{\"crop_size\":56,\"overlap_margin\":1}}");
    expect_crops(dir, 56, 12, 1);
    put(dir, "processor_config.json", "{\"crop_size\":70,\"max_crops\":3}");
    expect_crops(dir, 70, 3, 1);
    put(dir, "processor_config.json", "{\"max_crops\":0}");
    refused(dir, false, ASSAY_EUNSUPPORTED, "config.json", "max_crops");
}
END_TEST

START_TEST(errors_name_the_place)
{
    const char *dir = checkpoint("errors");
    put(dir, "preprocessor_config.json", "[]");
    refused(dir, false, ASSAY_EFORMAT, "/preprocessor_config.json: ", "expected a JSON object");
    put(dir, "preprocessor_config.json", "null");
    refused(dir, false, ASSAY_EFORMAT, "/preprocessor_config.json: ", "expected a JSON object");
    put(dir, "processor_config.json", "{\"image_processor\":{\"image_processor_type\":\"Other\"}}");
    refused(dir, false, ASSAY_EUNSUPPORTED, "/processor_config.json: image_processor: member ", "\"Other\"");
    put(dir, "processor_config.json", "7");
    refused(dir, false, ASSAY_EFORMAT, "/processor_config.json: ", "expected a JSON object");
    put(dir, "processor_config.json", "{");
    refused(dir, false, ASSAY_EFORMAT, "/processor_config.json", "");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("image/config_file");
    TCase *all = tcase_create("all");
    tcase_add_test(all, the_nested_config_precedes_the_file);
    tcase_add_test(all, a_video_takes_its_own_file_before_that_of_images);
    tcase_add_test(all, a_checkpoint_without_a_config_is_refused_with_the_files);
    tcase_add_test(all, falcon_ocr_states_its_patches_in_the_config_of_the_model);
    tcase_add_test(all, an_image_without_patches_has_the_tokens_of_the_processor);
    tcase_add_test(all, moondream_states_its_crops_in_the_config_of_the_model);
    tcase_add_test(all, errors_name_the_place);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
