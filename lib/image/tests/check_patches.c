/* Tests of image/patches against recorded arrays of the published processors, bit for bit.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "image/patches.h"

#include <string.h>

#include "base/tests/recorded.h"
#include "base/tests/support.h"
#include "image/config.h"

static image_config parsed(const char *text, size_t n, bool is_video)
{
    image_config c;
    assay_error err = {0};
    ck_assert_msg(image_config_parse("p.json", text, n, is_video, &c, &err) == ASSAY_OK, "%s", err.text);
    return c;
}

/* numbers: height, width, bytes of the config, rows, elements of a row, positions of a row, grid t, h, w. */
static void check_patches(const recorded *r)
{
    const long *n = r->numbers;
    image_config c = parsed((const char *)r->bytes, (size_t)n[2], false);
    const image_pixels image = {(size_t)n[0], (size_t)n[1], r->bytes + n[2]};
    const uint8_t *values = image.rgb + n[0] * n[1] * 3;
    const size_t n_bytes = (size_t)(n[3] * n[4]) * sizeof(float);
    image_input in;
    assay_error err = {0};
    ck_assert_msg(image_patches_make(&c, &image, &in, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_int_eq(in.size.grid_t, n[6]);
    ck_assert_int_eq(in.size.grid_h, n[7]);
    ck_assert_int_eq(in.size.grid_w, n[8]);
    ck_assert_uint_eq(in.n_rows, (size_t)n[3]);
    ck_assert_uint_eq(in.row_width, (size_t)n[4]);
    for (size_t i = 0; i < n_bytes; i += sizeof(float)) {
        float expected;
        memcpy(&expected, values + i, sizeof expected);
        if (memcmp(&expected, &in.pixel_values[i / sizeof(float)], sizeof expected) != 0)
            ck_abort_msg("%.*s: element %zu: expected %.9g, found %.9g", (int)n[2], (const char *)r->bytes,
                         i / sizeof(float), (double)expected, (double)in.pixel_values[i / sizeof(float)]);
    }
    ck_assert_int_eq(in.positions != NULL, n[5] != 0);
    if (in.positions) ck_assert_mem_eq(in.positions, values + n_bytes, (size_t)n[3] * 2 * sizeof(int64_t));
    image_input_free(&in);
    image_config_free(&c);
}

START_TEST(rows_are_those_of_the_published_processors_bit_for_bit)
{
    ck_assert_uint_ge(recorded_each("lib/image/tests/vectors/patches.bin", check_patches), 22);
}
END_TEST

/* How many recorded arrays differ if mean and standard deviation are swapped. */
static size_t n_swapped_differ;

static void check_swapped(const recorded *r)
{
    const long *n = r->numbers;
    image_config c = parsed((const char *)r->bytes, (size_t)n[2], false);
    const image_pixels image = {(size_t)n[0], (size_t)n[1], r->bytes + n[2]};
    double mean[3];
    image_input in;
    memcpy(mean, c.image_mean, sizeof mean);
    memcpy(c.image_mean, c.image_std, sizeof mean);
    memcpy(c.image_std, mean, sizeof mean);
    const bool differs = c.do_normalize && memcmp(c.image_mean, mean, sizeof mean) != 0;
    ck_assert_int_eq(image_patches_make(&c, &image, &in, NULL), ASSAY_OK);
    const bool is_other = memcmp(in.pixel_values, image.rgb + n[0] * n[1] * 3,
                                 (size_t)(n[3] * n[4]) * sizeof *in.pixel_values) != 0;
    ck_assert_int_eq(is_other, differs);
    n_swapped_differ += is_other;
    image_input_free(&in);
    image_config_free(&c);
}

START_TEST(mean_and_deviation_that_are_swapped_show_in_the_recorded_rows)
{
    (void)recorded_each("lib/image/tests/vectors/patches.bin", check_swapped);
    ck_assert_uint_ge(n_swapped_differ, 4);
}
END_TEST

/* The whole image, and two crops beside each other. */
START_TEST(rows_of_crops_follow_those_of_the_whole_image)
{
    static const char text[] = "{\"image_processor_type\":\"Moondream3Processor\",\"crop_size\":28,"
                               "\"max_crops\":3,\"overlap_margin\":0}";
    uint8_t rgb[28 * 56 * 3] = {0};
    const image_pixels image = {28, 56, rgb};
    image_config c = parsed(text, sizeof text - 1, false);
    image_input in;
    assay_error err = {0};
    for (size_t i = 0; i < 28 * 56; i++) rgb[3 * i] = i % 56 < 28 ? 0 : 255;
    ck_assert_msg(image_patches_make(&c, &image, &in, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_int_eq(in.crops.rows, 1);
    ck_assert_int_eq(in.crops.columns, 2);
    ck_assert_int_eq(in.size.grid_t, 3);
    ck_assert_int_eq(in.size.n_tokens, 4);
    ck_assert_uint_eq(in.n_rows, 3 * 4);
    for (size_t i = 4; i < 12; i++) ck_assert(in.pixel_values[i * in.row_width] == (i < 8 ? -1.0f : 1.0f));
    image_input_free(&in);
    image_config_free(&c);
}
END_TEST

START_TEST(a_config_of_a_video_is_refused)
{
    static const char text[] = "{\"video_processor_type\":\"Qwen2VLVideoProcessor\"}";
    uint8_t rgb[3] = {0};
    const image_pixels image = {1, 1, rgb};
    image_config c = parsed(text, sizeof text - 1, true);
    image_input in = {.n_rows = 7};
    assay_error err = {0};
    ck_assert_int_eq(image_patches_make(&c, &image, &in, &err), ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "Qwen2VLVideoProcessor: expected an image processor", NULL);
    ck_assert_uint_eq(in.n_rows, 7);
}
END_TEST

START_TEST(a_size_that_the_rule_refuses_is_refused)
{
    static const char text[] = "{\"image_processor_type\":\"Qwen2VLImageProcessor\"}";
    uint8_t rgb[201 * 3] = {0};
    const image_pixels image = {1, 201, rgb};
    image_config c = parsed(text, sizeof text - 1, false);
    image_input in = {.n_rows = 7};
    assay_error err = {0};
    ck_assert_int_eq(image_patches_make(&c, &image, &in, &err), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "aspect ratio", NULL);
    ck_assert_uint_eq(in.n_rows, 7);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("image/patches");
    TCase *tests = tcase_create("patches");
    tcase_add_test(tests, rows_are_those_of_the_published_processors_bit_for_bit);
    tcase_add_test(tests, rows_of_crops_follow_those_of_the_whole_image);
    tcase_add_test(tests, mean_and_deviation_that_are_swapped_show_in_the_recorded_rows);
    tcase_add_test(tests, a_config_of_a_video_is_refused);
    tcase_add_test(tests, a_size_that_the_rule_refuses_is_refused);
    suite_add_tcase(suite, tests);
    return support_run(suite);
}
