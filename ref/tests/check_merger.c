/* The order of patches, their segments, averaging and mergers, on inputs whose results are known exactly.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "ref/merger.h"

#include "base/tests/support.h"
#include "model/tests/weight.h"

static ref_patches patches_of(plan_patch_order order, size_t side, const size_t (*grids)[3], size_t n_media)
{
    ref_patches patches;
    ck_assert_int_eq(ref_patches_make(order, side, grids, n_media, &patches), ASSAY_OK);
    return patches;
}

static plan_weight matrix(const double *data, size_t rows, size_t cols)
{
    return weight_of(data, ASSAY_F64, rows, cols);
}

static void expect(const ref_real *got, const double *expected, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ck_assert_msg(got[i] == expected[i], "[%zu]: %.17g, not %.17g", i, got[i], expected[i]);
}

START_TEST(patches_follow_row_by_row_or_block_by_block)
{
    static const size_t GRIDS[2][3] = {{1, 2, 2}, {2, 4, 4}};
    /* row · 10 + column of the patches of the second medium's second frame */
    static const size_t RASTER[] = {0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23, 30, 31, 32, 33},
                        BLOCKS[] = {0, 1, 10, 11, 2, 3, 12, 13, 20, 21, 30, 31, 22, 23, 32, 33};
    for (int blocks = 0; blocks < 2; blocks++) {
        ref_patches patches = patches_of(blocks ? PLAN_PATCHES_BLOCKS : PLAN_PATCHES_RASTER, 2, GRIDS, 2);
        ck_assert_uint_eq(patches.n, 36);
        ck_assert_uint_eq(patches.first[1], 4);
        for (size_t i = 0; i < 16; i++) {
            const ref_patch *patch = &patches.patch[4 + 16 + i];
            ck_assert_uint_eq(patch->medium, 1);
            ck_assert_uint_eq(patch->frame, 1);
            ck_assert_uint_eq(patch->row * 10 + patch->column, blocks ? BLOCKS[i] : RASTER[i]);
        }
        ref_patches_free(&patches);
    }
}
END_TEST

START_TEST(windows_begin_at_the_first_row_and_column_and_the_last_ones_are_smaller)
{
    static const size_t GRID[3] = {2, 5, 6};
    ck_assert_uint_eq(ref_patches_segments(GRID, 0), 2);
    ck_assert_uint_eq(ref_patches_segments(GRID, 4), 8);
    ck_assert_uint_eq(ref_patches_segments(GRID, 6), 2);
    ck_assert_uint_eq(ref_patches_segment(&(ref_patch){0, 1, 4, 5}, GRID, 0), 1);
    ck_assert_uint_eq(ref_patches_segment(&(ref_patch){0, 0, 3, 3}, GRID, 4), 0);
    ck_assert_uint_eq(ref_patches_segment(&(ref_patch){0, 0, 3, 4}, GRID, 4), 1);
    ck_assert_uint_eq(ref_patches_segment(&(ref_patch){0, 0, 4, 3}, GRID, 4), 2);
    ck_assert_uint_eq(ref_patches_segment(&(ref_patch){0, 1, 4, 5}, GRID, 4), 7);
    ck_assert_uint_eq(ref_patches_segment(&(ref_patch){0, 1, 4, 5}, GRID, 6), 1);
}
END_TEST

