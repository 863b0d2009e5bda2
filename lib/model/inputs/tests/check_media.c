/* Media of samples: attached to placeholder tokens, copied, dropped.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/inputs/media_list.h"

#include <math.h>
#include <string.h>

#include "base/tests/support.h"
#include "model/inputs/tests/sample.h"

enum { WIDTH = 3 };

static plan plan_with(plan_positions positions)
{
    return (plan){.vision = sample_tower, .positions = positions};
}

/* Adds items to the list with the tokens from n_before on. */
static assay_status add_items(media_list *list, const plan *p, const char *letters, size_t n_before,
                              const assay_item *items, size_t n_items)
{
    int32_t tokens[SAMPLE_MOST];
    const size_t n = sample_tokens(letters, tokens);
    const assay_step step = {
        .tokens = tokens + n_before, .n_tokens = n - n_before, .items = items, .n_items = n_items};
    return media_list_add(list, p, &step, n_before, tokens, false, NULL);
}

START_TEST(items_of_a_kind_take_its_placeholder_tokens_in_order)
{
    const plan p = plan_with(PLAN_POSITIONS_GRID);
    sample_medium own[] = {{.grid = {1, 2, 4}}, {.grid = {1, 2, 2}}, {.grid = {2, 2, 2}}};
    const assay_item items[] = {sample_item(&own[0], ASSAY_ITEM_IMAGE),
                                sample_item(&own[1], ASSAY_ITEM_IMAGE),
                                sample_item(&own[2], ASSAY_ITEM_VIDEO)};
    static const size_t first[] = {1, 4, 7}, of[] = {SIZE_MAX, 0, 0, SIZE_MAX, 1, 1, SIZE_MAX, 2};
    media_list list = {0};
    int32_t tokens[SAMPLE_MOST];
    size_t place[8], row[8];
    ck_assert_int_eq(add_items(&list, &p, "avvaiiai", 0, items, 3), ASSAY_OK);
    ck_assert_uint_eq(list.n, 3);
    for (size_t i = 0; i < 3; i++) ck_assert_uint_eq(list.place[i].first, first[i]);
    ck_assert_int_eq(list.place[0].kind, ASSAY_ITEM_VIDEO);
    ck_assert_uint_eq(medium_tokens(list.place[1].medium), 2);
    ck_assert_uint_eq(medium_patches(list.place[1].medium), 8);
    ck_assert_uint_eq(medium_grid(list.place[0].medium)[0], 2);
    (void)sample_tokens("avvaiiai", tokens);
    media_list_rows(&list, &p, tokens, 0, 8, place, row);
    for (size_t t = 0; t < 8; t++) ck_assert_uint_eq(place[t], of[t]);
    ck_assert_uint_eq(row[1], 0);
    ck_assert_uint_eq(row[5], 1);
    media_list_rows(&list, &p, tokens, 5, 3, place, row);
    ck_assert_uint_eq(place[0], 1);
    ck_assert_uint_eq(row[0], 1);
    ck_assert_uint_eq(place[2], 2);
    ck_assert_uint_eq(row[2], 0);
    media_list_free(&list);
}
END_TEST

START_TEST(an_item_may_end_in_a_later_step)
{
    const plan p = plan_with(PLAN_POSITIONS_GRID);
    sample_medium own = {.grid = {1, 4, 4}};
    const assay_item item = sample_item(&own, ASSAY_ITEM_IMAGE);
    media_list list = {0};
    int32_t tokens[SAMPLE_MOST];
    size_t place[2], row[2];
    ck_assert_int_eq(add_items(&list, &p, "ai", 0, &item, 1), ASSAY_OK);
    ck_assert_int_eq(add_items(&list, &p, "aiii", 2, NULL, 0), ASSAY_OK);
    ck_assert_int_eq(add_items(&list, &p, "aiiia", 4, NULL, 0),
                     ASSAY_EINVAL); /* a part of its run is missing */
    ck_assert_int_eq(add_items(&list, &p, "aiiiii", 4, NULL, 0), ASSAY_EINVAL); /* one too many */
    ck_assert_int_eq(add_items(&list, &p, "aiiiia", 4, NULL, 0), ASSAY_OK);
    (void)sample_tokens("aiiii", tokens);
    media_list_rows(&list, &p, tokens, 3, 2, place, row);
    ck_assert_uint_eq(place[1], 0);
    ck_assert_uint_eq(row[1], 3);
    /* It has ended: placeholder tokens are text now. */
    ck_assert_int_eq(add_items(&list, &p, "aiiiiai", 6, NULL, 0), ASSAY_OK);
    (void)sample_tokens("aiiiiai", tokens);
    media_list_rows(&list, &p, tokens, 5, 2, place, row);
    ck_assert_uint_eq(place[1], SIZE_MAX);
    media_list_free(&list);
}
END_TEST

