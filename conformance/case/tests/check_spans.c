/* Where the placeholder tokens of items lie, and with which tokens an item comes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/case/spans.h"

#include <check.h>

#include "conformance/tests/support.h"

enum { TEXT = 1, IMAGE = 5, VIDEO = 6, MAX_ITEMS = 3, MAX_TOKENS = 16 };

static const conf_placeholders tokens_of_2 = {.image = IMAGE, .video = VIDEO, .side = 2};

/* A sample without padding. */
typedef struct sample {
    assay_item item[MAX_ITEMS];
    assay_tensor tensor[MAX_ITEMS];
    conf_span span[MAX_ITEMS + 1];
    size_t of[2];
    conf_items items;
    conf_decoder d;
    int32_t tokens[MAX_TOKENS], length;
} sample;

/* tokens: "t" text, "i" image, "v" video. */
static void begin(sample *s, const char *tokens)
{
    *s = (sample){.length = (int32_t)strlen(tokens)};
    for (size_t t = 0; tokens[t]; t++)
        s->tokens[t] = tokens[t] == 'i' ? IMAGE : tokens[t] == 'v' ? VIDEO : TEXT;
    s->items = (conf_items){.items = s->item, .spans = s->span, .tensors = s->tensor, .of = s->of};
    s->d = (conf_decoder){.n_samples = 1, .n_tokens = (size_t)s->length};
    s->d.tokens = (conf_array){.data = s->tokens, .n = (size_t)s->length};
    s->d.length = (conf_array){.data = &s->length, .n = 1};
}

/* Adds an item with one tensor. */
static void add(sample *s, assay_item_kind kind, const char *name, const int32_t *data, size_t n)
{
    const size_t i = s->of[1]++;
    s->tensor[i] = (assay_tensor){.name = name, .dtype = ASSAY_I32, .rank = 2, .shape = {1, n}, .data = data};
    s->item[i] = (assay_item){.kind = kind, .tensors = &s->tensor[i], .n_tensors = 1};
}

static const int32_t one[] = {1, 2, 2}, two[] = {1, 2, 4}, four[] = {2, 4, 2}, none[] = {1, 0, 2};

static void find(sample *s)
{
    conf_spans_find(&s->items, &s->d, &tokens_of_2);
}

/* Chunks of 16 frames: 2 tokens each. */
START_TEST(audio_clips_take_as_many_tokens_as_their_frames_leave)
{
    static const conf_placeholders placeholders = {.audio = VIDEO, .chunk = 16};
    static const int32_t mask[20] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0};
    sample s;
    begin(&s, "tvvvtvt");
    add(&s, ASSAY_ITEM_AUDIO, "feature_attention_mask", mask, 20);
    add(&s, ASSAY_ITEM_AUDIO, "feature_attention_mask", mask, 8);
    conf_spans_find(&s.items, &s.d, &placeholders);
    const conf_span *spans = conf_items_spans(&s.items, 0);
    ck_assert_ptr_nonnull(spans);
    ck_assert(spans[0].first == 1 && spans[0].end == 4 && spans[1].first == 5 && spans[1].end == 6);
    begin(&s, "tvvt");
    add(&s, ASSAY_ITEM_AUDIO, "feature_attention_mask", mask, 20);
    conf_spans_find(&s.items, &s.d, &placeholders);
    ck_assert_ptr_null(conf_items_spans(&s.items, 0));
}
END_TEST

static void assert_span(const sample *s, size_t i, size_t first, size_t end)
{
    const conf_span *spans = conf_items_spans(&s->items, 0);
    ck_assert_ptr_nonnull(spans);
    ck_assert_uint_eq(spans[i].first, first);
    ck_assert_uint_eq(spans[i].end, end);
}

START_TEST(images_take_their_tokens_one_after_the_other)
{
    sample s;
    begin(&s, "tiiittii");
    add(&s, ASSAY_ITEM_IMAGE, "image_grid_thw", one, 3);
    add(&s, ASSAY_ITEM_IMAGE, "image_grid_thw", two, 3);
    add(&s, ASSAY_ITEM_IMAGE, "image_grid_thw", two, 3);
    find(&s);
    assert_span(&s, 0, 1, 2);
    assert_span(&s, 1, 2, 4);
    assert_span(&s, 2, 6, 8);
}
END_TEST

START_TEST(the_frames_of_a_video_may_have_text_and_images_between_them)
{
    sample s;
    begin(&s, "vtvivtv");
    add(&s, ASSAY_ITEM_IMAGE, "image_grid_thw", one, 3);
    add(&s, ASSAY_ITEM_VIDEO, "video_grid_thw", four, 3);
    find(&s);
    assert_span(&s, 0, 3, 4);
    assert_span(&s, 1, 0, 7);
}
END_TEST

START_TEST(a_grid_follows_from_the_positions_of_patches)
{
    static const int32_t positions[] = {0, 0, 1, 0, 2, 0, 3, 0, 0, 1, 1, 1, 2, 1, 3, 1, -1, -1};
    sample s;
    begin(&s, "tii");
    add(&s, ASSAY_ITEM_IMAGE, "image_position_ids", positions, sizeof positions / sizeof *positions);
    find(&s);
    assert_span(&s, 0, 1, 3);
}
END_TEST

