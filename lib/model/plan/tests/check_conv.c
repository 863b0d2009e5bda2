/* Pixels and padding of convolutions.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/tests/conv_towers.h"

#include "base/tests/support.h"

START_TEST(pixels_are_divided_by_the_stride_rounded_up)
{
    const plan_convolution c = {.kernel = 3, .stride = 2};
    ck_assert_uint_eq(plan_convolution_pixels(&c, 1), 1);
    ck_assert_uint_eq(plan_convolution_pixels(&c, 6), 3);
    ck_assert_uint_eq(plan_convolution_pixels(&c, 7), 4);
}
END_TEST

START_TEST(the_larger_half_of_the_padding_is_at_the_end)
{
    static const struct {
        size_t kernel, stride, n, before;
    } ROWS[] = {
        {3, 2, 6, 0}, /* one zero, after the last pixel */
        {3, 2, 7, 1}, {5, 2, 6, 1}, {5, 2, 7, 2}, {3, 1, 6, 1},
        {2, 1, 6, 0}, {1, 1, 6, 0}, {1, 2, 6, 0}, /* the kernel ends before the image does */
        {3, 2, 1, 1},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        const plan_convolution c = {.kernel = ROWS[i].kernel, .stride = ROWS[i].stride};
        ck_assert_uint_eq(plan_convolution_before(&c, ROWS[i].n), ROWS[i].before);
    }
}
END_TEST

START_TEST(a_depthwise_kernel_has_the_columns_of_one_channel)
{
    plan_convolution c = {.kernel = 5, .stride = 1, .n_in = 8, .n_out = 8};
    ck_assert_uint_eq(plan_convolution_columns(&c), 200);
    c.is_depthwise = true;
    ck_assert_uint_eq(plan_convolution_columns(&c), 25);
}
END_TEST

START_TEST(blocks_know_their_channels_and_pixels)
{
    plan_tower tower;
    conv_tower_make(&tower, 2, NULL);
    const plan_conv_block *b = tower.conv.blocks;
    static const size_t IN[] = {3, 8, 8, 16, 16}, OUT[] = {8, 8, 16, 16, 16}, PIXELS[] = {7, 4, 2, 2, 2},
                        CONVOLUTIONS[] = {1, 2, 4, 2, 3};
    for (size_t i = 0, n = CONV_WIDTH; i < tower.conv.n_blocks; i++) {
        ck_assert_uint_eq(plan_conv_block_in(&b[i]), IN[i]);
        ck_assert_uint_eq(plan_conv_block_out(&b[i]), OUT[i]);
        ck_assert_uint_eq(n = plan_conv_block_pixels(&b[i], n), PIXELS[i]);
        ck_assert_uint_eq(plan_conv_block_convolutions(&b[i]), CONVOLUTIONS[i]);
    }
    ck_assert_ptr_eq(plan_conv_block_unit(&b[3], 1), &b[3].value);
    ck_assert_ptr_eq(plan_conv_block_unit(&b[2], 1), &b[2].units[1]);
    conv_tower_free(&tower);
}
END_TEST

START_TEST(an_image_of_any_size_has_the_tokens_of_the_output)
{
    plan_tower tower;
    conv_tower_make(&tower, 4, NULL);
    ck_assert_uint_eq(plan_tower_tokens(&tower, (const size_t[3]){1, 22, 13}), 16);
    ck_assert_uint_eq(plan_tower_tokens(&tower, (const size_t[3]){1, 8, 8}), 16);
    conv_tower_free(&tower);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("plan/conv");
    TCase *all = tcase_create("all");
    tcase_add_test(all, pixels_are_divided_by_the_stride_rounded_up);
    tcase_add_test(all, the_larger_half_of_the_padding_is_at_the_end);
    tcase_add_test(all, a_depthwise_kernel_has_the_columns_of_one_channel);
    tcase_add_test(all, blocks_know_their_channels_and_pixels);
    tcase_add_test(all, an_image_of_any_size_has_the_tokens_of_the_output);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
