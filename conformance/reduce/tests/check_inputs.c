/* Smaller images, videos and audio clips, with simpler values: which tokens, patches and frames they have.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/reduce/cut/inputs.h"

#include <string.h>

#include "conformance/tests/support.h"

enum { TEXT = 1, AUDIO = 6, VIDEO = 7, N_PATCHES = 32, N_FRAMES = 24, N_TOKENS = 16, N_INPUTS = 5 };

static const conf_placeholders placeholders = {
    .image = -1, .video = VIDEO, .audio = AUDIO, .side = 2, .chunk = 16};

/* One sample with a video of 2 frames of 4 x 4 patches, between which is text, and an audio clip of 20
 * frames. */
static int32_t tokens[N_TOKENS] = {TEXT,  VIDEO, VIDEO, VIDEO, VIDEO, TEXT,  VIDEO, VIDEO,
                                   VIDEO, VIDEO, TEXT,  AUDIO, AUDIO, AUDIO, TEXT,  TEXT};
static int32_t length = N_TOKENS;
static const int32_t grid[] = {2, 4, 4};
static const float seconds = 0.3F;
static float patches[N_PATCHES][2], spectrogram[N_FRAMES];
static int32_t mask[N_FRAMES];
static assay_tensor inputs[N_INPUTS];
static conf_case c;
static conf_whole whole;
static conf_cut cut;
static conf_cut_inputs made;
static assay_error err;

static void open_whole(void)
{
    ck_assert_msg(conf_whole_open(&c, &placeholders, &whole, &err) == ASSAY_OK, "%s", err.text);
    ck_assert(conf_cut_open(&whole, &cut));
}

static void setup(void)
{
    for (size_t i = 0; i < N_PATCHES; i++) patches[i][0] = patches[i][1] = (float)i + 0.3F;
    for (size_t i = 0; i < N_FRAMES; i++) mask[i] = i < 20;
    inputs[0] = (assay_tensor){"pixel_values_videos", ASSAY_F32, 2, {N_PATCHES, 2}, patches};
    inputs[1] = (assay_tensor){"video_grid_thw", ASSAY_I32, 2, {1, 3}, grid};
    inputs[2] = (assay_tensor){"video_second_per_grid", ASSAY_F32, 1, {1}, &seconds};
    inputs[3] = (assay_tensor){"input_features", ASSAY_F32, 3, {1, 1, N_FRAMES}, spectrogram};
    inputs[4] = (assay_tensor){"feature_attention_mask", ASSAY_I32, 2, {1, N_FRAMES}, mask};
    c = (conf_case){.path = (char[]){"a.h5"}};
    c.decoder = (conf_decoder){.n_samples = 1, .n_tokens = N_TOKENS, .has_truth = true, .inputs = inputs};
    c.decoder.n_inputs = N_INPUTS;
    c.decoder.tokens = (conf_array){.data = tokens, .n = N_TOKENS};
    c.decoder.length = (conf_array){.data = &length, .n = 1};
    whole = (conf_whole){0};
    open_whole();
}

static void teardown(void)
{
    conf_cut_inputs_free(&made);
    conf_cut_free(&cut);
    conf_whole_close(&whole);
}

/* Gives an item a size, and keeps the tokens of that size. */
static void resize(size_t item, size_t frames, size_t rows, size_t columns)
{
    const conf_span *span = &whole.items.spans[item];
    size_t n_before = 0;
    cut.sizes[item] = (conf_size){{frames, rows, columns}};
    for (size_t i = span->first; i < span->end; i++)
        cut.tokens[i] = conf_cut_wants(&whole, &cut, 0, item, i, &n_before);
}

/* "x" kept, "." not. */
static void assert_tokens(const char *expected)
{
    char found[N_TOKENS + 1] = "";
    for (size_t i = 0; i < N_TOKENS; i++) found[i] = cut.tokens[i] ? 'x' : '.';
    ck_assert_str_eq(found, expected);
    ck_assert(conf_cut_is_case(&whole, &cut));
}

