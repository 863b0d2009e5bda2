/* Images with crops: their tensors, and the tokens that their features replace.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"
#include "model/inputs/media_list.h"

enum { SIDE = 2, FRAMES = 3, TOKENS = SIDE * SIDE + 1, TEXT = 7 };

/* An image with two crops, one above the other, before two tokens of text. */
typedef struct image {
    plan plan;
    float pixels[FRAMES * SIDE * SIDE];
    int32_t grid[3], layout[2], tokens[TOKENS + 2];
    assay_tensor tensors[3];
    assay_item items[2];
    assay_step step;
    assay_error err;
} image;

static void make_image(image *m)
{
    *m = (image){.grid = {FRAMES, SIDE, SIDE}, .layout = {2, 1}};
    m->plan.vision = (plan_tower){.present = true,
                                  .patches = {.size = 1, .channels = 1, .frames = 1},
                                  .pooling = {.side = 1},
                                  .merge = 1,
                                  .table = {.kind = PLAN_TABLE_BILINEAR, .side = SIDE},
                                  .kind = PLAN_TOWER_CROPS,
                                  .n_leading = 1,
                                  .video_token = -1,
                                  .audio_token = -1};
    for (size_t t = TOKENS; t < TOKENS + 2; t++) m->tokens[t] = TEXT;
    m->tensors[0] = (assay_tensor){"pixel_values", ASSAY_F32, 2, {FRAMES * SIDE * SIDE, 1}, m->pixels};
    m->tensors[1] = (assay_tensor){"image_grid_thw", ASSAY_I32, 2, {1, 3}, m->grid};
    m->tensors[2] = (assay_tensor){"crop_layouts", ASSAY_I32, 2, {1, 2}, m->layout};
    m->items[0] = (assay_item){.kind = ASSAY_ITEM_IMAGE, .tensors = m->tensors, .n_tensors = 3};
    m->step = (assay_step){.tokens = m->tokens, .n_tokens = TOKENS + 2, .items = m->items, .n_items = 1};
}

static assay_status add(image *m, media_list *list)
{
    return media_list_add(list, &m->plan, &m->step, 0, m->tokens, true, &m->err);
}

START_TEST(features_replace_the_tokens_after_the_first)
{
    image m;
    media_list list = {0};
    size_t place[TOKENS + 2], row[TOKENS + 2];
    make_image(&m);
    ck_assert_msg(add(&m, &list) == ASSAY_OK, "%s", m.err.text);
    const medium *placed = list.place[0].medium;
    ck_assert_uint_eq(medium_tokens(placed), TOKENS);
    ck_assert_uint_eq(medium_rows(placed), TOKENS - 1);
    ck_assert_uint_eq(medium_layout(placed)[0], 2);
    ck_assert_uint_eq(medium_layout(placed)[1], 1);
    media_list_rows(&list, &m.plan, m.tokens, 0, TOKENS + 2, place, row);
    for (size_t t = 0; t < TOKENS + 2; t++) {
        const bool has_features = t > 0 && t < TOKENS;
        ck_assert_uint_eq(place[t], has_features ? 0 : SIZE_MAX);
        if (has_features) ck_assert_uint_eq(row[t], t - 1);
    }
    media_list_free(&list);
}
END_TEST

START_TEST(tokens_after_the_image_are_text_whatever_their_ids)
{
    image m;
    media_list list = {0};
    size_t place[TOKENS + 2], row[TOKENS + 2];
    make_image(&m);
    m.tokens[TOKENS] = m.tokens[TOKENS + 1] = 0;
    ck_assert_msg(add(&m, &list) == ASSAY_OK, "%s", m.err.text);
    media_list_rows(&list, &m.plan, m.tokens, 0, TOKENS + 2, place, row);
    ck_assert_uint_eq(place[TOKENS - 1], 0);
    ck_assert(place[TOKENS] == SIZE_MAX && place[TOKENS + 1] == SIZE_MAX);
    m.plan.blocks.of_image = true;
    ck_assert_uint_eq(media_list_sequence(&list, &m.plan, m.tokens, TOKENS + 2).n_image, TOKENS);
    media_list_free(&list);
    ck_assert_uint_eq(media_list_sequence(&list, &m.plan, m.tokens, TOKENS + 2).n_image, 0);
}
END_TEST

