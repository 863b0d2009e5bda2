/* Positions of tokens, against values of transformers' get_rope_index.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/inputs/positions.h"

#include <stdio.h>

#include "base/tests/support.h"
#include "model/inputs/tests/sample.h"

enum { MEDIA = 3, AXES = ROPE_AXES_MAX };

/* A prompt: its tokens, its images, then its videos (a grid of zeros ends them), and the positions and the
 * delta that the published class gives it. */
typedef struct prompt {
    const char *published; /* class */
    const char *tokens;
    sample_medium images[MEDIA], videos[MEDIA];
    int32_t position[SAMPLE_MOST][AXES]; /* those of M-RoPE have three axes */
    int32_t delta, next; /* next: of the next token, where it differs from delta; 0: it does not */
} prompt;

static const prompt PROMPTS[] = {
    {"Qwen2VLModel", "aaa", .position = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}}},
    {"Qwen2VLModel", "aiiiiiibb", .images = {{.grid = {1, 4, 6}}},
     .position =
         {{0, 0, 0}, {1, 1, 1}, {1, 1, 2}, {1, 1, 3}, {1, 2, 1}, {1, 2, 2}, {1, 2, 3}, {4, 4, 4}, {5, 5, 5}},
     .delta = -3},
    /* Several sizes; images first and last. */
    {"Qwen2VLModel", "iiaiiiiiibbbi",
     .images = {{.grid = {1, 2, 4}}, {.grid = {1, 6, 4}}, {.grid = {1, 2, 2}}},
     .position = {{0, 0, 0},
                  {0, 0, 1},
                  {2, 2, 2},
                  {3, 3, 3},
                  {3, 3, 4},
                  {3, 4, 3},
                  {3, 4, 4},
                  {3, 5, 3},
                  {3, 5, 4},
                  {6, 6, 6},
                  {7, 7, 7},
                  {8, 8, 8},
                  {9, 9, 9}},
     .delta = -3},
    {"Qwen2VLModel", "iiiab", .images = {{.grid = {1, 6, 2}}},
     .position = {{0, 0, 0}, {0, 1, 0}, {0, 2, 0}, {3, 3, 3}, {4, 4, 4}}},
    /* A video is one run; an image may have several frames. */
    {"Qwen2VLModel", "avvvvvvvvb", .videos = {{.grid = {2, 4, 4}}},
     .position = {{0, 0, 0},
                  {1, 1, 1},
                  {1, 1, 2},
                  {1, 2, 1},
                  {1, 2, 2},
                  {2, 1, 1},
                  {2, 1, 2},
                  {2, 2, 1},
                  {2, 2, 2},
                  {3, 3, 3}},
     .delta = -6},
    {"Qwen3VLModel", "aiiiiiiiib", .images = {{.grid = {2, 4, 4}}},
     .position = {{0, 0, 0},
                  {1, 1, 1},
                  {1, 1, 2},
                  {1, 2, 1},
                  {1, 2, 2},
                  {2, 1, 1},
                  {2, 1, 2},
                  {2, 2, 1},
                  {2, 2, 2},
                  {3, 3, 3}},
     .delta = -6},
    /* More frames than rows and columns: the prompt's text is placed beside the later frames. */
    {"Qwen2VLModel", "avvvvvvvvbbii", .images = {{.grid = {1, 2, 4}}}, .videos = {{.grid = {4, 2, 4}}},
     .position = {{0, 0, 0},
                  {1, 1, 1},
                  {1, 1, 2},
                  {2, 1, 1},
                  {2, 1, 2},
                  {3, 1, 1},
                  {3, 1, 2},
                  {4, 1, 1},
                  {4, 1, 2},
                  {3, 3, 3},
                  {4, 4, 4},
                  {5, 5, 5},
                  {5, 5, 6}},
     .delta = -6},
    /* A run of each kind, without text between them. */
    {"Qwen2VLModel", "avvvviib", .images = {{.grid = {1, 4, 2}}}, .videos = {{.grid = {2, 2, 4}}},
     .position = {{0, 0, 0}, {1, 1, 1}, {1, 1, 2}, {2, 1, 1}, {2, 1, 2}, {3, 3, 3}, {3, 4, 3}, {5, 5, 5}},
     .delta = -2},
    /* A run for each frame, and an image between two of them. */
    {"Qwen3VLModel", "avvvvbcvvvvd", .videos = {{.grid = {2, 4, 4}}},
     .position = {{0, 0, 0},
                  {1, 1, 1},
                  {1, 1, 2},
                  {1, 2, 1},
                  {1, 2, 2},
                  {3, 3, 3},
                  {4, 4, 4},
                  {5, 5, 5},
                  {5, 5, 6},
                  {5, 6, 5},
                  {5, 6, 6},
                  {7, 7, 7}},
     .delta = -4},
    {"Qwen3_5Model", "avvbiicvvdvv", .images = {{.grid = {1, 4, 2}}}, .videos = {{.grid = {3, 2, 4}}},
     .position = {{0, 0, 0},
                  {1, 1, 1},
                  {1, 1, 2},
                  {3, 3, 3},
                  {4, 4, 4},
                  {4, 5, 4},
                  {6, 6, 6},
                  {7, 7, 7},
                  {7, 7, 8},
                  {9, 9, 9},
                  {10, 10, 10},
                  {10, 10, 11}}},
    /* Seconds of a video, multiplied with 4 positions a second in float32, and cut. */
    {"Qwen2_5_VLModel", "avvvvvvbivvc", .images = {{.grid = {1, 2, 2}}},
     .videos = {{.grid = {3, 4, 2}, .seconds = 0.55F}, {.grid = {2, 2, 2}, .seconds = 1.75F}},
     .position = {{0, 0, 0},
                  {1, 1, 1},
                  {1, 2, 1},
                  {3, 1, 1},
                  {3, 2, 1},
                  {5, 1, 1},
                  {5, 2, 1},
                  {3, 3, 3},
                  {4, 4, 4},
                  {5, 5, 5},
                  {12, 5, 5},
                  {6, 6, 6}},
     .delta = 1,
     .next = -5}, /* the last frame of the second video is the largest position; see positions.h */
    /* A second for each frame, if the video states none. */
    {"Qwen2_5_VLModel", "avvvvb", .videos = {{.grid = {4, 2, 2}}},
     .position = {{0, 0, 0}, {1, 1, 1}, {5, 1, 1}, {9, 1, 1}, {13, 1, 1}, {2, 2, 2}}, .delta = 8, .next = -3},
    /* Position, column, row and number of the image; a row has a token after its blocks, an image one before
     * and one after them. */
    {"HunYuanVLModel", "aaa", .position = {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}}},
    {"HunYuanVLModel", "aiiiiiiiibiiiib", .images = {{.grid = {1, 4, 4}}, {.grid = {1, 2, 2}}},
     .position = {{0, 0, 0, 0},
                  {1, 1, 1, 1},
                  {2, 0, 0, 0},
                  {3, 1, 0, 0},
                  {4, 2, 0, 0},
                  {5, 0, 1, 0},
                  {6, 1, 1, 0},
                  {7, 2, 1, 0},
                  {8, 8, 8, 8},
                  {9, 9, 9, 9},
                  {10, 10, 10, 10},
                  {11, 0, 0, 1},
                  {12, 1, 0, 1},
                  {13, 13, 13, 13},
                  {14, 14, 14, 14}}},
};