/* The tensor of the items of the cut. */
static const assay_tensor *make(const char *name)
{
    conf_cut_inputs_free(&made);
    ck_assert_msg(conf_cut_inputs_open(&whole, &cut, &made, &err) == ASSAY_OK, "%s", err.text);
    for (size_t i = 0; i < made.n_tensors; i++)
        if (strcmp(made.tensors[i].name, name) == 0) return &made.tensors[i];
    ck_abort_msg("no tensor %s", name);
    return NULL;
}

static float value_at(const assay_tensor *t, size_t i)
{
    return ((const float *)t->data)[i];
}

START_TEST(a_size_is_that_of_the_grid_or_of_the_mask)
{
    ck_assert(conf_size_is(&whole.sizes[0], &(conf_size){{2, 4, 4}}));
    ck_assert(conf_size_is(&whole.sizes[1], &(conf_size){{20, 1, 1}}));
    ck_assert_uint_eq(conf_size_step(&whole.items.items[0], &placeholders, 0), 1);
    ck_assert_uint_eq(conf_size_step(&whole.items.items[0], &placeholders, 2), 2);
    ck_assert_uint_eq(conf_size_step(&whole.items.items[1], &placeholders, 0), 1);
    assert_tokens("xxxxxxxxxxxxxxxx");
    ck_assert(conf_cut_is_recorded(&whole, &cut));
}
END_TEST

/* An image of 2 x 4 patches, and two places of padding. */
enum { N_PLACES = 10 };
static int64_t places[N_PLACES][2];
static float pixels[N_PLACES][3];

/* Makes the video the image, with the tokens of its blocks of 2 x 2 patches. */
static void place_image(void)
{
    for (size_t i = 0; i < N_PLACES; i++) {
        places[i][0] = i < 8 ? (int64_t)i % 4 : -1;
        places[i][1] = i < 8 ? (int64_t)i / 4 : -1;
        pixels[i][0] = pixels[i][1] = pixels[i][2] = (float)i + 1;
    }
    teardown();
    inputs[0] = (assay_tensor){"pixel_values", ASSAY_F32, 3, {1, N_PLACES, 3}, pixels};
    inputs[1] = (assay_tensor){"image_position_ids", ASSAY_I64, 3, {1, N_PLACES, 2}, places};
    c.decoder.n_inputs = 2;
    c.decoder.tokens.n = 4;
    c.decoder.n_tokens = 4;
    length = 4;
    whole = (conf_whole){0};
    const conf_placeholders image = {.image = VIDEO, .video = -1, .audio = -1, .side = 2};
    ck_assert_msg(conf_whole_open(&c, &image, &whole, &err) == ASSAY_OK, "%s", err.text);
    ck_assert(conf_cut_open(&whole, &cut));
}

START_TEST(an_image_with_places_keeps_those_of_its_first_columns)
{
    static int32_t prompt[] = {TEXT, VIDEO, VIDEO, TEXT};
    c.decoder.tokens.data = prompt;
    place_image();
    ck_assert(conf_size_is(&whole.sizes[0], &(conf_size){{1, 2, 4}}));
    resize(0, 1, 2, 2);
    ck_assert(cut.tokens[1] && !cut.tokens[2]);
    const assay_tensor *t = make("image_position_ids");
    static const int64_t expected[N_PLACES][2] = {{0, 0},   {1, 0},   {0, 1},   {1, 1},   {-1, -1},
                                                  {-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}};
    ck_assert_mem_eq(t->data, expected, sizeof expected);
    ck_assert_uint_eq(t->shape[1], N_PLACES);
    t = make("pixel_values");
    static const float first[] = {1, 2, 5, 6, 0};
    for (size_t i = 0; i < 5; i++) ck_assert_float_eq(value_at(t, 3 * i + 2), first[i]);
    length = N_TOKENS;
}
END_TEST

