/* Images of tiles: their tensors, and which of them a token sees.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/tests/support.h"
#include "model/inputs/media_list.h"
#include "model/inputs/seen.h"

enum { IMAGE = 90, SIDE = 4, N_TILES = 3, TILE = 2 * SIDE * SIDE, MOST = 16 };

/* Tiles of 2 × 2 patches of 2 × 2 pixels, two channels; ratios 1 × 1, 1 × 2 and 3 × 1. */
static plan tiled_plan(void)
{
    return (plan){
        .vision = {.present = true,
                   .patches = {.size = 2, .channels = 2, .frames = 1},
                   .pooling = {.side = 1},
                   .merge = 1,
                   .tiles = {.n = N_TILES, .side = 2, .n_ratios = 3, .ratio = {{1, 1}, {1, 2}, {3, 1}}},
                   .kind = PLAN_TOWER_TILES,
                   .image_token = IMAGE,
                   .video_token = -1}};
}

/* The tensors of an image. */
typedef struct picture {
    float pixels[N_TILES * TILE];
    int32_t ratio, mask[N_TILES];
    assay_tensor tensors[3];
} picture;

static assay_item item_of(picture *p, int32_t ratio, size_t n_tiles)
{
    for (size_t i = 0; i < N_TILES * TILE; i++) p->pixels[i] = (float)i;
    for (size_t i = 0; i < N_TILES; i++) p->mask[i] = i < n_tiles;
    p->ratio = ratio;
    p->tensors[0] = (assay_tensor){"pixel_values", ASSAY_F32, 5, {1, N_TILES, 2, SIDE, SIDE}, p->pixels};
    p->tensors[1] = (assay_tensor){"aspect_ratio_ids", ASSAY_I32, 2, {1, 1}, &p->ratio};
    p->tensors[2] = (assay_tensor){"aspect_ratio_mask", ASSAY_I32, 2, {1, N_TILES}, p->mask};
    return (assay_item){.kind = ASSAY_ITEM_IMAGE, .tensors = p->tensors, .n_tensors = 3};
}

/* Adds one image for each i of the letters; others are text. */
static assay_status add(media_list *list, const char *letters, const assay_item *items, size_t n,
                        assay_error *err)
{
    int32_t tokens[MOST];
    const plan p = tiled_plan();
    for (size_t t = 0; t < strlen(letters); t++) tokens[t] = letters[t] == 'i' ? IMAGE : 1;
    const assay_step step = {.tokens = tokens, .n_tokens = strlen(letters), .items = items, .n_items = n};
    return media_list_add(list, &p, &step, 0, tokens, true, err);
}

START_TEST(an_image_has_one_placeholder_token_and_rows_of_all_tiles)
{
    picture p;
    const assay_item item = item_of(&p, 2, 2);
    media_list list = {0};
    ck_assert_int_eq(add(&list, "ai", &item, 1, NULL), ASSAY_OK);
    const medium *m = list.place[0].medium;
    ck_assert_uint_eq(medium_tokens(m), 1);
    ck_assert_uint_eq(medium_rows(m), N_TILES * 5);
    ck_assert_uint_eq(medium_patches(m), N_TILES * 4);
    ck_assert_uint_eq(medium_ratio(m), 2);
    media_list_free(&list);
}
END_TEST

/* Pixel (channel, y, x) of a tile is number (channel · 4 + y) · 4 + x. */
START_TEST(pixels_are_given_patch_by_patch)
{
    static const double expected[2][8] = {{2, 3, 6, 7, 18, 19, 22, 23}, {40, 41, 44, 45, 56, 57, 60, 61}};
    picture p;
    const assay_item item = item_of(&p, 3, 3);
    media_list list = {0};
    double row[8];
    ck_assert_int_eq(add(&list, "i", &item, 1, NULL), ASSAY_OK);
    medium_pixels(list.place[0].medium, 1, 1, row); /* the second patch of the first tile */
    ck_assert_mem_eq(row, expected[0], sizeof row);
    medium_pixels(list.place[0].medium, 6, 1, row); /* the third of the second tile */
    ck_assert_mem_eq(row, expected[1], sizeof row);
    media_list_free(&list);
}
END_TEST

