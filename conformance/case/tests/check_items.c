/* The division of a case's inputs among its samples.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <stdlib.h>

#include "conformance/case/items.h"
#include "conformance/tests/support.h"

enum { N_SAMPLES = 2, N_TENSORS = 3 };

static const float numbers[32];
static int32_t samples[3], grid[3][3];

/* A case with up to N_TENSORS inputs. */
typedef struct inputs {
    assay_tensor tensors[N_TENSORS];
    conf_decoder d;
    conf_items items;
} inputs;

/* Initialises a case without inputs. */
static void begin(inputs *in, size_t n_samples)
{
    *in = (inputs){.d = {.n_samples = n_samples, .inputs = in->tensors}};
}

/* Adds a float32 input [n_rows, n_cols]. */
static void add_tensor(inputs *in, const char *name, size_t n_rows, size_t n_cols)
{
    ck_assert_uint_lt(in->d.n_inputs, N_TENSORS);
    in->tensors[in->d.n_inputs++] = (assay_tensor){
        .name = name, .dtype = ASSAY_F32, .rank = 2, .shape = {n_rows, n_cols}, .data = numbers};
}

static void add_grid(inputs *in, size_t n_images)
{
    add_tensor(in, "image_grid_thw", n_images, 3);
    assay_tensor *added = &in->tensors[in->d.n_inputs - 1];
    added->dtype = ASSAY_I32;
    added->data = grid;
}

static void set_samples(inputs *in, size_t n)
{
    in->d.image_sample = (conf_array){.dtype = ASSAY_I32, .rank = 1, .shape = {n}, .n = n, .data = samples};
}

static void divide(inputs *in)
{
    assay_error err = {0};
    ck_assert_msg(conf_items_divide("a.h5", &in->d, &in->items, &err) == ASSAY_OK, "%s", err.text);
}

static const assay_item *items_of(const inputs *in, size_t sample, size_t n_expected)
{
    size_t n;
    const assay_item *items = conf_items_of(&in->items, sample, &n);
    ck_assert_uint_eq(n, n_expected);
    return items;
}

/* The tensor is rows [first, first + n_rows) of an array with n_cols columns of 4 bytes. */
static void assert_rows(const assay_tensor *t, const void *array, size_t first, size_t n_rows, size_t n_cols)
{
    ck_assert_uint_eq(t->rank, 2);
    ck_assert_uint_eq(t->shape[0], n_rows);
    ck_assert_uint_eq(t->shape[1], n_cols);
    ck_assert_ptr_eq(t->data, (const char *)array + first * n_cols * 4);
}

START_TEST(without_image_sample_each_sample_has_a_row_of_every_input)
{
    inputs in;
    begin(&in, N_SAMPLES);
    add_tensor(&in, "inputs_embeds", 2, 4);
    add_tensor(&in, "input_features", 2, 3);
    add_tensor(&in, "input_features_mask", 2, 5);
    divide(&in);
    for (size_t b = 0; b < N_SAMPLES; b++) {
        const assay_item *items = items_of(&in, b, 2);
        ck_assert_int_eq(items[0].kind, ASSAY_ITEM_AUDIO);
        ck_assert_uint_eq(items[0].n_tensors, 2);
        ck_assert_uint_eq(items[0].n_tokens, 0);
        ck_assert_str_eq(items[0].tensors[0].name, "input_features");
        assert_rows(&items[0].tensors[0], numbers, b, 1, 3);
        ck_assert_str_eq(items[0].tensors[1].name, "input_features_mask");
        assert_rows(&items[0].tensors[1], numbers, b, 1, 5);
        ck_assert_int_eq(items[1].kind, ASSAY_ITEM_EMBEDDING);
        ck_assert_uint_eq(items[1].n_tensors, 1);
        assert_rows(&items[1].tensors[0], numbers, b, 1, 4);
    }
    conf_items_free(&in.items);
}
END_TEST