START_TEST(an_image_whose_places_are_not_row_by_row_has_no_size)
{
    place_image();
    const assay_item *image = &whole.items.items[0];
    const conf_placeholders p = {.image = VIDEO, .side = 2};
    ck_assert_uint_eq(conf_size_of(image, &p).n[2], 4);
    places[1][0] = 2;
    places[2][0] = 1;
    ck_assert_uint_eq(conf_size_of(image, &p).n[0], 0);
    places[1][0] = 1;
    places[2][0] = 2;
    places[9][0] = 0;
    ck_assert_uint_eq(conf_size_of(image, &p).n[0], 0);
    places[9][0] = -1;
    inputs[0].shape[1] = N_PLACES - 1;
    assay_tensor other[] = {inputs[0], inputs[1]};
    ck_assert_uint_eq(
        conf_size_of(&(assay_item){.kind = ASSAY_ITEM_IMAGE, .tensors = other, .n_tensors = 2}, &p).n[0], 0);
    length = N_TOKENS;
}
END_TEST

START_TEST(items_whose_tokens_do_not_follow_from_their_grid_have_no_size)
{
    const assay_item *video = &whole.items.items[0];
    conf_placeholders other = placeholders;
    other.n_each = 8;
    ck_assert_uint_eq(conf_size_of(video, &other).n[0], 0);
    other = placeholders;
    other.has_crops = true;
    ck_assert_uint_eq(conf_size_of(video, &other).n[0], 0);
    other = placeholders;
    other.side = 3;
    ck_assert_uint_eq(conf_size_of(video, &other).n[0], 0);
    other.side = other.chunk = 0;
    ck_assert_uint_eq(conf_size_of(video, &other).n[0], 0);
    ck_assert_uint_eq(conf_size_of(&whole.items.items[1], &other).n[0], 0);
    inputs[0].shape[0] = N_PATCHES - 1;
    teardown();
    open_whole();
    ck_assert_uint_eq(whole.sizes[0].n[0], 0);
}
END_TEST

START_TEST(tokens_of_another_item_between_those_of_a_video_leave_it_its_size)
{
    tokens[5] = AUDIO;
    tokens[11] = TEXT;
    teardown();
    open_whole();
    ck_assert(whole.items.spans[1].first == 5 && whole.items.spans[1].end == 14);
    ck_assert_uint_eq(whole.sizes[0].n[0], 0);
    ck_assert_uint_eq(whole.sizes[1].n[0], 0);
    tokens[5] = TEXT;
    tokens[11] = AUDIO;
}
END_TEST

START_TEST(a_smaller_video_keeps_the_tokens_of_its_part)
{
    resize(0, 2, 4, 2);
    assert_tokens("xx.x.xx.x.xxxxxx");
    ck_assert(!conf_cut_is_recorded(&whole, &cut));
    ck_assert_uint_eq(conf_cut_changed_items(&whole, &cut), 1);
    resize(0, 2, 2, 4);
    assert_tokens("xxx..xxx..xxxxxx");
    resize(0, 1, 4, 4);
    assert_tokens("xxxxx.....xxxxxx");
    resize(0, 1, 2, 2);
    assert_tokens("xx........xxxxxx");
    cut.tokens[2] = true;
    ck_assert(!conf_cut_is_case(&whole, &cut));
}
END_TEST

START_TEST(a_smaller_video_keeps_the_patches_of_its_part)
{
    static const size_t columns[] = {0, 1, 2, 3, 8, 9, 10, 11};
    resize(0, 1, 4, 2);
    const assay_tensor *t = make("pixel_values_videos");
    ck_assert_uint_eq(t->shape[0], 8);
    for (size_t i = 0; i < 8; i++)
        ck_assert(value_at(t, 2 * i) == patches[columns[i]][0] &&
                  value_at(t, 2 * i + 1) == patches[columns[i]][1]);
    t = make("video_grid_thw");
    ck_assert_mem_eq(t->data, ((int32_t[]){1, 4, 2}), 3 * sizeof(int32_t));
    resize(0, 2, 2, 4);
    t = make("pixel_values_videos");
    ck_assert_uint_eq(t->shape[0], 16);
    ck_assert(value_at(t, 0) == patches[0][0] && value_at(t, 16) == patches[16][0]);
    t = make("video_second_per_grid");
    ck_assert(t->data == &seconds || value_at(t, 0) == seconds);
    ck_assert_mem_eq(grid, ((int32_t[]){2, 4, 4}), sizeof grid);
}
END_TEST