START_TEST(a_grid_may_have_64_bits)
{
    static const int64_t wide[] = {1, 2, 4};
    sample s;
    begin(&s, "tii");
    add(&s, ASSAY_ITEM_IMAGE, "image_grid_thw", (const int32_t *)(const void *)wide, 3);
    s.tensor[0].dtype = ASSAY_I64;
    find(&s);
    assert_span(&s, 0, 1, 3);
}
END_TEST

static const struct {
    const char *tokens, *name;
    const int32_t *grid;
    assay_item_kind kind;
} unknown[] = {
    {"tiit", "image_grid_thw", one, ASSAY_ITEM_IMAGE}, {"tit", "image_grid_thw", two, ASSAY_ITEM_IMAGE},
    {"tit", "pixel_values", one, ASSAY_ITEM_IMAGE},    {"tit", "image_grid_thw", none, ASSAY_ITEM_IMAGE},
    {"tit", "image_grid_thw", one, ASSAY_ITEM_AUDIO},  {"tt", "image_grid_thw", one, ASSAY_ITEM_IMAGE},
};

START_TEST(spans_that_do_not_fit_the_prompt_stay_unknown)
{
    sample s;
    begin(&s, unknown[_i].tokens);
    add(&s, unknown[_i].kind, unknown[_i].name, unknown[_i].grid, 3);
    find(&s);
    ck_assert_ptr_null(conf_items_spans(&s.items, 0));
}
END_TEST

START_TEST(without_a_known_tower_spans_stay_unknown)
{
    sample s;
    begin(&s, "ti");
    add(&s, ASSAY_ITEM_IMAGE, "image_grid_thw", one, 3);
    conf_spans_find(&s.items, &s.d, &(conf_placeholders){0});
    ck_assert_ptr_null(conf_items_spans(&s.items, 0));
}
END_TEST

START_TEST(an_item_comes_with_its_first_placeholder_token)
{
    assay_item chosen[MAX_ITEMS];
    sample s;
    begin(&s, "tiiittii");
    add(&s, ASSAY_ITEM_IMAGE, "image_grid_thw", one, 3);
    add(&s, ASSAY_ITEM_IMAGE, "image_grid_thw", two, 3);
    add(&s, ASSAY_ITEM_IMAGE, "image_grid_thw", two, 3);
    ck_assert_uint_eq(conf_items_select(&s.items, 0, 0, 1, chosen), 3);
    ck_assert_uint_eq(conf_items_select(&s.items, 0, 1, 7, chosen), 0);
    find(&s);
    ck_assert_uint_eq(conf_items_select(&s.items, 0, 0, 8, chosen), 3);
    ck_assert_uint_eq(conf_items_select(&s.items, 0, 0, 1, chosen), 0);
    ck_assert_uint_eq(conf_items_select(&s.items, 0, 3, 3, chosen), 0);
    ck_assert_uint_eq(conf_items_select(&s.items, 0, 2, 5, chosen), 2);
    ck_assert_ptr_eq(chosen[0].tensors, &s.tensor[1]);
    ck_assert_ptr_eq(chosen[1].tensors, &s.tensor[2]);
}
END_TEST

START_TEST(images_without_grids_have_the_tokens_of_the_tower)
{
    sample s;
    const conf_placeholders each_three = {.image = IMAGE, .video = -1, .side = 1, .n_each = 3};
    begin(&s, "tiiittiii");
    add(&s, ASSAY_ITEM_IMAGE, "pixel_values", one, 3);
    add(&s, ASSAY_ITEM_IMAGE, "pixel_values", one, 3);
    conf_spans_find(&s.items, &s.d, &each_three);
    assert_span(&s, 0, 1, 4);
    assert_span(&s, 1, 6, 9);
}
END_TEST

START_TEST(what_follows_an_image_that_leads_is_text)
{
    sample s;
    const conf_placeholders leading = {.image = IMAGE, .video = -1, .side = 2, .ends = 1, .leads = true};
    begin(&s, "iititi");
    add(&s, ASSAY_ITEM_IMAGE, "image_grid_thw", one, 3);
    conf_spans_find(&s.items, &s.d, &leading);
    assert_span(&s, 0, 0, 2);
    begin(&s, "tii");
    add(&s, ASSAY_ITEM_IMAGE, "image_grid_thw", one, 3);
    conf_spans_find(&s.items, &s.d, &leading);
    ck_assert_ptr_null(conf_items_spans(&s.items, 0));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/case/spans");
    TCase *t = tcase_create("all");
    tcase_add_test(t, audio_clips_take_as_many_tokens_as_their_frames_leave);
    tcase_add_test(t, images_take_their_tokens_one_after_the_other);
    tcase_add_test(t, what_follows_an_image_that_leads_is_text);
    tcase_add_test(t, the_frames_of_a_video_may_have_text_and_images_between_them);
    tcase_add_test(t, a_grid_follows_from_the_positions_of_patches);
    tcase_add_test(t, a_grid_may_have_64_bits);
    tcase_add_loop_test(t, spans_that_do_not_fit_the_prompt_stay_unknown, 0,
                        (int)(sizeof unknown / sizeof *unknown));
    tcase_add_test(t, without_a_known_tower_spans_stay_unknown);
    tcase_add_test(t, an_item_comes_with_its_first_placeholder_token);
    tcase_add_test(t, images_without_grids_have_the_tokens_of_the_tower);
    suite_add_tcase(suite, t);
    return support_run(suite);
}