START_TEST(placeholder_tokens_are_text_in_a_sample_without_items)
{
    const plan p = plan_with(PLAN_POSITIONS_GRID), no_tower = {0};
    media_list list = {0};
    ck_assert_int_eq(add_items(&list, &p, "aiivai", 0, NULL, 0), ASSAY_OK);
    ck_assert_int_eq(add_items(&list, &no_tower, "aiivai", 0, NULL, 0), ASSAY_OK);
    ck_assert_uint_eq(list.n, 0);
}
END_TEST

START_TEST(images_may_touch_where_positions_are_indices)
{
    const plan p = plan_with(PLAN_POSITIONS_INDEX), grid = plan_with(PLAN_POSITIONS_GRID);
    sample_medium own[] = {{.grid = {1, 2, 4}}, {.grid = {1, 2, 2}}};
    const assay_item items[] = {sample_item(&own[0], ASSAY_ITEM_IMAGE),
                                sample_item(&own[1], ASSAY_ITEM_IMAGE)};
    media_list list = {0};
    ck_assert_int_eq(add_items(&list, &p, "iiia", 0, items, 2), ASSAY_OK);
    ck_assert_uint_eq(list.place[1].first, 2);
    media_list_free(&list);
    ck_assert_int_eq(add_items(&list, &grid, "iiia", 0, items, 2), ASSAY_EINVAL);
    ck_assert_int_eq(add_items(&list, &grid, "iiaia", 0, items, 2), ASSAY_OK);
    media_list_free(&list);
    /* Of a placeholder token that is text, too: published code takes both for one run. */
    ck_assert_int_eq(add_items(&list, &grid, "aiii", 2, items, 1), ASSAY_EINVAL);
}
END_TEST

START_TEST(frames_apart_have_runs_of_their_own)
{
    plan p = plan_with(PLAN_POSITIONS_GRID);
    sample_medium own[] = {{.grid = {1, 2, 2}}, {.grid = {2, 2, 4}}};
    const assay_item items[] = {sample_item(&own[0], ASSAY_ITEM_IMAGE),
                                sample_item(&own[1], ASSAY_ITEM_VIDEO)};
    media_list list = {0};
    ck_assert_int_eq(add_items(&list, &p, "vvaiavv", 0, items, 2), ASSAY_EINVAL);
    p.vision.frames_apart = true;
    ck_assert_int_eq(add_items(&list, &p, "vvvvai", 0, items, 2), ASSAY_EINVAL);
    ck_assert_int_eq(add_items(&list, &p, "vavvvai", 0, items, 2), ASSAY_EINVAL);
    ck_assert_int_eq(add_items(&list, &p, "vviavv", 0, items, 2), ASSAY_OK);
    ck_assert_uint_eq(medium_run(&list.place[0], &p), 2);
    media_list_free(&list);
    /* The second frame in a later step. */
    ck_assert_int_eq(add_items(&list, &p, "vva", 0, items + 1, 1), ASSAY_OK);
    ck_assert_int_eq(add_items(&list, &p, "vvaiavv", 3, items, 1), ASSAY_OK);
    ck_assert_uint_eq(list.n, 2);
    media_list_free(&list);
}
END_TEST

START_TEST(rewinding_drops_the_media_that_have_no_token_left)
{
    const plan p = plan_with(PLAN_POSITIONS_GRID);
    sample_medium own[] = {{.grid = {1, 2, 4}}, {.grid = {1, 2, 4}}};
    const assay_item items[] = {sample_item(&own[0], ASSAY_ITEM_IMAGE),
                                sample_item(&own[1], ASSAY_ITEM_IMAGE)};
    media_list list = {0}, copy;
    ck_assert_int_eq(add_items(&list, &p, "aiiaiia", 0, items, 2), ASSAY_OK);
    ck_assert(media_list_copy(&copy, &list));
    media_list_rewind(&list, 5);
    ck_assert_uint_eq(list.n, 2);
    ck_assert_int_eq(add_items(&list, &p, "aiiaiia", 5, NULL, 0), ASSAY_OK);
    media_list_rewind(&list, 4);
    ck_assert_uint_eq(list.n, 1);
    ck_assert_int_eq(add_items(&list, &p, "aiiaiia", 4, items, 1), ASSAY_OK);
    media_list_free(&list);
    ck_assert_uint_eq(copy.n, 2); /* has its own hold of them */
    ck_assert_uint_eq(medium_tokens(copy.place[1].medium), 2);
    media_list_free(&copy);
    ck_assert(media_list_copy(&copy, &list));
    ck_assert_uint_eq(copy.n, 0);
    media_list_rewind(&copy, 0);
}
END_TEST