/* Chunks of 16 frames: 2 tokens each. */
START_TEST(a_shorter_audio_clip_has_a_shorter_mask)
{
    resize(1, 16, 1, 1);
    assert_tokens("xxxxxxxxxxxxx.xx");
    resize(1, 8, 1, 1);
    assert_tokens("xxxxxxxxxxxx..xx");
    const assay_tensor *t = make("feature_attention_mask");
    for (size_t i = 0; i < N_FRAMES; i++) ck_assert_int_eq(((const int32_t *)t->data)[i], i < 8);
    ck_assert_uint_eq(make("input_features")->shape[2], N_FRAMES);
}
END_TEST

/* 2 x 2 tokens, one more a row, and one before and after all. */
START_TEST(tokens_that_end_rows_and_images_stay_with_them)
{
    const conf_placeholders p = {.side = 2, .row_end = 1, .ends = 2};
    const assay_item image = {.kind = ASSAY_ITEM_IMAGE};
    const conf_size of = {{1, 4, 4}}, narrow = {{1, 4, 2}}, flat = {{1, 2, 4}};
    char found[2][9] = {"", ""};
    for (size_t i = 0; i < 8; i++) {
        found[0][i] = conf_size_keeps(&image, &p, &of, &narrow, i) ? 'x' : '.';
        found[1][i] = conf_size_keeps(&image, &p, &of, &flat, i) ? 'x' : '.';
    }
    ck_assert_str_eq(found[0], "xx.xx.xx");
    ck_assert_str_eq(found[1], "xxxx...x");
}
END_TEST

START_TEST(values_become_simpler_and_settings_stay)
{
    static const float expected[CONF_N_FILLINGS] = {0, 1.25F, 1, 0};
    for (conf_filling f = CONF_FILLING_ROUNDED; f < CONF_N_FILLINGS; f++) {
        cut.fillings[0] = f;
        const assay_tensor *t = make("pixel_values_videos");
        ck_assert(value_at(t, 2) == expected[f]);
        ck_assert_uint_eq(t->shape[0], N_PATCHES);
        ck_assert(value_at(make("video_second_per_grid"), 0) == seconds);
        ck_assert(make("input_features")->data == spectrogram);
    }
    ck_assert(patches[1][0] == 1.3F);
    ck_assert(!conf_cut_is_recorded(&whole, &cut));
    assert_tokens("xxxxxxxxxxxxxxxx");
    cut.n_greedy = 1;
    ck_assert(!conf_cut_is_case(&whole, &cut));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/reduce/inputs");
    TCase *tcase = tcase_create("inputs");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, a_size_is_that_of_the_grid_or_of_the_mask);
    tcase_add_test(tcase, items_whose_tokens_do_not_follow_from_their_grid_have_no_size);
    tcase_add_test(tcase, an_image_with_places_keeps_those_of_its_first_columns);
    tcase_add_test(tcase, an_image_whose_places_are_not_row_by_row_has_no_size);
    tcase_add_test(tcase, tokens_of_another_item_between_those_of_a_video_leave_it_its_size);
    tcase_add_test(tcase, a_smaller_video_keeps_the_tokens_of_its_part);
    tcase_add_test(tcase, a_smaller_video_keeps_the_patches_of_its_part);
    tcase_add_test(tcase, a_shorter_audio_clip_has_a_shorter_mask);
    tcase_add_test(tcase, tokens_that_end_rows_and_images_stay_with_them);
    tcase_add_test(tcase, values_become_simpler_and_settings_stay);
    suite_add_tcase(suite, tcase);
    return support_run(suite);
}