static bool is_hunyuan(const char *published)
{
    return published[0] == 'H';
}

static plan plan_of(const char *published)
{
    plan p = {.vision = sample_tower, .positions = PLAN_POSITIONS_GRID};
    if (is_hunyuan(published)) {
        p.positions = PLAN_POSITIONS_IMAGES;
        p.vision.merger = (plan_merger){2, {{.kind = PLAN_MERGER_ROW_ENDS}, {.kind = PLAN_MERGER_ENDS}}};
        p.vision.video_token = -1;
    }
    p.vision.frames_apart = published[4] == '3';
    p.vision.tokens_per_second = published[5] == '_' && published[4] == '2' ? 4 : 0;
    return p;
}

/* The media of a prompt; its items in one step. */
static media_list media_of(const plan *p, const prompt *of, const int32_t *tokens, size_t n)
{
    static sample_medium own[2 * MEDIA];
    assay_item items[2 * MEDIA];
    media_list list = {0};
    assay_error err;
    assay_step step = {.tokens = tokens, .n_tokens = n, .items = items};
    for (size_t i = 0; i < 2 * (size_t)MEDIA; i++) {
        own[i] = i < MEDIA ? of->images[i] : of->videos[i - MEDIA];
        if (own[i].grid[0] == 0) continue;
        items[step.n_items++] = sample_item(&own[i], i < MEDIA ? ASSAY_ITEM_IMAGE : ASSAY_ITEM_VIDEO);
    }
    ck_assert_msg(media_list_add(&list, p, &step, 0, tokens, false, &err) == ASSAY_OK, "%s", err.text);
    return list;
}

