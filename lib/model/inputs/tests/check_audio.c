/* Audio clips of a sample: their tensors, their placeholder tokens, and where ropes place these.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/tests/support.h"
#include "model/inputs/media_list.h"
#include "model/inputs/positions.h"

enum { BINS = 2, FRAMES = 3, PITCH = 4, AUDIO = 92, IMAGE = 90, CHUNK = 100 };

/* An audio clip of 3 frames, one of padding after them, in a sample of text, its placeholder and text. */
typedef struct audio {
    plan plan;
    float features[BINS * PITCH];
    int32_t mask[PITCH], tokens[4];
    assay_tensor tensors[3];
    assay_item items[2];
    assay_step step;
    assay_error err;
} audio;

static const plan_tower TOWER = {.present = true,
                                 .kind = PLAN_TOWER_AUDIO,
                                 .audio = {.n_bins = BINS, .chunk = CHUNK},
                                 .patches = {.size = 1, .channels = 1, .frames = 1},
                                 .pooling = {.side = 1},
                                 .merge = 1,
                                 .image_token = -1,
                                 .video_token = -1,
                                 .audio_token = AUDIO};

static void make_audio(audio *s)
{
    *s = (audio){.plan = {.audio = TOWER, .positions = PLAN_POSITIONS_GRID},
                 .features = {1, 2, 3, NAN, 4, 5, 6, NAN},
                 .mask = {1, 1, 1, 0},
                 .tokens = {1, AUDIO, 2, 3}};
    s->tensors[0] = (assay_tensor){"input_features", ASSAY_F32, 3, {1, BINS, PITCH}, s->features};
    s->tensors[1] = (assay_tensor){"feature_attention_mask", ASSAY_I32, 2, {1, PITCH}, s->mask};
    s->items[0] = (assay_item){.kind = ASSAY_ITEM_AUDIO, .tensors = s->tensors, .n_tensors = 2};
    s->step = (assay_step){.sample = 7, .tokens = s->tokens, .n_tokens = 4, .items = s->items, .n_items = 1};
}

static assay_status add(audio *s, media_list *list)
{
    return media_list_add(list, &s->plan, &s->step, 0, s->tokens, true, &s->err);
}

START_TEST(an_audio_clip_has_its_frames_without_padding)
{
    static const double EXPECTED[] = {1, 2, 3, 4, 5, 6};
    audio s;
    media_list list = {0};
    double x[BINS * FRAMES];
    make_audio(&s);
    ck_assert_int_eq(add(&s, &list), ASSAY_OK);
    const medium *m = list.place[0].medium;
    ck_assert_ptr_eq(medium_tower(m), &s.plan.audio);
    ck_assert_uint_eq(medium_frames(m), FRAMES);
    ck_assert_uint_eq(medium_tokens(m), 1);
    ck_assert_uint_eq(list.place[0].first, 1);
    medium_spectrogram(m, x);
    for (size_t i = 0; i < BINS * FRAMES; i++) ck_assert_double_eq(x[i], EXPECTED[i]);
    media_list_free(&list);
}
END_TEST

START_TEST(padding_does_not_make_another_audio_clip_and_frames_do)
{
    audio s;
    media_list one = {0}, padded = {0}, longer = {0};
    float dense[BINS * FRAMES] = {1, 2, 3, 4, 5, 6};
    make_audio(&s);
    ck_assert_int_eq(add(&s, &padded), ASSAY_OK);
    s.features[3] = s.features[7] = 0;
    s.mask[3] = 1;
    ck_assert_int_eq(add(&s, &longer), ASSAY_OK);
    s.tensors[0] = (assay_tensor){"input_features", ASSAY_F32, 2, {BINS, FRAMES}, dense};
    s.tensors[1] = (assay_tensor){"feature_attention_mask", ASSAY_I32, 1, {FRAMES}, s.mask};
    ck_assert_int_eq(add(&s, &one), ASSAY_OK);
    ck_assert(medium_equal(one.place[0].medium, padded.place[0].medium));
    ck_assert(!medium_equal(one.place[0].medium, longer.place[0].medium));
    media_list_free(&one);
    media_list_free(&padded);
    media_list_free(&longer);
}
END_TEST

/* Two audio clips, the second right after the first: one position a token. */
START_TEST(tokens_of_an_audio_clip_follow_each_other_on_every_axis)
{
    audio s;
    media_list list = {0};
    int32_t tokens[] = {1, AUDIO, AUDIO, AUDIO, 2}, position[5 * ROPE_AXES_MAX], mask[16];
    float features[BINS * 16] = {0};
    make_audio(&s);
    for (size_t i = 0; i < 16; i++) mask[i] = 1;
    assay_tensor other[] = {{"input_features", ASSAY_F32, 2, {BINS, 16}, features},
                            {"feature_attention_mask", ASSAY_I32, 1, {16}, mask}};
    s.items[1] = (assay_item){.kind = ASSAY_ITEM_AUDIO, .tensors = other, .n_tensors = 2};
    s.step.n_items = 2;
    s.step.tokens = tokens;
    s.step.n_tokens = 5;
    ck_assert_int_eq(media_list_add(&list, &s.plan, &s.step, 0, tokens, true, &s.err), ASSAY_OK);
    ck_assert_uint_eq(list.n, 2);
    ck_assert_uint_eq(list.place[1].first, 2);
    positions_fill(&s.plan, &list, tokens, NULL, 0, 5, position);
    for (int32_t t = 0; t < 5; t++)
        for (size_t a = 0; a < ROPE_AXES_MAX; a++)
            ck_assert_int_eq(position[(size_t)t * ROPE_AXES_MAX + a], t);
    ck_assert_int_eq(positions_delta(position, 5), 0);
    ck_assert_uint_eq(positions_next(&s.plan, &list, tokens, position, 3), 3);
    media_list_free(&list);
}
END_TEST

