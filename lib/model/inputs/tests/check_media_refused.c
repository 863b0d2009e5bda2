/* Images that do not fit the model, their tensors or their placeholder tokens: each is valid but for one
 * thing.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/inputs/tests/image.h"

#include <math.h>
#include <string.h>

#include "base/tests/support.h"

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
    m->plan.vision.present = false;
}

static void an_unknown_tensor(image *m)
{
    m->tensors[0].name = "pixels";
}

static void a_nameless_tensor(image *m)
{
    m->tensors[0].name = NULL;
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

static void rows_that_are_other_images(image *m)
{
    m->tensors[0].rank = 4;
    memcpy(m->tensors[0].shape, (const size_t[]){PATCHES, 1, WIDTH, 1}, 4 * sizeof(size_t));
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

static const image_change REFUSED[] = {
    {an_audio_clip, ASSAY_EUNSUPPORTED, {"item 0", "an audio clip"}},
    {an_unknown_kind, ASSAY_EUNSUPPORTED, {"kind 9"}},
    {no_tower, ASSAY_EUNSUPPORTED, {"found an image, which the model does not take"}},
    {an_unknown_tensor, ASSAY_EUNSUPPORTED, {"tensor 'pixels'", "expected pixel_values and image_grid_thw"}},
    {a_nameless_tensor, ASSAY_EUNSUPPORTED, {"tensor ''"}},
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
    {rows_that_are_other_images, ASSAY_EINVAL, {"found shape [8, 1, 3, 1], expected [8, 3] or [8, 3, 1, 1]"}},
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
};

START_TEST(an_item_is_refused_with_the_tensor_and_what_was_expected)
{
    expect_refused(&REFUSED[_i]);
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
    tcase_add_test(tests, an_item_of_a_grid_alone_is_taken_only_where_pixels_are_not_needed);
    suite_add_tcase(suite, tests);
    return support_run(suite);
}