START_TEST(a_stated_span_is_compared_with_the_placeholder_tokens)
{
    const plan p = plan_with(PLAN_POSITIONS_GRID);
    sample_medium own = {.grid = {1, 2, 4}};
    assay_item item = sample_item(&own, ASSAY_ITEM_IMAGE);
    media_list list = {0};
    item.offset = 2;
    item.n_tokens = 2;
    ck_assert_int_eq(add_items(&list, &p, "baaii", 1, &item, 1), ASSAY_OK);
    media_list_free(&list);
    ck_assert_int_eq(add_items(&list, &p, "baaii", 0, &item, 1), ASSAY_EINVAL);
    item.n_tokens = 0;
    ck_assert_int_eq(add_items(&list, &p, "baaii", 1, &item, 1), ASSAY_EINVAL);
    item.n_tokens = 3;
    ck_assert_int_eq(add_items(&list, &p, "baaiii", 1, &item, 1), ASSAY_EINVAL);
    ck_assert_uint_eq(list.n, 0);
}
END_TEST

/* Pixels 0, 1, 2, … of n rows, in four types. */
static const struct {
    assay_dtype dtype;
    union {
        double f64[4 * WIDTH];
        float f32[4 * WIDTH];
        uint16_t half[4 * WIDTH];
    } data;
} PIXELS[] = {
    {ASSAY_F64, {.f64 = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}}},
    {ASSAY_F32, {.f32 = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}}},
    {ASSAY_F16,
     {.half = {0, 0x3C00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700, 0x4800, 0x4880, 0x4900, 0x4980}}},
    {ASSAY_BF16,
     {.half = {0, 0x3F80, 0x4000, 0x4040, 0x4080, 0x40A0, 0x40C0, 0x40E0, 0x4100, 0x4110, 0x4120, 0x4130}}},
};

START_TEST(pixels_are_copied_in_any_floating_type)
{
    const plan p = plan_with(PLAN_POSITIONS_GRID);
    int32_t tokens[] = {SAMPLE_IMAGE};
    int64_t grid[] = {1, 2, 2};
    double out[2 * WIDTH];
    unsigned char bytes[sizeof PIXELS[0].data];
    memcpy(bytes, &PIXELS[_i].data, sizeof bytes);
    const assay_tensor tensors[] = {
        {.name = "pixel_values", .dtype = PIXELS[_i].dtype, .rank = 2, .shape = {4, WIDTH}, .data = bytes},
        {.name = "image_grid_thw", .dtype = ASSAY_I64, .rank = 1, .shape = {3}, .data = grid}};
    const assay_item item = {.kind = ASSAY_ITEM_IMAGE, .tensors = tensors, .n_tensors = 2};
    const assay_step step = {.tokens = tokens, .n_tokens = 1, .items = &item, .n_items = 1};
    media_list one = {0}, same = {0}, other = {0};
    ck_assert_int_eq(media_list_add(&one, &p, &step, 0, tokens, true, NULL), ASSAY_OK);
    ck_assert_int_eq(media_list_add(&same, &p, &step, 0, tokens, true, NULL), ASSAY_OK);
    bytes[sizeof(uint16_t)] ^= 1;
    ck_assert_int_eq(media_list_add(&other, &p, &step, 0, tokens, true, NULL), ASSAY_OK);
    medium_pixels(one.place[0].medium, 2, 2, out);
    for (size_t i = 0; i < 2 * (size_t)WIDTH; i++) ck_assert_double_eq(out[i], (double)(2 * WIDTH + i));
    ck_assert(medium_equal(one.place[0].medium, same.place[0].medium));
    ck_assert(!medium_equal(one.place[0].medium, other.place[0].medium));
    media_list_free(&one);
    media_list_free(&same);
    media_list_free(&other);
}
END_TEST