static void expect_positions(const prompt *of, size_t first, const int32_t (*found)[AXES], size_t n)
{
    for (size_t t = 0; t < n; t++)
        for (size_t a = 0; a < (is_hunyuan(of->published) ? 4 : 3); a++)
            ck_assert_msg(found[t][a] == of->position[first + t][a],
                          "%s %s: token %zu, axis %zu: found %d, expected %d", of->published, of->tokens,
                          first + t, a, found[t][a], of->position[first + t][a]);
}

START_TEST(positions_of_a_prompt_are_the_published_ones)
{
    const prompt *of = &PROMPTS[_i];
    const plan p = plan_of(of->published);
    int32_t tokens[SAMPLE_MOST], position[SAMPLE_MOST][AXES];
    const size_t n = sample_tokens(of->tokens, tokens);
    media_list list = media_of(&p, of, tokens, n);
    positions_fill(&p, &list, tokens, NULL, 0, n, position[0]);
    expect_positions(of, 0, (const int32_t(*)[AXES])position, n);
    ck_assert_int_eq(positions_delta(position[0], n), of->delta);
    media_list_free(&list);
}
END_TEST

START_TEST(positions_do_not_depend_on_the_division_into_steps)
{
    const prompt *of = &PROMPTS[_i];
    const plan p = plan_of(of->published);
    int32_t tokens[SAMPLE_MOST], position[SAMPLE_MOST][AXES];
    const size_t n = sample_tokens(of->tokens, tokens);
    media_list list = media_of(&p, of, tokens, n);
    for (size_t from = 1; from < n; from++) {
        positions_fill(&p, &list, tokens, NULL, 0, from, position[0]);
        positions_fill(&p, &list, tokens, position[0], from, n - from, position[from]);
        expect_positions(of, 0, (const int32_t(*)[AXES])position, n);
    }
    media_list_free(&list);
}
END_TEST

START_TEST(generated_tokens_follow_at_the_number_of_tokens_plus_delta)
{
    const prompt *of = &PROMPTS[_i];
    const plan p = plan_of(of->published);
    int32_t tokens[SAMPLE_MOST], position[SAMPLE_MOST][AXES];
    const size_t n = sample_tokens(of->tokens, tokens);
    media_list list = media_of(&p, of, tokens, n);
    positions_fill(&p, &list, tokens, NULL, 0, n, position[0]);
    /* A generated placeholder token is text: no item is left for it. */
    tokens[n] = tokens[n + 1] = 1;
    tokens[n + 2] = SAMPLE_IMAGE;
    const int32_t delta = of->next ? of->next : of->delta;
    ck_assert_int_eq((int32_t)(positions_next(&p, &list, tokens, position[0], n) - n), delta);
    for (size_t t = n; t < n + 3; t++) {
        positions_fill(&p, &list, tokens, position[0], t, 1, position[t]);
        for (size_t a = 0; a < 3; a++) ck_assert_int_eq(position[t][a], (int32_t)t + delta);
    }
    media_list_free(&list);
}
END_TEST

START_TEST(a_plan_without_grids_places_tokens_by_their_index)
{
    plan p = plan_of("Qwen2VLModel");
    int32_t tokens[SAMPLE_MOST], position[SAMPLE_MOST][AXES];
    const size_t n = sample_tokens("aiiiiiibb", tokens);
    media_list list = media_of(&p, &PROMPTS[1], tokens, n);
    p.positions = PLAN_POSITIONS_INDEX;
    positions_fill(&p, &list, tokens, NULL, 0, n, position[0]);
    for (size_t t = 0; t < n; t++)
        for (size_t a = 0; a < 3; a++) ck_assert_int_eq(position[t][a], (int32_t)t);
    ck_assert_int_eq(positions_delta(position[0], n), 0);
    media_list_free(&list);
}
END_TEST

