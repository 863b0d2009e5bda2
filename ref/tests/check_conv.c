/* Convolutions on small integers, and a convolutional tower against timm (float64).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "ref/conv_tower.h"

#include "base/tests/support.h"
#include "model/plan/tests/conv_towers.h"
#include "model/tests/weight.h"
#include "ref/conv.h"

#include <math.h>
#include <string.h>

static plan_weight matrix(const double *data, size_t rows, size_t cols)
{
    return weight_of(data, ASSAY_F64, rows, cols);
}

/* 2 × 3 pixels of two channels: 1 to 6, and ten times that. */
static void fill_image(ref_image *in, ref_real x[12])
{
    for (size_t i = 0; i < 6; i++) {
        x[2 * i] = (ref_real)(i + 1);
        x[2 * i + 1] = (ref_real)(10 * (i + 1));
    }
    *in = (ref_image){2, 3, 2, x};
}

static void expect_image(ref_image *out, size_t height, size_t width, size_t channels, const double *expected)
{
    ck_assert_uint_eq(out->height, height);
    ck_assert_uint_eq(out->width, width);
    ck_assert_uint_eq(out->channels, channels);
    for (size_t i = 0; i < height * width * channels; i++)
        ck_assert_double_eq((double)out->x[i], expected[i]);
    ref_image_free(out);
}

START_TEST(strided_windows_are_padded_at_the_end_first)
{
    /* one output, which sums a window of the first channel; 3 columns with stride 2 have a zero on both
     * sides, 2 rows have one below */
    static const double weight[18] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, expected[] = {1 + 2 + 4 + 5, 2 + 3 + 5 + 6};
    const plan_convolution c = {
        .kernel = 3, .stride = 2, .n_in = 2, .n_out = 1, .product = {.weight = matrix(weight, 1, 18)}};
    ref_real x[12];
    ref_image in, out;
    fill_image(&in, x);
    ck_assert_int_eq(ref_convolve(&out, &in, &c), ASSAY_OK);
    expect_image(&out, 1, 2, 1, expected);
}
END_TEST

START_TEST(columns_of_a_weight_are_in_either_order)
{
    /* a kernel of 2 × 2: the last column of (channel, y, x) is the second channel of the last pixel; that of
     * (y, x, channel), too; column 1 is not the same */
    static const double weight[8] = {0, 1, 0, 0, 0, 0, 0, 0};
    static const double torch[] = {2, 3, 0, 5, 6, 0}, mlx[] = {10, 20, 30, 40, 50, 60};
    plan_convolution c = {
        .kernel = 2, .stride = 1, .n_in = 2, .n_out = 1, .product = {.weight = matrix(weight, 1, 8)}};
    ref_real x[12];
    ref_image in, out;
    fill_image(&in, x);
    ck_assert_int_eq(ref_convolve(&out, &in, &c), ASSAY_OK);
    expect_image(&out, 2, 3, 1, torch);
    c.channels_last = true;
    ck_assert_int_eq(ref_convolve(&out, &in, &c), ASSAY_OK);
    expect_image(&out, 2, 3, 1, mlx);
}
END_TEST

START_TEST(a_depthwise_convolution_keeps_channels_apart)
{
    /* the first channel is shifted to the left, the second one down; biases of 1 and 2 */
    static const double weight[18] = {0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}, bias[2] = {1, 2};
    static const double expected[] = {3, 2, 4, 2, 1, 2, 6, 12, 7, 22, 1, 32};
    const plan_convolution c = {.kernel = 3,
                                .stride = 1,
                                .n_in = 2,
                                .n_out = 2,
                                .is_depthwise = true,
                                .product = {.weight = matrix(weight, 2, 9), .bias = matrix(bias, 1, 2)}};
    ref_real x[12];
    ref_image in, out;
    fill_image(&in, x);
    ck_assert_int_eq(ref_convolve(&out, &in, &c), ASSAY_OK);
    expect_image(&out, 2, 3, 2, expected);
}
END_TEST

