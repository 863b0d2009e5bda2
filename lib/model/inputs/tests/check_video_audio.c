/* Videos that last as long as their seconds say, and audio clips among their tokens: positions, against
 * values of transformers' get_rope_index of Qwen3-Omni, and what is refused.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/tests/support.h"
#include "model/inputs/positions.h"
#include "model/inputs/tests/sample.h"

enum { AUDIO = 92, BINS = 1, FRAMES = 32, AXES = ROPE_AXES_MAX, ITEMS = 4 };

/* An item, by the letter of its placeholder token: i of an image, v of a video, s of an audio clip of grid[0]
 * frames; 0: none. */
typedef struct clip {
    char letter;
    int32_t grid[3];
    float seconds; /* 0: not stated; NAN: 0 */
} clip;

/* A prompt; ( stands for the mark of images and videos, [ for that of audio clips, which are text here. */
typedef struct prompt {
    const char *tokens;
    clip clips[ITEMS];
    int32_t position[SAMPLE_MOST][3], delta;
} prompt;

static const prompt PROMPTS[] = {
    {"a(vvvv)b",
     {{'v', {2, 2, 4}, 1.5F}},
     {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {2, 2, 3}, {5, 2, 2}, {5, 2, 3}, {6, 6, 6}, {7, 7, 7}},
     0},
    /* The first video has a frame alone, which is at 0 whatever its seconds are. */
    {"(vv)(vvvv)b",
     {{'v', {1, 4, 2}, 0.3F}, {'v', {4, 2, 2}, 2}},
     {{0, 0, 0},
      {1, 1, 1},
      {1, 2, 1},
      {3, 3, 3},
      {4, 4, 4},
      {5, 5, 5},
      {9, 5, 5},
      {13, 5, 5},
      {17, 5, 5},
      {18, 18, 18},
      {19, 19, 19}},
     9},
    /* An image has a second for each frame. */
    {"(iiii)b",
     {{'i', {4, 2, 2}, 0}},
     {{0, 0, 0}, {1, 1, 1}, {3, 1, 1}, {5, 1, 1}, {7, 1, 1}, {8, 8, 8}, {9, 9, 9}},
     3},
    {"a(vvv)(ii)b[ss]",
     {{'v', {3, 2, 2}, 0.5F}, {'i', {1, 2, 4}, 0}, {'s', {16}, 0}},
     {{0, 0, 0},
      {1, 1, 1},
      {2, 2, 2},
      {3, 2, 2},
      {4, 2, 2},
      {5, 5, 5},
      {6, 6, 6},
      {7, 7, 7},
      {7, 7, 8},
      {9, 9, 9},
      {10, 10, 10},
      {11, 11, 11},
      {12, 12, 12},
      {13, 13, 13},
      {14, 14, 14}},
     0},
    /* The audio clip ends before the second frame. */
    {"a([vvssssvv])b",
     {{'v', {2, 2, 4}, 2}, {'s', {32}, 0}},
     {{0, 0, 0},
      {1, 1, 1},
      {2, 2, 2},
      {3, 3, 3},
      {3, 3, 4},
      {3, 3, 3},
      {4, 4, 4},
      {5, 5, 5},
      {6, 6, 6},
      {7, 3, 3},
      {7, 3, 4},
      {8, 8, 8},
      {9, 9, 9},
      {10, 10, 10}},
     -3},
    {"a([vsvsv])(i)[ss]",
     {{'v', {3, 2, 2}, 0.5F}, {'i', {1, 2, 2}, 0}, {'s', {16}, 0}, {'s', {9}, 0}},
     {{0, 0, 0},
      {1, 1, 1},
      {2, 2, 2},
      {3, 3, 3},
      {3, 3, 3},
      {4, 3, 3},
      {4, 4, 4},
      {5, 3, 3},
      {6, 6, 6},
      {7, 7, 7},
      {8, 8, 8},
      {9, 9, 9},
      {10, 10, 10},
      {11, 11, 11},
      {12, 12, 12},
      {13, 13, 13},
      {14, 14, 14}},
     -2},
    /* All frames at the same time. */
    {"([vvsss])b",
     {{'v', {2, 2, 2}, NAN}, {'s', {24}, 0}},
     {{0, 0, 0},
      {1, 1, 1},
      {2, 2, 2},
      {2, 2, 2},
      {2, 2, 2},
      {3, 3, 3},
      {4, 4, 4},
      {5, 5, 5},
      {6, 6, 6},
      {7, 7, 7}},
     -2},
    /* The rows of the frame go beyond the audio clip. */
    {"([vvvss])b",
     {{'v', {1, 6, 2}, 3}, {'s', {9}, 0}},
     {{0, 0, 0},
      {1, 1, 1},
      {2, 2, 2},
      {2, 3, 2},
      {2, 4, 2},
      {2, 2, 2},
      {3, 3, 3},
      {4, 4, 4},
      {5, 5, 5},
      {6, 6, 6}},
     -3},
    {"([vsss])b([vsv])b",
     {{'v', {1, 2, 2}, 1}, {'v', {2, 2, 2}, 1}, {'s', {20}, 0}, {'s', {2}, 0}},
     {{0, 0, 0},
      {1, 1, 1},
      {2, 2, 2},
      {2, 2, 2},
      {3, 3, 3},
      {4, 4, 4},
      {5, 5, 5},
      {6, 6, 6},
      {7, 7, 7},
      {8, 8, 8},
      {9, 9, 9},
      {10, 10, 10},
      {10, 10, 10},
      {12, 10, 10},
      {13, 13, 13},
      {14, 14, 14},
      {15, 15, 15}},
     -1},
};