START_TEST(images_belong_to_the_samples_that_image_sample_names)
{
    inputs in;
    begin(&in, N_SAMPLES);
    add_tensor(&in, "pixel_values", 3, 2);
    set_samples(&in, 3);
    samples[0] = samples[2] = 1;
    divide(&in);
    const assay_item *items = items_of(&in, 0, 1);
    ck_assert_int_eq(items[0].kind, ASSAY_ITEM_IMAGE);
    assert_rows(&items[0].tensors[0], numbers, 1, 1, 2);
    items = items_of(&in, 1, 2);
    assert_rows(&items[0].tensors[0], numbers, 0, 1, 2);
    assert_rows(&items[1].tensors[0], numbers, 2, 1, 2);
    conf_items_free(&in.items);
}
END_TEST

/* Writes the grids 1 x 1 x 2, 1 x 2 x 2 and 2 x 1 x 1: 2, 4 and 2 patches. */
static void write_grids(void)
{
    static const int32_t wanted[3][3] = {{1, 1, 2}, {1, 2, 2}, {2, 1, 1}};
    for (size_t i = 0; i < 9; i++) grid[i / 3][i % 3] = wanted[i / 3][i % 3];
}

START_TEST(patches_are_divided_by_image_grid_thw)
{
    inputs in;
    begin(&in, N_SAMPLES);
    add_tensor(&in, "pixel_values", 8, 2);
    add_grid(&in, 3);
    add_tensor(&in, "image_sizes", 3, 2);
    set_samples(&in, 3);
    samples[1] = 1;
    write_grids();
    divide(&in);
    const assay_item *items = items_of(&in, 0, 2);
    assert_rows(&items[0].tensors[0], numbers, 0, 2, 2);
    assert_rows(&items[0].tensors[1], grid, 0, 1, 3);
    assert_rows(&items[0].tensors[2], numbers, 0, 1, 2);
    assert_rows(&items[1].tensors[0], numbers, 6, 2, 2);
    assert_rows(&items[1].tensors[1], grid, 2, 1, 3);
    assert_rows(&items[1].tensors[2], numbers, 2, 1, 2);
    items = items_of(&in, 1, 1);
    assert_rows(&items[0].tensors[0], numbers, 2, 4, 2);
    assert_rows(&items[0].tensors[1], grid, 1, 1, 3);
    conf_items_free(&in.items);
}
END_TEST

/* One row an audio clip of both tensors, whatever the samples. */
START_TEST(audio_clips_belong_to_the_samples_that_audio_sample_names)
{
    inputs in;
    size_t n;
    begin(&in, N_SAMPLES);
    add_tensor(&in, "input_features", 3, 8);
    add_tensor(&in, "feature_attention_mask", 3, 4);
    samples[0] = samples[2] = 1;
    samples[1] = 0;
    in.d.audio_sample = (conf_array){.dtype = ASSAY_I32, .rank = 1, .shape = {3}, .n = 3, .data = samples};
    divide(&in);
    const assay_item *items = items_of(&in, 1, 2);
    ck_assert_int_eq(items[1].kind, ASSAY_ITEM_AUDIO);
    ck_assert_uint_eq(items[1].n_tensors, 2);
    ck_assert_uint_eq(items[1].tensors[0].shape[0], 1);
    ck_assert_ptr_eq(items[1].tensors[0].data, numbers + 2 * 8);
    ck_assert_ptr_eq(items[1].tensors[1].data, numbers + 2 * 4);
    ck_assert_ptr_eq(conf_items_of(&in.items, 0, &n)->tensors[0].data, numbers + 8);
    conf_items_free(&in.items);
}
END_TEST

