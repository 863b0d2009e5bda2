/* Crops that are joined, and scales of queries and values.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/tests/weight.h"
#include "ref/heads.h"
#include "ref/merger.h"

#include "base/tests/support.h"

#include <math.h>

START_TEST(without_crops_the_whole_image_is_taken_twice)
{
    static const ref_real X[] = {1, 2, 3, 4};
    ref_real y[8];
    ref_crops_join(y, X, 2, (const size_t[]){0, 0}, 0, 1);
    for (size_t i = 0; i < 8; i++) ck_assert(y[i] == X[i / 2]);
}
END_TEST

/* Two crops of 4 x 4 patches above each other, whose element is 10 times their line: the lines 0 to 2 of the
 * first and 1 to 3 of the second are 6. Parts of 1.5 lines begin at 0, 2, 3, 4 (4.5 to even) and end at 6. */
START_TEST(margins_are_cut_and_borders_are_rounded_to_even)
{
    enum { SIDE = 4, N = SIDE * SIDE };
    static const double EXPECTED[] = {(0 + 10) / 2.0, 20, (110) / 1.0, (120 + 130) / 2.0};
    ref_real x[3 * N], y[2 * N];
    for (size_t i = 0; i < N; i++) {
        x[i] = (ref_real)i;
        x[N + i] = (ref_real)(10 * (i / SIDE));
        x[2 * N + i] = (ref_real)(100 + 10 * (i / SIDE));
    }
    ref_crops_join(y, x, SIDE, (const size_t[]){2, 1}, 1, 1);
    for (size_t i = 0; i < N; i++) {
        ck_assert(y[2 * i] == (ref_real)i);
        ck_assert_msg((double)y[2 * i + 1] == EXPECTED[i / SIDE], "%zu: found %g, expected %g", i,
                      (double)y[2 * i + 1], EXPECTED[i / SIDE]);
    }
}
END_TEST

/* Three crops beside each other, without margins: each part is a whole crop's column, or three. */
START_TEST(crops_stand_side_by_side)
{
    enum { SIDE = 3, N = SIDE * SIDE };
    ref_real x[4 * N], y[2 * N];
    for (size_t i = 0; i < 4 * N; i++) x[i] = (ref_real)(i / N);
    ref_crops_join(y, x, SIDE, (const size_t[]){1, 3}, 0, 1);
    for (size_t i = 0; i < N; i++) ck_assert(y[2 * i + 1] == (ref_real)(1 + i % SIDE));
}
END_TEST

/* One token of one head of one element each: the row is (q, k, v) = (0, 100, 0), whose gelu is (0, 100, 0).
 */
START_TEST(scales_depend_on_all_projections_and_the_position)
{
    static const double Q[] = {7, 0.01, 7}, V[] = {7, 0, 7}, ALPHA[] = {2};
    const plan_weight of_q = weight_of(Q, ASSAY_F64, 1, 3), of_v = weight_of(V, ASSAY_F64, 1, 3),
                      alpha = weight_of(ALPHA, ASSAY_F64, 1, 1);
    const plan_attention a = {
        .n_heads = 1, .n_kv_heads = 1, .head_dim = 1, .head_scale = {true, of_q, of_v, alpha}};
    const int32_t positions[2 * ROPE_AXES_MAX] = {0, 9, 9, 9, 2, 9, 9, 9};
    /* an element of 0 stays 0, so that the heads are 1e-9: its gelu is nearly 0 */
    ref_real q[] = {(ref_real)1e-9, (ref_real)1e-9}, v[] = {(ref_real)1e-9, (ref_real)1e-9};
    const ref_real k[] = {100, 100};
    ck_assert_int_eq(ref_head_scale(q, k, v, 2, positions, &a), ASSAY_OK);
    const double third = 1 / (1 + exp(-2 * log(3.0)));
    const double expected[] = {tanh(1) + 1, tanh(1) + 0.5 + third, 1, 0.5 + third};
    const double found[] = {(double)q[0], (double)q[1], (double)v[0], (double)v[1]};
    for (size_t i = 0; i < 4; i++) ck_assert(fabs(found[i] * 1e9 - expected[i]) < 1e-7);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ref/crops");
    TCase *all = tcase_create("all");
    tcase_add_test(all, without_crops_the_whole_image_is_taken_twice);
    tcase_add_test(all, margins_are_cut_and_borders_are_rounded_to_even);
    tcase_add_test(all, crops_stand_side_by_side);
    tcase_add_test(all, scales_depend_on_all_projections_and_the_position);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
