/* Items that do not fit the model, their tensors or their placeholder tokens: each is valid but for one
 * thing.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/inputs/media.h"

#include <math.h>
#include <string.h>

#include "base/tests/support.h"
#include "model/inputs/tests/sample.h"

enum { WIDTH = 3, PATCHES = 8 };

/* A valid image of 2 × 4 patches with its tensors, as a grid or as places; the tests change one thing. */
typedef struct image {
    plan plan;
    int32_t tokens[SAMPLE_MOST], grid[3], places[PATCHES + 1][2];
    float pixels[PATCHES * WIDTH];
    assay_tensor tensors[3];
    assay_item items[2];
    assay_step step;
    assay_error err;
} image;

static void set_tokens(image *m, const char *letters)
{
    m->step.n_tokens = sample_tokens(letters, m->tokens);
    m->step.tokens = m->tokens;
}

static void make_image(image *m)
{
    *m = (image){.plan = {.tower = sample_tower, .positions = PLAN_POSITIONS_GRID}, .grid = {1, 2, 4}};
    for (int i = 0; i <= PATCHES; i++) {
        m->places[i][0] = i < PATCHES ? i % 4 : -1;
        m->places[i][1] = i < PATCHES ? i / 4 : -1;
    }
    m->tensors[0] = (assay_tensor){
        .name = "pixel_values", .dtype = ASSAY_F32, .rank = 2, .shape = {PATCHES, WIDTH}, .data = m->pixels};
    m->tensors[1] = (assay_tensor){
        .name = "image_grid_thw", .dtype = ASSAY_I32, .rank = 2, .shape = {1, 3}, .data = m->grid};
    m->items[0] = (assay_item){.kind = ASSAY_ITEM_IMAGE, .tensors = m->tensors, .n_tensors = 2};
    m->step = (assay_step){.sample = 7, .items = m->items, .n_items = 1};
    set_tokens(m, "aiib");
}

/* The same image as places, of a tower that takes them. */
static void use_places(image *m)
{
    m->plan.tower.takes_places = true;
    m->tensors[1] = (assay_tensor){.name = "image_position_ids",
                                   .dtype = ASSAY_I32,
                                   .rank = 2,
                                   .shape = {PATCHES, 2},
                                   .data = m->places};
}

static void use_video(image *m)
{
    m->items[0].kind = ASSAY_ITEM_VIDEO;
    m->tensors[0].name = "pixel_values_videos";
    m->tensors[1].name = "video_grid_thw";
    m->plan.tower.tokens_per_second = 2;
    m->tensors[2] = (assay_tensor){
        .name = "second_per_grid_ts", .dtype = ASSAY_F32, .rank = 1, .shape = {1}, .data = m->pixels};
    m->items[0].n_tensors = 3;
    set_tokens(m, "avvb");
}