START_TEST(videos_belong_to_the_samples_that_video_sample_names)
{
    inputs in;
    begin(&in, N_SAMPLES);
    add_tensor(&in, "pixel_values_videos", 8, 2);
    add_grid(&in, 3);
    in.tensors[1].name = "video_grid_thw";
    add_tensor(&in, "second_per_grid_ts", 3, 1);
    set_samples(&in, 3);
    in.d.video_sample = in.d.image_sample;
    in.d.image_sample = (conf_array){0};
    samples[1] = 1;
    write_grids();
    divide(&in);
    const assay_item *items = items_of(&in, 0, 2);
    ck_assert_int_eq(items[0].kind, ASSAY_ITEM_VIDEO);
    assert_rows(&items[0].tensors[0], numbers, 0, 2, 2);
    assert_rows(&items[1].tensors[0], numbers, 6, 2, 2);
    assert_rows(&items[1].tensors[2], numbers, 2, 1, 1);
    items = items_of(&in, 1, 1);
    assert_rows(&items[0].tensors[1], grid, 1, 1, 3);
    conf_items_free(&in.items);
}
END_TEST

START_TEST(a_single_sample_without_image_sample_takes_all)
{
    inputs in;
    begin(&in, 1);
    add_tensor(&in, "pixel_values", 8, 2);
    add_grid(&in, 3);
    add_tensor(&in, "pixel_values_videos", 5, 2);
    write_grids();
    divide(&in);
    const assay_item *items = items_of(&in, 0, 2);
    ck_assert_int_eq(items[0].kind, ASSAY_ITEM_IMAGE);
    ck_assert_uint_eq(items[0].n_tensors, 2);
    assert_rows(&items[0].tensors[0], numbers, 0, 8, 2);
    assert_rows(&items[0].tensors[1], grid, 0, 3, 3);
    ck_assert_int_eq(items[1].kind, ASSAY_ITEM_VIDEO);
    assert_rows(&items[1].tensors[0], numbers, 0, 5, 2);
    conf_items_free(&in.items);
}
END_TEST

START_TEST(a_single_sample_with_image_sample_has_an_item_for_each_image)
{
    inputs in;
    begin(&in, 1);
    add_tensor(&in, "pixel_values", 2, 4);
    set_samples(&in, 2);
    divide(&in);
    const assay_item *items = items_of(&in, 0, 2);
    assert_rows(&items[0].tensors[0], numbers, 0, 1, 4);
    assert_rows(&items[1].tensors[0], numbers, 1, 1, 4);
    conf_items_free(&in.items);
}
END_TEST

START_TEST(a_case_of_one_of_the_samples_has_that_samples_items)
{
    inputs in;
    begin(&in, N_SAMPLES);
    add_tensor(&in, "pixel_values", 3, 2);
    set_samples(&in, 3);
    samples[0] = samples[2] = 1;
    for (size_t b = 0; b < N_SAMPLES; b++) {
        inputs one;
        begin(&one, 1);
        one.d.whole = &in.d;
        one.d.whole_sample = b;
        divide(&one);
        const assay_item *items = items_of(&one, 0, 1 + b);
        assert_rows(&items[0].tensors[0], numbers, 1 - b, 1, 2);
        if (b == 1) assert_rows(&items[1].tensors[0], numbers, 2, 1, 2);
        conf_items_free(&one.items);
    }
}
END_TEST

START_TEST(a_case_without_other_inputs_has_no_items)
{
    inputs in;
    begin(&in, N_SAMPLES);
    divide(&in);
    (void)items_of(&in, 0, 0);
    (void)items_of(&in, 1, 0);
    conf_items_free(&in.items);
}
END_TEST

static void assert_refused(inputs *in, const char *reason)
{
    assay_error err = {0};
    ck_assert_int_eq(conf_items_divide("a.h5", &in->d, &in->items, &err), ASSAY_EFORMAT);
    assert_holds(err.text, "a.h5: /input/");
    assert_holds(err.text, reason);
    ck_assert_ptr_null(in->items.items);
}

static const int32_t OUTSIDE[] = {-1, N_SAMPLES};

