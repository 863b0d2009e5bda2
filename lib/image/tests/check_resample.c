/* Tests of image/resample against recorded results of PIL.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "image/resample.h"

#include <string.h>

#include "base/tests/recorded.h"
#include "base/tests/support.h"

static void check_resized(const recorded *r)
{
    const long *n = r->numbers;
    const image_pixels in = {(size_t)n[0], (size_t)n[1], r->bytes};
    const uint8_t *expected = r->bytes + n[0] * n[1] * 3;
    image_pixels out;
    assay_error err = {0};
    ck_assert_msg(image_resample(&in, (size_t)n[2], (size_t)n[3], (image_filter)n[4], &out, &err) == ASSAY_OK,
                  "%s", err.text);
    for (long i = 0; i < n[2] * n[3] * 3; i++)
        if (out.rgb[i] != expected[i])
            ck_abort_msg("%ld x %ld to %ld x %ld, filter %ld: byte %ld: expected %d, found %d", n[0], n[1],
                         n[2], n[3], n[4], i, expected[i], out.rgb[i]);
    image_pixels_free(&out);
}

START_TEST(pixels_are_those_of_pil)
{
    ck_assert_uint_ge(recorded_each("lib/image/tests/vectors/resized.bin", check_resized), 60);
}
END_TEST

static size_t n_torch_equal, n_torch_near, n_torch_far;

static void count_torch(const recorded *r)
{
    const long *n = r->numbers;
    const bool vertical_first = n[2] < n[0] && n[0] - n[2] > 2 * (n[1] - n[3]);
    if (n[5] < 0) return;
    if (n[5] == 0) n_torch_equal++;
    else if (n[5] <= 2) n_torch_near++;
    else n_torch_far++;
    /* docs/images.md says so. */
    ck_assert_msg(n[5] <= 2 || vertical_first, "%ld x %ld to %ld x %ld: torch is %ld levels away", n[0], n[1],
                  n[2], n[3], n[5]);
}

START_TEST(torch_differs_by_more_than_two_levels_only_in_another_order_of_passes)
{
    (void)recorded_each("lib/image/tests/vectors/resized.bin", count_torch);
    ck_assert_uint_gt(n_torch_equal, 0);
    ck_assert_uint_gt(n_torch_near, 0);
    ck_assert_uint_gt(n_torch_far, 0);
}
END_TEST

START_TEST(an_image_of_its_own_size_is_copied)
{
    uint8_t rgb[] = {1, 2, 3, 4, 5, 6, 250, 251, 252, 0, 255, 0};
    const image_pixels in = {2, 2, rgb};
    image_pixels out;
    ck_assert_int_eq(image_resample(&in, 2, 2, IMAGE_BICUBIC, &out, NULL), ASSAY_OK);
    ck_assert_mem_eq(out.rgb, rgb, sizeof rgb);
    image_pixels_free(&out);
}
END_TEST

START_TEST(a_constant_image_stays_constant)
{
    uint8_t rgb[5 * 7 * 3];
    memset(rgb, 201, sizeof rgb);
    const image_pixels in = {5, 7, rgb};
    static const size_t sides[] = {1, 2, 3, 5, 11, 64};
    for (size_t h = 0; h < 6; h++)
        for (size_t w = 0; w < 6; w++) {
            image_pixels out;
            ck_assert_int_eq(
                image_resample(&in, sides[h], sides[w], w % 2 ? IMAGE_BICUBIC : IMAGE_BILINEAR, &out, NULL),
                ASSAY_OK);
            for (size_t i = 0; i < sides[h] * sides[w] * 3; i++) ck_assert_int_eq(out.rgb[i], 201);
            image_pixels_free(&out);
        }
}
END_TEST

START_TEST(too_large_a_size_is_refused)
{
    uint8_t rgb[3] = {0};
    const image_pixels in = {1, 1, rgb};
    image_pixels out = {7, 7, NULL};
    assay_error err = {0};
    ck_assert_int_eq(image_resample(&in, 50000, 50000, IMAGE_BICUBIC, &out, &err), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "50000 x 50000", NULL);
    ck_assert_int_eq(image_resample(&in, 0, 5, IMAGE_BICUBIC, &out, &err), ASSAY_EUNSUPPORTED);
    ck_assert_uint_eq(out.height, 7);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("image/resample");
    TCase *tests = tcase_create("resample");
    tcase_add_test(tests, pixels_are_those_of_pil);
    tcase_add_test(tests, torch_differs_by_more_than_two_levels_only_in_another_order_of_passes);
    tcase_add_test(tests, an_image_of_its_own_size_is_copied);
    tcase_add_test(tests, a_constant_image_stays_constant);
    tcase_add_test(tests, too_large_a_size_is_refused);
    suite_add_tcase(suite, tests);
    return support_run(suite);
}
