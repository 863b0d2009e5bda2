/* The rope in the plane of images.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/tests/weight.h"
#include "ref/features.h"
#include "ref/ops.h"

#include "base/tests/support.h"
#include "model/inputs/tests/sample.h"

#include <math.h>
#include <stdlib.h>

/* Two tokens of two heads of six elements; pairs 2, 3 and 4, 5 turn. */
START_TEST(pairs_turn_by_the_angles_of_their_head)
{
    const double right = 1.57079632679489661923;
    const double angle[] = {0, 0, 0, 0, right, 0, 0, 2 * right};
    const plan_plane_rope r = {.present = true, .first = 2, .dim = 4};
    ref_real heads[24];
    const double turned[] = {1, 2, -4, 3, 5, 6, 1, 2, 3, 4, -5, -6};
    for (size_t i = 0; i < 24; i++) heads[i] = (ref_real)(1 + i % 6);
    ref_plane_rope(heads, 2, 2, 6, &r, angle);
    for (size_t i = 0; i < 12; i++) ck_assert(heads[i] == (ref_real)(1 + i % 6));
    for (size_t i = 0; i < 12; i++) ck_assert(fabs((double)heads[12 + i] - turned[i]) < 1e-14);
}
END_TEST

/* A grid of 3 x 12 patches, whose corners are at ±1/2 and ±2, between two tokens of text. */
START_TEST(angles_follow_from_the_place_in_the_image)
{
    enum { ROWS = 3, COLUMNS = 12, N = ROWS * COLUMNS + 2 };
    static const double F[] = {1, 0, 0, 1, 4, -1};
    plan p = {.vision = sample_tower,
              .plane_rope = {.present = true, .dim = 2, .frequency = weight_of(F, ASSAY_F64, 1, 6)}};
    p.vision.merge = 1;
    sample_medium image = {.grid = {1, ROWS, COLUMNS}};
    const assay_item item = sample_item(&image, ASSAY_ITEM_IMAGE);
    int32_t tokens[N];
    size_t row[N];
    for (size_t t = 0; t < N; t++) {
        const bool is_text = t == 0 || t == N - 1;
        tokens[t] = is_text ? 1 : SAMPLE_IMAGE;
        row[t] = is_text ? SIZE_MAX : t - 1;
    }
    ref_sample sample = {.n_tokens = N, .tokens = tokens};
    double *angle = NULL;
    assay_error err;
    const assay_step step = {.tokens = tokens, .n_tokens = N, .items = &item, .n_items = 1};
    ck_assert_msg(media_list_add(&sample.media, &p, &step, 0, tokens, false, &err) == ASSAY_OK, "%s",
                  err.text);
    ck_assert_int_eq(ref_features_angles(&p, &sample, &angle), ASSAY_OK);
    for (size_t t = 0; t < N; t++) {
        const bool is_text = row[t] == SIZE_MAX;
        const double y = is_text ? 0 : -0.5 + 0.5 * (double)(row[t] / COLUMNS),
                     x = is_text ? 0 : -2 + 4.0 / 11 * (double)(row[t] % COLUMNS);
        ck_assert(fabs(angle[3 * t] - y) < 1e-14);
        ck_assert(fabs(angle[3 * t + 1] - x) < 1e-14);
        ck_assert(fabs(angle[3 * t + 2] - (4 * y - x)) < 1e-14);
    }
    free(angle);
    media_list_free(&sample.media);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ref/plane_rope");
    TCase *all = tcase_create("all");
    tcase_add_test(all, pairs_turn_by_the_angles_of_their_head);
    tcase_add_test(all, angles_follow_from_the_place_in_the_image);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