static plan plan_of(void)
{
    plan p = {.vision = sample_tower, .positions = PLAN_POSITIONS_GRID};
    p.vision.spans_time = true;
    p.vision.tokens_per_second = 2;
    p.audio = (plan_tower){.present = true,
                           .kind = PLAN_TOWER_AUDIO,
                           .audio = {.n_bins = BINS, .chunk = 100},
                           .patches = {.size = 1, .channels = 1, .frames = 1},
                           .pooling = {.side = 1},
                           .merge = 1,
                           .image_token = -1,
                           .video_token = -1,
                           .audio_token = AUDIO};
    return p;
}

/* The items of a prompt. Static memory, until the next call. */
typedef struct sample {
    plan plan;
    int32_t tokens[SAMPLE_MOST];
    size_t n_tokens, n_items;
    const clip *clips; /* [n_items] */
    sample_medium media[ITEMS];
    int32_t masks[ITEMS][FRAMES];
    assay_item items[ITEMS];
} sample;

static assay_item audio_item(sample_medium *m, int32_t *mask)
{
    for (int32_t i = 0; i < m->grid[0]; i++) mask[i] = 1;
    m->tensors[0] = (assay_tensor){"feature_attention_mask", ASSAY_I32, 1, {(size_t)m->grid[0]}, mask};
    return (assay_item){.kind = ASSAY_ITEM_AUDIO, .tensors = m->tensors, .n_tensors = 1};
}

static assay_item item_of(sample *s, size_t i)
{
    const clip *of = &s->clips[i];
    sample_medium *m = &s->media[i];
    *m = (sample_medium){.grid = {of->grid[0], of->grid[1], of->grid[2]}, .seconds = of->seconds};
    if (of->letter == 's') return audio_item(m, s->masks[i]);
    if (of->letter == 'i') return sample_item(m, ASSAY_ITEM_IMAGE);
    assay_item item = sample_item(m, ASSAY_ITEM_VIDEO);
    m->tensors[1].name = "video_second_per_grid";
    if (isnan(m->seconds)) m->seconds = 0;
    item.n_tensors = of->seconds != 0 ? 2 : 1;
    return item;
}