START_TEST(the_layout_makes_another_image)
{
    image m;
    media_list tall = {0}, wide = {0};
    make_image(&m);
    ck_assert_int_eq(add(&m, &tall), ASSAY_OK);
    m.layout[0] = 1;
    m.layout[1] = 2;
    ck_assert_int_eq(add(&m, &wide), ASSAY_OK);
    ck_assert(!medium_equal(tall.place[0].medium, wide.place[0].medium));
    media_list_free(&tall);
    media_list_free(&wide);
}
END_TEST

static void no_layout(image *m)
{
    m->items[0].n_tensors = 2;
}
static void other_count(image *m)
{
    m->layout[1] = 2;
}
static void negative(image *m)
{
    m->layout[0] = -2;
    m->layout[1] = -1;
}
static void three_numbers(image *m)
{
    m->tensors[2].shape[1] = 3;
}
static void floats(image *m)
{
    m->tensors[2].dtype = ASSAY_F32;
}
static void other_side(image *m)
{
    m->grid[0] = 1;
    m->grid[1] = 4;
    m->grid[2] = 3;
    m->layout[0] = m->layout[1] = 0;
}
static void text_first(image *m)
{
    m->tokens[0] = TEXT;
    m->tokens[TOKENS] = 0;
}
static void second(image *m)
{
    m->items[1] = m->items[0];
    m->tokens[TOKENS] = 0;
    m->step.n_items = 2;
}
static void too_few(image *m)
{
    m->tokens[TOKENS - 1] = TEXT;
}

static const struct {
    void (*change)(image *m);
    assay_status status;
    const char *text;
} REFUSED[] = {
    {no_layout, ASSAY_EINVAL, "tensor 'crop_layouts' is missing"},
    {other_count, ASSAY_EINVAL, "found 2 x 2 crops, expected 2, the frames after the first"},
    {negative, ASSAY_EINVAL, "[0]: found -2, expected 0 to 65535"},
    {three_numbers, ASSAY_EINVAL, "found shape [1, 3], expected [1, 2] or [2]"},
    {floats, ASSAY_EUNSUPPORTED, "found type F32, expected I32 or I64"},
    {other_side, ASSAY_EINVAL, "found 4 rows, expected 2, those of a crop"},
    {text_first, ASSAY_EUNSUPPORTED, "found an image that does not begin with the first token of the sample"},
    {second, ASSAY_EUNSUPPORTED, "item 1: found an image that does not begin with the first token"},
    {too_few, ASSAY_EINVAL, "found token 7 after 4 of 5 placeholder tokens"},
};

START_TEST(what_does_not_fit_is_refused)
{
    image m;
    media_list list = {0};
    make_image(&m);
    REFUSED[_i].change(&m);
    ck_assert_int_eq(add(&m, &list), REFUSED[_i].status);
    support_expect_error(&m.err, REFUSED[_i].status, REFUSED[_i].text, "sample 0", NULL);
    ck_assert_uint_eq(list.n, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/inputs/crops");
    TCase *all = tcase_create("all");
    tcase_add_test(all, features_replace_the_tokens_after_the_first);
    tcase_add_test(all, tokens_after_the_image_are_text_whatever_their_ids);
    tcase_add_test(all, the_layout_makes_another_image);
    tcase_add_loop_test(all, what_does_not_fit_is_refused, 0, (int)(sizeof REFUSED / sizeof *REFUSED));
    suite_add_tcase(suite, all);
    return support_run(suite);
}