START_TEST(an_image_of_no_sample_is_refused)
{
    inputs in;
    char reason[128];
    begin(&in, N_SAMPLES);
    add_tensor(&in, "pixel_values", 2, 2);
    set_samples(&in, 2);
    samples[1] = OUTSIDE[_i];
    (void)snprintf(reason, sizeof reason, "image_sample: image 1 has sample %d, expected 0 to 1",
                   OUTSIDE[_i]);
    assert_refused(&in, reason);
}
END_TEST

START_TEST(rows_that_do_not_match_are_refused)
{
    inputs in;
    begin(&in, N_SAMPLES);
    add_tensor(&in, "input_features", 3, 2);
    assert_refused(&in, "input_features has 3 rows, expected 2: one for each sample");
    begin(&in, N_SAMPLES);
    add_tensor(&in, "pixel_values", 4, 2);
    set_samples(&in, 3);
    assert_refused(&in, "pixel_values has 4 rows, expected 3: one for each image of image_sample");
    begin(&in, 1);
    add_tensor(&in, "pixel_values", 2, 2);
    set_samples(&in, 1);
    assert_refused(&in, "pixel_values has 2 rows, expected 1: one for each image of image_sample");
    begin(&in, N_SAMPLES);
    add_tensor(&in, "pixel_values", 7, 2);
    add_grid(&in, 3);
    set_samples(&in, 3);
    write_grids();
    assert_refused(&in, "pixel_values has 7 rows, expected 8: ");
}
END_TEST

START_TEST(an_empty_image_sample_beside_images_is_refused)
{
    inputs in;
    begin(&in, N_SAMPLES);
    add_tensor(&in, "pixel_values", 2, 2);
    set_samples(&in, 0);
    assert_refused(&in, "pixel_values has 2 rows, expected 0: ");
    begin(&in, 1);
    add_tensor(&in, "pixel_values", 1, 2);
    set_samples(&in, 0);
    assert_refused(&in, "pixel_values has 1 rows, expected 0: ");
}
END_TEST

START_TEST(a_grid_of_another_shape_or_with_no_patches_is_refused)
{
    inputs in;
    begin(&in, N_SAMPLES);
    add_grid(&in, 2);
    set_samples(&in, 3);
    assert_refused(&in, "image_grid_thw is not int32 [3, 3], as image_sample has it");
    write_grids();
    begin(&in, N_SAMPLES);
    add_grid(&in, 3);
    set_samples(&in, 3);
    grid[1][2] = 0;
    assert_refused(&in, "image_grid_thw: image 1 has 0, expected 1 to 65535");
    grid[1][2] = 65536;
    assert_refused(&in, "image_grid_thw: image 1 has 65536, expected 1 to 65535");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/case/items");
    TCase *t = tcase_create("all");
    tcase_add_test(t, without_image_sample_each_sample_has_a_row_of_every_input);
    tcase_add_test(t, images_belong_to_the_samples_that_image_sample_names);
    tcase_add_test(t, patches_are_divided_by_image_grid_thw);
    tcase_add_test(t, audio_clips_belong_to_the_samples_that_audio_sample_names);
    tcase_add_test(t, videos_belong_to_the_samples_that_video_sample_names);
    tcase_add_test(t, a_single_sample_without_image_sample_takes_all);
    tcase_add_test(t, a_single_sample_with_image_sample_has_an_item_for_each_image);
    tcase_add_test(t, a_case_of_one_of_the_samples_has_that_samples_items);
    tcase_add_test(t, a_case_without_other_inputs_has_no_items);
    tcase_add_loop_test(t, an_image_of_no_sample_is_refused, 0, 2);
    tcase_add_test(t, rows_that_do_not_match_are_refused);
    tcase_add_test(t, an_empty_image_sample_beside_images_is_refused);
    tcase_add_test(t, a_grid_of_another_shape_or_with_no_patches_is_refused);
    suite_add_tcase(suite, t);
    return support_run(suite);
}