START_TEST(images_with_the_same_pixels_and_other_ratios_differ)
{
    picture p, q;
    const assay_item items[] = {item_of(&p, 1, 1), item_of(&q, 3, 3)};
    media_list list = {0};
    ck_assert_int_eq(add(&list, "ii", items, 2, NULL), ASSAY_OK);
    ck_assert(!medium_equal(list.place[0].medium, list.place[1].medium));
    media_list_free(&list);
}
END_TEST

static void break_id(picture *p)
{
    p->ratio = 4;
}

static void break_id_zero(picture *p)
{
    p->ratio = 0;
}

static void break_mask(picture *p)
{
    p->mask[2] = 1;
}

static void break_side(picture *p)
{
    p->tensors[0].shape[4] = 3;
}

static void break_count(picture *p)
{
    p->tensors[0].shape[1] = 2;
}

static void break_name(picture *p)
{
    p->tensors[1].name = "image_grid_thw";
}

static const struct {
    void (*broken)(picture *p);
    assay_status status;
    const char *said[2];
} REFUSED[] = {
    {break_id, ASSAY_EINVAL, {"'aspect_ratio_ids'", "found 4, expected 1 to 3"}},
    {break_id_zero, ASSAY_EINVAL, {"'aspect_ratio_ids'", "found 0, expected 1 to 3"}},
    {break_mask, ASSAY_EUNSUPPORTED, {"'aspect_ratio_mask': [2]: found 1", "ratio 2 has 2 tiles"}},
    {break_side, ASSAY_EINVAL, {"'pixel_values': found shape [1, 3, 2, 4, 3]", "[3, 2, 4, 4]"}},
    {break_count, ASSAY_EINVAL, {"'pixel_values': found shape [1, 2, 2, 4, 4]", "[3, 2, 4, 4]"}},
    {break_name, ASSAY_EUNSUPPORTED, {"'image_grid_thw' is not supported", "aspect_ratio_ids"}},
};

START_TEST(broken_tensors_are_refused_by_name)
{
    picture p;
    assay_error err = {0};
    const assay_item item = item_of(&p, 2, 2);
    media_list list = {0};
    REFUSED[_i].broken(&p);
    ck_assert_int_eq(add(&list, "i", &item, 1, &err), REFUSED[_i].status);
    support_expect_error(&err, REFUSED[_i].status, REFUSED[_i].said[0], REFUSED[_i].said[1], NULL);
    ck_assert_uint_eq(list.n, 0);
}
END_TEST

/* As get_cross_attention_token_mask has it. */
START_TEST(a_token_sees_the_latest_image_and_those_that_it_follows)
{
    static const char letters[] = "aiiabiaiiic";
    static const size_t first[] = {0, 0, 0, 0, 0, 2, 2, 3, 3, 3, 3},
                        end[] = {0, 1, 2, 2, 2, 3, 3, 4, 5, 6, 6};
    picture p[6];
    assay_item items[6];
    media_list list = {0};
    for (size_t i = 0; i < 6; i++) items[i] = item_of(&p[i], 1, 1);
    ck_assert_int_eq(add(&list, letters, items, 6, NULL), ASSAY_OK);
    for (size_t t = 0; t < sizeof letters - 1; t++) {
        const media_seen seen = media_list_seen(&list, t);
        ck_assert_msg(seen.end == end[t] && (seen.end == 0 || seen.first == first[t]),
                      "token %zu sees %zu to %zu", t, seen.first, seen.end);
    }
    ck_assert_uint_eq(media_list_seen(&list, 1000).first, 3); /* decoded later */
    media_list_free(&list);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("inputs/tiles");
    TCase *t = tcase_create("tiles");
    tcase_add_test(t, an_image_has_one_placeholder_token_and_rows_of_all_tiles);
    tcase_add_test(t, pixels_are_given_patch_by_patch);
    tcase_add_test(t, images_with_the_same_pixels_and_other_ratios_differ);
    tcase_add_loop_test(t, broken_tensors_are_refused_by_name, 0, sizeof REFUSED / sizeof *REFUSED);
    tcase_add_test(t, a_token_sees_the_latest_image_and_those_that_it_follows);
    suite_add_tcase(suite, t);
    return support_run(suite);
}