static sample *sample_of(const char *tokens, const clip *clips)
{
    static sample s;
    s = (sample){.plan = plan_of(), .clips = clips};
    s.n_tokens = sample_tokens(tokens, s.tokens);
    for (size_t t = 0; t < s.n_tokens; t++)
        if (tokens[t] == 's') s.tokens[t] = AUDIO;
    for (; s.n_items < ITEMS && clips[s.n_items].letter; s.n_items++)
        s.items[s.n_items] = item_of(&s, s.n_items);
    return &s;
}

static assay_status add(sample *s, media_list *list, size_t from, size_t n, assay_item *items, size_t n_items,
                        assay_error *err)
{
    const assay_step step = {
        .sample = 7, .tokens = s->tokens + from, .n_tokens = n, .items = items, .n_items = n_items};
    return media_list_add(list, &s->plan, &step, from, s->tokens, false, err);
}

static void expect_positions(const prompt *of, const int32_t (*found)[AXES], size_t n)
{
    for (size_t t = 0; t < n; t++)
        for (size_t a = 0; a < 3; a++)
            ck_assert_msg(found[t][a] == of->position[t][a], "%s: token %zu, axis %zu: found %d, expected %d",
                          of->tokens, t, a, found[t][a], of->position[t][a]);
}

START_TEST(positions_are_the_published_ones_also_in_two_steps)
{
    const prompt *of = &PROMPTS[_i];
    int32_t position[SAMPLE_MOST][AXES];
    media_list list = {0};
    assay_error err;
    sample *s = sample_of(of->tokens, of->clips);
    ck_assert_msg(add(s, &list, 0, s->n_tokens, s->items, s->n_items, &err) == ASSAY_OK, "%s", err.text);
    for (size_t from = 1; from <= s->n_tokens; from++) {
        positions_fill(&s->plan, &list, s->tokens, NULL, 0, from, position[0]);
        if (from < s->n_tokens && strchr("abvsi", of->tokens[from]) == NULL) /* text follows */
            ck_assert_int_eq((int32_t)positions_next(&s->plan, &list, s->tokens, position[0], from),
                             of->position[from][0]);
        positions_fill(&s->plan, &list, s->tokens, position[0], from, s->n_tokens - from, position[from]);
        expect_positions(of, (const int32_t(*)[AXES])position, s->n_tokens);
    }
    ck_assert_int_eq(positions_delta(position[0], s->n_tokens), of->delta);
    media_list_free(&list);
}
END_TEST

/* Each item comes in the step with its first token. */
START_TEST(media_may_begin_and_end_in_steps_of_their_own)
{
    const prompt *of = &PROMPTS[_i];
    sample *s = sample_of(of->tokens, of->clips);
    int32_t position[SAMPLE_MOST][AXES];
    media_list list = {0};
    assay_error err;
    size_t left[128] = {0}; /* placeholder tokens of a letter before the next item of the kind */
    for (size_t t = 0; t < s->n_tokens; t++) {
        const unsigned char letter = (unsigned char)of->tokens[t];
        const bool begins = strchr("vsi", letter) && left[letter] == 0;
        size_t i = 0;
        while (begins && (s->clips[i].letter != letter || !s->items[i].kind)) i++;
        ck_assert_msg(add(s, &list, t, 1, &s->items[i], begins, &err) == ASSAY_OK, "%s: token %zu: %s",
                      of->tokens, t, err.text);
        if (begins) {
            s->items[i].kind = 0;
            left[letter] = medium_tokens(list.place[list.n - 1].medium);
        }
        if (strchr("vsi", letter)) left[letter]--;
        positions_fill(&s->plan, &list, s->tokens, t ? position[0] : NULL, t, 1, position[t]);
    }
    expect_positions(of, (const int32_t(*)[AXES])position, s->n_tokens);
    ck_assert_uint_eq(list.n, s->n_items);
    media_list_free(&list);
}
END_TEST

