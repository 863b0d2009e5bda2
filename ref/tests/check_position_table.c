/* Tables of learned positions, against torch.nn.functional.interpolate in float64.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "ref/position_table.h"

#include "base/tests/support.h"
#include "model/tests/weight.h"

#include <math.h>

enum { SIDE = 3 };

static const double TABLE[SIDE * SIDE] = {1, 2, 4, 8, -3, 5, 7, 6, -9};

/* What interpolate(table, (h, w), mode, align_corners) returns. */
static const struct {
    plan_table_kind kind;
    bool aligns_corners;
    size_t h, w;
    double expected[16];
} CASES[] = {
    {PLAN_TABLE_BILINEAR, true, 2, 5, {1, 1.5, 2, 3, 4, 7, 6.5, 6, -1.5, -9}},
    {PLAN_TABLE_BILINEAR, true, 1, 1, {1}},
    {PLAN_TABLE_BILINEAR, false, 2, 4, {2.75, 1.5, 2.0625, 4.25, 7.25, 5.0625, 0.28125, -5.5}},
    {PLAN_TABLE_BICUBIC,
     false,
     2,
     4,
     {2.769695281982422, 0.8389148712158203, 1.8252639770507812, 5.017915725708008, 7.737335205078125,
      6.166236877441406, -0.0714569091796875, -6.480461120605469}},
    {PLAN_TABLE_BICUBIC, false, 4, 1, {2.35888671875, -2.18701171875, -0.30615234375, 6.64599609375}},
    {PLAN_TABLE_BICUBIC, true, 5, 2, {1, 4, 4.59375, 5.8125, 8, 5, 8.15625, -1.90625, 7, -9}},
};

static plan_table table_of(plan_table_kind kind, bool aligns_corners, size_t side, const double *data,
                           size_t rows, size_t cols)
{
    return (plan_table){.kind = kind,
                        .aligns_corners = aligns_corners,
                        .side = side,
                        .weight = weight_of(data, ASSAY_F64, rows, cols)};
}

START_TEST(a_table_is_resampled_to_the_grid_of_an_image)
{
    const plan_table table = table_of(CASES[_i].kind, CASES[_i].aligns_corners, SIDE, TABLE, 9, 1);
    const size_t grid[1][3] = {{1, CASES[_i].h, CASES[_i].w}}, n = CASES[_i].h * CASES[_i].w;
    ref_real x[16];
    ref_patches patches;
    ck_assert_int_eq(ref_patches_make(PLAN_PATCHES_RASTER, 1, grid, 1, &patches), ASSAY_OK);
    for (size_t i = 0; i < n; i++) x[i] = 100;
    ck_assert_int_eq(ref_table_add(x, &patches, &table, table.weight.cols), ASSAY_OK);
    for (size_t i = 0; i < n; i++)
        ck_assert_msg(fabs(x[i] - 100 - CASES[_i].expected[i]) < 1e-13, "[%zu]: %.17g, not %.17g", i,
                      x[i] - 100, CASES[_i].expected[i]);
    ref_patches_free(&patches);
}
END_TEST

/* Patches in blocks, of two frames: each frame reads the whole table, at the place of its patches. */
START_TEST(a_patch_reads_the_table_at_its_place_in_the_frame)
{
    const double data[] = {0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23, 30, 31, 32, 33};
    const double expected[] = {0, 1, 10, 11, 2, 3, 12, 13, 20, 21, 30, 31, 22, 23, 32, 33};
    const plan_table table = table_of(PLAN_TABLE_BILINEAR, true, 4, data, 16, 1);
    const size_t grid[1][3] = {{2, 4, 4}};
    ref_real x[32] = {0};
    ref_patches patches;
    ck_assert_int_eq(ref_patches_make(PLAN_PATCHES_BLOCKS, 2, grid, 1, &patches), ASSAY_OK);
    ck_assert_int_eq(ref_table_add(x, &patches, &table, table.weight.cols), ASSAY_OK);
    for (size_t i = 0; i < 32; i++) ck_assert_double_eq(x[i], expected[i % 16]);
    ref_patches_free(&patches);
}
END_TEST

START_TEST(a_table_of_axes_adds_the_column_and_the_row)
{
    const double data[] = {1, 2, 3, 4, 5, 6, /* columns 0 … 2 */ 10, 20, 30, 40, 50, 60 /* rows 0 … 2 */};
    const double expected[] = {11, 22, 13, 24, 15, 26, 31, 42, 33, 44, 35, 46};
    const plan_table table = table_of(PLAN_TABLE_AXES, false, 3, data, 6, 2);
    const size_t grid[1][3] = {{1, 2, 3}};
    ref_real x[12] = {0};
    ref_patches patches;
    ck_assert_int_eq(ref_patches_make(PLAN_PATCHES_RASTER, 1, grid, 1, &patches), ASSAY_OK);
    ck_assert_int_eq(ref_table_add(x, &patches, &table, table.weight.cols), ASSAY_OK);
    for (size_t i = 0; i < 12; i++) ck_assert_double_eq(x[i], expected[i]);
    ref_patches_free(&patches);
}
END_TEST

/* Columns 0, 1, 2 with a period of 2: sines before cosines, frequencies 1 and 1 / 10000. */
START_TEST(sinusoids_begin_again_after_a_period)
{
    const plan_table table = {.kind = PLAN_TABLE_SINUSOIDS, .period = 2};
    const double expected[] = {0, 0, 1, 1, sin(1.0), sin(1e-4), cos(1.0), cos(1e-4)};
    const size_t grid[1][3] = {{1, 1, 3}};
    ref_real x[12] = {0};
    ref_patches patches;
    ck_assert_int_eq(ref_patches_make(PLAN_PATCHES_RASTER, 1, grid, 1, &patches), ASSAY_OK);
    ck_assert_int_eq(ref_table_add(x, &patches, &table, 4), ASSAY_OK);
    for (size_t i = 0; i < 12; i++)
        ck_assert_msg(fabs(x[i] - expected[i % 8]) < 1e-15, "[%zu]: %.17g, not %.17g", i, x[i],
                      expected[i % 8]);
    ref_patches_free(&patches);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ref/position_table");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, a_table_is_resampled_to_the_grid_of_an_image, 0, sizeof CASES / sizeof *CASES);
    tcase_add_test(all, a_patch_reads_the_table_at_its_place_in_the_frame);
    tcase_add_test(all, a_table_of_axes_adds_the_column_and_the_row);
    tcase_add_test(all, sinusoids_begin_again_after_a_period);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