/* mlx-vlm, get_rope_index of falcon_ocr: c, r and i are tokens of a block, e the one after it. */
START_TEST(tokens_of_a_block_and_the_one_after_it_share_a_position)
{
    static const char LETTERS[] = "acriieecrieb";
    static const int32_t EXPECTED[] = {0, 1, 1, 1, 1, 1, 2, 3, 3, 3, 3, 4};
    sample_medium images[] = {{.grid = {1, 1, 2}}, {.grid = {1, 1, 1}}};
    plan p = {.vision = sample_tower,
              .positions = PLAN_POSITIONS_BLOCK,
              .blocks = {.n = 3, .id = {7, 8, SAMPLE_IMAGE}}};
    p.vision.merge = 1;
    assay_item items[] = {sample_item(&images[0], ASSAY_ITEM_IMAGE),
                          sample_item(&images[1], ASSAY_ITEM_IMAGE)};
    int32_t tokens[SAMPLE_MOST], position[SAMPLE_MOST][AXES];
    const size_t n = sample_tokens(LETTERS, tokens);
    for (size_t t = 0; t < n; t++)
        if (LETTERS[t] == 'c' || LETTERS[t] == 'r') tokens[t] = LETTERS[t] == 'c' ? 7 : 8;
    media_list list = {0};
    assay_error err;
    const assay_step step = {.tokens = tokens, .n_tokens = n, .items = items, .n_items = 2};
    ck_assert_msg(media_list_add(&list, &p, &step, 0, tokens, false, &err) == ASSAY_OK, "%s", err.text);
    for (size_t from = 1; from <= n; from++) { /* whole, and in two steps */
        positions_fill(&p, &list, tokens, NULL, 0, from, position[0]);
        ck_assert_int_eq((int32_t)positions_next(&p, &list, tokens, position[0], from),
                         from < n ? EXPECTED[from] : 5);
        positions_fill(&p, &list, tokens, position[0], from, n - from, position[from]);
        for (size_t t = 0; t < n; t++)
            for (size_t a = 0; a < 3; a++) ck_assert_int_eq(position[t][a], EXPECTED[t]);
    }
    ck_assert_int_eq(positions_delta(position[0], n), -7);
    media_list_free(&list);
    positions_fill(&p, &list, tokens, NULL, 0, n, position[0]); /* without media */
    ck_assert_int_eq(position[n - 1][0], (int32_t)n - 1);
}
END_TEST

START_TEST(tokens_after_given_positions_follow_the_largest_of_the_last_token)
{
    const plan p = plan_of("Qwen2VLModel");
    const media_list none = {0};
    int32_t tokens[SAMPLE_MOST], position[4][AXES] = {{9, 9, 9}, {3, 7, 5}};
    const size_t n = sample_tokens("abcd", tokens);
    positions_fill(&p, &none, tokens, position[0], 2, n - 2, position[2]);
    ck_assert_int_eq(position[2][0], 8);
    ck_assert_int_eq(position[2][2], 8);
    ck_assert_int_eq(position[3][1], 9);
    position[1][1] = INT32_MAX;
    positions_fill(&p, &none, tokens, position[0], 2, n - 2, position[2]);
    ck_assert_int_eq(position[3][0], INT32_MAX);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/inputs/positions");
    TCase *tests = tcase_create("positions");
    const int n = (int)(sizeof PROMPTS / sizeof *PROMPTS);
    tcase_add_loop_test(tests, positions_of_a_prompt_are_the_published_ones, 0, n);
    tcase_add_loop_test(tests, positions_do_not_depend_on_the_division_into_steps, 0, n);
    tcase_add_loop_test(tests, generated_tokens_follow_at_the_number_of_tokens_plus_delta, 0, n);
    tcase_add_test(tests, a_plan_without_grids_places_tokens_by_their_index);
    tcase_add_test(tests, tokens_of_a_block_and_the_one_after_it_share_a_position);
    tcase_add_test(tests, tokens_after_given_positions_follow_the_largest_of_the_last_token);
    suite_add_tcase(suite, tests);
    return support_run(suite);
}