/* Frames of one token each, `seconds` apart, and audio clips of 16 frames, which are 2 tokens. */
static const struct {
    const char *tokens;
    clip clips[ITEMS];
    assay_status status;
    const char *texts[2];
} REFUSED[] = {
    {"a(v)", {{'v', {1, 2, 2}, 0}}, ASSAY_EINVAL, {"'video_second_per_grid' is missing", ""}},
    {"a(vv)",
     {{'v', {2, 2, 2}, 0.75F}},
     ASSAY_EUNSUPPORTED,
     {"found 0.75, which places frame 1 at 1.5", "2 positions a second"}},
    {"a(vv)", {{'v', {2, 2, 2}, 9e6F}}, ASSAY_EINVAL, {"found 9e+06", "at most 8.38861e+06"}},
    {"a(vv)", {{'v', {2, 2, 2}, -1}}, ASSAY_EINVAL, {"found -1", "at least 0"}},
    /* the audio clip before the video, all of the video before the audio clip, a frame too early, too late */
    {"a([svsv])", {{'v', {2, 2, 2}, 0.5F}, {'s', {16}, 0}}, ASSAY_EINVAL, {"token 4", "0 of a video and 1"}},
    {"a([vvss])", {{'v', {2, 2, 2}, 0.5F}, {'s', {16}, 0}}, ASSAY_EINVAL, {"token 5", "2 of a video and 0"}},
    {"a([vvss])", {{'v', {2, 2, 2}, 1}, {'s', {16}, 0}}, ASSAY_EINVAL, {"token 5", "2 of a video and 0"}},
    {"a([vsvs])", {{'v', {2, 2, 2}, 1}, {'s', {16}, 0}}, ASSAY_EINVAL, {"token 5", "1 of a video and 1"}},
    {"a([vssv])", {{'v', {2, 2, 2}, 0.5F}, {'s', {16}, 0}}, ASSAY_EINVAL, {"token 5", "1 of a video and 1"}},
    /* a frame of two tokens in two parts, a second audio clip, text among them, an image */
    {"a([vsvs])", {{'v', {1, 2, 4}, 1}, {'s', {16}, 0}}, ASSAY_EINVAL, {"token 4", "1 of a video and 0"}},
    {"a([vsvsv])",
     {{'v', {3, 2, 2}, 0.5F}, {'s', {8}, 0}, {'s', {8}, 0}},
     ASSAY_EINVAL,
     {"token 6", "2 of a video and 0"}},
    {"a([vsbvs])", {{'v', {2, 2, 2}, 0.5F}, {'s', {16}, 0}}, ASSAY_EINVAL, {"token 5", "1 of 2 placeholder"}},
    {"a([vivs])",
     {{'v', {2, 2, 2}, 0.5F}, {'i', {1, 2, 2}, 0}, {'s', {8}, 0}},
     ASSAY_EINVAL,
     {"token 4", "1 of 2 placeholder"}},
};

START_TEST(a_video_or_audio_clip_that_does_not_fit_is_refused)
{
    media_list list = {0};
    assay_error err;
    sample *s = sample_of(REFUSED[_i].tokens, REFUSED[_i].clips);
    ck_assert_int_eq(add(s, &list, 0, s->n_tokens, s->items, s->n_items, &err), REFUSED[_i].status);
    support_expect_error(&err, REFUSED[_i].status, "step: sample 7: ", REFUSED[_i].texts[0],
                         REFUSED[_i].texts[1], NULL);
    ck_assert_uint_eq(list.n, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/inputs/video_audio");
    TCase *tests = tcase_create("video_audio");
    const int n = (int)(sizeof PROMPTS / sizeof *PROMPTS);
    tcase_add_loop_test(tests, positions_are_the_published_ones_also_in_two_steps, 0, n);
    tcase_add_loop_test(tests, media_may_begin_and_end_in_steps_of_their_own, 0, n);
    tcase_add_loop_test(tests, a_video_or_audio_clip_that_does_not_fit_is_refused, 0,
                        (int)(sizeof REFUSED / sizeof *REFUSED));
    suite_add_tcase(suite, tests);
    return support_run(suite);
}