static void an_audio_clip(image *m)
{
    m->items[0].kind = ASSAY_ITEM_AUDIO;
}
static void an_unknown_kind(image *m)
{
    m->items[0].kind = (assay_item_kind)9;
}
static void no_tower(image *m)
{
    m->plan.tower.present = false;
}
static void a_video_without_a_token(image *m)
{
    use_video(m);
    m->plan.tower.video_token = -1;
}
static void an_unknown_tensor(image *m)
{
    m->tensors[0].name = "pixels";
}
static void a_nameless_tensor(image *m)
{
    m->tensors[0].name = NULL;
}
static void seconds_of_an_image(image *m)
{
    m->tensors[2] = (assay_tensor){.name = "second_per_grid_ts"};
    m->items[0].n_tensors = 3;
}
static void a_repeated_tensor(image *m)
{
    m->tensors[0] = m->tensors[1];
}
static void no_pixels(image *m)
{
    m->items[0].tensors++;
    m->items[0].n_tensors = 1;
}
static void no_grid(image *m)
{
    m->items[0].n_tensors = 1;
}
static void no_tensors(image *m)
{
    m->items[0].tensors = NULL;
}
static void no_data(image *m)
{
    m->tensors[0].data = NULL;
}
static void a_rank_beyond_the_largest(image *m)
{
    m->tensors[0].rank = 9;
}
static void integer_pixels(image *m)
{
    m->tensors[0].dtype = ASSAY_U8;
}
static void a_floating_grid(image *m)
{
    m->tensors[1].dtype = ASSAY_F32;
}
static void two_grids(image *m)
{
    m->tensors[1].shape[0] = 2;
}
static void a_grid_of_two(image *m)
{
    m->tensors[1].rank = 1;
    m->tensors[1].shape[0] = 2;
}
static void no_frame(image *m)
{
    m->grid[0] = 0;
}
static void a_negative_height(image *m)
{
    m->grid[1] = -2;
}
static void an_odd_height(image *m)
{
    m->grid[1] = 1;
    m->grid[2] = 8;
}
static void an_odd_width(image *m)
{
    m->grid[1] = 8;
    m->grid[2] = 1;
}
static void too_many_patches(image *m)
{
    m->grid[0] = m->grid[1] = m->grid[2] = 2000000000;
}
static void another_grid(image *m)
{
    m->grid[0] = 2;
}
static void wider_rows(image *m)
{
    m->tensors[0].shape[1] = WIDTH + 1;
}
static void a_row_too_few(image *m)
{
    m->tensors[0].shape[0] = PATCHES - 1;
}
static void a_batch_of_rows(image *m)
{
    m->tensors[0].rank = 3;
    memcpy(m->tensors[0].shape, (const size_t[]){1, PATCHES, WIDTH}, 3 * sizeof(size_t));
}
static void an_infinite_pixel(image *m)
{
    m->pixels[PATCHES * WIDTH - 1] = INFINITY;
}
static void a_pixel_that_is_no_number(image *m)
{
    m->pixels[WIDTH + 1] = (float)NAN;
}
static void no_items(image *m)
{
    m->step.items = NULL;
}
static void no_placeholder(image *m)
{
    set_tokens(m, "aaab");
}
static void a_placeholder_too_many(image *m)
{
    set_tokens(m, "aiibi");
}
static void a_placeholder_of_another_kind(image *m)
{
    set_tokens(m, "vaiib");
}
static void a_divided_run(image *m)
{
    set_tokens(m, "aibi");
}
static void a_run_divided_by_a_video(image *m)
{
    set_tokens(m, "aivi");
}
static void touching_images(image *m)
{
    set_tokens(m, "aiiii");
}
static void a_wrong_offset(image *m)
{
    m->items[0].n_tokens = 2;
}
static void a_wrong_number_of_tokens(image *m)
{
    m->items[0].offset = 1;
    m->items[0].n_tokens = 3;
}
static void an_offset_alone(image *m)
{
    m->items[0].offset = 1;
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
    m->plan.tower.table = (plan_table){.kind = PLAN_TABLE_AXES, .side = 3};
}
static void fewer_rows_than_places(image *m)
{
    use_places(m);
    m->tensors[1].shape[0] = PATCHES + 1; /* the last is padding */
}
static void places_that_pools_do_not_divide(image *m)
{
    use_places(m);
    m->plan.tower.merge = 1;
    m->plan.tower.pooling.side = 2;
    m->tensors[0].shape[0] = m->tensors[1].shape[0] = PATCHES + 1;
}
static void a_grid_for_places(image *m)
{
    m->plan.tower.takes_places = true;
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

static const struct {
    void (*change)(image *);
    assay_status status;
    const char *texts[3];
} REFUSED[] = {
    {an_audio_clip, ASSAY_EUNSUPPORTED, {"item 0", "an audio clip"}},
    {an_unknown_kind, ASSAY_EUNSUPPORTED, {"kind 9"}},
    {no_tower, ASSAY_EUNSUPPORTED, {"found an image, which the model does not take"}},
    {a_video_without_a_token, ASSAY_EUNSUPPORTED, {"found a video"}},
    {an_unknown_tensor, ASSAY_EUNSUPPORTED, {"tensor 'pixels'", "expected pixel_values and image_grid_thw"}},
    {a_nameless_tensor, ASSAY_EUNSUPPORTED, {"tensor ''"}},
    {seconds_of_an_image, ASSAY_EUNSUPPORTED, {"tensor 'second_per_grid_ts'"}},
    {a_repeated_tensor, ASSAY_EINVAL, {"'image_grid_thw' is repeated"}},
    {no_pixels, ASSAY_EINVAL, {"'pixel_values' is missing"}},
    {no_grid, ASSAY_EINVAL, {"'image_grid_thw' is missing"}},
    {no_tensors, ASSAY_EINVAL, {"tensors is NULL, expected 2 tensors"}},
    {no_data, ASSAY_EINVAL, {"'pixel_values': data is NULL"}},
    {a_rank_beyond_the_largest, ASSAY_EINVAL, {"found rank 9, expected at most 8"}},
    {integer_pixels, ASSAY_EUNSUPPORTED, {"'pixel_values': found type U8", "F64, F32, F16 or BF16"}},
    {a_floating_grid, ASSAY_EUNSUPPORTED, {"found type F32, expected I32 or I64"}},
    {two_grids, ASSAY_EINVAL, {"found shape [2, 3], expected [1, 3] or [3]"}},
    {a_grid_of_two, ASSAY_EINVAL, {"found shape [2], expected"}},
    {no_frame, ASSAY_EINVAL, {"[0]: found 0, expected 1 to"}},
    {a_negative_height, ASSAY_EINVAL, {"[1]: found -2"}},
    {an_odd_height, ASSAY_EINVAL, {"found 1 rows, expected a multiple of 2"}},
    {an_odd_width, ASSAY_EINVAL, {"found 1 columns, expected a multiple of 2"}},
    {too_many_patches, ASSAY_EINVAL, {"2000000000 x 2000000000 x 2000000000 patches"}},
    {another_grid, ASSAY_EINVAL, {"'pixel_values': found shape [8, 3], expected [16, 3]"}},
    {wider_rows, ASSAY_EINVAL, {"found shape [8, 4], expected [8, 3]"}},
    {a_row_too_few, ASSAY_EINVAL, {"found shape [7, 3], expected [8, 3]"}},
    {a_batch_of_rows, ASSAY_EINVAL, {"found shape [1, 8, 3], expected [8, 3]"}},
    {an_infinite_pixel, ASSAY_EINVAL, {"'pixel_values': [7, 2]: found inf, expected a finite number"}},
    {a_pixel_that_is_no_number, ASSAY_EINVAL, {"[1, 1]: found nan"}},
    {no_items, ASSAY_EINVAL, {"items is NULL, expected 1 items"}},
    {no_placeholder, ASSAY_EINVAL, {"item 0: found no placeholder token 90"}},
    {a_placeholder_too_many, ASSAY_EINVAL, {"token 4: found placeholder token 90, but no image"}},
    {a_placeholder_of_another_kind, ASSAY_EINVAL, {"token 0: found placeholder token 91, but no video"}},
    {a_divided_run, ASSAY_EINVAL, {"token 2: found token 1 after 1 of 2 placeholder tokens", "expected 90"}},
    {a_run_divided_by_a_video, ASSAY_EINVAL, {"token 2: found token 91 after 1 of 2"}},
    {touching_images, ASSAY_EINVAL, {"token 3: found placeholder token 90, but no image"}},
    {a_wrong_offset, ASSAY_EINVAL, {"found offset 0, expected 1"}},
    {a_wrong_number_of_tokens, ASSAY_EINVAL, {"found n_tokens 3, expected 2", "1 x 2 x 4"}},
    {an_offset_alone, ASSAY_EINVAL, {"found offset 1 without n_tokens"}},
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
    static image m;
    media_list list = {0};
    make_image(&m);
    ck_assert_int_eq(media_list_add(&list, &m.plan, &m.step, 0, m.tokens, true, &m.err), ASSAY_OK);
    ck_assert_uint_eq(list.n, 1);
    media_list_free(&list);
    REFUSED[_i].change(&m);
    const char *const *texts = REFUSED[_i].texts;
    ck_assert_int_eq(media_list_add(&list, &m.plan, &m.step, 0, m.tokens, true, &m.err), REFUSED[_i].status);
    support_expect_error(&m.err, REFUSED[_i].status, "step: sample 7: ", texts[0], texts[1], NULL);
    ck_assert_uint_eq(list.n, 0);
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

START_TEST(an_item_of_a_grid_alone_is_taken_only_where_pixels_are_not_needed)
{
    static image m;
    media_list list = {0};
    make_image(&m);
    no_pixels(&m);
    ck_assert_int_eq(media_list_add(&list, &m.plan, &m.step, 0, m.tokens, true, &m.err), ASSAY_EINVAL);
    ck_assert_int_eq(media_list_add(&list, &m.plan, &m.step, 0, m.tokens, false, &m.err), ASSAY_OK);
    media_list_free(&list);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/inputs/media_refused");
    TCase *tests = tcase_create("refused");
    tcase_add_loop_test(tests, an_item_is_refused_with_the_tensor_and_what_was_expected, 0,
                        (int)(sizeof REFUSED / sizeof *REFUSED));
    tcase_add_test(tests, the_valid_forms_of_each_kind_are_taken);
    tcase_add_test(tests, an_item_of_a_grid_alone_is_taken_only_where_pixels_are_not_needed);
    suite_add_tcase(suite, tests);
    return support_run(suite);
}