/* Rows of two patches each, of an image and of a video: the rows of a block, wherever they lie. */
START_TEST(a_merger_concatenates_the_rows_of_each_block)
{
    static const size_t GRIDS[2][3] = {{1, 2, 4}, {2, 2, 2}};
    static const double RASTER[] = {0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                        BLOCKS[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    double identity[16] = {0};
    for (size_t i = 0; i < 4; i++) identity[5 * i] = 1;
    const plan_merger merger = {2,
                                {{.kind = PLAN_MERGER_CONCATENATE},
                                 {PLAN_MERGER_LINEAR, .linear = {.weight = matrix(identity, 4, 4)}}}};
    ref_real x[16], y[16];
    for (size_t i = 0; i < 16; i++) x[i] = (double)i;
    for (int blocks = 0; blocks < 2; blocks++) {
        const plan_patch_order order = blocks ? PLAN_PATCHES_BLOCKS : PLAN_PATCHES_RASTER;
        ref_patches patches = patches_of(order, 2, GRIDS, 2);
        ck_assert_int_eq(ref_merge(y, x, &patches, order, 2, 1, &merger), ASSAY_OK);
        expect(y, blocks ? BLOCKS : RASTER, 16);
        ref_patches_free(&patches);
    }
}
END_TEST

/* LayerNorm of two numbers without an epsilon gives -1 and 1, of two pairs of equal numbers -1, -1, 1 and 1.
 */
static const double ROWS_OF_TWO[] = {1, 0, 0, 1, 0, 1}, ROWS_OF_FOUR[] = {1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1},
                    BIAS[] = {-2, 0, 3}, SECOND[] = {1, 10, 100};

START_TEST(a_mergers_norm_may_be_over_each_row)
{
    static const size_t GRID[1][3] = {{1, 1, 2}};
    const plan_merger merger = {
        4,
        {{PLAN_MERGER_NORM, .norm = {.present = true, .kind = PLAN_LAYER_NORM, .width = 2}},
         {PLAN_MERGER_LINEAR, .linear = {.weight = matrix(ROWS_OF_TWO, 3, 2), .bias = matrix(BIAS, 1, 3)}},
         {PLAN_MERGER_ACTIVATION, .activation = ASSAY_RELU},
         {PLAN_MERGER_LINEAR, .linear = {.weight = matrix(SECOND, 1, 3)}}}};
    const ref_real x[] = {3, 5, -10, 90};
    ref_real y[2];
    ref_patches patches = patches_of(PLAN_PATCHES_RASTER, 1, GRID, 1);
    ck_assert_int_eq(ref_merge(y, x, &patches, PLAN_PATCHES_RASTER, 1, 2, &merger), ASSAY_OK);
    expect(y, (const double[]){410, 410}, 2); /* relu(-3, 1, 4) of each */
    ref_patches_free(&patches);
}
END_TEST

START_TEST(a_mergers_norm_may_be_over_the_concatenated_rows)
{
    static const size_t GRID[1][3] = {{1, 2, 2}};
    const plan_merger merger = {
        5,
        {{.kind = PLAN_MERGER_CONCATENATE},
         {PLAN_MERGER_NORM, .norm = {.present = true, .kind = PLAN_LAYER_NORM, .width = 4}},
         {PLAN_MERGER_LINEAR, .linear = {.weight = matrix(ROWS_OF_FOUR, 3, 4), .bias = matrix(BIAS, 1, 3)}},
         {PLAN_MERGER_ACTIVATION, .activation = ASSAY_RELU},
         {PLAN_MERGER_LINEAR, .linear = {.weight = matrix(SECOND, 1, 3)}}}};
    const ref_real x[] = {7, 7, 9, 9};
    ref_real y[1];
    ref_patches patches = patches_of(PLAN_PATCHES_BLOCKS, 2, GRID, 1);
    ck_assert_int_eq(ref_merge(y, x, &patches, PLAN_PATCHES_BLOCKS, 2, 1, &merger), ASSAY_OK);
    expect(y, (const double[]){400}, 1); /* relu(0 - 2, -1, 1 + 3) */
    ref_patches_free(&patches);
}
END_TEST

/* Two channels of each patch; a convolution's weights are ordered channel, row, column. */
START_TEST(a_block_may_be_joined_channel_by_channel)
{
    static const size_t GRID[1][3] = {{1, 2, 4}};
    const plan_merger merger = {1, {{PLAN_MERGER_CONCATENATE, .channels_first = true}}};
    ref_real x[16], y[16];
    for (size_t i = 0; i < 8; i++) {
        x[2 * i] = (double)i;
        x[2 * i + 1] = 10 + (double)i;
    }
    ref_patches patches = patches_of(PLAN_PATCHES_RASTER, 2, GRID, 1);
    ck_assert_int_eq(ref_merge(y, x, &patches, PLAN_PATCHES_RASTER, 2, 2, &merger), ASSAY_OK);
    expect(y, (const double[]){0, 1, 4, 5, 10, 11, 14, 15, 2, 3, 6, 7, 12, 13, 16, 17}, 16);
    ref_patches_free(&patches);
}
END_TEST

/* Two images of 1 x 2 and 2 x 1 blocks; the step between the two kinds of vectors multiplies by 10. */
START_TEST(a_merger_may_add_rows_after_those_of_blocks_and_around_an_image)
{
    static const size_t GRIDS[2][3] = {{1, 2, 4}, {1, 4, 2}};
    static const double FIRST[] = {1, 0, 0, 0}, ROW_END[] = {7}, TEN[] = {10}, BEGIN[] = {-1}, END[] = {-2};
    const plan_merger merger = {5,
                                {{.kind = PLAN_MERGER_CONCATENATE},
                                 {PLAN_MERGER_LINEAR, .linear = {.weight = matrix(FIRST, 1, 4)}},
                                 {PLAN_MERGER_ROW_ENDS, .row_end = matrix(ROW_END, 1, 1)},
                                 {PLAN_MERGER_LINEAR, .linear = {.weight = matrix(TEN, 1, 1)}},
                                 {PLAN_MERGER_ENDS, .begin = matrix(BEGIN, 1, 1), .end = matrix(END, 1, 1)}}};
    static const double EXPECTED[] = {-1, 0, 20, 70, -2, -1, 80, 70, 120, 70, -2};
    ref_real x[16], y[11];
    for (size_t i = 0; i < 16; i++) x[i] = (double)i;
    ref_patches patches = patches_of(PLAN_PATCHES_RASTER, 2, GRIDS, 2);
    ck_assert_int_eq(ref_merge(y, x, &patches, PLAN_PATCHES_RASTER, 2, 1, &merger), ASSAY_OK);
    expect(y, EXPECTED, 11);
    const plan_tower tower = {.merge = 2, .pooling = {.side = 1}, .merger = merger};
    ck_assert_uint_eq(plan_tower_tokens(&tower, GRIDS[0]) + plan_tower_tokens(&tower, GRIDS[1]), 11);
    ref_patches_free(&patches);
}
END_TEST

/* down(relu(gate(x)) * up(x)) of (2, 3) and of (-1, 5), then each result twice. */
START_TEST(a_merger_may_have_an_mlp_and_repeat_rows)
{
    static const size_t GRID[1][3] = {{1, 1, 2}};
    static const double GATE[] = {1, 0}, UP[] = {0, 1}, DOWN[] = {10, -1};
    const plan_merger merger = {2,
                                {{PLAN_MERGER_MLP, .mlp = {.present = true,
                                                           .intermediate = 1,
                                                           .activation = ASSAY_RELU,
                                                           .gate = {.weight = matrix(GATE, 1, 2)},
                                                           .up = {.weight = matrix(UP, 1, 2)},
                                                           .down = {.weight = matrix(DOWN, 2, 1)}}},
                                 {.kind = PLAN_MERGER_REPEAT}}};
    const ref_real x[] = {2, 3, -1, 5};
    ref_real y[8];
    ck_assert_uint_eq(plan_merger_width(&merger, 2, 1), 4);
    ref_patches patches = patches_of(PLAN_PATCHES_RASTER, 1, GRID, 1);
    ck_assert_int_eq(ref_merge(y, x, &patches, PLAN_PATCHES_RASTER, 1, 2, &merger), ASSAY_OK);
    expect(y, (const double[]){60, -6, 60, -6, 0, 0, 0, 0}, 8);
    ref_patches_free(&patches);
}
END_TEST

/* LayerNorm of (7, 9) gives -1, 1. */
START_TEST(a_norm_may_follow_a_product)
{
    static const size_t GRID[1][3] = {{1, 1, 1}};
    static const double PRODUCT[] = {1, 0, 1, 1};
    const plan_merger merger = {
        2,
        {{PLAN_MERGER_LINEAR, .linear = {.weight = matrix(PRODUCT, 2, 2)}},
         {PLAN_MERGER_NORM, .norm = {.present = true, .kind = PLAN_LAYER_NORM, .width = 2}}}};
    const ref_real x[] = {7, 2};
    ref_real y[2];
    ref_patches patches = patches_of(PLAN_PATCHES_RASTER, 1, GRID, 1);
    ck_assert_int_eq(ref_merge(y, x, &patches, PLAN_PATCHES_RASTER, 1, 2, &merger), ASSAY_OK);
    expect(y, (const double[]){-1, 1}, 2);
    ref_patches_free(&patches);
}
END_TEST

START_TEST(pooling_averages_squares_then_scales_and_standardises)
{
    static const size_t GRID[1][3] = {{2, 2, 4}}, POOLED[1][3] = {{2, 1, 2}};
    static const double SUBTRACTED[] = {1, 2}, SCALE[] = {10, -1};
    plan_pooling pooling = {.side = 2, .factor = 4};
    ref_patches from = patches_of(PLAN_PATCHES_RASTER, 1, GRID, 1),
                to = patches_of(PLAN_PATCHES_RASTER, 1, POOLED, 1);
    ref_real x[32], y[8];
    for (size_t i = 0; i < 16; i++) {
        x[2 * i] = (double)i;
        x[2 * i + 1] = i == 2 ? 1 : 0;
    }
    /* patches 0, 1, 4, 5: mean 2.5; 2, 3, 6, 7: 4.5; then 8 more each */
    ck_assert_int_eq(ref_pool(y, &to, x, &from, PLAN_PATCHES_RASTER, 1, 2, &pooling), ASSAY_OK);
    expect(y, (const double[]){10, 0, 18, 1, 42, 0, 50, 0}, 8);
    pooling.bias = matrix(SUBTRACTED, 1, 2);
    pooling.scale = matrix(SCALE, 1, 2);
    ck_assert_int_eq(ref_pool(y, &to, x, &from, PLAN_PATCHES_RASTER, 1, 2, &pooling), ASSAY_OK);
    expect(y, (const double[]){90, 2, 170, 1, 410, 2, 490, 2}, 8);
    ref_patches_free(&from);
    ref_patches_free(&to);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ref/merger");
    TCase *all = tcase_create("all");
    tcase_add_test(all, patches_follow_row_by_row_or_block_by_block);
    tcase_add_test(all, windows_begin_at_the_first_row_and_column_and_the_last_ones_are_smaller);
    tcase_add_test(all, a_merger_concatenates_the_rows_of_each_block);
    tcase_add_test(all, a_mergers_norm_may_be_over_each_row);
    tcase_add_test(all, a_mergers_norm_may_be_over_the_concatenated_rows);
    tcase_add_test(all, a_block_may_be_joined_channel_by_channel);
    tcase_add_test(all, a_merger_may_have_an_mlp_and_repeat_rows);
    tcase_add_test(all, a_norm_may_follow_a_product);
    tcase_add_test(all, a_merger_may_add_rows_after_those_of_blocks_and_around_an_image);
    tcase_add_test(all, pooling_averages_squares_then_scales_and_standardises);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
