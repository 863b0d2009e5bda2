/* Places of patches and videos that do not fit: each is valid but for one thing.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/inputs/tests/image.h"

#include <math.h>
#include <string.h>

#include "base/tests/support.h"

static void a_video_without_a_token(image *m)
{
    use_video(m);
    m->plan.vision.video_token = -1;
}

static void seconds_of_an_image(image *m)
{
    m->tensors[2] = (assay_tensor){.name = "second_per_grid_ts"};
    m->items[0].n_tensors = 3;
}

static void places_column_by_column(image *m)
{
    use_places(m);
    for (int i = 0; i < PATCHES; i++) m->places[i][0] = i / 2, m->places[i][1] = i % 2;
}

static void places_from_the_second_row(image *m)
{
    use_places(m);
    for (int i = 0; i < PATCHES; i++) m->places[i][1]++;
}

static void padding_between_places(image *m)
{
    use_places(m);
    m->places[2][0] = m->places[2][1] = -1;
}

static void an_incomplete_row(image *m)
{
    use_places(m);
    m->places[PATCHES - 1][0] = m->places[PATCHES - 1][1] = -1;
}

static void padding_alone(image *m)
{
    use_places(m);
    memset(m->places, -1, sizeof m->places);
}

static void places_in_three_dimensions(image *m)
{
    use_places(m);
    m->tensors[1].shape[1] = 3;
}

static void places_of_one_row(image *m)
{
    use_places(m);
    for (int i = 0; i < PATCHES; i++) m->places[i][0] = i, m->places[i][1] = 0;
}

static void places_beyond_the_table(image *m)
{
    use_places(m);
    m->plan.vision.table = (plan_table){.kind = PLAN_TABLE_AXES, .side = 3};
}

static void fewer_rows_than_places(image *m)
{
    use_places(m);
    m->tensors[1].shape[0] = PATCHES + 1; /* the last is padding */
}

static void places_that_pools_do_not_divide(image *m)
{
    use_places(m);
    m->plan.vision.merge = 1;
    m->plan.vision.pooling.side = 2;
    m->tensors[0].shape[0] = m->tensors[1].shape[0] = PATCHES + 1;
}

static void a_grid_for_places(image *m)
{
    m->plan.vision.takes_places = true;
}

static void integer_seconds(image *m)
{
    use_video(m);
    m->tensors[2].dtype = ASSAY_I32;
}

static void seconds_in_half_precision(image *m)
{
    use_video(m);
    m->tensors[2].dtype = ASSAY_BF16;
}

static void seconds_of_two_videos(image *m)
{
    use_video(m);
    m->tensors[2].shape[0] = 2;
}

static void negative_seconds(image *m)
{
    use_video(m);
    m->pixels[0] = -1;
}

static void seconds_beyond_all_positions(image *m)
{
    use_video(m);
    m->grid[0] = m->grid[1] = m->grid[2] = 2;
    m->pixels[0] = 2e9F;
}

static void two_videos_beyond_all_positions(image *m)
{
    use_video(m);
    m->grid[0] = m->grid[1] = m->grid[2] = 2;
    m->pixels[0] = 7e8F;
    m->items[1] = m->items[0];
    m->step.n_items = 2;
    set_tokens(m, "vvavv");
}

static const image_change REFUSED[] = {
    {a_video_without_a_token, ASSAY_EUNSUPPORTED, {"found a video"}},
    {seconds_of_an_image, ASSAY_EUNSUPPORTED, {"tensor 'second_per_grid_ts'"}},
    {places_column_by_column, ASSAY_EUNSUPPORTED, {"[2]: found (1, 0), expected (0, 2)"}},
    {places_from_the_second_row, ASSAY_EUNSUPPORTED, {"[0]: found (0, 1), expected (0, 0)"}},
    {padding_between_places, ASSAY_EUNSUPPORTED, {"[2]: found (-1, -1)"}},
    {an_incomplete_row, ASSAY_EUNSUPPORTED, {"found a last row of 3 patches, expected 4"}},
    {padding_alone, ASSAY_EINVAL, {"found no place of a patch"}},
    {places_in_three_dimensions, ASSAY_EINVAL, {"found shape [8, 3], expected [n, 2] or [1, n, 2]"}},
    {places_of_one_row, ASSAY_EINVAL, {"found 1 rows, expected a multiple of 2"}},
    {places_beyond_the_table, ASSAY_EINVAL, {"found 4 columns, expected at most 3"}},
    {fewer_rows_than_places, ASSAY_EINVAL, {"found shape [8, 3], expected [9, 3]"}},
    {places_that_pools_do_not_divide, ASSAY_EINVAL, {"found 9 places", "expected a multiple of 4"}},
    {a_grid_for_places, ASSAY_EUNSUPPORTED, {"tensor 'image_grid_thw'", "image_position_ids"}},
    {integer_seconds, ASSAY_EUNSUPPORTED, {"'second_per_grid_ts': found type I32"}},
    {seconds_in_half_precision, ASSAY_EUNSUPPORTED, {"found type BF16, expected F32 or F64"}},
    {seconds_of_two_videos, ASSAY_EINVAL, {"found shape [2], expected [1] or []"}},
    {negative_seconds, ASSAY_EINVAL, {"found -1, expected at least 0"}},
    {seconds_beyond_all_positions,
     ASSAY_EINVAL,
     {"found 2e+09, expected at least 0 and at most 1.07374e+09"}},
    {two_videos_beyond_all_positions, ASSAY_EINVAL, {"found 5 tokens and videos of 2800000000 positions"}},
};

START_TEST(an_item_is_refused_with_the_tensor_and_what_was_expected)
{
    expect_refused(&REFUSED[_i]);
}
END_TEST

START_TEST(the_valid_forms_of_each_kind_are_taken)
{
    static image m;
    media_list list = {0};
    make_image(&m);
    use_places(&m);
    ck_assert_int_eq(media_list_add(&list, &m.plan, &m.step, 0, m.tokens, true, &m.err), ASSAY_OK);
    media_list_free(&list);
    make_image(&m);
    use_video(&m);
    ck_assert_int_eq(media_list_add(&list, &m.plan, &m.step, 0, m.tokens, true, &m.err), ASSAY_OK);
    media_list_free(&list);
    m.tensors[2].rank = 0;
    ck_assert_int_eq(media_list_add(&list, &m.plan, &m.step, 0, m.tokens, true, &m.err), ASSAY_OK);
    media_list_free(&list);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/inputs/places_refused");
    TCase *tests = tcase_create("refused");
    tcase_add_loop_test(tests, an_item_is_refused_with_the_tensor_and_what_was_expected, 0,
                        (int)(sizeof REFUSED / sizeof *REFUSED));
    tcase_add_test(tests, the_valid_forms_of_each_kind_are_taken);
    suite_add_tcase(suite, tests);
    return support_run(suite);
}