START_TEST(every_pixel_attends_to_the_fewer_pixels_of_the_keys)
{
    /* scores are zero, so that every pixel gets the mean of the values: of the pixels (1, 1) and (1, 3),
     * which a kernel of one with stride 2 leaves */
    static const double zeros[4] = {0}, ones[2] = {1, 1}, channel[2] = {1, 0}, two[2] = {2, 0};
    plan_conv_block b = {.kind = PLAN_CONV_ATTENTION, .has_key_units = true, .is_residual = true};
    const plan_convolution fewer = {.kernel = 1,
                                    .stride = 2,
                                    .n_in = 2,
                                    .n_out = 2,
                                    .is_depthwise = true,
                                    .product = {.weight = matrix(ones, 2, 1)}};
    b.key.convolution = b.value.convolution = fewer;
    b.attention = (plan_attention){.n_heads = 1, .n_kv_heads = 1, .head_dim = 1, .scale = 1};
    b.attention.q.weight = b.attention.k.weight = matrix(zeros, 1, 2);
    b.attention.v.weight = matrix(channel, 1, 2);
    b.attention.o.weight = matrix(two, 2, 1);
    ref_real *x = ref_alloc(6, 2);
    ref_image image;
    fill_image(&image, x);
    ck_assert_int_eq(ref_conv_block(&image, &b), ASSAY_OK);
    static const double expected[] = {5, 10, 6, 20, 7, 30, 8, 40, 9, 50, 10, 60};
    expect_image(&image, 2, 3, 2, expected);
}
END_TEST

enum { MOST_PIXELS = CONV_CHANNELS * CONV_HEIGHT * CONV_WIDTH };

static void expect_tower(size_t side, size_t height, size_t width, const double *expected)
{
    static double pixels[2 * MOST_PIXELS];
    ref_real x[128];
    plan_tower tower;
    const size_t grid[1][3] = {{1, height, width}};
    conv_tower_make(&tower, side, NULL);
    conv_image(pixels, height, width);
    ck_assert_int_eq(ref_conv_tower(&tower, pixels, grid, 1, 0, (ref_tracer){0}, x), ASSAY_OK);
    for (size_t i = 0; i < side * side * CONV_HIDDEN; i++)
        ck_assert_msg(fabs((double)x[i] - expected[i]) < 1e-13, "[%zu]: %.17g, not %.17g", i, (double)x[i],
                      expected[i]);
    conv_tower_free(&tower);
}

START_TEST(a_tower_whose_output_is_averaged_equals_timm)
{
    expect_tower(2, CONV_HEIGHT, CONV_WIDTH, conv_averaged);
}
END_TEST

START_TEST(a_tower_whose_output_is_interpolated_equals_timm)
{
    expect_tower(4, CONV_HEIGHT, CONV_WIDTH, conv_interpolated);
    expect_tower(2, 17, 16, conv_other);
}
END_TEST

/* What the tap received. */
typedef struct heard {
    size_t n, rows[8], cols[8];
    char names[8][16];
} heard;

static bool hear(void *context, size_t sample, const assay_tensor *tensor, void *data)
{
    heard *h = context;
    (void)sample;
    (void)data;
    h->rows[h->n] = tensor->shape[0];
    h->cols[h->n] = tensor->shape[1];
    (void)snprintf(h->names[h->n++], sizeof *h->names, "%s", tensor->name);
    return true;
}

START_TEST(blocks_are_traced_with_the_pixels_of_the_images_from_the_first_traced_on)
{
    static double pixels[3 * MOST_PIXELS];
    static const size_t grids[3][3] = {{1, 6, 6}, {1, 8, 4}, {1, 5, 7}};
    ref_real x[3 * 4 * CONV_HIDDEN];
    plan_tower tower;
    heard h = {0};
    const assay_tap tap = {.fn = hear, .context = &h};
    conv_tower_make(&tower, 2, NULL);
    ck_assert_int_eq(ref_conv_tower(&tower, pixels, grids, 3, 1, (ref_tracer){.tap = &tap}, x), ASSAY_OK);
    ck_assert_uint_eq(h.n, 5);
    ck_assert_str_eq(h.names[0], "vision.00.out");
    ck_assert_str_eq(h.names[4], "vision.04.out");
    static const size_t rows[] = {4 * 2 + 3 * 4, 2 + 2 * 2, 1 + 1, 1 + 1, 1 + 1}, cols[] = {8, 8, 16, 16, 16};
    for (size_t i = 0; i < 5; i++) {
        ck_assert_uint_eq(h.rows[i], rows[i]);
        ck_assert_uint_eq(h.cols[i], cols[i]);
    }
    conv_tower_free(&tower);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ref/conv");
    TCase *all = tcase_create("all");
    tcase_add_test(all, strided_windows_are_padded_at_the_end_first);
    tcase_add_test(all, columns_of_a_weight_are_in_either_order);
    tcase_add_test(all, a_depthwise_convolution_keeps_channels_apart);
    tcase_add_test(all, every_pixel_attends_to_the_fewer_pixels_of_the_keys);
    tcase_add_test(all, a_tower_whose_output_is_averaged_equals_timm);
    tcase_add_test(all, a_tower_whose_output_is_interpolated_equals_timm);
    tcase_add_test(all, blocks_are_traced_with_the_pixels_of_the_images_from_the_first_traced_on);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