/* PaddleOCR-VL: each row of pixels is an image of its own. */
START_TEST(rows_of_pixels_may_be_images)
{
    const plan p = plan_with(PLAN_POSITIONS_GRID);
    int32_t tokens[] = {SAMPLE_IMAGE}, grid[] = {1, 2, 2};
    float pixels[4 * WIDTH];
    double out[4 * WIDTH];
    for (size_t i = 0; i < 4 * (size_t)WIDTH; i++) pixels[i] = (float)i;
    const assay_tensor tensors[] = {
        {.name = "pixel_values", .dtype = ASSAY_F32, .rank = 4, .shape = {4, WIDTH, 1, 1}, .data = pixels},
        {.name = "image_grid_thw", .dtype = ASSAY_I32, .rank = 1, .shape = {3}, .data = grid}};
    const assay_item item = {.kind = ASSAY_ITEM_IMAGE, .tensors = tensors, .n_tensors = 2};
    const assay_step step = {.tokens = tokens, .n_tokens = 1, .items = &item, .n_items = 1};
    media_list list = {0};
    ck_assert_int_eq(media_list_add(&list, &p, &step, 0, tokens, true, NULL), ASSAY_OK);
    medium_pixels(list.place[0].medium, 0, 4, out);
    for (size_t i = 0; i < 4 * (size_t)WIDTH; i++) ck_assert_double_eq(out[i], (double)i);
    media_list_free(&list);
}
END_TEST

/* Gemma 4: places instead of a grid, with padding. */
START_TEST(places_of_patches_give_a_grid_without_its_padding)
{
    plan p = plan_with(PLAN_POSITIONS_INDEX);
    p.vision.takes_places = true;
    p.vision.merge = 1;
    p.vision.pooling.side = 2;
    int32_t tokens[] = {SAMPLE_IMAGE, SAMPLE_IMAGE}, places[12][2];
    float pixels[12][WIDTH];
    for (int i = 0; i < 12; i++) {
        places[i][0] = i < 8 ? i % 4 : -1;
        places[i][1] = i < 8 ? i / 4 : -1;
        for (int k = 0; k < WIDTH; k++) pixels[i][k] = (float)i;
    }
    pixels[9][0] = (float)NAN; /* of padding: not read */
    assay_tensor tensors[] = {
        {.name = "pixel_values", .dtype = ASSAY_F32, .rank = 3, .shape = {1, 12, WIDTH}, .data = pixels},
        {.name = "image_position_ids", .dtype = ASSAY_I32, .rank = 3, .shape = {1, 12, 2}, .data = places}};
    const assay_item item = {.kind = ASSAY_ITEM_IMAGE, .tensors = tensors, .n_tensors = 2};
    const assay_step step = {.tokens = tokens, .n_tokens = 2, .items = &item, .n_items = 1};
    media_list list = {0};
    double out[WIDTH];
    ck_assert_int_eq(media_list_add(&list, &p, &step, 0, tokens, true, NULL), ASSAY_OK);
    const medium *m = list.place[0].medium;
    ck_assert_uint_eq(medium_grid(m)[0], 1);
    ck_assert_uint_eq(medium_grid(m)[1], 2);
    ck_assert_uint_eq(medium_grid(m)[2], 4);
    ck_assert_uint_eq(medium_tokens(m), 2);
    medium_pixels(m, 7, 1, out);
    ck_assert_double_eq(out[0], 7);
    media_list_free(&list);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/inputs/media");
    TCase *tests = tcase_create("media");
    tcase_add_test(tests, items_of_a_kind_take_its_placeholder_tokens_in_order);
    tcase_add_test(tests, an_item_may_end_in_a_later_step);
    tcase_add_test(tests, placeholder_tokens_are_text_in_a_sample_without_items);
    tcase_add_test(tests, images_may_touch_where_positions_are_indices);
    tcase_add_test(tests, frames_apart_have_runs_of_their_own);
    tcase_add_test(tests, rewinding_drops_the_media_that_have_no_token_left);
    tcase_add_test(tests, a_stated_span_is_compared_with_the_placeholder_tokens);
    tcase_add_loop_test(tests, pixels_are_copied_in_any_floating_type, 0,
                        (int)(sizeof PIXELS / sizeof *PIXELS));
    tcase_add_test(tests, rows_of_pixels_may_be_images);
    tcase_add_test(tests, places_of_patches_give_a_grid_without_its_padding);
    suite_add_tcase(suite, tests);
    return support_run(suite);
}