static void no_mask(audio *s)
{
    s->items[0].n_tensors = 1;
}
static void no_features(audio *s)
{
    s->items[0].tensors = &s->tensors[1];
    s->items[0].n_tensors = 1;
}
static void an_image(audio *s)
{
    s->items[0].kind = ASSAY_ITEM_IMAGE;
}
static void another_tensor(audio *s)
{
    s->tensors[0].name = "pixel_values";
}
static void no_frame(audio *s)
{
    s->mask[0] = s->mask[1] = s->mask[2] = 0;
}
static void padding_first(audio *s)
{
    s->mask[0] = 0;
    s->mask[3] = 1;
}
static void another_value(audio *s)
{
    s->mask[1] = 2;
}
static void float_mask(audio *s)
{
    s->tensors[1].dtype = ASSAY_F32;
}
static void two_masks(audio *s)
{
    s->tensors[1].shape[0] = 2;
}
static void fewer_bins(audio *s)
{
    s->tensors[0].shape[1] = 1;
}
static void fewer_columns(audio *s)
{
    s->tensors[0].shape[2] = 3;
}
static void integer_features(audio *s)
{
    s->tensors[0].dtype = ASSAY_I32;
}
static void not_finite(audio *s)
{
    s->features[5] = INFINITY;
}
static void more_tokens(audio *s)
{
    s->items[0].offset = 1;
    s->items[0].n_tokens = 2;
}
static void no_placeholder(audio *s)
{
    s->tokens[1] = 1;
}
static void one_placeholder_too_many(audio *s)
{
    s->tokens[3] = AUDIO;
}

static const struct {
    void (*change)(audio *);
    assay_status status;
    const char *texts[2];
} CHANGES[] = {
    {no_mask, ASSAY_EINVAL, {"tensor 'feature_attention_mask' is missing", ""}},
    {no_features, ASSAY_EINVAL, {"tensor 'input_features' is missing", ""}},
    {an_image, ASSAY_EUNSUPPORTED, {"found an image, which the model does not take", ""}},
    {another_tensor, ASSAY_EUNSUPPORTED, {"tensor 'pixel_values' is not supported", "input_features"}},
    {no_frame, ASSAY_EINVAL, {"found 0 frames", "expected 1"}},
    {padding_first, ASSAY_EUNSUPPORTED, {"[1]: found a frame after padding", ""}},
    {another_value, ASSAY_EINVAL, {"[1]: found 2", "expected 0 or 1"}},
    {float_mask, ASSAY_EUNSUPPORTED, {"found type F32", "expected I32 or I64"}},
    {two_masks, ASSAY_EINVAL, {"found shape [2, 4]", "expected [1, n] or [n]"}},
    {fewer_bins, ASSAY_EINVAL, {"found shape [1, 1, 4]", "expected [1, 2, 4] or [2, 4]"}},
    {fewer_columns, ASSAY_EINVAL, {"found shape [1, 2, 3]", "expected [1, 2, 4] or [2, 4]"}},
    {integer_features, ASSAY_EUNSUPPORTED, {"'input_features': found type I32", ""}},
    {not_finite, ASSAY_EINVAL, {"'input_features': [1, 1]: found inf", "a finite number"}},
    {more_tokens, ASSAY_EINVAL, {"found n_tokens 2, expected 1", "3 frames"}},
    {no_placeholder, ASSAY_EINVAL, {"found no placeholder token 92", ""}},
    {one_placeholder_too_many, ASSAY_EINVAL, {"found placeholder token 92", "no audio clip is left"}},
};

START_TEST(an_audio_clip_that_does_not_fit_is_refused)
{
    audio s;
    media_list list = {0};
    make_audio(&s);
    CHANGES[_i].change(&s);
    ck_assert_int_eq(add(&s, &list), CHANGES[_i].status);
    support_expect_error(&s.err, CHANGES[_i].status, "step: sample 7:", CHANGES[_i].texts[0],
                         CHANGES[_i].texts[1], NULL);
    ck_assert_uint_eq(list.n, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/inputs/audio");
    TCase *all = tcase_create("all");
    tcase_add_test(all, an_audio_clip_has_its_frames_without_padding);
    tcase_add_test(all, padding_does_not_make_another_audio_clip_and_frames_do);
    tcase_add_test(all, tokens_of_an_audio_clip_follow_each_other_on_every_axis);
    tcase_add_loop_test(all, an_audio_clip_that_does_not_fit_is_refused, 0,
                        (int)(sizeof CHANGES / sizeof *CHANGES));
    suite_add_tcase(suite, all);
    return support_run(suite);
}
